import { join, relative } from 'node:path'
import { requireProject } from '../agents/config.ts'
import { exists, isFile, readText, removeFile } from '../machine/files.ts'
import { readJsonInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { SETTINGS_FILE } from '../machine/settings.ts'
import { rebuildIndex } from '../payloads/index-build.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { compareText, isRecord, sha256 } from '../text/values.ts'
import type { SkillOffer } from './candidates.ts'
import { changeLibrary, hasLeftovers, withLibrary } from './disk/library-transaction.ts'
import { writeTreeFile } from './disk/tree.ts'
import { describeCapability } from './gate.ts'
import { type Installs, Manifest } from './installs.ts'
import { asRootWriter, carryOut, type Observation, type Outcome, observe, type RunOptions } from './observe.ts'
import {
  checkSignature,
  compareParts,
  type LockMove,
  lockAll,
  ManifestSources,
  movesOf,
  SIGNATURE_FILE,
  settle,
  signLock,
} from './project-lock.ts'
import { approvePlaced, checkTexts, planTexts, type TextPlan, textFindings } from './project-texts.ts'
import {
  formatLock,
  keyOfKind,
  LOCK_FILE,
  type LockedText,
  TEXT_KINDS,
  type TextKind,
  versionKey,
} from './rules/lock.ts'
import { namedBy, unneeded, type Wanted, withProfile } from './rules/manifest.ts'
import { type OperationPlan, planEquip, planUnequip } from './rules/operations.ts'

/** What happened to the manifest of a project, its lock and its installed copies. */
export interface ProjectOutcome extends Outcome {
  project: string
  /** What the lock pins now. */
  skills: string[]
  packs: string[]
  rules: string[]
  /** Those whose files were fetched; all others were in the cache. */
  fetched: string[]
  /** The paths of the project that were written, those of packs and rules included. */
  written: string[]
  /** Where the lock moved. */
  moves: LockMove[]
  /** The choices, if nothing was chosen. */
  offers?: SkillOffer[]
  isUndecided?: true
}

export interface ProjectRequest extends RunOptions {
  /** A folder of the project; default: the project around the working folder. */
  project?: string
}

/** Whether the project around the working folder, or the named one, has a manifest. */
export function hasManifest(machine: Machine, { project: named }: { project?: string }): boolean {
  const project = named === undefined ? machine.openProject().repository : requireProject(machine, named)
  return project !== undefined && project !== machine.home && Manifest.read(machine, project) !== undefined
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
export const installProject = changing<InstallRequest>(async (before, sources, request) => {
  const signed = await checkSignature(before, request)
  const gaps = compareParts(before)
  if (request.frozen && gaps.length > 0) return { stop: outcomeOf(before, request), findings: gaps }
  before.machine.report(...signed)
  return gaps.length === 0 ? { manifest: before, findings: [] } : lockAll(before, sources)
})

/** Moves the lock to the newest commit of each version that the manifest names, and shows what changes. */
export const updateProject = changing<InstallRequest & { names?: readonly string[] }>(
  async (before, sources, request) => {
    const rows = Object.values(rowsNamed(before, request.names ?? [])).flat()
    const all: LockedText[] = [...before.lock.skills, ...before.lock.packs, ...before.lock.rules]
    // Everything of one source has one version.
    const moves = new Set((request.names?.length ? rows : all).map(({ from }) => from))
    const locked = await lockAll(before, sources, moves)
    // The version that is replaced is the base of a merge with edited copies, so it must be there.
    const replaced = before.lock.skills.filter(({ from }) => moves.has(from))
    await before.versions.restore(replaced, request).catch(() => {})
    return { ...locked, moves: await movesOf(before, locked.manifest) }
  },
)

/** Takes skills, packs and rules out of the manifest, with the skills that only they needed. */
export const removeFromProject = changing<ProjectRequest & { names: readonly string[] }>(async (before, _, request) => {
  const { wanted, lock } = before
  const gone = rowsNamed(before, request.names)
  const names = gone.skill.map(({ name }) => name)
  for (const name of names) {
    const others = lock.skills.filter((row) => row.requires.includes(name) && !names.includes(row.name))
    if (others.length > 0) throw failWith('NEEDS/by', { name, by: others.map((row) => row.name).join(', ') })
    const isOfProfile = Object.values(lock.profile?.skills ?? {}).some((skills) => Object.hasOwn(skills, name))
    if (isOfProfile) throw failWith('MANIFEST/of-profile', { name, profile: wanted.profile ?? '' })
  }
  const skills = wantedWithout(wanted.skills, lock.skills, gone.skill)
  const kept = lock.skills.filter(({ name }) => !names.includes(name))
  const unused = new Set(unneeded(withProfile(skills, lock.profile), kept))
  const texts = (kind: TextKind) => {
    const [words, rows] = [wanted[keyOfKind(kind)], lock[keyOfKind(kind)]]
    return { wanted: wantedWithout(words, rows, gone[kind]), rows: rows.filter((row) => !gone[kind].includes(row)) }
  }
  const [packs, rules] = [texts('pack'), texts('rule')]
  const left = { ...lock, skills: kept.filter(({ name }) => !unused.has(name)), packs: packs.rows, rules: rules.rows }
  const manifest = before.with({
    wanted: { ...wanted, skills, packs: packs.wanted, rules: rules.wanted },
    lock: left,
  })
  return { manifest, findings: [], moves: await movesOf(before, manifest) }
})

/** The rows of a lock that were named: `x`, or `pack:x` and `rule:x`. Throws for a name that it does not have. */
function rowsNamed({ lock }: Manifest, typed: readonly string[]) {
  const found: Record<'skill' | TextKind, LockedText[]> = { skill: [], pack: [], rule: [] }
  for (const word of typed) {
    const [, said, name = word] = /^(skill|pack|rule):(.+)$/.exec(word) ?? []
    const kinds = (['skill', ...TEXT_KINDS] as const).filter((kind) => said === undefined || said === kind)
    const hits = kinds.flatMap((kind) => {
      const rows: LockedText[] = kind === 'skill' ? lock.skills : lock[keyOfKind(kind)]
      return rows.filter((row) => row.name === name).map((row) => ({ kind, row }))
    })
    const [hit, other] = hits
    if (hit === undefined) throw failWith('MANIFEST/not-there', { name: word })
    if (other !== undefined)
      throw failWith('MANIFEST/ambiguous', { name, kinds: hits.map(({ kind }) => `${kind}:${name}`).join(', ') })
    found[hit.kind].push(hit.row)
  }
  return found
}

/** The words of each source without those that named one of these rows. */
function wantedWithout(wanted: Wanted, rows: readonly LockedText[], gone: readonly LockedText[]): Wanted {
  const left = Object.entries(wanted).flatMap(([key, words]) => {
    const own = rows.filter(({ from }) => from === key)
    if (!own.some((row) => gone.includes(row))) return [[key, words] as const]
    const asked = new Set(words.flatMap((word) => namedBy(word, own)))
    const rest = [...asked].filter((row) => !gone.includes(row)).map(({ name }) => name)
    return rest.length === 0 ? [] : [[key, rest] as const]
  })
  return Object.fromEntries(left)
}

/** What a command makes of a manifest; or `stop`, if nothing is to be changed. */
export type ManifestChange =
  | { manifest: Manifest; findings: readonly Finding[]; moves?: readonly LockMove[] }
  | { stop: ProjectOutcome; findings: readonly Finding[] }

/**
 * Changes the manifest of a project and carries that out. Another command may have changed it in the meantime: then the
 * change is made again, from what is there now.
 */
export async function changeManifest(
  machine: Machine,
  request: InstallRequest,
  change: (before: Manifest, sources: ManifestSources) => Promise<ManifestChange>,
  read: () => Manifest = () => Manifest.require(machine, request),
): Promise<ProjectOutcome> {
  for (let round = 1; ; round++) {
    await finishKilled(machine, read().project)
    const before = read()
    const state = stateOf(before)
    const changed = await withScratch((scratch) => change(before, new ManifestSources(before, scratch, request.signal)))
    machine.report(...changed.findings)
    if ('stop' in changed) return changed.stop
    try {
      return await apply({ before, state }, changed.manifest, request, changed.moves)
    } catch (error) {
      const isStale = error instanceof LoadoutError && error.code === 'MANIFEST' && error.message === CHANGED().message
      if (!isStale || round === 5) throw error
    }
  }
}

/** A use case that changes the manifest of a project, which must have one. */
function changing<Request extends InstallRequest>(
  change: (before: Manifest, sources: ManifestSources, request: Request) => Promise<ManifestChange>,
): (machine: Machine, request: Request) => Promise<ProjectOutcome> {
  return (machine, request) => {
    return changeManifest(machine, request, (before, sources) => change(before, sources, request))
  }
}

/** Finishes or undoes what a killed command left of a manifest. Does not wait for a running one. */
async function finishKilled(machine: Machine, project: string): Promise<void> {
  if (!hasLeftovers(project)) return
  const finish = async (found: Finding[]) => machine.report(...found)
  await withLibrary(new Repository(machine, project), 'recovery', finish, { waitMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof LoadoutError) || !['LOCKED', 'WRITE_FAILED'].includes(error.code)) throw error
  })
}

