import type { Task } from '../../search/task.ts'
import { nameOf } from './file-document.ts'

/** By slot; undefined: a file that is gone or was changed. */
type Paths = readonly (string | undefined)[]

/** What a task names literally, by slot. Each share is divided by the number of files that a name fits. */
export interface NamedFiles {
  /** By the name with its extension or the end of the path, also where the task writes a longer, absolute path. */
  paths: ReadonlyMap<number, number>
  /** By a dotted or slashed name without an extension: `django.db.models.query`, `src/router`. */
  modules: ReadonlyMap<number, number>
  /** By a traceback: 1 for the last frame of the project, less for those before it; and the lines. */
  frames: ReadonlyMap<number, { share: number; lines: number[] }>
}

/** Files that stand for their folder. */
const ENTRY = /^(?:__init__|index|mod|lib|main)$/
/** A name that fits more files means none of them. */
const MOST_FITS = 40
/** One look at every path, whatever the task names. */
export function findNamed({ names: { paths: written, folders, frames } }: Task, paths: Paths): NamedFiles {
  const named = [...new Set([...written, ...frames.map(({ path }) => path)])].map(partsOf)
  const modules = folders.map(partsOf).filter(({ length }) => length > 1)
  const bases = new Map<string, number[]>()
  const stems = new Map<string, number[]>()
  for (const parts of named) bases.set(parts.at(-1)!, [])
  for (const parts of modules) for (const part of parts.slice(1)) stems.set(part, [])
  const found = new Map<number, number>()
  const foundModules = new Map<number, number>()
  const foundFrames = new Map<number, { share: number; lines: number[] }>()
  if (bases.size === 0 && stems.size === 0) return { paths: found, modules: foundModules, frames: foundFrames }

  paths.forEach((path, slot) => {
    if (path === undefined) return
    const parts = partsOf(path.toLowerCase())
    const base = parts.at(-1)!
    bases.get(base)?.push(slot)
    if (stems.size === 0) return
    const stem = nameOf(base)
    stems.get(ENTRY.test(stem) && parts.length > 1 ? parts.at(-2)! : stem)?.push(slot)
  })

  const slotsFor = (parts: readonly string[]) => longestEnd(parts, bases.get(parts.at(-1)!) ?? [], paths)
  for (const path of written) {
    const slots = slotsFor(partsOf(path))
    if (slots.length <= MOST_FITS) for (const slot of slots) raise(found, slot, 1 / slots.length)
  }
  for (const parts of modules) {
    for (let length = parts.length; length > 1; length--) {
      const name = `/${parts.slice(0, length).join('/')}`
      const slots = (stems.get(parts[length - 1]!) ?? []).filter((slot) => moduleOf(paths[slot]!).endsWith(name))
      if (slots.length === 0) continue
      if (slots.length <= MOST_FITS) for (const slot of slots) raise(foundModules, slot, 1 / slots.length)
      break
    }
  }
  let deeper = 0
  for (const { path, line } of [...frames].reverse()) {
    const slots = slotsFor(partsOf(path))
    if (slots.length === 0 || slots.length > 3) continue
    for (const slot of slots) {
      const known = foundFrames.get(slot) ?? { share: 0, lines: [] }
      const share = Math.max(known.share, 1 / (slots.length * (1 + deeper)))
      foundFrames.set(slot, { share, lines: [...known.lines, line] })
    }
    deeper++
  }
  return { paths: found, modules: foundModules, frames: foundFrames }
}

function raise(shares: Map<number, number>, slot: number, share: number): void {
  shares.set(slot, Math.max(shares.get(slot) ?? 0, share))
}

function partsOf(path: string): string[] {
  return path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.' && part !== '..' && part !== '~')
}

/** `/src/flask/app` for `src/flask/app.py` and for `src/flask/app/__init__.py`. */
function moduleOf(path: string): string {
  const parts = partsOf(path.toLowerCase())
  const stem = nameOf(parts.pop() ?? '')
  return `/${[...parts, ...(ENTRY.test(stem) && parts.length > 0 ? [] : [stem])].join('/')}`
}

/**
 * Those whose path has the longest end in common with what is written: all of what is written, or all of the path. A
 * bare name at the end of a longer path may be a file of the author's own: it means a file only if there is one.
 */
function longestEnd(written: readonly string[], slots: readonly number[], paths: Paths): number[] {
  let [best, most]: [number[], number] = [[], 0]
  for (const slot of slots) {
    const parts = partsOf(paths[slot]!.toLowerCase())
    let common = 0
    while (common < parts.length && common < written.length && parts.at(-1 - common) === written.at(-1 - common)) {
      common++
    }
    if (common < most) continue
    if (common > most) [best, most] = [[], common]
    best.push(slot)
  }
  return most === written.length || most > 1 || best.length === 1 ? best : []
}
