import { join } from 'node:path'
import { Config } from '../agents/config.ts'
import { exists } from '../machine/files.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { failWith } from '../text/trouble.ts'
import { checkOutSnapshot } from './disk/git-folders.ts'
import { literal, uncommittedPaths } from './disk/library-git.ts'
import { readPlacements, SKILLS_FOLDER } from './disk/registry.ts'
import { hashTree, listTree } from './disk/tree.ts'
import { openTreeCache } from './disk/tree-cache.ts'
import { Installs } from './installs.ts'
import { requireName } from './rules/skill.ts'

/** A committed version of a skill, which can be published, and installed on any machine. */
export interface CommittedVersion {
  /** The version that it declares; skills declare none. */
  version?: string
  commit: string
  digest: string
}

/** Whether the library has a skill of this name. */
export function isInLibrary(machine: Machine, name: string): boolean {
  const library = new Config(machine).library
  return library !== undefined && exists(join(library, SKILLS_FOLDER, requireName(name)))
}

/** The newest committed version of a skill. Throws if it has uncommitted changes. */
export async function committedVersion(machine: Machine, name: string): Promise<CommittedVersion> {
  const { repo } = new Installs(machine, {})
  await repo.require()
  const folder = `${SKILLS_FOLDER}/${requireName(name)}`
  const changed = (await uncommittedPaths(repo)).find((path) => path.startsWith(`${folder}/`))
  if (changed !== undefined) {
    throw failWith('UNCOMMITTED/skill', { changed })
  }
  const { stdout } = await repo.git(['log', '-1', '--format=%H', 'HEAD', '--', literal(folder)])
  const commit = stdout.trim()
  const digest = await digestAt(machine, name, commit)
  if (digest !== undefined) return { commit, digest }
  throw failWith('SKILL_NOT_FOUND/committed', { name })
}

/** The digest of a skill at a commit of the library; undefined if the library does not have it. */
export async function digestAt(machine: Machine, name: string, commit: string): Promise<string | undefined> {
  const { repo } = new Installs(machine, {})
  await repo.require()
  const folder = `${SKILLS_FOLDER}/${requireName(name)}`
  return withScratch(async (scratch) => {
    const place = await checkOutSnapshot({ repo, commit, folder }, scratch, 'version')
    return place === undefined ? undefined : hashTree(place, listTree(place).files)
  })
}

/** The text of a library file at HEAD; undefined if HEAD does not have it. */
export async function committedFile(machine: Machine, path: string): Promise<string | undefined> {
  if (new Config(machine).library === undefined) return undefined
  const { repo } = new Installs(machine, {})
  const { stdout, code } = await repo.git(['show', `HEAD:${path}`], { okCodes: [0, 128] })
  return code === 0 ? stdout : undefined
}

export interface InstalledVersion {
  skill: string
  agent: string
  /** The start of the digest of the library's folder at installation. */
  version: string
}

/** The version of each of the user's skills that Loadout installed and that is unedited, for each enabled agent. */
export function installedVersions(machine: Machine): InstalledVersion[] {
  const cache = openTreeCache(machine)
  const found = new Config(machine).targetRoots().flatMap((root) =>
    readPlacements(root, cache).flatMap(({ name, marker, contentHash }) => {
      if (marker === undefined || 'problem' in marker || marker.contentHash !== contentHash) return []
      const version = /^(?:sha256[:-])?([0-9a-f]{16,})$/.exec(marker.sourceHash ?? '')?.[1]?.slice(0, 16)
      return version === undefined ? [] : root.agents.map((agent) => ({ skill: name, agent, version }))
    }),
  )
  cache.save()
  return found
}
