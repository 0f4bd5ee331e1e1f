import { fromBufferPromise } from 'yauzl'
import { UnreadableDocument } from './unreadable.ts'

export interface ZipEntry {
  /** With slashes; a folder ends with one. */
  name: string
  /** Throws for an encrypted or damaged entry, and for one with more than `most` bytes. */
  read(most: number): Promise<Buffer>
}

/** The entries of a zip archive, from its directory. Throws if the archive is damaged. */
export async function* readZip(bytes: Buffer): AsyncGenerator<ZipEntry> {
  try {
    // An archive with one odd name or size still has the other entries: readers look at names, and `read` counts bytes.
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: false })
    for await (const entry of zip.eachEntry()) {
      const read = async (most: number): Promise<Buffer> => {
        if (entry.isEncrypted()) throw new UnreadableDocument('is encrypted')
        if (!entry.canDecodeFileData()) throw new UnreadableDocument('is packed in a way that Loadout does not know')
        const chunks: Buffer[] = []
        let size = 0
        try {
          for await (const chunk of await zip.openReadStreamPromise(entry)) {
            size += chunk.length
            if (size > most) throw new UnreadableDocument(`unpacks to more than ${most >> 20} MB`)
            chunks.push(chunk)
          }
        } catch (error) {
          throw error instanceof UnreadableDocument ? error : new UnreadableDocument('is damaged')
        }
        return Buffer.concat(chunks)
      }
      yield { name: entry.fileNameRaw.toString('utf8').replaceAll('\\', '/'), read }
    }
  } catch (error) {
    throw error instanceof UnreadableDocument ? error : new UnreadableDocument('is damaged')
  }
}
