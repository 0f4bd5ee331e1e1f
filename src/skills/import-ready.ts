import { listed } from '../text/count.ts'
import type { Finding } from '../text/trouble.ts'
import type { UnmanagedCandidate } from './candidates.ts'
import { contentOf, type SkillContent } from './disk/foreign-skill.ts'
import { type ImportSource, inHome } from './disk/import-source.ts'
import { libraryHash } from './disk/merge-base.ts'
import { readForReview } from './disk/registry.ts'
import { reviewContent } from './quarantine.ts'
import type { Candidate, ForeignSkill } from './rules/candidates.ts'
import type { Offer } from './rules/offers.ts'
import type { SkillReview } from './rules/review/review.ts'
import { findTwinIn } from './rules/review/review.ts'
import { type SkillSource, withoutSource } from './rules/skill.ts'
import type { Setup } from './setup.ts'

/** A skill in its form for the library, with its review. */
export interface Ready {
  name: string
  from: string[]
  content: SkillContent
  review: SkillReview
}

/** The chosen skills in their form for the library. */
export function prepareSkills(setup: Setup, source: ImportSource | undefined, fresh: readonly Offer[]): Ready[] {
  const { skills } = readForReview(setup.machine, setup.library)
  const findTwin = findTwinIn([...skills.map(({ skill }) => skill.name), ...fresh.map(({ name }) => name)])
  return fresh.flatMap(({ candidate, name }): Ready[] => {
    const { merged, copies } = candidate
    if (merged === undefined) return []
    const content = withSource(setup, source, candidate, merged, name)
    const review = reviewContent({ ...content, skill: withoutSource(content.skill) }, findTwin)
    return [{ name, from: copies.map(({ path }) => path), content: accepting(content, review), review }]
  })
}

/** With the import the user accepts the permissions of the skill. An update that adds more needs an approval. */
function accepting(content: SkillContent, { permissions }: SkillReview): SkillContent {
  const { skill } = content
  if (skill.source === undefined || permissions.length === 0) return content
  const source = { ...skill.source, others: { ...skill.source.others, permissions } }
  return { ...content, skill: { ...skill, source } }
}

/** One finding for all skills that stay in quarantine until the user approves them. */
export function severeFindings(ready: readonly Ready[]): Finding[] {
  const names = ready.filter(({ review, content }) => review.isSevere && content.skill.source).map(({ name }) => name)
  if (names.length === 0) return []
  const [first = ''] = names
  const what = names.length === 1 ? `${first} is` : `${names.length} skills are`
  const message = `${what} in quarantine until you approve ${names.length === 1 ? 'it' : 'them'}: ${listed(names)}`
  const hint = `loadout inspect ${first} shows why; loadout approve skill:${first}`
  return [{ severity: 'warning', code: 'QUARANTINED', message, hint }]
}

/** Reports files that were not fetched: Git LFS left a pointer in their place. */
export function pointerFindings(ready: readonly Ready[]): Finding[] {
  const pointers = ready.flatMap(({ name, review }) =>
    review.findings.flatMap(({ rule, path }) => (rule === 'not-fetched' ? [`${name}/${path}`] : [])),
  )
  if (pointers.length === 0) return []
  const what = pointers.length === 1 ? 'a file is' : `${pointers.length} files are`
  const message = `${what} missing: only a Git LFS pointer is there: ${listed(pointers)}`
  const hint = 'clone the source, run git lfs pull, and import that folder'
  return [{ severity: 'warning', code: 'LEFT_OUT', message, hint }]
}

/**
 * The skill under its name in the library, with its source. One from an agent's folder is from outside too; nothing newer
 * is looked for there, because that folder becomes an install.
 */
function withSource(
  { machine }: Setup,
  source: ImportSource | undefined,
  candidate: Candidate,
  merged: ForeignSkill,
  name: string,
): SkillContent {
  const { locked } = candidate as UnmanagedCandidate
  const content = contentOf({ ...merged, skill: { ...merged.skill, name } })
  // The skills of a shared library name their own.
  if (source?.isShared && content.skill.source !== undefined) return content
  const place = locked?.origin ?? (merged.agents.length > 0 ? undefined : source?.origin)
  const from = { folder: merged.found?.folder ?? '', ...(place ?? { path: inHome(machine, merged.path), folder: '' }) }
  const bare = withoutSource(content.skill)
  const own: SkillSource = {
    ...from,
    treeHash: merged.treeHash,
    importedAt: machine
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    libraryHash: libraryHash({ ...content, skill: bare }),
    others: place === undefined ? { pinned: true } : {},
  }
  return { ...content, skill: { ...bare, source: own } }
}
