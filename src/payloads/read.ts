import { join } from 'node:path'
import { readTextInside } from '../machine/inside.ts'
import { fence, fenceFindings } from '../text/fence.ts'
import type { Readable } from '../text/readable.ts'
import type { Knowledge } from './knowledge.ts'
import { readBody } from './rules/frontmatter.ts'
import type { LoadoutEntry } from './rules/loadout-index.ts'

/** The body of a payload, without its frontmatter. */
export function openPayload(entry: LoadoutEntry, knowledge: Knowledge): Readable {
  const { id, path } = entry
  const root = knowledge.rootOf(entry)
  const layer = knowledge.layerOf(entry)
  const { body: whole, findings } = readBody(readTextInside(root, path), path)
  return {
    name: id,
    layer,
    path: join(root, path),
    body: whole,
    wrap: (body) => {
      const fenced = fence('loadout_payload', { id, layer, path }, body)
      return { text: fenced.text, findings: [...findings, ...fenceFindings(fenced, id, path)] }
    },
  }
}