const CHANGED = () => failWith('MANIFEST/changed')

/** Identifies the files of a manifest. */
function stateOf({ project }: Manifest): string {
  const files = [SETTINGS_FILE, LOCK_FILE].map((name) => join(project, name))
  return sha256(JSON.stringify(files.map((path) => (isFile(path) ? readText(path) : null))))
}

export function outcomeOf({ project, lock }: Manifest, { dryRun: isDryRun = false }: RunOptions): ProjectOutcome {
  const names = (rows: readonly LockedText[]) => rows.map(({ name }) => name)
  const pinned = { skills: names(lock.skills), packs: names(lock.packs), rules: names(lock.rules) }
  return { project, ...pinned, fetched: [], written: [], moves: [], operations: [], isDryRun }
}

/**
 * Writes manifest, lock, packs and rules, if they changed, and makes the copies of skills what the lock says. Before that,
 * everything is fetched, compared with the lock, built, and looked through: what fails changes nothing.
 */
async function apply(
  { before, state }: { before: Manifest; state: string },
  manifest: Manifest,
  request: InstallRequest,
  moves: readonly LockMove[] = [],
): Promise<ProjectOutcome> {
  const { frozen = false, trustLock = false, dryRun = false, replace: replaces = false, signal } = request
  const { machine } = manifest
  const { manifest: next, fetched, findings, answers } = await settle(manifest, frozen, signal)
  machine.report(...findings)
  const installs = next.installs(trustLock).with({
    machine: machine.reportingTo((...found) => machine.report(...inProject(found))),
  })
  const files = changedFiles(before, next)
  if (request.sign !== undefined && !dryRun) {
    files.push({ path: SIGNATURE_FILE, text: await signLock(next, request.sign) })
  } else if (files.some(({ path }) => path === LOCK_FILE) && exists(join(next.project, SIGNATURE_FILE))) {
    machine.report(report('LOCK_INVALID/unsigned'))
  }
  const value = { ...outcomeOf(next, request), fetched, moves: [...moves] }
  const plan = () => planTexts(next, answers, { trustLock, frozen, replaces: replaces && !dryRun })
  const run = async (): Promise<ProjectOutcome> => {
    const observation = await observe(installs, installs.roots, true)
    const operations = planLocked(installs, observation, replaces)
    if (frozen) {
      const { value: foreseen, findings: told } = await machine.collect((each) =>
        carryOut(installs.with({ machine: each }), observation, operations, { dryRun: true, signal }),
      )
      const waiting = [...(foreseen.waiting ?? []), ...plan().waiting]
      const [first] = waiting
      if (first !== undefined && trustLock) {
        const what = first.open.map(describeCapability).slice(0, 3).join('; ') || 'its text'
        throw failWith('LOCK_MISMATCH/beyond', { name: first.skill, what })
      }
      if (first !== undefined) {
        machine.report(...inProject(told), ...textFindings(waiting))
        return { ...value, waiting }
      }
    }
    const texts = dryRun ? plan() : await writeManifest(installs, { before, state, next, files, plan })
    machine.report(...texts.findings, ...textFindings(texts.waiting))
    const done = await carryOut(installs, observation, operations, request)
    const waiting = [...(done.waiting ?? []), ...texts.waiting]
    const written = [...files, ...texts.changes].map(({ path }) => path)
    return { ...value, ...done, waiting: waiting.length > 0 ? waiting : undefined, written }
  }
  if (dryRun) return run()
  installs.rememberProject()
  return asRootWriter(installs, installs.roots, 'install', run, signal)
}

