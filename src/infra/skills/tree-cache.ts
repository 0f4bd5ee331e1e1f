import { join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { MARKER_FILE } from '../../domain/skills/marker.ts'
import { SKILL_FILE } from '../../domain/skills/skill.ts'
import { readText, writeAtomically } from '../files.ts'
import { cacheFolder, type Machine } from '../machine.ts'
import { hashTree, listTree, type Tree } from './tree.ts'

/** What is known about a skill's folder, in the library or installed. */
export interface FolderState extends Tree {
  hash: string
  /** The text of the file that describes the folder: our marker where there is one, else skill.json. */
  label: string | undefined
}

export interface TreeCache {
  /** Reads a folder; contents only where something changed since they were last read. */
  read(folder: string): FolderState
  /** Remembers what was read, for the next process. */
  save(): void
}

type Row = [stamp: string, hash: string, label: string | null]

// A file so fresh could change again without its times telling.
const SETTLING_MS = 100

const LARGEST_LABEL = 1024 * 1024

/** Hashing thousands of files takes long; their times and sizes tell whether it has to be done again. */
export function openTreeCache(machine: Machine): TreeCache {
  const path = join(cacheFolder(machine), 'trees.json')
  const known = readRows(path)
  const now = machine.now().getTime()
  let isChanged = false
  return {
    read(folder) {
      const tree = listTree(folder)
      const all = tree.marker === undefined ? tree.files : [...tree.files, tree.marker]
      const stamp = all.map((file) => file.stamp).join('\n')
      const row = known.get(folder)
      if (row !== undefined && row[0] === stamp) return { ...tree, hash: row[1], label: row[2] ?? undefined }
      const state = { ...tree, hash: hashTree(folder, tree.files), label: readLabel(folder, tree) }
      if (all.every(({ changedAt }) => now - changedAt > SETTLING_MS)) {
        known.set(folder, [stamp, state.hash, state.label ?? null])
        isChanged = true
      }
      return state
    },
    save() {
      if (!isChanged) return
      try {
        writeAtomically(path, JSON.stringify([...known]))
      } catch {
        // A cache that cannot be written costs time, not results.
      }
    },
  }
}

function readLabel(folder: string, { files, marker }: Tree): string | undefined {
  const label = marker ?? files.find(({ path }) => path === SKILL_FILE)
  if (label?.kind !== 'file') return undefined
  try {
    return readText(join(folder, marker === undefined ? SKILL_FILE : MARKER_FILE), LARGEST_LABEL)
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

/** Whatever is not a row of ours is forgotten: it is only a cache. */
function readRows(path: string): Map<string, Row> {
  try {
    const json: unknown = JSON.parse(readText(path))
    return new Map(Array.isArray(json) ? json.filter(isRow) : [])
  } catch {
    return new Map()
  }
}

function isRow(json: unknown): json is [string, Row] {
  if (!Array.isArray(json) || typeof json[0] !== 'string' || !Array.isArray(json[1])) return false
  const [stamp, hash, label] = json[1]
  return typeof stamp === 'string' && typeof hash === 'string' && (label === null || typeof label === 'string')
}
