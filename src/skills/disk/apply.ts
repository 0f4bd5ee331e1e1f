import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { stagePath, swapIn, swapOut, workFolderIn } from '../../change/transaction.ts'
import {
  asLoadoutError,
  exists,
  flushFiles,
  isFile,
  isFolder,
  isLink,
  readText,
  removeFile,
  writeAtomically,
} from '../../machine/files.ts'
import { type PinnedFolder, pinFolder, readJsonInside } from '../../machine/inside.ts'
import { ownedName, removeOrphans } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import { move, sameName } from '../../machine/platform.ts'
import { asFinding, type Finding, failWith, LoadoutError, report, unlessTrouble } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import { markerFor, type Operation } from '../rules/operations.ts'
import { formatMarker, type InstallMarker, type LibraryState, MARKER_FILE, parseMarker } from '../rules/reconcile.ts'
import type { RegisteredSkill } from '../rules/skill.ts'
import { skillPlace } from './registry.ts'
import {
  type Build,
  type buildFor,
  copyFolder,
  copyPath,
  createBuilder,
  hashBuild,
  hashPath,
  writeBuild,
} from './tree.ts'

/** Reports the progress of a long operation. */
export type OnProgress = (done: number, total: number, what: string) => void

export interface ApplyContext {
  machine: Machine
  library: string
  state: LibraryState
  find(name: string): RegisteredSkill | undefined
  /** The project that a root must stay inside; undefined for the user's own roots. */
  projectOf(root: string): string | undefined
  /** The content of each merged copy, by its path. */
  merged: ReadonlyMap<string, Build>
  onProgress?: OnProgress
  signal?: AbortSignal
}

export interface Applied {
  done: Operation[]
  /** Backups and failures. */
  findings: Finding[]
  /** The first error, for a caller that has nothing else to report. */
  failure?: LoadoutError
}

/** How many installs to prepare together, so that the disk can write them in parallel. */
const BATCH = 16

/** Applies a plan. One operation that fails does not stop the others. The roots must be locked. */
export async function applyOperations(operations: readonly Operation[], context: ApplyContext): Promise<Applied> {
  const applied: Applied = { done: [], findings: [] }
  const builder = createBuilder()
  const pinned = pinRoots(operations, context)
  const placeOf = (root: string) => pinned.get(root)?.place ?? root
  try {
    for (let at = 0; at < operations.length; at += BATCH) {
      context.signal?.throwIfAborted()
      const batch = operations.slice(at, at + BATCH)
      context.onProgress?.(at, operations.length, batch[0]?.skill ?? '')
      const steps = batch.map((each) => prepare({ ...each, place: placeOf(each.root) }, context, builder))
      const prepared = await Promise.allSettled(steps)
      for (const [index, operation] of batch.entries()) finish(applied, operation, prepared[index])
    }
  } finally {
    for (const { close } of pinned.values()) close()
  }
  context.onProgress?.(operations.length, operations.length, '')
  return applied
}

/** Opens the roots of a project once, so that writes cannot be redirected if another folder takes their place. */
function pinRoots(operations: readonly Operation[], { projectOf }: ApplyContext): Map<string, PinnedFolder> {
  const pinned = new Map<string, PinnedFolder>()
  try {
    for (const root of new Set(operations.map((operation) => operation.root))) {
      const project = projectOf(root)
      if (project !== undefined) pinned.set(root, pinFolder(root, project))
    }
    return pinned
  } catch (error) {
    for (const { close } of pinned.values()) close()
    throw error
  }
}

/** An operation, and a path to its root that cannot be redirected. Messages name the root. */
type Placed<O extends Operation = Operation> = O & { place: string }

const targetOf = ({ place, skill }: Placed) => join(place, skill)
const shownTarget = ({ root, skill }: Operation) => join(root, skill)

type Finish = () => Finding[]

function finish(applied: Applied, operation: Operation, prepared: PromiseSettledResult<Finish> | undefined): void {
  try {
    if (prepared?.status !== 'fulfilled') throw prepared?.reason
    applied.findings.push(...prepared.value())
    applied.done.push(operation)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    applied.failure ??= error
    applied.findings.push(asFinding(error, { severity: 'error', subject: operation.skill }))
  }
}

