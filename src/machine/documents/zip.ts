import { inflateRawSync } from 'node:zlib'
import { UnreadableDocument } from './unreadable.ts'

export interface ZipEntry {
  /** With slashes; a folder ends with one. */
  name: string
  /** As the archive states it. `read` does not rely on it. */
  size: number
  /** Throws for an encrypted or damaged entry, and for one with more than `most` bytes. */
  read(most: number): Buffer
}

const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const MOST_ENTRIES = 100_000

/** The entries of a zip archive, from its directory. Unpacks nothing. */
export function readZip(bytes: Buffer): ZipEntry[] {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== END) throw damaged()
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  // These values mean that the real ones are elsewhere, in an archive of more than 4 GB or 65,535 entries.
  if (count === 0xffff || at === 0xffffffff) throw new UnreadableDocument('is an archive of more than 4 GB')
  const entries: ZipEntry[] = []
  for (let left = Math.min(count, MOST_ENTRIES); left > 0; left--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== CENTRAL) throw damaged()
    const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
    const nameLength = bytes.readUInt16LE(at + 28)
    const local = bytes.readUInt32LE(at + 42)
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/')
    const read = (most: number): Buffer => {
      if (flags & 1) throw new UnreadableDocument('is encrypted')
      if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL) throw damaged()
      const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
      const content = bytes.subarray(start, start + packed)
      if (method === 0 && content.length <= most) return content
      if (method !== 8) throw new UnreadableDocument('is packed in a way that Loadout does not know')
      try {
        return inflateRawSync(content, { maxOutputLength: most })
      } catch (error) {
        const isLarge = error instanceof RangeError
        throw isLarge ? new UnreadableDocument(`unpacks to more than ${most >> 20} MB`) : damaged()
      }
    }
    entries.push({ name, size, read })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

function damaged(): UnreadableDocument {
  return new UnreadableDocument('is damaged')
}
