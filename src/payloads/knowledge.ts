import { dirname, isAbsolute, join, resolve } from 'node:path'
import { signatureOf } from '../machine/cache.ts'
import { exists, isFile, isFolder, readJson } from '../machine/files.ts'
import { readJsonInside } from '../machine/inside.ts'
import { Kept } from '../machine/kept.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, openProject, type Project, projectAt } from '../machine/open-project.ts'
import { type Finding, failWith, LoadoutError } from '../text/trouble.ts'
import { getOwn } from '../text/values.ts'
import { createTable, type DispatchTable } from './rules/dispatch-table.ts'
import {
  type DiscoveredLayer,
  type LayerName,
  type MergeConflict,
  type MergedIndex,
  mergeIndexes,
  type SearchedLayer,
} from './rules/layers.ts'
import { type Budget, type LoadoutEntry, readIndex } from './rules/loadout-index.ts'

/** All entries of the layers, ready for queries. */
export interface Knowledge {
  table: DispatchTable
  places: LayerPlace[]
  /** The layer that supplies an entry. */
  layerOf(entry: LoadoutEntry): string
  /** The folder its payload's path starts from. */
  rootOf(entry: LoadoutEntry): string
  /** Entry id → layer, for all entries. */
  provenance: Record<string, string>
  layerNames: string[]
  budget: Budget
  conflicts: MergeConflict[]
  findings: Finding[]
  lazyLoad: boolean
  manualCount: number
}

export interface Resolved extends Discovery {
  merged: MergedIndex
  places: LayerPlace[]
}

/** Reads and merges the layers. */
export function resolveLayers(machine: Machine, options: Layers | undefined, largest?: number): Resolved {
  return mergePlaces(layerPlaces(machine, options), largest)
}

function mergePlaces(places: LayerPlace[], largest?: number): Resolved {
  const discovery = readLayers(places, largest)
  return { ...discovery, merged: mergeIndexes(discovery.layers), places }
}

const kept = new Kept<Knowledge>(8)

/** The entries of the layers; a process reads unchanged files once. */
export function openKnowledge(machine: Machine, options: Layers | undefined): Knowledge {
  const places = layerPlaces(machine, options)
  const signature = signatureOf(
    places.map(({ path }) => path),
    machine.now(),
  )
  const key = JSON.stringify([signature.name, signature.state])
  const known = kept.get(key)
  if (known !== undefined) return known
  const knowledge = readPlaces(places)
  if (signature.isSettled) kept.set(key, knowledge)
  return knowledge
}

/**
 * The largest index that a hook reads: 20,000 entries, or half a second of processor time. The user waits for a hook at
 * every prompt, and the index may come from a stranger's project.
 */
export const LARGEST_IN_A_HOOK = 8 * 1024 * 1024

export function readKnowledge(machine: Machine, options: Layers | undefined, isHook = false): Knowledge {
  return knowledgeOf(resolveLayers(machine, options, isHook ? LARGEST_IN_A_HOOK : undefined))
}

/** Layers that exist but could not be used. */
export function brokenLayers({ findings }: Pick<Knowledge, 'findings'>): Finding[] {
  return findings.filter(({ code }) => code === 'LAYER_MALFORMED' || code === 'LAYER_UNREADABLE')
}

/** The knowledge of layers in other places. */
export function readPlaces(places: LayerPlace[]): Knowledge {
  return knowledgeOf(mergePlaces(places))
}

export function knowledgeOf({ merged, layers, findings, places }: Resolved): Knowledge {
  const { entries, budget, conflicts, provenance } = merged
  const layerOf = (entry: LoadoutEntry) => getOwn(provenance, entry.id) ?? ''
  return {
    table: createTable(entries),
    places,
    layerNames: layers.map(({ name }) => name),
    budget,
    conflicts,
    findings,
    lazyLoad: merged.lazyLoad ?? false,
    manualCount: entries.filter(({ priority }) => priority === 'manual').length,
    layerOf,
    rootOf: (entry) => {
      const place = places.find(({ name }) => name === layerOf(entry))
      if (place === undefined) throw failWith('ENTRY_NOT_FOUND/layers', { id: entry.id })
      return place.root
    },
    provenance,
  }
}

export interface ResolveOptions {
  /** The folder of the project. Default: the project around the working folder. Empty leaves the layer out. */
  projectRoot?: string
  /** Default: `~/.ai-loadout`. */
  globalDir?: string
  /** Default: `$AI_LOADOUT_ORG`. */
  orgPath?: string
  /** Default: `$AI_LOADOUT_SESSION`. */
  sessionPath?: string
}

/** The layers that a call reads. Callers open the project once and pass it on. */
export interface Layers extends Omit<ResolveOptions, 'projectRoot'> {
  projectRoot?: string | Project
}

/** Layers from the command line. */
export interface NamedLayers {
  project?: string
  global?: string
  org?: string
  session?: string
}

