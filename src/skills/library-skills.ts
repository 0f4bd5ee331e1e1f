import { join } from 'node:path'
import { Config } from '../agents/config.ts'
import { libraryFile, openExamples, textWith } from '../examples/examples.ts'
import { learnFromUse } from '../examples/learn.ts'
import type { Example } from '../examples/rules/example.ts'
import { exists } from '../machine/files.ts'
import { staysInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import { type Machine, opening } from '../machine/machine.ts'
import { openRanking } from '../machine/ranking.ts'
import { Repository } from '../machine/repository.ts'
import type { Why } from '../search/document.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { estimateTokens } from '../text/tokens.ts'
import { failWith } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { checkOutSnapshot, literal, uncommittedPaths } from './disk/library-git.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { readPlacements, SKILLS_FOLDER } from './disk/registry.ts'
import { type Build, buildFor, hashPath, readBuild, readBuildFile, writeTreeFile } from './disk/tree.ts'
import { TreeCache } from './disk/tree-cache.ts'
import { readLibrary, withheldIn } from './gate.ts'
import { Installs, type ScopeRequest, withInstalls } from './installs.ts'
import { asWriter, observe, recoverAll } from './observe.ts'
import { nameProblem, type RegisteredSkill, requireName, type SkillStatus, supports } from './rules/skill.ts'
import { type KeptSkill, librarySegment, skillsOf } from './skill-source.ts'

export interface LibrarySkill {
  name: string
  description: string
}

/** A committed version of a skill, which can be published, and installed on any machine. */
export interface CommittedVersion {
  /** The version that it declares; skills declare none. */
  version?: string
  commit: string
  digest: string
}

export interface InstalledVersion {
  skill: string
  agent: string
  /** The start of the digest of the library's folder at installation. */
  version: string
}

/** The library of this machine: what its skills contain, now and at a commit. */
export class Library {
  private readonly machine: Machine
  private readonly config: Config

  constructor(machine: Machine) {
    this.machine = machine
    this.config = new Config(machine)
  }

  /** The usable skills, by name. Empty without a library. */
  list(): LibrarySkill[] {
    const known = this.read()
    this.machine.report(...(known?.findings ?? []))
    return (known?.skills ?? []).map(({ skill: { name, description } }) => ({ name, description }))
  }

  /** All files of one skill by path, in the general form for agents; undefined if the skill does not exist. */
  open(name: string): Record<string, Uint8Array> | undefined {
    const build = this.build(name)
    return build && readBuild(build)
  }

  /** One file of a skill; undefined if it does not exist. Reading its text counts as a use. */
  readFile(name: string, path: string): Uint8Array | undefined {
    const build = this.build(name)
    const value = build && readBuildFile(build, path)
    if (path === DOCUMENT_FILE && value !== undefined) {
      const tokens = estimateTokens(Buffer.from(value).toString())
      const entry = { id: name, kind: 'skill', trigger: 'lookup', mode: 'manual', tokens } as const
      this.machine.report(...recordUsage(this.machine, { task: `skill ${name}`, stage: 'used', entries: [entry] }))
    }
    return value
  }

  /** Whether it has a skill of this name. */
  has(name: string): boolean {
    const { library } = this.config
    return library !== undefined && exists(join(library, SKILLS_FOLDER, requireName(name)))
  }

  /** The newest committed version of a skill. Throws if it has uncommitted changes. */
  async committedVersion(name: string): Promise<CommittedVersion> {
    const repo = await this.requireRepo()
    const folder = `${SKILLS_FOLDER}/${requireName(name)}`
    const changed = (await uncommittedPaths(repo)).find((path) => path.startsWith(`${folder}/`))
    if (changed !== undefined) throw failWith('UNCOMMITTED/skill', { changed })
    const { stdout } = await repo.git(['log', '-1', '--format=%H', 'HEAD', '--', literal(folder)])
    const commit = stdout.trim()
    const digest = await this.digestAt(name, commit)
    if (digest !== undefined) return { commit, digest }
    throw failWith('SKILL_NOT_FOUND/committed', { name })
  }

  /** The digest of a skill at a commit; undefined if the library did not have it. */
  async digestAt(name: string, commit: string): Promise<string | undefined> {
    const repo = await this.requireRepo()
    const folder = `${SKILLS_FOLDER}/${requireName(name)}`
    return withScratch(async (scratch) => {
      const place = await checkOutSnapshot({ repo, commit, folder }, scratch, 'version')
      return place === undefined ? undefined : hashPath(place)
    })
  }

  /** The text of a file at HEAD; undefined if HEAD does not have it. */
  async committedFile(path: string): Promise<string | undefined> {
    if (this.config.library === undefined) return undefined
    const { repo } = new Installs(this.machine, {})
    const { stdout, code } = await repo.git(['show', `HEAD:${path}`], { okCodes: [0, 128] })
    return code === 0 ? stdout : undefined
  }

  /** The version of each of the user's skills that Loadout installed and that is unedited, for each enabled agent. */
  installedVersions(): InstalledVersion[] {
    const cache = new TreeCache(this.machine)
    const found = this.config.targetRoots().flatMap((root) =>
      readPlacements(root, cache).flatMap(({ name, marker, contentHash }) => {
        if (marker === undefined || 'problem' in marker || marker.contentHash !== contentHash) return []
        const version = /^(?:sha256[:-])?([0-9a-f]{16,})$/.exec(marker.sourceHash ?? '')?.[1]?.slice(0, 16)
        return version === undefined ? [] : root.agents.map((agent) => ({ skill: name, agent, version }))
      }),
    )
    cache.save()
    return found
  }

  /** Writes examples beside its skills, and commits exactly these files. Returns the commit. */
  async teach(fresh: ReadonlyMap<string, readonly Example[]>, wantsCommit: boolean): Promise<string | undefined> {
    const installs = new Installs(this.machine, {})
    await installs.repo.require()
    const { library, repo } = installs
    const skills = [...fresh.keys()]
    const run = async (): Promise<string | undefined> => {
      const changes = [...fresh].map(([skill, examples]) => {
        const file = libraryFile(library, skill)
        const text = textWith(file, examples)
        return { path: file.path, write: (stage: string) => void writeTreeFile(stage, text, false) }
      })
      const whose = skills.length === 1 ? skills[0] : `${skills.length} skills`
      const message = wantsCommit ? `Teach examples of ${whose}` : undefined
      return changeLibrary(repo, { changes, message })
    }
    return asWriter(installs, [], 'teach', run)
  }

  private async requireRepo(): Promise<Repository> {
    const { repo } = new Installs(this.machine, {})
    await repo.require()
    return repo
  }

  private read() {
    const { library } = this.config
    return library === undefined ? undefined : { library, ...readLibrary(new Repository(this.machine, library)) }
  }

  private build(name: string): Build | undefined {
    const known = nameProblem(name) === undefined ? this.read() : undefined
    const refusal = known?.withheld.get(name)
    if (refusal !== undefined) throw refusal
    const found = known?.skills.find(({ skill }) => skill.name === name)
    if (known === undefined || found === undefined || !staysInside(known.library, found.folder)) return undefined
    return buildFor(join(known.library, found.folder), found.skill, 'agents')
  }
}

export const listLibrarySkills = opening(Library, (library, _: object) => library.list())
export const openLibrarySkill = opening(Library, (library, { name }: { name: string }) => library.open(name))
export const readLibraryFile = opening(Library, (library, { name, path }: { name: string; path: string }) =>
  library.readFile(name, path),
)

export interface Suggestion {
  name: string
  description: string
  /** 0 to 1. */
  confidence: number
  why: readonly Why[]
  /** Agents that have it now. */
  equipped: string[]
  /** Enabled agents that it supports and that do not have it. */
  missing: string[]
}

export interface Suggestions {
  task: string
  /** How many skills were searched. */
  known: number
  skills: Suggestion[]
  /** The command that equips the missing skills; undefined if none is missing. */
  command?: string
}

/** The skills of the library that match a task, which agents have them, and how to equip the rest. */
export const suggestSkills = withInstalls(
  async (installs, request: ScopeRequest & { task: string; limit?: number }): Promise<Suggestions> => {
    const roots = installs.everyRoot()
    await recoverAll(installs, roots)
    const { statuses, registry } = await observe(installs, roots)
    const byName = new Map(statuses.map((status) => [status.name, status]))
    const withheld = withheldIn(installs.repo, registry)
    const cleared = registry.skills.filter(({ skill }) => !withheld.has(skill.name))
    const { machine, library } = installs
    const describe = (id: string) => cleared.find(({ skill }) => skill.name === id)?.skill.description
    learnFromUse(machine, ({ kind, id }) => (kind === 'skill' ? describe(id) : undefined))
    const examples = openExamples({ library }, machine.records)
    const hits = openRanking(machine, [librarySegment(library, skillsOf(library, cleared), examples)]).rank(
      request.task,
      { limit: request.limit ?? 5 },
    )
    const skills = hits.flatMap(({ kept, confidence, why }) => {
      const status = byName.get((kept as KeptSkill).name)
      return status?.registered === undefined
        ? []
        : [suggestionOf(installs, status, status.registered, confidence, why)]
    })
    const wanting = skills.filter(({ missing }) => missing.length > 0).map(({ name }) => name)
    const scope = installs.project === undefined ? '' : ' --project .'
    const value = {
      task: request.task,
      known: cleared.length,
      skills,
      command: wanting.length > 0 ? `loadout install ${wanting.join(' ')}${scope}` : undefined,
    }
    installs.machine.report(...registry.findings)
    return value
  },
)

function suggestionOf(
  { roots }: Installs,
  { name, placements }: SkillStatus,
  { skill }: RegisteredSkill,
  confidence: number,
  why: readonly Why[],
): Suggestion {
  const managed = placements.filter(({ state }) => state !== 'unmanaged' && state !== 'broken')
  const equipped = [...new Set(managed.flatMap(({ placement }) => placement.root.agents))]
  const enabled = roots.flatMap(({ agents }) => agents)
  const missing = enabled.filter((agent) => supports(skill, agent) && !equipped.includes(agent))
  return { name, description: skill.description, confidence, why, equipped, missing }
}
