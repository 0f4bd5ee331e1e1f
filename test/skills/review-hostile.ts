import { importedDocument } from '../../src/machine/skill-document.ts'
import { findTwinIn, permissionsOf, type ReviewFile, type ReviewInput } from '../../src/skills/rules/review/review.ts'
import type { Skill } from '../../src/skills/rules/skill.ts'
import type { HostileSkill } from './hostile-skills.ts'

/** A hostile skill the way it is looked through after an import. */
export function skillOf({ files, executable = [], before, name, library = [] }: HostileSkill): ReviewInput {
  const skill = describe(files, name)
  return {
    skill,
    findTwin: findTwinIn(library),
    files: Object.entries(files).map(([path, text]): ReviewFile => {
      const isExecutable = executable.includes(path)
      if (!text.includes('\0'))
        return { path, isExecutable, text: path === 'SKILL.md' ? importedDocument(text).body : text }
      return { path, isExecutable, text: undefined, start: Buffer.from(text, 'latin1') }
    }),
    ...(before && { accepted: permissionsOf(describe(before, name)) }),
  }
}

function describe(files: Record<string, string>, name = 'helper'): Skill {
  const { metadata, description = 'Helps.' } = importedDocument(files['SKILL.md'] ?? '')
  return { name, description, tags: [], targets: ['claude'], metadata: { claude: metadata }, others: {} }
}
