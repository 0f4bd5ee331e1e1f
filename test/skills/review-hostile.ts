import { importedDocument } from '../../src/machine/skill-document.ts'
import { findTwinIn, type ReviewFile, type SheetInput } from '../../src/skills/rules/review/sheet.ts'

import type { Skill } from '../../src/skills/rules/skill.ts'
import { sha256 } from '../../src/text/values.ts'
import type { HostileSkill } from './hostile-skills.ts'

/** A hostile skill the way it is looked through after an import. */
export function skillOf({ files, executable = [], name, library = [] }: HostileSkill): SheetInput {
  return {
    skill: describe(files, name),
    findTwin: findTwinIn(library),
    files: Object.entries(files).map(([path, text]): ReviewFile => {
      const file = {
        path,
        isExecutable: executable.includes(path),
        digest: sha256(text),
        bytes: Buffer.from(text, 'latin1'),
      }
      if (text.includes('\0')) return { ...file, text: text.replaceAll('\0', ''), problem: 'is not text in UTF-8' }
      return { ...file, text: path === 'SKILL.md' ? importedDocument(text).body : text }
    }),
  }
}

function describe(files: Record<string, string>, name = 'helper'): Skill {
  const { metadata, description = 'Helps.' } = importedDocument(files['SKILL.md'] ?? '')
  return { name, description, tags: [], targets: ['claude'], metadata: { claude: metadata }, others: {} }
}
