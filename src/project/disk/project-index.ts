import type { Machine } from '../../machine/machine.ts'
import { openBuilt, SegmentBuilder } from '../../search/segment-builder.ts'
import { keyOf } from '../../text/values.ts'
import { projectIndexKey } from '../has-index.ts'
import { LEFT_OUT, type LeftOut } from '../rules/candidates.ts'
import { documentOf, PROJECT_TUNING } from '../rules/file-document.ts'
import type { ProjectTerms } from '../rules/signals.ts'
import { FileIndex, joinPostings, NOWHERE, openFileIndex } from './file-table.ts'
import type { ListedFiles } from './listing.ts'
import { readProjectText } from './project-text.ts'
import { sizeAt } from './stamps.ts'
import { writeIndex } from './write-index.ts'

// The current index of a project: the saved one, overlaid with the files that changed since. Many changes are added to
// the saved index. A process keeps what it has read for its next question.

export interface ProjectIndex extends ProjectTerms {
  /** The files that have terms, by path. */
  candidates: readonly string[]
  leftOut: ReadonlyMap<LeftOut, number>
}

/** Of one project: another one replaces it. */
let held: { name: string; saved: FileIndex } | undefined

/** `isFresh`: the saved index is damaged. */
export async function openProjectIndex(
  machine: Machine,
  root: string,
  files: ListedFiles,
  isFresh = false,
): Promise<ProjectIndex> {
  const name = nameOf(machine, root)
  if (isFresh) release()
  const saved = isFresh ? undefined : openKnown(machine, root)
  const known = saved && { saved, slots: saved.slotsOf(files) }
  if (known !== undefined) {
    const { bytes, all } = changesOf(known.slots, files)
    hold(name, known.saved)
    // A little changed text is read again for every question: saving it would take longer.
    if (bytes <= Math.max(64 * 1024, 0.003 * all)) return putOver(root, known.saved, files, known.slots)
  }
  const written = await writeIndex(machine, projectIndexKey(root), { root, files, known })
  // It closes its source.
  held = { name, saved: written.saved }
  return putOver(root, written.saved, files, written.slots)
}

/** From the existing index; undefined without one, or after many changes. */
export function openFewChanged(machine: Machine, root: string, files: ListedFiles): ProjectIndex | undefined {
  const saved = openKnown(machine, root)
  if (saved === undefined) return undefined
  hold(nameOf(machine, root), saved)
  const slots = saved.slotsOf(files)
  const { count, bytes, all } = changesOf(slots, files)
  // A hook, which never writes, answers only if few files changed.
  const isFew = count <= 20 || bytes <= Math.max(256 * 1024, 0.02 * all)
  return isFew ? putOver(root, saved, files, slots) : undefined
}

/** Of a few files, read now; saves nothing. */
export function indexOfFew(root: string, paths: readonly string[]): ProjectIndex {
  const [none, stamps] = [new Float64Array(0), new Float64Array(0)]
  const nothing = new FileIndex({ keys: none, stamps, reasons: new Uint8Array(0) }, [], () => {})
  const files = { paths, keys: Float64Array.from(paths, keyOf), stamps }
  return putOver(root, nothing, files, new Int32Array(paths.length).fill(NOWHERE))
}

function openKnown(machine: Machine, root: string): FileIndex | undefined {
  return held?.name === nameOf(machine, root) ? held.saved : openFileIndex(machine, projectIndexKey(root))
}

function nameOf(machine: Machine, root: string): string {
  return JSON.stringify([machine.cacheFolder, root])
}

function hold(name: string, saved: FileIndex): void {
  if (held?.saved !== saved) release()
  held = { name, saved }
}

function release(): void {
  held?.saved.close()
  held = undefined
}

function changesOf(slots: Int32Array, { stamps }: ListedFiles): { count: number; bytes: number; all: number } {
  const changes = { count: 0, bytes: 0, all: 0 }
  for (let at = 0; at < slots.length; at++) {
    changes.all += sizeAt(stamps, at)
    if (slots[at] !== NOWHERE) continue
    changes.count++
    changes.bytes += sizeAt(stamps, at)
  }
  return changes
}

/** Reads files without a slot into one more segment. */
function putOver(root: string, saved: FileIndex, files: ListedFiles, slots: Int32Array): ProjectIndex {
  const leftOut = new Map<LeftOut, number>()
  const count = (reason: LeftOut) => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  const base = saved.table.keys.length
  const paths = new Array<string | undefined>(base).fill(undefined)
  const candidates: string[] = []
  const over = new SegmentBuilder(PROJECT_TUNING)
  const slotsOver = new Map<number, number>()
  files.paths.forEach((path, at) => {
    const slot = slots[at]!
    const reason = slot === NOWHERE ? undefined : LEFT_OUT[saved.table.reasons[slot]!]
    const read = slot === NOWHERE ? readProjectText(root, path) : undefined
    if (reason !== undefined) count(reason)
    else if (read === undefined) paths[slot] = path
    else if ('leftOut' in read) count(read.leftOut)
    else {
      slotsOver.set(files.keys[at]!, paths.length)
      over.add(paths.length - base, documentOf(path, read.text))
      paths.push(path)
    }
    if (reason === undefined && (read === undefined || 'text' in read)) candidates.push(path)
  })
  const slotOf = (key: number) => slotsOver.get(key) ?? saved.slotOf(key)
  const own = slotsOver.size > 0 ? openBuilt(over.encode(slotsOver.size)) : undefined
  const find = (term: string) => (own ? joinPostings(saved.find(term), own.find(term, base)) : saved.find(term))
  return { paths, candidates, leftOut, slotOf, find }
}