/**
 * Writes the files of a manifest, its packs and its rules: all of it, or nothing. They are not committed: that is for the
 * people of the project.
 */
async function writeManifest(
  { repo }: Installs,
  change: {
    before: Manifest
    state: string
    next: Manifest
    files: readonly ChangedFile[]
    plan: () => TextPlan
  },
): Promise<TextPlan> {
  const { before, state, next, files, plan } = change
  const { machine } = next
  const hasTexts = [before, next].some(({ lock }) => lock.packs.length + lock.rules.length > 0)
  const first = plan()
  if (files.length + first.changes.length === 0 && !hasTexts) return first
  return withLibrary(repo, 'install', async () => {
    if (stateOf(before) !== state) throw CHANGED()
    const texts = plan()
    const written = files.map(({ path, text }) => {
      return { path, write: (stage: string) => void writeTreeFile(stage, text, false) }
    })
    const changes = [...written, ...texts.changes]
    // What is ours is known before it is there, so that a kill in between leaves nothing that counts as a stranger's.
    const isAdding = Object.keys(texts.placed).length > 0
    if (isAdding) await next.versions.rememberTexts(texts.placed)
    if (changes.length > 0) await changeLibrary(repo, { changes, message: undefined })
    await next.versions.rememberTexts(texts.placed)
    await approvePlaced(next, texts)
    // What an index does not have, no task gets.
    const hasRules = before.lock.rules.length + next.lock.rules.length > 0
    const { value: built, findings } = machine.collect((each) => {
      return hasRules ? rebuildIndex(each, { project: next.project }) : undefined
    })
    const isEmpty = built?.index.entries.length === 0
    if (isEmpty) removeFile(built.path)
    else machine.report(...findings.filter(({ severity }) => severity === 'error'))
    const index = built?.state === 'written' ? [{ path: relative(next.project, built.path) }] : []
    return { ...texts, changes: [...texts.changes, ...index] }
  })
}

