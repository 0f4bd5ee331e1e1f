import { listed } from '../text/count.ts'
import type { Finding } from '../text/trouble.ts'
import type { UnmanagedCandidate } from './candidates.ts'
import { contentOf, type SkillContent } from './disk/foreign-skill.ts'
import { type ImportSource, inHome } from './disk/import-source.ts'
import { libraryHash } from './disk/merge-base.ts'
import { readForReview } from './disk/registry.ts'
import type { WaitingSkill } from './observe.ts'
import { answerHint, readAnswers, sheetOfContent } from './quarantine.ts'
import type { ForeignSkill, ImportCandidate } from './rules/candidates.ts'
import type { Offer } from './rules/offers.ts'
import { findTwinIn } from './rules/review/appearance.ts'
import { LFS_PROBLEM } from './rules/review/files.ts'
import type { Capability } from './rules/review/sheet.ts'
import { type SkillSource, withoutSource } from './rules/skill.ts'
import type { Setup } from './setup.ts'

/** A skill in its form for the library, with what it can do. */
export interface Ready {
  name: string
  from: string[]
  content: SkillContent
  review: Capability[]
}

/** The chosen skills in their form for the library. */
export async function prepareSkills(
  setup: Setup,
  source: ImportSource | undefined,
  fresh: readonly Offer[],
  signal: AbortSignal | undefined,
): Promise<Ready[]> {
  const { skills } = readForReview(setup.repo)
  const findTwin = findTwinIn([...skills.map(({ skill }) => skill.name), ...fresh.map(({ name }) => name)])
  const ready: Ready[] = []
  for (const { candidate, name } of fresh) {
    const { merged, copies } = candidate
    if (merged === undefined) continue
    const content = withSource(setup, source, candidate, merged, name)
    const review = content.skill.source === undefined ? [] : await sheetOfContent(content, findTwin, signal)
    ready.push({ name, from: copies.map(({ path }) => path), content, review })
  }
  return ready
}

/** The skills that will not be installed, or not as a whole, until a person allows what they can do. */
export function waitingSkills({ repo }: Setup, ready: readonly Ready[]): WaitingSkill[] {
  const answers = readAnswers(repo)
  return ready.flatMap(({ name, content, review }) => {
    const open = review.filter((each) => !answers.allow(content.skill, each))
    return open.length > 0 ? [{ skill: name, open }] : []
  })
}

/** One finding for all skills that wait for an answer. */
export function waitingFindings(waiting: readonly WaitingSkill[]): Finding[] {
  const names = waiting.filter(({ open }) => open.some(({ key }) => key === undefined)).map(({ skill }) => skill)
  if (names.length === 0) return []
  const what = names.length === 1 ? `${names[0]} can act` : `${names.length} skills can act`
  const message = `${what} and will not be installed until you allow it${names.length === 1 ? '' : `: ${listed(names)}`}`
  return [{ severity: 'warning', code: 'QUARANTINED', message, hint: answerHint(names) }]
}

/** Reports files that were not fetched: Git LFS left a pointer in their place. */
export function pointerFindings(ready: readonly Ready[]): Finding[] {
  const pointers = ready.flatMap(({ name, review }) =>
    review.flatMap(({ what, path }) => (what === LFS_PROBLEM ? [`${name}/${path}`] : [])),
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
  candidate: ImportCandidate,
  merged: ForeignSkill,
  name: string,
): SkillContent {
  const { locked } = candidate as UnmanagedCandidate
  const content = contentOf({ ...merged, skill: { ...merged.skill, name } })
  // The skills of a shared library name their own.
  if (source?.isShared && content.skill.source !== undefined) return withClaim(content)
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
    // Only a file on this machine says so.
    others: place === undefined ? { pinned: true } : locked === undefined ? {} : { claimed: true },
  }
  return { ...content, skill: { ...bare, source: own } }
}

/** A source that only the skill itself names: it can be asked for updates, but proves nothing about the publisher. */
function withClaim(content: SkillContent): SkillContent {
  const { source } = content.skill
  if (source === undefined) return content
  const claimed = { ...source, others: { ...source.others, claimed: true } }
  return { ...content, skill: { ...content.skill, source: claimed } }
}
