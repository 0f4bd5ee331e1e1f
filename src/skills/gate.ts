import { findLibrary } from '../agents/config.ts'
import { requireApprovals } from '../machine/approvals.ts'
import { isFolder } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { LoadoutError } from '../text/trouble.ts'
import { type RegistryReading, readForReview } from './disk/registry.ts'
import { findQuarantined, withHeldKeys } from './quarantine.ts'
import type { Registry } from './rules/skill.ts'

/** What the library hands out on this machine. */
export interface ClearedRegistry extends RegistryReading {
  /** The skills in quarantine and the denied ones, with the reason. */
  withheld: ReadonlyMap<string, LoadoutError>
}

/** The skills of the library that may be used. Throws if the decisions cannot be read: then nothing is handed out. */
export function readLibrary(repo: Repository): ClearedRegistry {
  const all = withHeldKeys(repo, readForReview(repo))
  const withheld = withheldIn(repo, all)
  return { ...all, skills: all.skills.filter(({ skill }) => !withheld.has(skill.name)), withheld }
}

/** The skills of a registry that may not be used, with a reason that quotes nothing of them: a model may read it. */
export function withheldIn(repo: Repository, registry: Registry): ReadonlyMap<string, LoadoutError> {
  const found = findQuarantined(repo, registry)
  return new Map(found.map(({ skill, isDenied }) => [skill, refusalOf(skill, isDenied)]))
}

/** The names that no reader may offer, wherever a skill of that name lies. */
export function withheldNames(machine: Machine): ReadonlySet<string> {
  const library = findLibrary(machine)
  const inLibrary =
    library !== undefined && isFolder(library) ? readLibrary(new Repository(machine, library)).withheld.keys() : []
  return new Set([...deniedSkills(machine), ...inLibrary])
}

/** Denied on this machine, in the library or in an agent's folder. */
export function deniedSkills(machine: Machine): string[] {
  return requireApprovals(machine).flatMap(({ kind, decision, name }) =>
    kind === 'skill' && decision === 'denied' ? [name] : [],
  )
}

function refusalOf(name: string, isDenied: boolean): LoadoutError {
  const message = isDenied ? `${name} is denied on this machine` : `${name} is in quarantine until a person approves it`
  const hint = isDenied
    ? `loadout revoke skill:${name} takes the denial back`
    : `read it: loadout inspect ${name}; then loadout approve skill:${name}, or deny skill:${name}`
  return new LoadoutError('QUARANTINED', message, { hint })
}
