import { join } from 'node:path'
import { Config, requireProject } from '../agents/config.ts'
import { requireAgent } from '../agents/rules/agents.ts'
import { exists, isFile, readJson, textOf } from '../machine/files.ts'
import { readInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { projectAt } from '../machine/open-project.ts'
import { requireParts, SETTINGS_FILE } from '../machine/settings.ts'
import { asFinding } from '../text/trouble.ts'
import { versionPlace } from './disk/approved-versions.ts'
import type { RegistryReading } from './disk/registry.ts'
import { Installs, type ScopeRequest } from './installs.ts'
import {
  LOCK_FILE,
  type Lock,
  type LockedSkill,
  NO_LOCK,
  parseLock,
  versionKey,
  type Wanted,
} from './rules/manifest.ts'
import { readFrontmatter } from './rules/review/sheet.ts'
import { parseSkill, type RegisteredSkill, SKILL_FILE, type Skill } from './rules/skill.ts'

/** What `loadout.json` of a project asks for, and what its lock pins. */
export interface Manifest {
  project: string
  wanted: { skills: Wanted }
  /** The agents that get the skills: as written, or those that are enabled here. */
  agents: string[]
  lock: Lock
}

/** Undefined if the project has neither a manifest nor a lock. Throws if one of them cannot be used. */
export function readManifest(machine: Machine, project: string): Manifest | undefined {
  const hasLock = exists(join(project, LOCK_FILE))
  if (!hasLock && !isFile(join(project, SETTINGS_FILE))) return undefined
  const { settings } = projectAt(machine, project)
  requireParts(settings, 'skills', 'agents')
  const { skills, agents } = settings
  if (!hasLock && skills === undefined) return undefined
  const ids = agents?.map((name) => requireAgent(name).id) ?? new Config(machine).agentsHere()
  return {
    project,
    wanted: { skills: skills ?? {} },
    agents: [...new Set(ids)],
    lock: hasLock ? readLock(project) : NO_LOCK,
  }
}

function readLock(project: string): Lock {
  const read = readInside(project, LOCK_FILE, { most: 16 * 1024 * 1024 })
  if (read.bytes === undefined) throw read.failure
  return parseLock(textOf(Buffer.from(read.bytes), join(project, LOCK_FILE)))
}

/** The skills of a lock as a library that can be installed from. `trustsLock`: what it allows counts as answered. */
export function lockedRegistry(machine: Machine, skills: readonly LockedSkill[], trustsLock = false): RegistryReading {
  const registry: RegistryReading = { skills: [], invalid: [], findings: [] }
  const registered = skills.map((row): RegisteredSkill => {
    const [key, allowed] = [versionKey(row), new Set(Object.values(row.allows))]
    const place = versionPlace(machine, key, row.name)
    const skill = readKept(place, row.name, registry)
    const held = readFrontmatter(skill).flatMap(({ key, id }) => (key === undefined || allowed.has(id) ? [] : [key]))
    const heldKeys = held.length === 0 ? undefined : [...new Set(held)].sort()
    return {
      skill: { ...skill, heldKeys },
      folder: `skills/${row.name}`,
      sourceHash: key,
      version: { commit: row.commit ?? '', place },
      locked: { at: row.at, trusted: trustsLock ? allowed : new Set() },
    }
  })
  return { ...registry, skills: registered }
}

/** What is known of a skill without its files is its name. */
function readKept(place: string, name: string, { findings }: RegistryReading): Skill {
  const bare = { name, description: '', tags: [], targets: [], metadata: {}, others: {} }
  if (!exists(place)) return bare
  try {
    return parseSkill(readJson(join(place, SKILL_FILE)), name).skill ?? bare
  } catch (error) {
    findings.push(asFinding(error))
    return bare
  }
}

/** The folders of the project, with what its lock pins in the place of a library. */
export function lockedInstalls(machine: Machine, { project, agents, lock }: Manifest, trustsLock = false): Installs {
  return new Installs(machine, {}, { project, agents, registry: lockedRegistry(machine, lock.skills, trustsLock) })
}

/** For commands that only read or install: a project with a manifest has the skills of its lock, and no library. */
export function withScope<Request extends ScopeRequest, Result>(
  run: (installs: Installs, request: Request) => Result,
): (machine: Machine, request: Request) => Result {
  return (machine, request) => {
    const project = request.project === undefined ? undefined : requireProject(machine, request.project)
    const manifest = project === undefined ? undefined : readManifest(machine, project)
    const isLocked = manifest && (manifest.lock.skills.length > 0 || Object.keys(manifest.wanted.skills).length > 0)
    return run(isLocked ? lockedInstalls(machine, manifest) : new Installs(machine, request), request)
  }
}