/** Prepares everything without changing the install; the returned function makes the change. */
async function prepare(operation: Placed, context: ApplyContext, builder: typeof buildFor): Promise<Finish> {
  switch (operation.kind) {
    case 'adopt':
      if (operation.contentHash !== undefined) {
        const { contentHash } = operation
        return () => {
          restamp(operation, contentHash, context)
          return []
        }
      }
      return prepareInstall(operation, context, builder)
    case 'install':
    case 'refresh':
    case 'merge':
    case 'restore':
      return prepareInstall(operation, context, builder)
    case 'remove':
      return () => {
        const kept = backUpIfNeeded(operation, context)
        swapOut(workFolderIn(operation.place), operation.skill, targetOf(operation), shownTarget(operation))
        return kept ? [kept] : []
      }
    case 'recover':
      // Taking the lock has done it; it is in the plan only for the report.
      return () => []
    case 'restamp':
      return () => {
        restamp(operation, operation.contentHash, context)
        return []
      }
  }
}

async function prepareInstall(operation: Placed, context: ApplyContext, builder: typeof buildFor): Promise<Finish> {
  const stage = await stageInstall(operation, context, builder)
  return () => {
    try {
      if (operation.kind === 'install') requireFree(operation)
      else if (operation.kind !== 'adopt') requirePlanned(operation, stage)
      const kept = operation.kind === 'install' ? undefined : backUpIfNeeded(operation, context)
      swapIn(stage, targetOf(operation), shownTarget(operation))
      return kept ? [kept] : []
    } catch (error) {
      rmSync(stage, { recursive: true, force: true })
      throw error
    }
  }
}

async function stageInstall(operation: Placed, context: ApplyContext, builder: typeof buildFor): Promise<string> {
  const { skill, agent, place, kind } = operation
  const stage = stagePath(workFolderIn(place), skill)
  try {
    if (kind === 'restore') {
      copyFolder(operation.backup, stage)
      return stage
    }
    const registered = registeredOf(context, skill)
    const build = builder(skillPlace(context.library, registered), registered.skill, agent)
    const merged = kind === 'merge' ? context.merged.get(shownTarget(operation)) : undefined
    const { hash, paths } = writeBuild(merged ?? build, stage)
    // The hash of the library's version, so that a merged copy still counts as edited.
    const contentHash = merged === undefined ? hash : hashBuild(build)
    const target = targetOf(operation)
    const marker = {
      ...markerFor(registered, agent, contentHash, context.state, context.machine.now()),
      replaced: kind === 'refresh' && operation.keepsCopy ? hashOf(target) : undefined,
      tookOver: kind === 'adopt' ? backupName(agent, identityOf(target)) : markerIn(target)?.tookOver,
    }
    writeFileSync(join(stage, MARKER_FILE), formatMarker(marker), { flag: 'wx' })
    await flushFiles(stage, [...paths, MARKER_FILE])
    return stage
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw asLoadoutError(error, shownTarget(operation), 'write')
  }
}

function registeredOf(context: ApplyContext, skill: string): RegisteredSkill {
  const registered = context.find(skill)
  if (registered !== undefined) return registered
  throw failWith('SKILL_NOT_FOUND/library', { skill })
}

/** Throws if the place is no longer free: another program created it, or a name there differs only in case. */
function requireFree(operation: Placed): void {
  const { skill, place, root } = operation
  if (!exists(targetOf(operation))) return
  const same = sameName(readdirSync(place), skill)
  if (same === undefined) {
    throw failWith('UNMANAGED_FOLDER/created', { shown: shownTarget(operation) })
  }
  throw failWith('UNMANAGED_FOLDER/case', { place: join(root, same), skill, root })
}

