import { closeSync, constants, fstatSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { asLoadoutError, exists, isFile, isLink } from '../../machine/files.ts'
import { flushFiles } from '../../machine/flush.ts'
import { readJsonInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { formatMarker, MARKER_FILE, parseMarker } from '../rules/marker.ts'
import { markerFor, type Operation } from '../rules/operations.ts'
import type { LibraryState } from '../rules/reconcile.ts'
import type { RegisteredSkill } from '../rules/skill.ts'
import { backUp } from './backups.ts'
import { type buildFor, createBuilder, writeBuild } from './build.ts'
import { hashTree, listTree } from './tree.ts'
import { stagePath, swapIn, swapOut, workFolderIn } from './work-folder.ts'

/** How far a longer work has come. */
export type OnProgress = (done: number, total: number, what: string) => void

export interface ApplyContext {
  machine: Machine
  library: string
  state: LibraryState
  find(name: string): RegisteredSkill | undefined
  onProgress?: OnProgress | undefined
  signal?: AbortSignal | undefined
}

export interface Applied {
  done: Operation[]
  /** What was backed up, and what failed. */
  findings: Finding[]
  /** The first failure as it was, for a caller that has nothing else to tell. */
  failure?: LoadoutError
}

/** How many installs are made ready together, so that the disk can write them side by side. */
const BATCH = 16

/** Carries out a plan. One operation that fails does not stop the others. The roots must be locked. */
export async function applyOperations(operations: readonly Operation[], context: ApplyContext): Promise<Applied> {
  const applied: Applied = { done: [], findings: [] }
  const builder = createBuilder()
  for (let at = 0; at < operations.length; at += BATCH) {
    context.signal?.throwIfAborted()
    const batch = operations.slice(at, at + BATCH)
    context.onProgress?.(at, operations.length, batch[0]?.skill ?? '')
    const prepared = await Promise.allSettled(batch.map((operation) => prepare(operation, context, builder)))
    for (const [index, operation] of batch.entries()) finish(applied, operation, prepared[index])
  }
  context.onProgress?.(operations.length, operations.length, '')
  return applied
}

type Finish = () => Finding[]

function finish(applied: Applied, operation: Operation, prepared: PromiseSettledResult<Finish> | undefined): void {
  try {
    if (prepared?.status !== 'fulfilled') throw prepared?.reason
    applied.findings.push(...prepared.value())
    applied.done.push(operation)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    applied.failure ??= error
    applied.findings.push({ severity: 'error', code, message, subject: operation.skill, ...(hint ? { hint } : {}) })
  }
}

/** Does everything that can be done beside what is there now; what it gives back makes the change. */
async function prepare(operation: Operation, context: ApplyContext, builder: typeof buildFor): Promise<Finish> {
  const { skill, root } = operation
  const work = workFolderIn(root)
  const target = join(root, skill)
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
      return prepareInstall(operation, context, builder)
    case 'remove':
      return () => {
        const kept = keep(operation, target, context)
        swapOut(work, skill, target)
        return kept ? [kept] : []
      }
    case 'recover':
      // Done with the lock; it is in a plan only to be told.
      return () => []
    case 'restamp':
      return () => {
        restamp(operation, operation.contentHash, context)
        return []
      }
  }
}

async function prepareInstall(operation: Operation, context: ApplyContext, builder: typeof buildFor): Promise<Finish> {
  const target = join(operation.root, operation.skill)
  const stage = await stageInstall(operation, context, builder)
  return () => {
    const kept = operation.kind === 'install' ? requireFree(stage, target) : keep(operation, target, context, stage)
    swapIn(stage, target)
    return kept ? [kept] : []
  }
}

async function stageInstall(operation: Operation, context: ApplyContext, builder: typeof buildFor): Promise<string> {
  const { skill, agent, root } = operation
  const registered = registeredOf(context, skill)
  const build = builder(join(context.library, registered.folder), registered.skill, agent)
  const stage = stagePath(workFolderIn(root), skill)
  try {
    const { hash, paths } = writeBuild(build, stage)
    const marker = markerFor(registered, agent, hash, context.state, context.machine.now())
    writeFileSync(join(stage, MARKER_FILE), formatMarker(marker), { flag: 'wx' })
    await flushFiles(stage, [...paths, MARKER_FILE])
    return stage
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw asLoadoutError(error, join(root, skill), 'write')
  }
}

function registeredOf(context: ApplyContext, skill: string): RegisteredSkill {
  const registered = context.find(skill)
  if (registered !== undefined) return registered
  throw new LoadoutError('SKILL_NOT_FOUND', `the library has no skill "${skill}"`, { hint: 'loadout inventory' })
}

/** Nothing stood there when the plan was made; what stands there now is somebody else's. */
function requireFree(stage: string, target: string): undefined {
  if (!exists(target)) return undefined
  rmSync(stage, { recursive: true, force: true })
  throw new LoadoutError('UNMANAGED_FOLDER', `${target} has just been made by somebody else; it was left as it is`, {
    hint: 'run the command again; it says what can be done',
  })
}

/** A copy of what may hold somebody's work: as planned, or because it was changed since. */
function keep(operation: Operation, target: string, { machine }: ApplyContext, stage?: string): Finding | undefined {
  if (isLink(target)) {
    const message = `${target} was a link; what it led to stays in ${realOrSame(target)}`
    return { severity: 'info', code: 'BACKED_UP', message, subject: operation.skill }
  }
  const isAsked = operation.kind === 'adopt' || ('keepsCopy' in operation && operation.keepsCopy)
  const hash = hashTree(target, listTree(target).files)
  const isKnown = [target, stage].some((folder) => folder !== undefined && markedHash(folder) === hash)
  if (!isAsked && isKnown) return undefined
  const kept = backUp(machine, target, operation.skill, operation.agent, hash)
  const message = `${target}: a copy of what was there is in ${kept}`
  return { severity: 'info', code: 'BACKED_UP', message, subject: operation.skill }
}

/** What a folder held when it was installed, as its marker says. */
function markedHash(folder: string): string | undefined {
  const path = join(folder, MARKER_FILE)
  const marker = isFile(path) ? parseMarker(readJsonInside(folder, MARKER_FILE)) : { problem: 'it is missing' }
  return 'problem' in marker ? undefined : marker.contentHash
}

function restamp({ skill, agent, root }: Operation, contentHash: string, context: ApplyContext): void {
  const target = `${root}/${skill}/${MARKER_FILE}`
  const marker = markerFor(registeredOf(context, skill), agent, contentHash, context.state, context.machine.now())
  const text = Buffer.from(formatMarker(marker))
  try {
    if (!overwrite(target, text)) replace(target, text, stagePath(workFolderIn(root), skill, 'marker'))
  } catch (error) {
    throw asLoadoutError(error, target, 'write')
  }
}

/**
 * Nearly always only the commit and the time differ, in the same length. Then one write does it, many times faster than
 * a new file: a kill cannot split it, and any mixture of the two would still be a marker.
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

/** Made in the work folder: a half-written marker beside the skill's files would look like an edit. */
function replace(path: string, text: Buffer, stage: string): void {
  try {
    writeFileSync(stage, text, { flag: 'wx' })
    renameSync(stage, path)
  } catch (error) {
    rmSync(stage, { force: true })
    throw error
  }
}
