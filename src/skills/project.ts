import { basename, isAbsolute, join, relative } from 'node:path'
import { Config, requireProject } from '../agents/config.ts'
import { requireAgent } from '../agents/rules/agents.ts'
import { exists, isFile, isFolder, readJson, readText } from '../machine/files.ts'
import { withoutPassword } from '../machine/git-process.ts'
import { readJsonInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { findRepository, openProject, realFolder } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import { SETTINGS_FILE } from '../machine/settings.ts'
import { sign, signingKey } from '../machine/ssh-signature.ts'
import { parseYaml, readValue, YamlError } from '../machine/yaml.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, isRecord } from '../text/values.ts'
import { readSource, type SkillOffer } from './candidates.ts'
import { splitPage } from './disk/import-source.ts'
import { changeLibrary, withLibrary } from './disk/library-transaction.ts'
import { openAddress, restoreVersions } from './disk/source-repo.ts'
import { writeTreeFile } from './disk/tree.ts'
import { describeCapability } from './gate.ts'
import { type Installs, lockedInstalls, type Manifest, readManifest } from './installs.ts'
import { asRootWriter, carryOut, type Observation, type Outcome, observe, type RunOptions } from './observe.ts'
import {
  checkSignature,
  compareParts,
  lockAll,
  movesOf,
  PURPOSE,
  SIGNATURE_FILE,
  type SkillMove,
  settle,
} from './project-lock.ts'
import { asForeign, FOREIGN_FILES, takeOverManifest } from './rules/foreign-manifests.ts'
import {
  ALL,
  addressOf,
  formatLock,
  LOCK_FILE,
  type LockedSkill,
  NO_LOCK,
  unneeded,
  versionKey,
} from './rules/manifest.ts'
import { type OperationPlan, planEquip, planUnequip } from './rules/operations.ts'
import { EVERY_AGENT, requireName } from './rules/skill.ts'
import { parseRepositoryName } from './rules/source-name.ts'

/** What happened to the manifest of a project, its lock and its installed copies. */
export interface ProjectOutcome extends Outcome {
  project: string
  /** The skills that the lock pins now. */
  skills: string[]
  /** Those whose files were fetched; all others were in the cache. */
  fetched: string[]
  /** The files of the project that were written. */
  written: string[]
  /** Where the lock moved. */
  moves: SkillMove[]
  /** The choices, if nothing was chosen. */
  offers?: SkillOffer[]
  isUndecided?: true
}

export interface ProjectRequest extends RunOptions {
  /** A folder of the project; default: the project around the working folder. */
  project?: string
}

/** The project to work on. Throws if it has no manifest. */
function requireManifest(machine: Machine, { project: named }: ProjectRequest): Manifest {
  const project = named === undefined ? openProject(machine).repository : requireProject(machine, named)
  const manifest = project === undefined ? undefined : readManifest(machine, project)
  if (manifest !== undefined) return manifest
  throw failWith('MANIFEST/none', { project: project ?? machine.cwd })
}

/** Whether the project around the working folder, or the named one, has a manifest. */
export function hasManifest(machine: Machine, { project: named }: { project?: string }): boolean {
  const project = named === undefined ? openProject(machine).repository : requireProject(machine, named)
  return project !== undefined && project !== machine.home && readManifest(machine, project) !== undefined
}

export interface InstallRequest extends ProjectRequest {
  /** Change neither the manifest nor the lock: fail if they disagree, or if the lock does not cover everything. */
  frozen?: boolean
  /** What the lock records as agreed counts as answered on this machine, for this call. */
  trustLock?: boolean
  /** Replace edited copies, after a backup. */
  replace?: boolean
  /** Sign the lock with this SSH key; an empty text for the usual one. */
  sign?: string
  /** A file of allowed signers: without a valid signature of one of them nothing is installed. */
  signers?: string
}

/** Installs exactly what the lock of the project pins, after locking what the manifest asks for in addition. */
export async function installProject(machine: Machine, request: InstallRequest): Promise<ProjectOutcome> {
  const manifest = requireManifest(machine, request)
  const signed = await checkSignature(machine, manifest.project, request)
  const gaps = compareParts(manifest)
  if (request.frozen && gaps.length > 0) {
    machine.report(...gaps)
    return outcomeOf(manifest, request)
  }
  machine.report(...signed)
  if (gaps.length === 0) return apply(machine, manifest, manifest, request)
  const { manifest: locked, findings } = await lockAll(machine, manifest, request)
  machine.report(...findings)
  return apply(machine, manifest, locked, request)
}

function outcomeOf({ project, lock }: Manifest, { dryRun: isDryRun = false }: RunOptions): ProjectOutcome {
  const skills = lock.skills.map(({ name }) => name)
  return { project, skills, fetched: [], written: [], moves: [], operations: [], isDryRun }
}

/**
 * Writes manifest and lock, if they changed, and makes the copies what the lock says. Before that, everything is fetched,
 * compared with the lock, built, and looked through: what fails changes nothing.
 */
async function apply(
  machine: Machine,
  before: Manifest,
  manifest: Manifest,
  request: InstallRequest,
  moves: readonly SkillMove[] = [],
): Promise<ProjectOutcome> {
  const { frozen = false, trustLock = false, dryRun = false, signal } = request
  const { manifest: next, fetched, findings: found } = await settle(machine, manifest, frozen, signal)
  machine.report(...found)
  const installs = lockedInstalls(machine, next, trustLock).with({
    machine: machine.reportingTo((...findings) => machine.report(...inProject(findings))),
  })
  const files = changedFiles(before, next)
  const text = formatLock(next.lock)
  if (request.sign !== undefined && !dryRun) {
    const key = signingKey(machine, request.sign || undefined)
    files.push({ path: SIGNATURE_FILE, text: await sign(machine, key, text, PURPOSE) })
  } else if (files.some(({ path }) => path === LOCK_FILE) && exists(join(next.project, SIGNATURE_FILE))) {
    machine.report(report('LOCK_INVALID/unsigned'))
  }
  const value = { ...outcomeOf(next, request), fetched, moves: [...moves] }
  const run = async (): Promise<ProjectOutcome> => {
    const observation = await observe(installs, installs.roots, true)
    const plan = planLocked(installs, observation, request.replace)
    if (frozen) {
      const { value: foreseen, findings } = await installs.machine.collect((each) =>
        carryOut(installs.with({ machine: each }), observation, plan, { dryRun: true, signal }),
      )
      const [first] = foreseen.waiting ?? []
      if (first !== undefined && trustLock) {
        const what = first.open.map(describeCapability).slice(0, 3).join('; ')
        throw failWith('LOCK_MISMATCH/beyond', { name: first.skill, what })
      }
      if (first !== undefined) {
        installs.machine.report(...findings)
        return { ...value, waiting: foreseen.waiting }
      }
    }
    if (!dryRun && files.length > 0) {
      // Both files, or none. They are not committed: that is for the people of the project.
      const changes = files.map(({ path, text }) => ({
        path,
        write: (stage: string) => void writeTreeFile(stage, text, false),
      }))
      await withLibrary(installs.repo, 'install', async () =>
        changeLibrary(installs.repo, { changes, message: undefined }),
      )
    }
    const done = await carryOut(installs, observation, plan, request)
    return { ...value, ...done, written: files.map(({ path }) => path) }
  }
  if (dryRun) return run()
  installs.rememberProject()
  return asRootWriter(installs, installs.roots, 'install', run, signal)
}

/** The command that answers for a skill of a project. */
function inProject(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    if (finding.code !== 'QUARANTINED' || finding.hint === undefined) return finding
    const hint = finding.hint.replace(/loadout (?:inspect|approve) [^;]*/g, (command) => `${command} --project .`)
    return { ...finding, hint: `${hint}, then loadout install` }
  })
}

