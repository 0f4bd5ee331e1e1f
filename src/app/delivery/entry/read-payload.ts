import { join } from 'node:path'
import { parseFrontmatter } from '../../../domain/routing/frontmatter.ts'
import { fence } from '../../../domain/shared/fence.ts'
import { readTextInside } from '../../../infra/inside.ts'
import { fenceFindings } from '../../routing/load.ts'
import type { Located } from './locate.ts'
import type { Readable } from './read.ts'

export function openPayload({ entry, knowledge }: Located & { kind: 'payload' }): Readable {
  const { id, path } = entry
  const root = knowledge.rootOf(entry)
  const layer = knowledge.layerOf(entry)
  return {
    name: id,
    layer,
    path: join(root, path),
    body: parseFrontmatter(readTextInside(root, path)).body,
    wrap: (body) => {
      const fenced = fence('loadout_payload', { id, layer, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}