/** The command that answers for a skill of a project. */
function inProject(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    const { code, hint } = finding
    if (hint === undefined) return finding
    if (code === 'UNMANAGED_FOLDER') return { ...finding, hint: hint.replace(/install \S+ --project \S+/, 'install') }
    if (code !== 'QUARANTINED') return finding
    const here = hint.replace(/loadout (?:inspect|show|approve) [^;]*/g, (command) => `${command} --project .`)
    return { ...finding, hint: `${here}, then loadout install` }
  })
}

/** Installs what the lock has, and removes what a lock brought and the present one does not have. */
function planLocked(installs: Installs, { statuses, placements }: Observation, replaces: boolean): OperationPlan {
  const locked = new Map((installs.locked?.skills ?? []).map(({ skill }) => [skill.name, skill.source?.treeHash]))
  const names = [...locked.keys()]
  const wanted = planEquip(statuses, {
    names,
    agents: undefined,
    roots: installs.roots,
    isExplicit: false,
    // What another manager installed from the same files is not lost.
    replaces: ({ state, placement: { name, contentHash } }) =>
      replaces || (state === 'unmanaged' && contentHash !== undefined && contentHash === locked.get(name)),
  })
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
  const now = exists(path) ? readJsonInside(project, SETTINGS_FILE) : {}
  const json = isRecord(now) ? now : {}
  const next = { ...json }
  for (const key of ['skills', 'packs', 'rules'] as const) {
    const sources = Object.entries(wanted[key]).sort(([a], [b]) => compareText(a, b))
    if (wanted[key] !== before.wanted[key] && (sources.length > 0 || json[key] !== undefined)) {
      next[key] = Object.fromEntries(sources)
    }
  }
  const hasAgents = json.agents !== undefined && JSON.stringify(agents) === JSON.stringify(before.agents)
  if (!hasAgents && agents !== before.agents) next.agents = agents
  if (JSON.stringify(next) !== JSON.stringify(json)) {
    // As the file is indented now.
    const indent = (exists(path) ? /^[\t ]+(?=")/m.exec(readText(path))?.[0] : undefined) ?? '  '
    files.push({ path: SETTINGS_FILE, text: `${JSON.stringify(next, null, indent)}\n` })
  }
  const lockText = formatLock(lock)
  const hasLock = exists(join(project, LOCK_FILE))
  if (!hasLock || readText(join(project, LOCK_FILE)) !== lockText) files.push({ path: LOCK_FILE, text: lockText })
  return files
}

/** Says where manifest, lock and installed folders disagree. Only reads, and needs neither network nor cache. */
export async function checkManifest(manifest: Manifest): Promise<Finding[]> {
  const installs = manifest.installs()
  const { placements } = await observe(installs, installs.roots)
  const findings = [...compareParts(manifest), ...checkTexts(manifest)]
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
      else if (found.marker === undefined) {
        const hint = 'loadout install --replace puts the locked version there, and keeps a copy elsewhere'
        findings.push(report('UNMANAGED_FOLDER/place', { place: path, reason: undefined, hint }, { subject: name }))
      } else if (marker?.sourceHash === versionKey({ name, ...row }) && marker.contentHash === found.contentHash)
        findings.push(report('LOCK_MISMATCH/forged', { path }, { subject: name }))
      else if (marker?.sourceHash === versionKey({ name, ...row }))
        findings.push(report('LOCK_MISMATCH/edited', { path }, { subject: name, severity: 'error' }))
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