/** A named layer must exist: a mistyped path should not look like an empty layer. An empty text omits a layer. */
export function nameLayers(machine: Machine, named: NamedLayers): Layers {
  const check = (flag: keyof NamedLayers, isThere: (path: string) => boolean, what: string) => {
    const path = named[flag]
    if (!path || isThere(resolve(machine.cwd, path))) return path
    throw failWith('FILE_NOT_FOUND/layer', { flag, path, what })
  }
  return {
    projectRoot: named.project === '' ? '' : openProject(machine, named.project),
    globalDir: check('global', isFolder, 'folder'),
    orgPath: check('org', isFile, 'file'),
    sessionPath: check('session', isFile, 'file'),
  }
}

/** The project of some layers; undefined if it is omitted. A library caller may name a missing folder. */
export function projectOf(machine: Machine, { projectRoot }: Layers = {}): Project | undefined {
  if (projectRoot === '') return undefined
  return typeof projectRoot === 'string'
    ? projectAt(machine, resolve(machine.cwd, projectRoot))
    : openProject(machine, projectRoot)
}

/** Where to look for an index. Its payloads' paths start from `root` and may not leave it. */
export interface LayerPlace {
  name: LayerName
  path: string
  root: string
}

export interface Discovery {
  layers: DiscoveredLayer[]
  searched: SearchedLayer[]
  findings: Finding[]
}

/** The fixed places of the layer stack, in order. An empty text omits a layer. */
export function layerPlaces(machine: Machine, options: Layers = {}): LayerPlace[] {
  const { env } = machine
  const at = (path: string) => (isAbsolute(path) ? path : resolve(machine.cwd, path))
  const project = projectOf(machine, options)
  const places: [LayerName, string | undefined][] = [
    ['global', inFolder(options.globalDir ?? globalFolder(machine), 'index.json')],
    ['org', options.orgPath ?? env.AI_LOADOUT_ORG],
    ['project', project && join(project.root, INDEX_IN_PROJECT)],
    ['session', options.sessionPath ?? env.AI_LOADOUT_SESSION],
  ]
  return places.flatMap(([name, path]) => (path ? [{ name, path: at(path), root: rootOf(name, at(path)) }] : []))
}

/**
 * Reads the existing layers. A missing layer is normal; a broken one, or one of more than `largest` bytes, is reported,
 * and the others still work.
 */
export function readLayers(places: readonly LayerPlace[], largest?: number): Discovery {
  const layers: DiscoveredLayer[] = []
  const searched: SearchedLayer[] = []
  const findings: Finding[] = []
  for (const place of places) {
    const { name, path } = place
    const result = readLayer(place, largest)
    if (result === undefined) {
      searched.push({ name, path, found: false })
    } else if ('problem' in result) {
      searched.push({ name, path, found: false, problem: result.problem.message })
      findings.push(layerFinding(name, path, result.problem))
    } else {
      searched.push({ name, path, found: true })
      layers.push({ name, path, index: result.index })
      findings.push(...result.findings.map((finding) => ({ ...finding, message: `${name} layer: ${finding.message}` })))
    }
  }
  return { layers, searched, findings }
}

/** Undefined when it is missing. The index of a project must be inside it; the user chose the files of other layers. */
function readLayer({ path, root }: LayerPlace, largest: number | undefined) {
  try {
    if (!exists(path)) return undefined
    const isOfProject = path === join(root, INDEX_IN_PROJECT)
    const json = isOfProject ? readJsonInside(root, INDEX_IN_PROJECT, largest) : readJson(path, largest)
    const result = readIndex(json)
    if (!('problem' in result)) return result
    return { problem: failWith('BAD_JSON/index', { path, problem: result.problem }) }
  } catch (error) {
    if (error instanceof LoadoutError) return { problem: error }
    throw error
  }
}

function layerFinding(name: LayerName, path: string | undefined, problem: LoadoutError): Finding {
  const isMalformed = problem.code === 'BAD_JSON' || problem.code === 'NOT_TEXT'
  return {
    severity: 'error',
    code: isMalformed ? 'LAYER_MALFORMED' : 'LAYER_UNREADABLE',
    message: `the ${name} layer is not used: ${problem.message}`,
    subject: path,
    hint: isMalformed ? 'repair it, or rebuild it with: loadout index build' : (problem.hint ?? 'check the path'),
  }
}

/** Without a home there is no global layer, which is reported; the others still work. */
function globalFolder(machine: Machine): string {
  try {
    return join(machine.home, '.ai-loadout')
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    machine.report?.(layerFinding('global', undefined, error))
    return ''
  }
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? '' : join(folder, name)
}

/** For a named index: the folder from which its payloads' paths start. */
export function indexPlace(path: string): Pick<LayerPlace, 'path' | 'root'> {
  return { path, root: rootOf('project', path) }
}

/** The index of a project is two folders deep; any other is at the root of its payloads. */
function rootOf(name: LayerName, path: string): string {
  return name !== 'global' && path.endsWith(`/${INDEX_IN_PROJECT}`)
    ? path.slice(0, -INDEX_IN_PROJECT.length - 1) || '/'
    : dirname(path)
}
