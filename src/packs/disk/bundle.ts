import { basename } from 'node:path'
import { readInside } from '../../machine/inside.ts'
import { Walk } from '../../machine/walk.ts'
import { cutDocument, frontmatterTitle } from '../../text/frontmatter-block.ts'
import { slug } from '../rules/author/new-pack.ts'
import { type LinkedLayer, shownText } from '../rules/pack.ts'

// A bundle of the Open Knowledge Format: a folder of Markdown pages whose frontmatter has a type. It needs no
// KNOWLEDGE.md; its index.md is the guide, and its pages are the wiki of a pack.

const HEAD = 4 * 1024
/** Enough pages tell a bundle from other Markdown. `loadout check` looks at all of them. */
const MOST_LOOKED_AT = 24

/** Pages of a bundle that list or log others and state nothing themselves. */
export function isReserved(path: string): boolean {
  return /^(?:index|log)\.md$/.test(basename(path))
}

/** Whether a folder is a bundle: all of its first pages have a type, and no folder in it is a pack. */
export function isBundle(folder: string): boolean {
  const { text = '' } = headOf(folder, 'index.md')
  if (/^okf_version:/m.test(cutDocument(text).block ?? '')) return true
  let pages = 0
  const walk = new Walk(folder, { ignore: ['versions', 'dependencies'], ignoreHidden: true, mostFolders: 200 })
  for (const { inside, entries, enter } of walk.folders()) {
    for (const { name, kind, isIgnored } of entries) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (isIgnored) continue
      if (kind === 'folder') enter(name)
      // Also a name that only looks like it: its author meant a pack.
      if (/^KNOWLEDGE\b/i.test(name)) return false
      if (kind !== 'file' || !/\.md$/i.test(name) || isReserved(name)) continue
      const { block = '' } = cutDocument(headOf(folder, path).text ?? '')
      // A profile is a key of packs only.
      if (!/^type:[ \t]*\S/m.test(block) || /^profile:/m.test(block)) return false
      if (++pages === MOST_LOOKED_AT) return true
    }
  }
  return pages > 0
}

function headOf(folder: string, path: string): { text?: string } {
  const { bytes } = readInside(folder, path, { most: HEAD, head: HEAD })
  // The last line of a longer file may be cut, also in its frontmatter: then it has no type.
  return { text: bytes?.toString('utf8') }
}

/** The pages of a bundle as the wiki of a pack. */
export function bundleLayer(root: string): LinkedLayer {
  return { layer: 'wiki', root, folder: '', isBundle: true }
}

/** The fields that a KNOWLEDGE.md would have, from the name and the index of a bundle. */
export function bundleFields(root: string): Record<string, unknown> {
  const { text = '' } = headOf(root, 'index.md')
  const { block = '', body } = cutDocument(text)
  const own = /^description:[ \t]*(.+)$/m.exec(block)?.[1]
  const listed = body
    .split('\n')
    .filter((line) => /^\s*[-*] /.test(line))
    .map((line) => line.replace(/^\s*[-*] /, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
  const title = frontmatterTitle(text) || basename(root).replace(/[_-]+/g, ' ')
  const about = own ?? `What is known about ${title}${listed.length === 0 ? '' : `: ${listed.join('; ')}`}`
  return {
    name: slug(basename(root)),
    description: shownText(about, 900),
    type: 'domain-reference',
    status: 'ready',
    profile: 'wiki-first',
    trust: 'unreviewed',
    grounding: 'recommended',
    runtime: { mode: 'data' },
  }
}
