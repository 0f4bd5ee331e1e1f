import { join } from 'node:path'
import { entryId } from '../../../domain/delivery/entry/entry-id.ts'
import { fence } from '../../../domain/shared/fence.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { nearest } from '../../../domain/shared/nearest.ts'
import { DOCUMENT_FILE } from '../../../domain/skills/skill.ts'
import { readSkillFile } from '../../../infra/delivery/skill-files.ts'
import { importedDocument } from '../../../infra/skills/skill-document.ts'
import { listTree } from '../../../infra/skills/tree.ts'
import { fenceFindings } from '../../routing/load.ts'
import type { Located } from './locate.ts'
import type { Readable } from './read.ts'
import type { ShelvedSkill } from './skill-shelf.ts'

/** SKILL.md without its frontmatter, or another file of the skill as it is. */
export function openSkill({ skill, path = DOCUMENT_FILE }: Located & { kind: 'skill' }): Readable {
  const { name, folder, source } = skill
  const text = readFile(skill, path)
  const id = entryId('skill', name)
  return {
    name,
    layer: source,
    path: join(folder, path),
    body: path === DOCUMENT_FILE ? importedDocument(text).body : text,
    wrap: (body) => {
      const fenced = fence('loadout_skill', { id, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}

function readFile({ name, folder }: ShelvedSkill, path: string): string {
  try {
    return readSkillFile(folder, path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'FILE_NOT_FOUND') throw error
    const files = listTree(folder).files.map((file) => file.path)
    const close = nearest(path, files)
    const meant = close === undefined ? '' : `; did you mean ${entryId('skill', name, close)}?`
    throw new LoadoutError('ENTRY_NOT_FOUND', `the skill ${name} has no file "${path.slice(0, 80)}"${meant}`, {
      hint: `loadout lookup ${entryId('skill', name)} lists its files`,
      cause: error,
    })
  }
}