/** Installs what the lock has, and removes what a lock brought and the present one does not have. */
function planLocked(installs: Installs, { statuses, placements }: Observation, replaces = false): OperationPlan {
  const names = (installs.locked?.skills ?? []).map(({ skill }) => skill.name)
  const wanted = planEquip(statuses, { names, agents: undefined, roots: installs.roots, isExplicit: false, replaces })
  const gone = placements.filter(({ name, marker }) => {
    return marker !== undefined && 'isLocked' in marker && marker.isLocked && !names.includes(name)
  })
  const removal = planUnequip(statuses, {
    names: gone.map(({ name }) => name),
    agents: undefined,
    roots: installs.roots,
    isExplicit: false,
    isKnown: () => true,
  })
  return {
    operations: [...wanted.operations, ...removal.operations],
    findings: [...wanted.findings, ...removal.findings],
  }
}

interface ChangedFile {
  path: string
  text: string
}

/** The manifest and the lock, if they changed. */
function changedFiles(before: Manifest, { project, wanted, agents, lock }: Manifest): ChangedFile[] {
  const files: ChangedFile[] = []
  const path = join(project, SETTINGS_FILE)
  const isWritten = exists(path)
  const now = isWritten ? readJsonInside(project, SETTINGS_FILE) : {}
  const json = isRecord(now) ? now : {}
  const skills =
    Object.keys(wanted.skills).length === 0 && json.skills === undefined
      ? undefined
      : Object.fromEntries(Object.entries(wanted.skills).sort(([a], [b]) => compareText(a, b)))
  const isChanged = JSON.stringify(skills) !== JSON.stringify(json.skills) && wanted !== before.wanted
  const hasAgents = json.agents !== undefined && JSON.stringify(agents) === JSON.stringify(before.agents)
  if (isChanged || (!hasAgents && agents !== before.agents)) {
    // As the file is indented now.
    const text = JSON.stringify(
      { ...json, agents: hasAgents ? json.agents : agents, skills },
      null,
      (exists(path) ? /^[\t ]+(?=")/m.exec(readText(path))?.[0] : undefined) ?? '  ',
    )
    files.push({ path: SETTINGS_FILE, text: `${text}\n` })
  }
  const lockText = formatLock(lock)
  const hasLock = exists(join(project, LOCK_FILE))
  if (!hasLock || readText(join(project, LOCK_FILE)) !== lockText) files.push({ path: LOCK_FILE, text: lockText })
  return files
}

export interface AddRequest extends ProjectRequest {
  /** What was typed: an address, a folder, the name of a skill of the library. */
  source: string
  project: string
  names?: readonly string[]
  choose?: (offers: readonly SkillOffer[]) => readonly string[] | undefined
  ref?: string
  /** The agents that get the skills of the project from now on, beside those that do already. */
  agents?: readonly string[]
}

/** Adds skills to the manifest of a project, locks and installs them. The library of the user is not touched. */
export async function addToProject(machine: Machine, request: AddRequest): Promise<ProjectOutcome> {
  const project = requireProject(machine, request.project)
  const enabled = new Config(machine).agentsHere()
  const known = readManifest(machine, project)
  const before: Manifest = known ?? { project, wanted: { skills: {} }, agents: [], lock: NO_LOCK }
  const named = (request.agents ?? []).flatMap((ids) => ids.split(',')).filter((id) => id !== 'all' && id !== '')
  const asked = named.map((id) => requireAgent(id).id)
  const agents = known === undefined ? (asked.length > 0 ? asked : enabled) : [...new Set([...before.agents, ...asked])]
  // The file of another manager in the project that was typed instead of a source.
  const path = machine.resolve(request.source)
  const file = FOREIGN_FILES.find((each) => each === basename(path))
  const foreign = file !== undefined && isFile(path) ? { path, file } : undefined
  if (foreign !== undefined) {
    // Adds everything that a file of another manager names. That file stays as it is.
    const { path, file } = foreign
    const value = file.endsWith('.json') ? readJson(path) : readForeignYaml(path)
    const taken = takeOverManifest(file, value)
    if (Object.keys(taken.wanted).length === 0)
      throw failWith('MANIFEST/empty', { file, losses: taken.losses.join('; ') || 'no skill' })
    const skills: Record<string, readonly string[]> = { ...before.wanted.skills }
    for (const [key, names] of Object.entries(taken.wanted)) {
      skills[key] = [...new Set([...(skills[key] ?? []), ...names])].sort(compareText)
    }
    const ids = taken.agents.length > 0 && before.agents.length === 0 ? [...new Set(taken.agents)] : agents
    const wanted = { ...before.wanted, skills }
    const { manifest, findings } = await lockAll(machine, { ...before, wanted, agents: ids }, request)
    machine.report(...taken.losses.map((what) => report('MANIFEST/loss', { file, what })), ...findings)
    return apply(machine, before, manifest, request, await movesOf(machine, before, manifest))
  }
  const address = await addressFor(machine, project, request)
  const { key, findings } = address
  const names = request.names ?? address.names
  const offered = await withScratch(async (scratch) => {
    const source = await openAddress(machine, project, addressOf(key), scratch, { signal: request.signal })
    return readSource(source, [], { enabled: [EVERY_AGENT] }).candidates.map(
      ({ name, merged, copies, problem }): SkillOffer => {
        const { found, skill } = merged ?? copies[0] ?? {}
        const state = problem === undefined ? 'new' : 'blocked'
        return {
          name,
          description: skill?.description ?? '',
          folder: found?.folder ?? '',
          plugin: found?.plugin,
          state,
          reason: problem,
        }
      },
    )
  })
  const isAll = names === undefined && request.choose === undefined
  const chosen = isAll
    ? [ALL]
    : (names ?? (offered.length === 1 ? [offered[0]?.name ?? ''] : request.choose?.(offered)))
  if (chosen === undefined || chosen.length === 0) {
    machine.report(...findings)
    return { ...outcomeOf(before, request), offers: offered, isUndecided: true }
  }
  const words = chosen.map(
    (word) => offered.find(({ name, folder }) => word === folder && !name.includes('/'))?.name ?? word,
  )
  // One version of a repository: its other skills move with it.
  const { url } = addressOf(key)
  const same = Object.keys(before.wanted.skills).filter(
    (each) => url !== undefined && addressOf(each).url === url && addressOf(each).folder === addressOf(key).folder,
  )
  const kept = request.ref === undefined && same[0] !== undefined ? same[0] : key
  const all = [...same.flatMap((each) => before.wanted.skills[each] ?? []), ...words]
  const others = Object.entries(before.wanted.skills).filter(([each]) => !same.includes(each))
  const list = all.includes(ALL) ? [ALL] : [...new Set(all)].sort(compareText)
  const wanted = { ...before.wanted, skills: { ...Object.fromEntries(others), [kept]: list } }
  const { manifest, findings: told } = await lockAll(machine, { ...before, wanted, agents }, request)
  const moves = await movesOf(machine, before, manifest)
  machine.report(...findings, ...told)
  return apply(machine, before, manifest, request, moves)
}

function readForeignYaml(path: string): unknown {
  try {
    const { document, lines } = parseYaml(readText(path), { longest: 8 * 1024 * 1024 })
    return readValue(document, lines)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw failWith('MANIFEST/empty', { file: basename(path), losses: `line ${error.line}: ${error.message}` })
  }
}

/** Writes the lock of a project as a file of another manager. Never replaces a file. */
export async function exportManifest(
  machine: Machine,
  request: { project?: string; file: string; out?: string },
): Promise<{ path: string; skills: number }> {
  const { project, agents, lock } = requireManifest(machine, request)
  const { file } = request
  if (file !== 'apm.yml' && file !== 'skills-lock.json') throw failWith('USAGE/format', { format: file })
  const path = machine.resolve(request.out ?? join(project, file))
  if (exists(path)) throw failWith('FILE_EXISTS/manifest', { path })
  const { text, losses } = asForeign(file, { name: basename(project), agents, skills: lock.skills })
  writeTreeFile(path, text, false)
  machine.report(...losses.map((what) => report('MANIFEST/not-said', { file, what })))
  return { path, skills: lock.skills.length }
}

/** The key for what was typed: an address that a clone on another machine can use too. */
async function addressFor(
  machine: Machine,
  project: string,
  { source, ref, signal }: AddRequest,
): Promise<{ key: string; names?: string[]; findings: Finding[] }> {
  const withRef = (key: string) => (ref === undefined ? key : `${key.split('#')[0]}#${ref}`)
  const path = machine.resolve(source)
  if (exists(path)) {
    const inside = relative(realFolder(machine, project), realFolder(machine, path))
    const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
    if (isInside) return { key: `./${inside}`, findings: [] }
    return fromClone(machine, path, withRef)
  }
  const { library } = new Config(machine)
  if (/^[a-z0-9-]+$/.test(source) && library !== undefined && isFolder(join(library, 'skills', source))) {
    const { key, findings } = await fromClone(machine, library, withRef)
    return { key, names: [requireName(source)], findings }
  }
  const named = parseRepositoryName(source)
  if (named === undefined) throw failWith('FILE_NOT_FOUND/source', { path })
  if (named.refAndFolder === undefined) return { key: withRef(source), findings: [] }
  const split = await splitPage(machine, named, signal === undefined ? {} : { signal })
  const short = /^https:\/\/github\.com\/([^/]+\/[^/]+)$/.exec(named.url)?.[1]
  const folder = split?.folder ? `/${split.folder}` : ''
  if (short === undefined && folder !== '')
    throw failWith('MANIFEST/address', { key: source, problem: 'name the repository, and the skills after it' })
  return { key: withRef(`${short ?? named.url}${folder}#${split?.ref ?? ''}`.replace(/#$/, '')), findings: [] }
}

/** A clone on this machine stands for the repository that it came from. */
async function fromClone(machine: Machine, path: string, withRef: (key: string) => string) {
  const root = findRepository(path)
  const repo = root === undefined ? undefined : new Repository(machine, root)
  const remote = repo && (await repo.git(['remote', 'get-url', 'origin'], { okCodes: [0, 2, 128] })).stdout.trim()
  const key = remote ? withoutPassword(remote) : `file://${root ?? path}`
  const inside = root === undefined ? '' : relative(realFolder(machine, root), realFolder(machine, path))
  if (repo === undefined || isAbsolute(key))
    throw failWith('MANIFEST/address', {
      key: path,
      problem: 'a path outside of the project cannot be restored from a clone of it',
    })
  const findings = remote ? [] : [report('MANIFEST/local', { path })]
  const names = inside === '' ? undefined : [inside.split('/').at(-1) ?? '']
  return { key: withRef(key), names, findings }
}

/** Moves the lock to the newest commit of each version that the manifest names, and shows what changes. */
export async function updateProject(
  machine: Machine,
  request: InstallRequest & { names?: readonly string[] },
): Promise<ProjectOutcome> {
  const before = requireManifest(machine, request)
  const names = (request.names ?? []).map(requireName)
  for (const name of names) {
    if (!before.lock.skills.some((row) => row.name === name)) throw failWith('MANIFEST/not-there', { name })
  }
  const isNamed = ({ name }: LockedSkill) => names.length === 0 || names.includes(name)
  const { manifest, findings } = await lockAll(machine, before, { ...request, moves: isNamed })
  // The version that is replaced is the base of a merge with edited copies, so it must be there.
  await restoreVersions(machine, before.project, before.lock.skills.filter(isNamed), request.signal).catch(() => {})
  const moves = await movesOf(machine, before, manifest)
  machine.report(...findings)
  return apply(machine, before, manifest, request, moves)
}

/** Takes skills out of the manifest, with what only they needed. */
export async function removeFromProject(
  machine: Machine,
  request: ProjectRequest & { names: readonly string[] },
): Promise<ProjectOutcome> {
  const before = requireManifest(machine, request)
  const names = request.names.map(requireName)
  const { wanted, lock } = before
  for (const name of names) {
    if (!lock.skills.some((row) => row.name === name)) throw failWith('MANIFEST/not-there', { name })
    const by = lock.skills
      .filter((row) => row.requires.includes(name) && !names.includes(row.name))
      .map((row) => row.name)
    if (by.length > 0) throw failWith('NEEDS/by', { name, by: by.join(', ') })
  }
  const left = Object.entries(wanted.skills).flatMap(([key, list]) => {
    const own = lock.skills.filter(({ from }) => from === key)
    const isHit = own.some(({ name }) => names.includes(name))
    const words = isHit
      ? own.map(({ name }) => name).filter((name) => list.includes(ALL) || isAskedFor(list, own, name))
      : list
    const rest = words.filter((word) => !names.includes(word))
    return rest.length === 0 ? [] : [[key, rest] as const]
  })
  const skills = Object.fromEntries(left)
  const kept = lock.skills.filter(({ name }) => !names.includes(name))
  const unused = new Set(unneeded(skills, kept))
  const rows = kept.filter(({ name }) => !unused.has(name))
  const manifest = { ...before, wanted: { ...wanted, skills }, lock: { ...lock, skills: rows } }
  return apply(machine, before, manifest, request, await movesOf(machine, before, manifest))
}

function isAskedFor(list: readonly string[], rows: readonly LockedSkill[], name: string): boolean {
  const row = rows.find((each) => each.name === name)
  return list.includes(name) || (row !== undefined && list.includes(row.folder))
}

/** Says where manifest, lock and installed folders disagree. Only reads, and needs neither network nor cache. */
export async function checkProject(machine: Machine, project: string): Promise<Finding[] | undefined> {
  const manifest = readManifest(machine, project)
  if (manifest === undefined) return undefined
  const installs = lockedInstalls(machine, manifest)
  const { placements } = await observe(installs, installs.roots)
  const findings = compareParts(manifest)
  const rows = new Map(manifest.lock.skills.map((row) => [row.name, row]))
  for (const root of installs.roots) {
    for (const { name, copies, ...row } of manifest.lock.skills) {
      const agent = root.agents.find((id) => copies[id] !== undefined)
      if (agent === undefined) continue
      const path = relative(manifest.project, join(root.path, name))
      const found = placements.find((each) => each.name === name && each.root.path === root.path)
      const marker = found?.marker !== undefined && 'commit' in found.marker ? found.marker : undefined
      if (found === undefined) findings.push(report('LOCK_MISMATCH/missing', { path }, { subject: name }))
      else if (found.contentHash === copies[agent]) continue
      else if (marker?.sourceHash === versionKey({ name, ...row }) && marker.contentHash === found.contentHash)
        findings.push(report('LOCK_MISMATCH/forged', { path }, { subject: name }))
      else if (marker?.sourceHash === versionKey({ name, ...row }))
        findings.push(report('LOCK_MISMATCH/edited', { path }, { subject: name }))
      else findings.push(report('LOCK_MISMATCH/outdated', { path }, { subject: name }))
    }
  }
  for (const { name, root, marker } of placements) {
    if (marker === undefined || rows.has(name)) continue
    findings.push(
      report('LOCK_MISMATCH/unlisted', { path: relative(manifest.project, join(root.path, name)) }, { subject: name }),
    )
  }
  return findings
}
