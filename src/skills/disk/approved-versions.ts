import { join } from 'node:path'
import { exists, makeFolders } from '../../machine/files.ts'
import { ownedName, removeOrphans, withScratch } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { move } from '../../machine/platform.ts'
import type { Repository } from '../../machine/repository.ts'
import { ANY_NAME, type Verdict, whyNot } from '../../machine/rules/verdict.ts'
import type { RegisteredSkill, SkillStatus } from '../rules/skill.ts'
import { checkOutSnapshot } from './git-folders.ts'
import { type RegistryReading, readSkillAt } from './registry.ts'
import { copyTree, hashTree, listTree } from './tree.ts'
import type { TreeCache } from './tree-cache.ts'

/** The files of one version of a skill, kept by their hash or by the key of a lock. */
export function versionPlace(machine: Machine, hash: string, name: string): string {
  return join(machine.cacheFolder, 'versions', hash, name)
}

/** Fills the place of a version: beside it first, so that it is there as a whole or not at all. */
export function keepVersion(machine: Machine, hash: string, name: string, write: (place: string) => void): void {
  const folder = join(machine.cacheFolder, 'versions')
  const stage = join(folder, ownedName(hash))
  makeFolders(folder)
  removeOrphans(folder)
  write(join(stage, name))
  if (!exists(join(folder, hash))) move(stage, join(folder, hash))
}

type Refusals = Map<string, NonNullable<SkillStatus['refusal']>>

/**
 * Applies the verdicts of the catalog: an approved version replaces the newest one, and `refusals` has the skills that
 * may not be installed. `repo` has the commits; the registry may have been read from a copy.
 */
export async function obeyVerdicts(
  { verdicts, repo }: { verdicts: readonly Verdict[]; repo: Repository },
  registry: RegistryReading,
  cache: TreeCache,
): Promise<{ registry: RegistryReading; refusals: Refusals }> {
  const refusals: Refusals = new Map()
  const approved = new Map<string, RegisteredSkill>()
  for (const verdict of verdicts) {
    const { kind, name, state } = verdict
    if (kind !== 'skill' || name === ANY_NAME) continue
    if (state !== 'approved') {
      refusals.set(name, { kind: state, why: whyNot(verdict) })
      continue
    }
    const newest = registry.skills.find(({ skill }) => skill.name === name)
    if (newest?.sourceHash === verdict.digest) continue
    const version = await readVersion(repo, verdict, cache)
    if (typeof version === 'string') refusals.set(name, { kind: 'held', why: version })
    else approved.set(name, version)
  }
  const unlisted = verdicts.find(({ kind, name }) => kind === 'skill' && name === ANY_NAME)
  if (unlisted !== undefined) {
    const listed = new Set(verdicts.map(({ kind, name }) => `${kind}:${name}`))
    for (const { skill } of registry.skills) {
      if (!listed.has(`skill:${skill.name}`)) refusals.set(skill.name, { kind: 'held', why: whyNot(unlisted) })
    }
  }
  if (approved.size === 0) return { registry, refusals }
  const others = registry.skills.filter(({ skill }) => !approved.has(skill.name))
  const skills = [...others, ...approved.values()].sort((a, b) => (a.skill.name < b.skill.name ? -1 : 1))
  return { registry: { ...registry, skills }, refusals }
}

/** The approved version of a skill, or why it is not available. Caches its files by their hash. */
async function readVersion(
  repo: Repository,
  { name: skill, version, commit = '', digest = '' }: Verdict,
  cache: TreeCache,
): Promise<RegisteredSkill | string> {
  const place = versionPlace(repo.machine, digest, skill)
  if (!/^[0-9a-f]{64}$/.test(digest)) return `version ${version} has no valid digest`
  if (!isVersion(place, digest)) {
    const found = await withScratch(async (scratch) => {
      const at = await checkOutSnapshot({ repo, commit, folder: `skills/${skill}` }, scratch, 'version')
      if (at === undefined) return false
      keepVersion(repo.machine, digest, skill, (stage) => copyTree(at, stage))
      return true
    })
    if (!found)
      return `the library does not have commit ${commit.slice(0, 12)} of version ${version} yet: run loadout sync`
    if (!isVersion(place, digest)) return `version ${version} is not what was approved: its files have another digest`
  }
  const read = readSkillAt(place, skill, cache)
  return 'problems' in read ? read.problems.join('; ') : { ...read, version: { commit, place } }
}

function isVersion(place: string, digest: string): boolean {
  return exists(place) && hashTree(place, listTree(place).files) === digest
}