/** Throws if the copy is no longer the one that was planned for: removed, replaced by a link, or edited since. */
function requirePlanned(operation: Placed, stage: string): void {
  const [target, shown] = [targetOf(operation), shownTarget(operation)]
  if (isLink(target) || !isFolder(target)) {
    const what = isLink(target) ? 'became a link' : 'was removed'
    throw failWith('UNMANAGED_FOLDER/meanwhile', { shown, what })
  }
  if (operation.kind === 'refresh' && operation.keepsCopy) return
  const hash = hashOf(target)
  const planned =
    operation.kind === 'merge' ? [operation.edit] : [target, stage].map((each) => markerIn(each)?.contentHash)
  if (planned.includes(hash)) return
  throw failWith('EDITED_INSTALL/meanwhile', { shown })
}

/** Backs up a folder that contains the user's work: as planned, or, before a removal, because it has changed since. */
function backUpIfNeeded(operation: Placed, { machine }: ApplyContext): Finding | undefined {
  const [target, shown] = [targetOf(operation), shownTarget(operation)]
  if (isLink(target)) {
    new Backups(machine).add(target, operation.skill, operation.agent, identityOf(target))
    return report('BACKED_UP/link', { shown, kept: realOrSame(target) }, { subject: operation.skill })
  }
  const { kind } = operation
  const isAsked = kind === 'adopt' || kind === 'merge' || ('keepsCopy' in operation && operation.keepsCopy)
  if (!isAsked && kind !== 'remove') return undefined
  const hash = hashOf(target)
  if (!isAsked && markerIn(target)?.contentHash === hash) return undefined
  const kept = new Backups(machine).add(target, operation.skill, operation.agent, hash)
  const what = kind === 'merge' ? 'your edit was merged with the change of the library; ' : ''
  return report('BACKED_UP/copy', { shown, what, kept }, { subject: operation.skill })
}

/** Tells whether a folder has changed, or a link leads elsewhere. */
function identityOf(path: string): string {
  return isLink(path) ? sha256(readlinkSync(path)) : hashOf(path)
}

function hashOf(folder: string): string {
  return hashPath(folder)
}

/** Undefined if it is missing or broken. */
function markerIn(folder: string): InstallMarker | undefined {
  return unlessTrouble(() => {
    const marker = isFile(join(folder, MARKER_FILE)) ? parseMarker(readJsonInside(folder, MARKER_FILE)) : undefined
    return marker === undefined || 'problem' in marker ? undefined : marker
  }, undefined)
}

function restamp(operation: Placed, contentHash: string, context: ApplyContext): void {
  const { skill, agent, place } = operation
  const marker = markerFor(registeredOf(context, skill), agent, contentHash, context.state, context.machine.now())
  try {
    const folder = pinFolder(targetOf(operation), place)
    try {
      const { replaced, tookOver } = markerIn(folder.place) ?? {}
      const text = Buffer.from(formatMarker({ ...marker, replaced, tookOver }))
      const target = join(folder.place, MARKER_FILE)
      if (!overwrite(target, text)) {
        // Writes in the work folder first: a half-written marker beside the skill's files would look like an edit.
        const stage = stagePath(workFolderIn(place), skill, 'marker')
        try {
          writeFileSync(stage, text, { flag: 'wx' })
          move(stage, target)
        } catch (error) {
          rmSync(stage, { force: true })
          throw error
        }
      }
    } finally {
      folder.close()
    }
  } catch (error) {
    throw asLoadoutError(error, join(shownTarget(operation), MARKER_FILE), 'write')
  }
}

/**
 * Usually only the commit and the time differ, and the length is the same. Then one write is enough, and many times
 * faster than a new file: a kill cannot split it, and any mixture of both texts would still be a valid marker.
 */
function overwrite(path: string, text: Buffer): boolean {
  if (!exists(path)) return false
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    if (fstatSync(file).size !== text.length) return false
    writeSync(file, text, 0, text.length, 0)
    return true
  } finally {
    closeSync(file)
  }
}

const BACKUPS = 'backups'
const backupName = (origin: string, hash: string) => `${origin}-${hash.slice(0, 12)}`

/** Copies of what Loadout replaced or removed, in the state folder. */
export class Backups {
  private readonly machine: Machine

