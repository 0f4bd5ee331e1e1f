import { join, relative } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { leftoversIn, recover, type Waiting, withWorkFolder, workFolderIn } from '../change/transaction.ts'
import { isFolder } from '../machine/files.ts'
import { refuseNamedLinkOut, staysInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import { inHome } from '../text/paths.ts'
import { type Finding, LoadoutError, report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { applyOperations, Backups, type OnProgress } from './disk/apply.ts'
import { readLibraryState } from './disk/library-git.ts'
import { hasLeftovers, isLockable, libraryLog, readLogged, withLibrary } from './disk/library-transaction.ts'
import { mergeCopies } from './disk/merge-skill.ts'
import { Merges, skillIn } from './disk/pending-merge.ts'
import { type RegistryReading, readPlacements, readRegistry, withExpectation, withVerdicts } from './disk/registry.ts'
import { hashPath } from './disk/tree.ts'
import { TreeCache } from './disk/tree-cache.ts'
import { findClosed, heldKeyFindings, lookThrough, type Quarantine, quarantineFindings, withHeldKeys } from './gate.ts'
import { Installs } from './installs.ts'
import { catalogFindings, type Operation, type OperationPlan, planRefresh, planUnequip } from './rules/operations.ts'
import { type LibraryState, reconcile, stateFrom } from './rules/reconcile.ts'
import {
  type EditOutcome,
  isEdited,
  type Placement,
  placeOf,
  type RegisteredSkill,
  type SkillStatus,
} from './rules/skill.ts'

/** The current state of the library and of the installs. */
export interface Observation {
  roots: readonly TargetRoot[]
  registry: RegistryReading
  placements: Placement[]
  statuses: SkillStatus[]
  state: LibraryState
  /** All folders that the result depends on; undefined if it also depends on git. */
  seen: ReturnType<TreeCache['seen']>
  find(name: string): RegisteredSkill | undefined
}

/**
 * Reads the library and the installs. Runs git only before a change or for markers of older programs, and not if the
 * caller has its answer in `known`.
 */
export async function observe(
  installs: Installs,
  roots: readonly TargetRoot[],
  willChange = false,
  known?: LibraryState,
  isPreview = false,
): Promise<Observation> {
  if (willChange) refuseLinkedRoots(installs, roots)
  const cache = new TreeCache(installs.machine)
  const { library, repo, verdicts } = installs
  const read = installs.locked ?? readRegistry(library, cache)
  const obeyed = await withVerdicts({ verdicts, repo }, read, cache)
  const { refusals } = obeyed
  const allowed = withHeldKeys(repo, obeyed.registry)
  // The files of a preview are not where the library is.
  const inPreview = (each: RegisteredSkill) =>
    each.version ? each : { ...each, version: { commit: known?.head ?? '', place: join(library, each.folder) } }
  const registry = isPreview ? { ...allowed, skills: allowed.skills.map(inPreview) } : allowed
  const byName = new Map(registry.skills.map((each) => [each.skill.name, each]))
  const placements = roots
    .flatMap((root) => readPlacements(root, cache))
    // What the lock of a project pins is not the library's.
    .filter(({ marker }) => installs.locked !== undefined || !marker || !('isLocked' in marker) || !marker.isLocked)
    .map((placement) => withExpectation(library, placement, byName.get(placement.name), willChange))
  // The folders of a preview are temporary.
  if (!isPreview) cache.save()
  const needsGit = willChange || placements.some((placement) => placement.expectedHash !== undefined)
  const isJudgedByFolders = !needsGit && known === undefined && placements.every(({ kind }) => kind !== 'link')
  const asksGit = needsGit && installs.locked === undefined
  const state = known ?? (asksGit ? await readLibraryState(repo) : stateFrom(undefined, []))
  const judged = reconcile(registry, placements, state)
  const statuses =
    refusals.size === 0 ? judged : judged.map((each) => ({ ...each, ...refusalOf(refusals.get(each.name)) }))
  const seen = isJudgedByFolders ? cache.seen() : undefined
  return { roots, registry, placements, statuses, state, seen, find: (name) => byName.get(name) }
}

function refusalOf(refusal: SkillStatus['refusal']): Pick<SkillStatus, 'refusal'> {
  return refusal === undefined ? {} : { refusal }
}

/** Repairs what a killed command left, before Loadout reads anything. Does not wait for a running command. */
export async function recoverAll(installs: Installs, roots: readonly TargetRoot[]): Promise<void> {
  const ours = roots.filter((root) => !leavesProject(installs, root))
  installs.machine.report(...ours.flatMap(({ path }) => recover(workFolderIn(path), 'recovery')))
  installs.machine.report(...(await recoverLibrary(installs)))
}

/** Repairs the library, unless a writer or git is running, or the library is read-only. */
async function recoverLibrary(installs: Installs): Promise<Finding[]> {
  if (!hasLeftovers(installs.library)) return []
  try {
    return await asLibraryWriter(installs, 'recovery', async (recovered) => recovered, { waitMs: 0 })
  } catch (error) {
    if (error instanceof LoadoutError && ['LOCKED', 'WRITE_FAILED'].includes(error.code)) return []
    throw error
  }
}

/** Runs a function as the only writer of the library, after finishing what a killed command left there. */
function asLibraryWriter<T>(installs: Installs, purpose: string, run: Writing<T>, waiting: Waiting): Promise<T> {
  const finishAndRun = async (found: Finding[]) => run([...found, ...(await finishCopies(installs, purpose, waiting))])
  return withLibrary(installs.repo, purpose, finishAndRun, waiting)
}

/** Finishes what a killed command did not come to: refreshing the copies of skills, or the rest of its operations. */
async function finishCopies(installs: Installs, purpose: string, waiting: Waiting): Promise<Finding[]> {
  const log = libraryLog(installs.library)
  const logged = readLogged(log)
  if (logged === undefined || 'to' in logged) return []
  const { copies, message } = logged
  if (copies !== undefined) {
    const roots = installs.userRoots.filter(({ path }) => isFolder(path))
    const refresh = async (found: Finding[]) => {
      await refreshInstalls(installs, roots, new Set(copies), {}, { isUndo: message?.startsWith(UNDO) })
      return found
    }
    return withRoots(installs, roots, purpose, refresh, waiting)
  }
  const operations = (logged.operations ?? []).map((each) => {
    return { ...each, root: installs.machine.expandHome(each.root) }
  })
  if (operations.length === 0) return []
  const all = new Installs(installs.machine, { allProjects: true, verdicts: installs.verdicts })
  const roots = [...all.userRoots, ...all.otherProjectRoots()].filter(({ path }) =>
    operations.some(({ root }) => root === path),
  )
  const finish = async (found: Finding[]) => {
    const observation = await observe(all, roots, true)
    const left = operations.filter((operation) => !isDone(operation, observation))
    await endLog(all, (each) => carryOut(each, observation, { operations: left, findings: [] }, {}))
    const told = left.map(({ root, skill }) =>
      report('RECOVERED/finished', { target: join(root, skill) }, { subject: skill }),
    )
    return [...found, ...told]
  }
  return withRoots(all, roots, purpose, finish, waiting).catch((error: unknown) => {
    // What cannot be finished must not stop every later command too.
    if (error instanceof LoadoutError && error.code !== 'LOCKED') log.end()
    throw error
  })
}

function isDone({ kind, skill, root }: Operation, { statuses }: Observation): boolean {
  const copies = statuses.find(({ name }) => name === skill)?.placements ?? []
  const copy = copies.find(({ placement, state }) => placement.root.path === root && state !== 'unmanaged')
  if (kind === 'remove') return copy === undefined
  return copy?.state === 'current' || (kind === 'merge' && copy?.state === 'edited' && !copy.isBehind)
}

/** Unless a copy could not be written, for example on a full disk: then the next command goes on. */
async function endLog(installs: Installs, run: (installs: Installs) => Promise<Outcome>): Promise<Outcome> {
  const { value, findings } = await installs.machine.collect((machine) => run(installs.with({ machine })))
  installs.machine.report(...findings)
  if (!findings.some(({ code }) => code === 'WRITE_FAILED')) libraryLog(installs.library).end()
  return value
}

/** How the message of an undo begins: its copies get replaced edits back, also if it was killed before. */
export const UNDO = 'Undo: '

/**
 * Refreshes the installed copies of these skills, and merges edited ones. Ends a change of the library that named them. A
 * dry run says what would happen if the library had the skills in `folders`. `isUndo`: a copy whose edit was replaced gets
 * it back from the backup.
 */
export async function refreshInstalls(
  installs: Installs,
  roots: Installs['roots'],
  names: ReadonlySet<string>,
  request: RunOptions,
  { folders, isUndo }: { folders?: ReadonlyMap<string, string>; isUndo?: boolean } = {},
): Promise<Outcome> {
  const observation = await observe(installs, roots, true)
  const { registry, placements, state } = observation
  const planned = registry.skills.map((registered): RegisteredSkill => {
    const place = request.dryRun ? folders?.get(registered.skill.name) : undefined
    if (place === undefined || registered.version !== undefined) return registered
    const skill = skillIn(place, registered.skill)
    return { ...registered, skill, sourceHash: hashPath(place), version: { commit: '', place } }
  })
  const { skills: next } = withHeldKeys(installs.repo, { skills: planned })
  const find = (name: string) => next.find(({ skill }) => skill.name === name)
  const foreseen = request.dryRun ? reconcile({ skills: next, invalid: [] }, placements, state) : []
  const statuses = observation.statuses
    .filter(({ name }) => names.has(name))
    .map((status) => ({ ...status, ...foreseen.find(({ name }) => name === status.name) }))
  // Undoing the commit that added a skill removes its copies too.
  const isGone = ({ name, registered }: SkillStatus) =>
    isUndo && (registered === undefined || (request.dryRun === true && folders?.has(name) === false))
  const gone = statuses.filter(isGone).map(({ name }) => name)
  const removal = planUnequip(statuses, {
    names: gone,
    agents: undefined,
    roots,
    isExplicit: false,
    isKnown: () => true,
  })
  const refresh = planRefresh(
    statuses.filter((status) => !isGone(status)),
    state,
  )
  const plan = { operations: [...removal.operations, ...refresh.operations], findings: refresh.findings }
  const operations = plan.operations.map((operation): Operation => {
    const { skill, root, agent, scope } = operation
    const marker = placements.find((each) => each.name === skill && each.root.path === root)?.marker
    const replaced = marker !== undefined && 'commit' in marker ? marker.replaced : undefined
    if (!isUndo || operation.kind !== 'refresh' || replaced === undefined) return operation
    const backup = new Backups(installs.machine).pathOf(skill, agent, replaced)
    return isFolder(backup) ? { kind: 'restore', backup, skill, agent, scope, root } : operation
  })
  const seen = { ...observation, statuses, find }
  const carry = (each: Installs) => carryOut(each, seen, { ...plan, operations }, request)
  return request.dryRun ? carry(installs) : endLog(installs, carry)
}

/** The user's own folders may be links, as with dotfile managers; those of a project must stay inside it. */
function leavesProject(installs: Installs, root: TargetRoot): boolean {
  const project = projectOf(installs, root)
  return project !== undefined && !staysInside(project, relative(project, root.path))
}

function projectOf({ projects }: Installs, { path, scope }: TargetRoot): string | undefined {
  return scope === 'project' ? projects.find((project) => path.startsWith(`${project}/`)) : undefined
}

function refuseLinkedRoots(installs: Installs, roots: readonly TargetRoot[]): void {
  for (const root of roots) {
    const project = projectOf(installs, root)
    if (project !== undefined && leavesProject(installs, root)) refuseNamedLinkOut(project, root.path)
  }
}

/** Receives what was repaired first; it is reported already. */
type Writing<T> = (recovered: Finding[]) => Promise<T>

/**
 * Runs a function as the only writer of the library and of some roots, always locked in the same order. Installing only
 * reads the library: a read-only one needs no lock.
 */
export async function asWriter<T>(
  installs: Installs,
  roots: readonly TargetRoot[],
  purpose: string,
  run: Writing<T>,
  signal?: AbortSignal,
): Promise<T> {
  refuseLinkedRoots(installs, roots)
  const lockRoots = (found: Finding[]) =>
    withRoots(installs, roots, purpose, (more) => reportFirst(installs, [...found, ...more], run), { signal })
  if (!isLockable(installs.library)) return lockRoots([])
  installs.isLibraryWriter = true
  return asLibraryWriter(installs, purpose, lockRoots, { signal })
}

/** Runs a function as the only writer of some roots. It waits neither for a writer of the library nor for git. */
export async function asRootWriter<T>(
  installs: Installs,
  roots: readonly TargetRoot[],
  purpose: string,
  run: Writing<T>,
  signal?: AbortSignal,
): Promise<T> {
  refuseLinkedRoots(installs, roots)
  const found = await recoverLibrary(installs)
  return withRoots(installs, roots, purpose, (more) => reportFirst(installs, [...found, ...more], run), { signal })
}

function reportFirst<T>({ machine }: Installs, recovered: Finding[], run: Writing<T>): Promise<T> {
  machine.report(...recovered)
  return run(recovered)
}

function withRoots<T>(
  installs: Installs,
  roots: readonly TargetRoot[],
  purpose: string,
  run: Writing<T>,
  waiting: Waiting,
): Promise<T> {
  const paths = [...new Set(roots.map(({ path }) => path))].sort(compareText)
  const lock = (at: number, found: Finding[]): Promise<T> => {
    const path = paths[at]
    if (path !== undefined) {
      return withWorkFolder(workFolderIn(path), purpose, (more) => lock(at + 1, [...found, ...more]), waiting)
    }
    new Merges(installs.machine).removePartial()
    installs.machine.cache.tidy()
    return run(found)
  }
  return lock(0, [])
}

/**
 * Merges edited copies with the library, then applies the operations of a plan; a dry run only returns them. `isAll`: the
 * command does nothing else.
 */
export async function carryOut(
  installs: Installs,
  observation: Observation,
  plan: OperationPlan,
  request: RunOptions,
  { isAll = false }: { isAll?: boolean } = {},
): Promise<Outcome> {
  const { machine, library, repo } = installs
  const { state, statuses, find } = observation
  const { onProgress, signal, dryRun: isDryRun = false } = request
  const allowed = await withoutClosed(installs, observation, plan, signal)
  const waits = allowed.waiting.length > 0 ? { waiting: allowed.waiting } : {}
  const run = async (scratch: string): Promise<Outcome> => {
    const context = { library, repo, statuses, isDryRun }
    const { operations, findings, merged } = await mergeCopies(context, allowed, scratch)
    if (isDryRun) {
      machine.report(...findings)
      return { operations: [...recoveries(observation.roots), ...operations], isDryRun, ...waits }
    }
    const inProject = new Map(observation.roots.map((root) => [root.path, projectOf(installs, root)]))
    const projectOfRoot = (path: string) => inProject.get(path)
    const where = { machine, library, state, find, projectOf: projectOfRoot, merged, onProgress, signal }
    // Each copy is swapped by itself; the log says what else belongs to it.
    const log = libraryLog(library)
    const logged = operations.flatMap((each) =>
      LOGGED.has(each.kind) ? [{ ...each, root: inHome(each.root, machine.home) }] : [],
    )
    const isLogged = installs.isLibraryWriter && logged.length > 1 && log.text() === undefined
    if (isLogged) log.write({ changes: [], isCommitted: true, operations: logged })
    const applied = await applyOperations(operations, where).finally(() => isLogged && log.end())
    // If the only operation failed, its error is the answer; among others it is a finding.
    if (applied.failure !== undefined && isAll && operations.length === 1) throw applied.failure
    machine.report(...findings, ...applied.findings)
    return { operations: applied.done, isDryRun, ...waits }
  }
  return allowed.operations.some(({ kind }) => kind === 'merge') ? withScratch(run) : run('')
}

/** What the next sync would do with each edited copy, by its path. Asks git only about those that need a merge. */
export async function foreseeEdits(
  installs: Installs,
  observation: Observation,
): Promise<ReadonlyMap<string, EditOutcome>> {
  const { library, repo } = installs
  const statuses = observation.statuses.map((status) => {
    return { ...status, placements: status.placements.filter(isEdited) }
  })
  const edited = statuses.flatMap(({ placements }) => placements.map(placeOf))
  const { operations } = planRefresh(statuses, observation.state)
  const merges = { operations: operations.filter(({ kind }) => kind === 'merge'), findings: [] }
  if (merges.operations.length === 0) return new Map(edited.map((path) => [path, 'kept']))
  const context = { library, repo, statuses, isDryRun: true }
  const { merged, conflicting } = await withScratch((scratch) => mergeCopies(context, merges, scratch))
  return new Map(
    edited.map((path) => [path, merged.has(path) ? 'merged' : conflicting.has(path) ? 'conflicts' : 'kept']),
  )
}

const WRITING: ReadonlySet<Operation['kind']> = new Set(['install', 'refresh', 'merge', 'adopt'])

const LOGGED: ReadonlySet<Operation['kind']> = new Set([...WRITING, 'remove'])

/** Leaves out operations that would install a skill in quarantine, or one that the catalog forbids. */
async function withoutClosed(
  { repo }: Installs,
  { registry, statuses, find }: Observation,
  plan: OperationPlan,
  signal: AbortSignal | undefined,
): Promise<OperationPlan & { waiting: WaitingSkill[] }> {
  // What already is in an agent's folder, and only gets a marker, brings nothing new to the agent.
  const writing = plan.operations.filter((each) => WRITING.has(each.kind) && !('contentHash' in each))
  const names = new Set(writing.map(({ skill }) => skill))
  const wanted = [...names].flatMap((name) => find(name) ?? [])
  // A new version may differ only in a key that is left out: then its copies get no more than a new marker.
  const behind = new Set(
    statuses.filter(({ placements }) => placements.some(({ isBehind }) => isBehind)).map(({ name }) => name),
  )
  const stamped = plan.operations.filter(
    ({ kind, skill }) => kind === 'restamp' && behind.has(skill) && !names.has(skill),
  )
  const touched = [...wanted, ...[...new Set(stamped.map(({ skill }) => skill))].flatMap((name) => find(name) ?? [])]
  if (touched.length === 0) return { ...plan, waiting: [] }
  await lookThrough(repo, registry, wanted, signal)
  const held = statuses.filter(({ name, refusal }) => refusal !== undefined && names.has(name))
  const quarantined = findClosed(repo, registry, wanted, new Set(held.map(({ name }) => name)))
  const refused = new Set(quarantined.map(({ skill }) => skill))
  const operations = plan.operations.filter((each) => !writing.includes(each) || !refused.has(each.skill))
  const waiting = quarantined
    .filter(({ reason }) => reason === 'unapproved')
    .map(({ skill, open }) => ({ skill, open }))
  const stripped = touched.flatMap(({ skill }) => (refused.has(skill.name) ? [] : [skill]))
  const findings = [
    ...plan.findings,
    ...catalogFindings(held),
    ...quarantineFindings(quarantined),
    ...heldKeyFindings(stripped),
  ]
  return { operations, findings, waiting }
}

/** Repairs that the next writing command will make first. */
function recoveries(roots: readonly TargetRoot[]): Operation[] {
  return roots.flatMap(({ path, scope, agents }) => {
    const skills = new Set(leftoversIn(workFolderIn(path)).map((name) => name.split('.')[0] ?? ''))
    return [...skills].map(
      (skill): Operation => ({ kind: 'recover', skill, agent: agents[0] ?? '', scope, root: path }),
    )
  })
}

/** Options of every command that changes installs. */
export interface RunOptions {
  dryRun?: boolean
  onProgress?: OnProgress
  signal?: AbortSignal
}

/** The operations that were applied, or with `isDryRun` would be. */
export interface Outcome {
  operations: Operation[]
  isDryRun: boolean
  /** Skills that were not installed, because a person must first allow what they can do. */
  waiting?: WaitingSkill[]
}

export interface WaitingSkill extends Pick<Quarantine, 'skill' | 'open'> {
  /** A pack or a rule of a manifest: its text is what a person agrees to. */
  kind?: 'pack' | 'rule'
  path?: string
  text?: string
}
