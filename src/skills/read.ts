import { join } from 'node:path'
import { importedDocument } from '../machine/skill-document.ts'
import { fence, fenceFindings } from '../text/fence.ts'
import type { Readable } from '../text/readable.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { LoadoutError } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { filesOf, readShelved, type ShelvedSkill } from './skill-source.ts'

/** SKILL.md without its frontmatter, or another file of the skill unchanged. */
export function openSkill(skill: ShelvedSkill, path = DOCUMENT_FILE): Readable {
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

function readFile(skill: ShelvedSkill, path: string): string {
  try {
    return readShelved(skill, path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'FILE_NOT_FOUND') throw error
    const { name } = skill
    const files = filesOf(skill).map((file) => file.path)
    const close = nearest(path, files)
    const meant = close === undefined ? '' : `; did you mean ${entryId('skill', name, close)}?`
    throw new LoadoutError('ENTRY_NOT_FOUND', `the skill ${name} has no file "${path.slice(0, 80)}"${meant}`, {
      hint: `loadout lookup ${entryId('skill', name)} lists its files`,
      cause: error,
    })
  }
}
