import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readForeignSkill } from '../src/skills/disk/foreign-skill.ts'
import { readReviewFiles } from '../src/skills/disk/review-files.ts'
import { permissionsOf, reviewSkill, type SkillReview } from '../src/skills/rules/review/review.ts'
import type { Skill } from '../src/skills/rules/skill.ts'
import { HOSTILE_SKILLS, KINDS } from '../test/skills/hostile-skills.ts'
import { skillOf } from '../test/skills/review-hostile.ts'
import { printTable } from './measure.ts'

/** What the review finds of made hostile skills, and how many skills of the named folders it would quarantine. */
export function benchReview(): void {
  const rows = KINDS.map((kind) => {
    const all = HOSTILE_SKILLS.filter((each) => each.kind === kind)
    const found = all.filter((each) => reviewSkill(skillOf(each)).isSevere)
    for (const each of all) if (!found.includes(each)) console.log(`  missed: ${each.kind}: ${each.what}`)
    return [kind, String(all.length), String(found.length)]
  })
  const total = (column: number) => String(rows.reduce((sum, row) => sum + Number(row[column]), 0))
  printTable('hostile skills', [['', 'skills', 'quarantined'], ...rows, ['all', total(1), total(2)]])
  const folders = process.argv.slice(process.argv.indexOf('review') + 1)
  if (folders.length > 0) benchClean(folders)
}

function benchClean(folders: readonly string[]): void {
  const rows = folders.map((folder) => {
    const skills = skillFolders(folder)
    const start = performance.now()
    const reviews = skills.map((path) => ({ path, review: reviewFolder(path) }))
    const milliseconds = performance.now() - start
    const severe = reviews.filter(({ review }) => review.isSevere)
    for (const { path, review } of severe) {
      const [first] = review.findings
      console.log(`  ${path.slice(folder.length + 1)}  ${first?.rule} ${first?.path}:${first?.line} ${first?.message}`)
    }
    return [basename(folder), skills.length, severe.length, Math.round(milliseconds)] as const
  })
  const [all, severe] = [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row[column as 1 | 2]), 0))
  const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
  printTable('skills that people use', [
    ['', 'skills', 'quarantined', '', 'ms'],
    ...rows.map(([name, count, found, ms]) => [name, `${count}`, `${found}`, share(found, count), `${ms}`]),
    ['all', `${all}`, `${severe}`, share(severe ?? 0, all ?? 0), ''],
  ])
}

function skillFolders(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const below = entries.flatMap((entry) =>
    entry.isDirectory() && entry.name !== '.git' ? skillFolders(join(folder, entry.name)) : [],
  )
  return entries.some(({ name }) => name === 'SKILL.md') ? [folder, ...below] : below
}

function reviewFolder(path: string): SkillReview {
  const skill = readSkill(path)
  return reviewSkill({ skill, files: readReviewFiles(path), findTwin: () => undefined, accepted: permissionsOf(skill) })
}

function readSkill(path: string): Skill {
  try {
    return readForeignSkill(path, { agents: [], targets: ['claude'] }).skill
  } catch {
    return { name: 'x', description: '', tags: [], targets: ['claude'], metadata: {}, others: {} }
  }
}
