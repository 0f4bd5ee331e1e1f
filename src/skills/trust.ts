import { join } from 'node:path'
import { readApprovals, recordApproval, removeApproval } from '../machine/approvals.ts'
import { realOrSame } from '../machine/open-project.ts'
import { LoadoutError } from '../text/trouble.ts'
import { compareText, sha256 } from '../text/values.ts'
import { readForReview } from './disk/registry.ts'
import { publisherOfSkill, sheetOfFolder, trustName } from './gate.ts'
import { type Installs, withInstalls } from './installs.ts'
import type { Capability } from './rules/review/sheet.ts'
import { findTwinIn } from './rules/review/sheet.ts'
import { parseRepositoryName, publisherOf } from './rules/source-name.ts'

/** A publisher whose skills may do what they could do when it was trusted. */
export interface Publisher {
  /** The address of its repository. */
  name: string
  skills: string[]
  /** Kinds of acts, and `key <name>` for frontmatter keys. */
  allowed: string[]
  since: string
}

export interface TrustRequest {
  /** `owner/repo` or an address. Undefined: only list. */
  source?: string
  /** Take the trust back. */
  isOff?: boolean
}

/**
 * Trusts the publisher of a repository for what its skills in the library can do now, or takes that back. Returns the
 * trusted publishers. What misleads a reader is never trusted in advance.
 */
export const trust = withInstalls(async (installs: Installs, { source, isOff }: TrustRequest): Promise<Publisher[]> => {
  const { machine, library, repo } = installs
  const root = realOrSame(library)
  const { skills } = readForReview(repo)
  const skillsOf = (publisher: string) => skills.filter(({ skill }) => publisherOfSkill(skill) === publisher)
  if (source !== undefined) {
    const name = publisherOf(parseRepositoryName(source)?.url ?? source)
    const own = skillsOf(name)
    const isTrusted = readApprovals(machine).approvals.some((each) => each.kind === 'publisher' && each.name === name)
    if (isOff ? !isTrusted : own.length === 0) {
      const message = isOff ? `${name} is not trusted` : `no skill of the library comes from ${name}`
      const hint = isOff
        ? 'loadout trust lists who is'
        : `import them first: loadout import ${source}; then read what they can do`
      throw new LoadoutError('SKILL_NOT_FOUND', message, { hint })
    }
    if (isOff) await removeApproval(machine, { kind: 'publisher', root, name })
    else {
      const findTwin = findTwinIn(skills.map(({ skill }) => skill.name))
      const sheets: Capability[] = []
      for (const { skill, folder } of own) sheets.push(...(await sheetOfFolder(join(library, folder), skill, findTwin)))
      const allowed = [
        ...new Set(sheets.filter(({ kind, isUsual }) => kind !== 'misleads' && !isUsual).map(trustName)),
      ].sort(compareText)
      const files = Object.fromEntries(allowed.map((each) => [each, sha256(each)]))
      const about = { kind: 'publisher', root, name, decision: 'approved' } as const
      await recordApproval(machine, { ...about, digest: sha256(name), files })
    }
  }
  const { approvals, findings } = readApprovals(machine)
  const trusted = approvals.filter((each) => each.kind === 'publisher' && each.root === root)
  const value = trusted.map(({ name, files = {}, at }) => {
    return { name, skills: skillsOf(name).map(({ skill }) => skill.name), allowed: Object.keys(files), since: at }
  })
  machine.report(...findings)
  return value
})
