import { rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { readZip } from '../../machine/documents/zip.ts'
import { exists, isFile, isFolder, makeFolders } from '../../machine/files.ts'
import { readInside } from '../../machine/inside.ts'
import { ownedName } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { pathProblem } from '../../text/paths.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { isProse } from '../rules/pack.ts'
import { fetchSite } from './site.ts'

/** The documents that a pack is made from: a folder or one file, unpacked or fetched where needed. */
export interface Material {
  /** With links resolved. */
  path: string
  isFile: boolean
  /** Its name without extension, from which the name of the pack is derived. */
  title: string
  /** The documents lie in a folder that `close` removes, so the pack needs a copy of them. */
  isTemporary: boolean
  /** Pages and entries that were not taken, by reason. */
  leftOut: { what: string; count: number; example: string }[]
  close(): void
}
/** All unpacked files together, in bytes: a small archive can unpack to a huge one. */
const MOST_UNPACKED = 512 * 1024 * 1024
const MOST_ENTRIES = 30_000

export interface MaterialRequest {
  onProgress?: (done: number, total: number, what: string) => void
  signal?: AbortSignal
}

/** Opens what a user named: a folder, a document, an archive, or the address of a site. */
export async function openMaterial(machine: Machine, typed: string, request: MaterialRequest): Promise<Material> {
  if (/^https?:\/\//i.test(typed)) {
    const { hostname, pathname } = new URL(typed)
    const last = basename(pathname).replace(/\.[a-z]+$/i, '')
    const title = /^(?:|llms|llms-full|sitemap|index)$/.test(last) ? hostname.replace(/^(?:www|docs)\./, '') : last
    return temporary(machine, title, (write) => fetchSite(typed, write, request))
  }
  const path = machine.realFolder(typed)
  if (!exists(path)) throw failWith('FILE_NOT_FOUND/material', { path })
  const here = { path, isTemporary: false, leftOut: [], close: () => {} }
  if (isFolder(path)) return { ...here, isFile: false, title: basename(path) }
  const [whole, name = ''] = /^(.+)\.(?:zip|tar|tar\.gz|tgz)$/i.exec(basename(path)) ?? []
  if (isFile(path) && whole !== undefined) return temporary(machine, name, (write) => unpack(path, write))
  if (isFile(path) && isProse(path)) return { ...here, isFile: true, title: basename(path).replace(/\.[a-z]+$/i, '') }
  throw failWith('NOT_TEXT/material', { path })
}

/** Writes one file of an archive or site. */
export type WriteFile = (path: string, bytes: Uint8Array) => void

async function temporary(
  machine: Machine,
  title: string,
  fill: (write: WriteFile) => Promise<Material['leftOut']> | Material['leftOut'],
): Promise<Material> {
  const folder = join(machine.cacheFolder, `${ownedName('import')}.tmp`)
  const close = () => rmSync(folder, { recursive: true, force: true })
  makeFolders(folder, 0o700)
  try {
    const leftOut = await fill((path, bytes) => {
      makeFolders(dirname(join(folder, path)))
      writeFileSync(join(folder, path), bytes)
    })
    return { path: folder, isFile: false, title, isTemporary: true, leftOut, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Unpacks the documents of an archive, also of archives in it, as Notion exports them. Skips unsafe names. */
async function unpack(path: string, write: WriteFile): Promise<Material['leftOut']> {
  const left = new LeftOut()
  let [bytes, entries] = [0, 0]
  const room = () => MOST_UNPACKED - bytes
  const take = async (name: string, read: () => Buffer | Promise<Buffer>, depth: number): Promise<void> => {
    if (/\/$|(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._)/.test(name)) return
    if (++entries > MOST_ENTRIES) throw failWith('FILE_TOO_LARGE/archive', { path, most: `${MOST_ENTRIES} files` })
    const isArchive = depth === 0 && /\.zip$/i.test(name)
    const isMarker = /(?:^|\/)\.obsidian\/app\.json$/.test(name)
    if (pathProblem(name) !== undefined || name.split('/').includes('..')) return left.add('unsafe path', name)
    if (!isArchive && !isMarker && !isProse(name)) return left.add('other kind of file', name)
    let content: Buffer
    try {
      content = await read()
    } catch (error) {
      return left.add(`file that ${error instanceof Error ? error.message : 'is damaged'}`, name)
    }
    bytes += content.length
    if (room() < 0) throw failWith('FILE_TOO_LARGE/archive', { path, most: `${MOST_UNPACKED >> 20} MB` })
    if (!isArchive) return write(name, content)
    for await (const inner of readZip(content)) await take(inner.name, () => inner.read(room() + 1), depth + 1)
  }
  const { bytes: packed, failure } = readInside(dirname(path), basename(path), { most: 512 * 1024 * 1024 })
  if (failure !== undefined) throw failure
  try {
    if (/\.zip$/i.test(path)) {
      for await (const entry of readZip(packed)) await take(entry.name, () => entry.read(room() + 1), 0)
    } else {
      const isPacked = packed[0] === 0x1f && packed[1] === 0x8b
      const tar = isPacked ? gunzipSync(packed, { maxOutputLength: MOST_UNPACKED }) : packed
      for (const { header, data } of await unpackTar(tar)) {
        if (header.type === 'file' && data) await take(header.name, () => Buffer.from(data), 0)
      }
    }
  } catch (error) {
    if (error instanceof LoadoutError) throw error
    throw failWith('BAD_ARCHIVE/material', { path }, { cause: error })
  }
  return left.rows
}

/** What was left out, counted by reason. */
export class LeftOut {
  private readonly known = new Map<string, { count: number; example: string }>()

  add(what: string, example: string): void {
    const before = this.known.get(what) ?? { count: 0, example }
    this.known.set(what, { ...before, count: before.count + 1 })
  }

  /** The most frequent reason first. */
  get rows(): Material['leftOut'] {
    const rows = [...this.known].map(([what, rest]) => ({ what, ...rest }))
    return rows.sort((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1))
  }
}
