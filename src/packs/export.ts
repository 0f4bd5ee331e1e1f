import { resolve } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { cutDocument, frontmatterTitle } from '../text/frontmatter-block.ts'
import { type CatalogRequest, Packs } from './catalog.ts'
import { readWholePack, writeNewFolder } from './disk/write-pack.ts'
import { openAdmitted } from './read.ts'
import { PACK_FILE } from './rules/pack.ts'

export interface ExportedPack {
  name: string
  /** The new folder. */
  path: string
  pages: number
  /** Files beside the pages, copied as they are. */
  others: number
}

/**
 * Writes a pack as a bundle of the Open Knowledge Format. A bundle stays byte for byte as it is; pages of other packs
 * keep their keys and get the type that the format requires, so that the folder is still the same pack.
 */
export async function exportPack(
  machine: Machine,
  request: CatalogRequest & { pack: string; out: string },
): Promise<ExportedPack> {
  const packs = new Packs(machine, { ...request, packs: [request.pack] })
  const pack = packs.get(request.pack)
  openAdmitted(packs, pack, true)
  const { name, description } = pack.manifest
  const files = readWholePack(pack)
  const isPage = (path: string) => /\.md$/i.test(path) && !/(?:^|\/)(?:index|log)\.md$/.test(path)
  const pages = [...files.keys()].filter(isPage)
  if (!pack.linked?.isBundle) {
    for (const path of pages) files.set(path, withType(files.get(path)?.toString('utf8') ?? ''))
    if (!files.has('index.md')) files.set('index.md', indexPage(name, description, pages, files))
  }
  const path = resolve(machine.cwd, request.out)
  await writeNewFolder('/', path, files)
  return { name, path, pages: pages.length, others: files.size - pages.length }
}

function withType(text: string): string {
  const { bom, block, body, lineEnd } = cutDocument(text)
  if (block === undefined) return `---\ntype: Reference\n---\n\n${text}`
  if (/^type:[ \t]*\S/m.test(block)) return text
  return `${bom}---${lineEnd}type: Reference${lineEnd}${block}---${lineEnd}${lineEnd}${body}`
}

function indexPage(
  name: string,
  description: string,
  pages: readonly string[],
  files: ReadonlyMap<string, string | Buffer>,
): string {
  const rows = pages.map((path) => {
    const text = String(files.get(path))
    const title = path === PACK_FILE ? name : frontmatterTitle(text) || path.replace(/^.*\/|\.md$/gi, '')
    return `* [${title.replace(/[[\]]/g, '')}](${encodeURI(path)})${path === PACK_FILE ? ` - ${description}` : ''}\n`
  })
  return `---\nokf_version: "0.2"\n---\n\n# ${name}\n\n${rows.join('')}`
}
