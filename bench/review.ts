import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { importedDocument } from '../src/machine/skill-document.ts'
import { readForeignSkill, readReviewFiles } from '../src/skills/disk/foreign-skill.ts'

import { type Capability, type ReviewFile, readSheet } from '../src/skills/rules/review/sheet.ts'

import type { Skill } from '../src/skills/rules/skill.ts'
import { HOSTILE_SKILLS, KINDS } from '../test/skills/hostile-skills.ts'
import { skillOf } from '../test/skills/review-hostile.ts'
import { printTable } from './measure.ts'

/** For how many made hostile skills the sheet asks, and for how many skills of the named folders. */
export function benchReview(): void {
  const rows = KINDS.map((kind) => {
    const all = HOSTILE_SKILLS.filter((each) => each.kind === kind)
    const found = all.filter((each) => readSheet(skillOf(each)).length > 0)
    for (const each of all) if (!found.includes(each)) console.log(`  missed: ${each.kind}: ${each.what}`)
    return [kind, String(all.length), String(found.length)]
  })
  const total = (column: number) => String(rows.reduce((sum, row) => sum + Number(row[column]), 0))
  printTable('hostile skills', [['', 'skills', 'asked about'], ...rows, ['all', total(1), total(2)]])
  const folders = process.argv.slice(process.argv.indexOf('review') + 1)
  if (folders.length > 0) benchClean(folders)
}

function benchClean(folders: readonly string[]): void {
  const rows = folders.map((folder) => {
    const skills = skillFolders(folder)
    const start = performance.now()
    const sheets = skills.map((path) => ({ path, sheet: sheetOf(path) }))
    const milliseconds = performance.now() - start
    const asked = sheets.filter(({ sheet }) => sheet.some(({ key }) => key === undefined))
    for (const { path, sheet } of asked) {
      const [first] = sheet
      console.log(
        `  ${path.slice(folder.length + 1)}  ${first?.kind} ${first?.path}:${first?.line} ${first?.what}: ${first?.quote}`,
      )
    }
    const keys = sheets.filter(({ sheet }) => sheet.length > 0).length - asked.length
    return [basename(folder), skills.length, asked.length, Math.round(milliseconds), keys] as const
  })
  const [all, asked] = [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row[column as 1 | 2]), 0))
  const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
  printTable('skills that people use', [
    ['', 'skills', 'asked about', '', 'keys only', 'ms'],
    ...rows.map(([name, count, found, ms, keys]) => [
      name,
      `${count}`,
      `${found}`,
      share(found, count),
      `${keys}`,
      `${ms}`,
    ]),
    ['all', `${all}`, `${asked}`, share(asked ?? 0, all ?? 0), '', ''],
  ])
}

function skillFolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const below = entries.flatMap((entry) =>
    entry.isDirectory() && entry.name !== '.git' ? skillFolders(join(folder, entry.name)) : [],
  )
  return entries.some(({ name }) => name === 'SKILL.md') ? [folder, ...below] : below
}

function sheetOf(path: string): Capability[] {
  return readSheet({
    skill: readSkill(path),
    files: withoutHead([...readReviewFiles(path)]),
    findTwin: () => undefined,
  })
}

/** An import moves the frontmatter of SKILL.md into skill.json. */
function withoutHead(files: readonly ReviewFile[]): ReviewFile[] {
  return files.map((file) => {
    if (file.path !== 'SKILL.md') return file
    const { problem: _, ...rest } = file
    return { ...rest, text: importedDocument(file.text ?? '').body }
  })
}

function readSkill(path: string): Skill {
  try {
    return readForeignSkill(path, { agents: [], targets: ['claude'] }).skill
  } catch {
    return { name: 'x', description: '', tags: [], targets: ['claude'], metadata: {}, others: {} }
  }
}
