import { readApprovals } from '../machine/approvals.ts'
import { jsonCodec, readCached, writeCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import type { Approval, FileDigests } from '../machine/rules/approval.ts'
import type { Finding } from '../text/trouble.ts'
import { isRecord, isTextList, sha256 } from '../text/values.ts'
import type { SkillContent } from './disk/foreign-skill.ts'
import { withoutSource } from './disk/merge-base.ts'
import { skillPlace } from './disk/registry.ts'
import { readContentFiles, readReviewFiles } from './disk/review-files.ts'
import { hashTree, listTree } from './disk/tree.ts'
import { type FindTwin, findTwinIn } from './rules/review/appearance.ts'
import type { ReviewFinding } from './rules/review/findings.ts'
import { permissionsOf, reviewSkill, type SkillReview } from './rules/review/review.ts'
import { type RegisteredSkill, SKILL_FILE } from './rules/skill.ts'
import type { SkillSource } from './rules/source.ts'

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

/** Checks many skills, and caches their reviews. */
export interface Gate {
  check(registered: RegisteredSkill): Quarantine | undefined
  /** Stores the reviews for the next process. */
  save(): void
}

/**
 * Reviews imported skills. Only those with severe findings need a decision, which covers the current files with such
 * findings: when one of them changes, the user must decide again.
 */
export function openGate(machine: Machine, library: string, names: readonly string[]): Gate {
  const known = new Map(Object.entries(readCached(machine, KEY, REVIEWS.decode) ?? {}))
  const answers = new Map(
    readApprovals(machine)
      .approvals.filter(({ kind, root }) => kind === 'skill' && root === realOrSame(library))
      .map((approval) => [approval.name, approval]),
  )
  const findTwin = findTwinIn(names)
  let isChanged = false
  return {
    check(registered) {
      const { skill, sourceHash } = registered
      const place = skillPlace(library, registered)
      const answer = answers.get(skill.name)
      if (answer?.decision === 'denied') return { skill: skill.name, isDenied: true, findings: [] }
      if (skill.source === undefined) return undefined
      const key = [sourceHash, findTwin(skill.name) ?? ''].join(' ')
      const severe = known.get(key) ?? severeFindings(place, registered, findTwin)
      if (!known.has(key)) isChanged = true
      known.set(key, severe)
      if (severe.length === 0 || isAnswered(answer, severe, place, registered)) return undefined
      return { skill: skill.name, isDenied: false, findings: severe }
    },
    save() {
      const bytes = isChanged ? REVIEWS.encode(Object.fromEntries([...known].slice(-MOST_KNOWN))) : undefined
      if (bytes !== undefined) writeCached(machine, KEY, bytes)
    },
  }
}

// Increase the version whenever a rule changes.
const KEY = { kind: 'reviews', version: 2, name: ['reviews'] }
const REVIEWS = jsonCodec(
  (json): json is Record<string, ReviewFinding[]> => isRecord(json) && Object.values(json).every(Array.isArray),
)
const MOST_KNOWN = 5000

export function severeFindings(
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
export function digestsOf(folder: string, { skill }: RegisteredSkill, severe: readonly ReviewFinding[]): FileDigests {
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
