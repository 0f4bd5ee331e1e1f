import { join } from 'node:path'
import { recordApproval, requireApprovals } from '../machine/approvals.ts'
import { jsonCodec, readCached, writeCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import type { Approval, Decision, FileDigests } from '../machine/rules/approval.ts'
import type { Finding } from '../text/trouble.ts'
import { isRecord, isTextList, sha256 } from '../text/values.ts'
import type { SkillContent } from './disk/foreign-skill.ts'
import { readForReview, skillPlace } from './disk/registry.ts'
import { readContentFiles, readReviewFiles } from './disk/review-files.ts'
import { hashTree, listTree } from './disk/tree.ts'
import type { ReviewFinding } from './rules/review/review.ts'
import { type FindTwin, findTwinIn, permissionsOf, reviewSkill, type SkillReview } from './rules/review/review.ts'
import {
  type RegisteredSkill,
  type Registry,
  requireName,
  requireSkill,
  SKILL_FILE,
  type SkillSource,
  withoutSource,
} from './rules/skill.ts'
import { openSetup } from './setup.ts'

/** Reviews a skill before it enters the library. */
export function reviewContent(content: SkillContent, findTwin: FindTwin): SkillReview {
  return reviewSkill({ skill: content.skill, files: readContentFiles(content), findTwin })
}

/** The permissions that the user accepted with the import. */
function acceptedPermissions(source: SkillSource | undefined): readonly string[] | undefined {
  const { permissions } = source?.others ?? {}
  return isTextList(permissions) ? permissions : undefined
}

/** Why a skill is not installed on this machine. */
export interface Quarantine {
  skill: string
  /** The user denied it. False: the user has not decided about these findings. */
  isDenied: boolean
  findings: ReviewFinding[]
}

/**
 * Finds skills that may not be installed, in `wanted` or the whole library. Reviews imported skills. Only those with
 * severe findings need a decision, which covers the current files with such findings: when one of them changes, the user
 * must decide again.
 */
export function findQuarantined(
  machine: Machine,
  library: string,
  { skills }: Pick<Registry, 'skills'>,
  wanted = skills,
): Quarantine[] {
  const known = new Map(Object.entries(readCached(machine, KEY, REVIEWS.decode) ?? {}))
  const answers = new Map(
    requireApprovals(machine)
      // A denial is about the name, wherever the skill lay then.
      .filter(({ kind, root, decision }) => kind === 'skill' && (decision === 'denied' || root === realOrSame(library)))
      .map((approval) => [approval.name, approval]),
  )
  const findTwin = findTwinIn(skills.map(({ skill }) => skill.name))
  let isChanged = false
  const found = wanted.flatMap((registered): Quarantine[] => {
    const { skill, sourceHash } = registered
    const place = skillPlace(library, registered)
    const answer = answers.get(skill.name)
    if (answer?.decision === 'denied') return [{ skill: skill.name, isDenied: true, findings: [] }]
    if (skill.source === undefined) return []
    const key = [sourceHash, findTwin(skill.name) ?? ''].join(' ')
    const severe = known.get(key) ?? severeFindings(place, registered, findTwin)
    if (!known.has(key)) isChanged = true
    known.set(key, severe)
    if (severe.length === 0 || isAnswered(answer, severe, place, registered)) return []
    return [{ skill: skill.name, isDenied: false, findings: severe }]
  })
  const bytes = isChanged ? REVIEWS.encode(Object.fromEntries([...known].slice(-MOST_KNOWN))) : undefined
  if (bytes !== undefined) writeCached(machine, KEY, bytes)
  return found
}

// Increase the version whenever a rule changes.
const KEY = { kind: 'reviews', version: 2, name: ['reviews'] }
const REVIEWS = jsonCodec(
  (json): json is Record<string, ReviewFinding[]> => isRecord(json) && Object.values(json).every(Array.isArray),
)
const MOST_KNOWN = 5000

function severeFindings(
  folder: string,
  { skill }: Pick<RegisteredSkill, 'skill'>,
  findTwin: FindTwin,
): ReviewFinding[] {
  return reviewFolder(folder, { skill }, findTwin).findings.filter(({ severity }) => severity === 'severe')
}

/** Reviews a skill of the library. */
export function reviewFolder(
  folder: string,
  { skill }: Pick<RegisteredSkill, 'skill'>,
  findTwin: FindTwin,
): SkillReview {
  const accepted = acceptedPermissions(skill.source)
  return reviewSkill({ skill: withoutSource(skill), files: readReviewFiles(folder), findTwin, accepted })
}

function isAnswered(
  answer: Approval | undefined,
  severe: readonly ReviewFinding[],
  folder: string,
  registered: RegisteredSkill,
): boolean {
  if (answer?.decision !== 'approved' || answer.files === undefined) return false
  const now = digestsOf(folder, registered, severe)
  return Object.entries(now).every(([path, digest]) => answer.files?.[path] === digest)
}

/** What a decision covers. Of skill.json only the reviewed part: tags and targets may change. */
function digestsOf(folder: string, { skill }: RegisteredSkill, severe: readonly ReviewFinding[]): FileDigests {
  const { files } = listTree(folder)
  const paths = new Set(severe.map(({ path }) => path))
  return Object.fromEntries(
    [...paths].map((path) => {
      if (path === SKILL_FILE)
        return [path, sha256(JSON.stringify([skill.name, skill.description, permissionsOf(skill)]))]
      return [
        path,
        hashTree(
          folder,
          files.filter((file) => file.path === path),
        ),
      ]
    }),
  )
}

export interface SkillAnswer {
  approval: Approval
  /** The severe findings that the decision is about. */
  findings: ReviewFinding[]
}

/** Records whether a skill of the library may be installed on this machine, and returns its severe findings. */
export async function answerForSkill(
  machine: Machine,
  { name, decision }: { name: string; decision: Decision },
): Promise<SkillAnswer> {
  const { library } = openSetup(machine, {})
  const registry = readForReview(machine, library)
  const registered = requireSkill(registry, requireName(name))
  const folder = join(library, registered.folder)
  const findings = severeFindings(folder, registered, findTwinIn(registry.skills.map(({ skill }) => skill.name)))
  const files = digestsOf(folder, registered, findings)
  const about = { kind: 'skill', root: realOrSame(library), name, tier: 'evidence', decision } as const
  const covered = decision === 'approved' ? { digest: registered.sourceHash, files } : {}
  return { approval: await recordApproval(machine, { ...about, ...covered }), findings }
}

const MOST_SHOWN = 3

export function quarantineFinding({ skill, isDenied, findings }: Quarantine): Finding {
  if (isDenied) {
    const hint = `loadout revoke skill:${skill} takes the denial back`
    return {
      severity: 'error',
      code: 'QUARANTINED',
      message: `${skill} is denied on this machine`,
      subject: skill,
      hint,
    }
  }
  const shown = findings.slice(0, MOST_SHOWN).map(describeFinding)
  const more = findings.length > MOST_SHOWN ? [`${findings.length - MOST_SHOWN} more`] : []
  const message = `${skill} is in quarantine and was not installed: ${[...shown, ...more].join('; ')}`
  const hint = `read it: loadout inspect ${skill}; then loadout approve skill:${skill}, or deny skill:${skill}`
  return { severity: 'error', code: 'QUARANTINED', message, subject: skill, hint }
}

export function describeFinding({ path, line, message }: ReviewFinding): string {
  return `${path}${line > 0 ? `:${line}` : ''} ${message}`
}