  constructor(machine: Machine) {
    this.machine = machine
  }

  /**
   * Copies a folder or file before Loadout replaces or removes it, and returns the path of the copy. Stores equal content once,
   * so that a second try after a kill does not add a copy.
   */
  add(folder: string, skill: string, origin: string, hash: string): string {
    const kept = this.pathOf(skill, origin, hash)
    if (exists(kept)) return kept
    const partial = `${ownedName(kept)}.partial`
    this.machine.records.privateFolder(`${BACKUPS}/${skill}`)
    try {
      if (isLink(folder)) symlinkSync(readlinkSync(folder), partial)
      else if (isFolder(folder)) copyFolder(folder, partial)
      else copyPath(folder, join(partial, basename(folder)))
      move(partial, kept)
      return kept
    } catch (error) {
      throw asLoadoutError(error, kept, 'write')
    }
  }

  /** Where the backup of this content is, if there is one. */
  pathOf(skill: string, origin: string, hash: string): string {
    return this.place(skill, backupName(origin, hash))
  }

  place(skill: string, name: string): string {
    return join(this.machine.records.path(BACKUPS), skill, name)
  }

  planGiveBack({ skill, agent, root, tookOver }: CopyToGive): GivenBack {
    const target = join(root, skill)
    const marker = readText(join(target, MARKER_FILE))
    const before = tookOver === undefined ? undefined : this.place(skill, tookOver)
    if (before === undefined || !exists(before)) return { skill, agent, root, marker }
    const link = isLink(before) ? readlinkSync(before) : undefined
    return { skill, agent, root, marker, before, link, kept: this.pathOf(skill, agent, identityOf(target)) }
  }

  giveBack({ skill, agent, root, before }: GivenBack): void {
    const target = join(root, skill)
    if (before === undefined) {
      removeFile(join(target, MARKER_FILE))
      return
    }
    this.add(target, skill, agent, identityOf(target))
    const stage = stagePath(workFolderIn(root), skill)
    try {
      if (isLink(before)) symlinkSync(readlinkSync(before), stage)
      else copyFolder(before, stage)
    } catch (error) {
      throw asLoadoutError(error, target, 'write')
    }
    swapIn(stage, target)
  }

  /** Removes copies that a killed process did not finish: the originals are still in place. */
  removePartial(): void {
    const all = this.machine.records.path(BACKUPS)
    for (const skill of isFolder(all) ? readdirSync(all) : []) removeOrphans(join(all, skill))
  }
}

/** An installed copy that Loadout no longer manages. */
export interface GivenBack {
  skill: string
  agent: string
  root: string
  /** The text of its marker. */
  marker: string
  /** The backup of what Loadout had taken over: it takes the place of the copy. Absent: the copy stays as it is. */
  before?: string
  /** Where the link leads that takes the place of the copy. */
  link?: string
  /** The backup of the copy, if it was replaced. */
  kept?: string
}

type CopyToGive = Pick<GivenBack, 'skill' | 'agent' | 'root'> & { tookOver: string | undefined }

/** Makes it a managed copy again, unless a person has changed what was given back. */
export function takeAgain({ skill, root, marker, before, kept }: GivenBack): Finding[] {
  const target = join(root, skill)
  const mark = join(target, MARKER_FILE)
  // It was installed since, or the undo was killed.
  if (!isLink(target) && exists(mark)) return []
  const isWhole = kept === undefined ? isFolder(target) && !isLink(target) : exists(kept)
  const isAsGiven =
    before === undefined || (exists(target) && exists(before) && identityOf(target) === identityOf(before))
  if (!isWhole || !isAsGiven) {
    const facts = { shown: target, what: 'was changed' }
    return [report('UNMANAGED_FOLDER/meanwhile', facts, { severity: 'error', subject: skill })]
  }
  if (kept !== undefined) {
    const stage = stagePath(workFolderIn(root), skill)
    copyFolder(kept, stage)
    swapIn(stage, target)
  }
  writeAtomically(mark, marker)
  return []
}
