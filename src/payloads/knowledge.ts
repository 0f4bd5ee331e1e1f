import { dirname, isAbsolute, join, resolve } from 'node:path'
import { type Codec, jsonCodec, RecentValues, signatureOf } from '../machine/cache.ts'
import { exists, isFile, isFolder, readJson } from '../machine/files.ts'
import { readJsonInside, readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, type Project } from '../machine/open-project.ts'
import type { CheckedText } from '../text/checked-text.ts'
import { fence, fenceFindings } from '../text/fence.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { getOwn, isRecord } from '../text/values.ts'
import { readBody } from './rules/frontmatter.ts'
import {
  type DiscoveredLayer,
  type LayerName,
  type MergeConflict,
  type MergedIndex,
  mergeIndexes,
  type SearchedLayer,
} from './rules/layers.ts'
import { type Budget, type LoadoutEntry, type LoadoutIndex, readIndex } from './rules/loadout-index.ts'
import { DispatchTable } from './rules/match.ts'

/** An entry and where it comes from. */
export interface PlacedEntry {
  entry: LoadoutEntry
  layer: string
  root: string
}

/** The body of a payload, without its frontmatter. */
export function openPayload({ entry: { id, path }, layer, root }: PlacedEntry): CheckedText {
  const { body: whole, findings } = readBody(readTextInside(root, path), path)
  return {
    layer,
    path: join(root, path),
    body: whole,
    findings,
    wrap: (body) => {
      const fenced = fence('loadout_payload', { id, layer, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}

/** What a plan says besides its entries. Of large indexes it is cached: a plan reads only the entries that it chooses. */
interface Summary {
  layerNames: string[]
  budget: Budget
  conflicts: MergeConflict[]
  findings: Finding[]
  lazyLoad: boolean
  size: number
  manualCount: number
  /** The entries that are always loaded. */
  core: PlacedEntry[]
}

/** The entries of all layers, merged. */
export class Knowledge {
  readonly places: LayerPlace[]
  /** Reading it takes longer than reading what is cached of it. */
  readonly isLarge: boolean
  private readonly largest: number | undefined
  private known: Summary | undefined
  private read: (Discovery & { merged: MergedIndex }) | undefined
  private compiled: DispatchTable | undefined
  /** Entries that did not come from the indexes. */
  private readonly placed = new WeakMap<LoadoutEntry, PlacedEntry>()

  /** `largest`: a larger index is not read, and reported. */
  constructor(places: LayerPlace[], largest?: number, isLarge = false) {
    this.isLarge = isLarge
    this.places = places
    this.largest = largest
  }

  private get all(): Discovery & { merged: MergedIndex } {
    if (this.read === undefined) {
      const discovery = readLayers(this.places, this.largest)
      this.read = { ...discovery, merged: mergeIndexes(discovery.layers) }
    }
    return this.read
  }

  get summary(): Summary {
    if (this.known === undefined) {
      const { layers, findings, merged } = this.all
      const { entries, budget, conflicts, lazyLoad = false } = merged
      this.known = {
        layerNames: layers.map(({ name }) => name),
        budget,
        conflicts,
        findings,
        lazyLoad,
        size: entries.length,
        manualCount: entries.filter(({ priority }) => priority === 'manual').length,
        core: entries.filter(({ priority }) => priority === 'core').map((entry) => this.place(entry)),
      }
    }
    return this.known
  }

  set summary(stored: Summary) {
    this.known = stored
    for (const each of stored.core) this.placed.set(each.entry, each)
  }

  get layers(): DiscoveredLayer[] {
    return this.all.layers
  }

  get searched(): SearchedLayer[] {
    return this.all.searched
  }

  get merged(): MergedIndex {
    return this.all.merged
  }

  /** In merged order. */
  get entries(): readonly LoadoutEntry[] {
    return this.all.merged.entries
  }

  get findings(): Finding[] {
    return this.summary.findings
  }

  /** For the match by keywords. */
  get table(): DispatchTable {
    this.compiled ??= new DispatchTable(this.entries)
    return this.compiled
  }

  /** The layer that supplies an entry. */
  layerOf(entry: LoadoutEntry): string {
    return this.placed.get(entry)?.layer ?? getOwn(this.all.merged.provenance, entry.id) ?? ''
  }

  /** The folder its payload's path starts from. */
  rootOf(entry: LoadoutEntry): string {
    const known = this.placed.get(entry)
    if (known !== undefined) return known.root
    const layer = this.layerOf(entry)
    const place = this.places.find(({ name }) => name === layer)
    if (place === undefined) throw failWith('ENTRY_NOT_FOUND/layers', { id: entry.id })
    return place.root
  }

  place(entry: LoadoutEntry): PlacedEntry {
    return { entry, layer: this.layerOf(entry), root: this.rootOf(entry) }
  }

  /** An entry that was stored with its place when the indexes were as they are now. */
  entryOf(stored: PlacedEntry): LoadoutEntry {
    this.placed.set(stored.entry, stored)
    return stored.entry
  }

  /** With the payloads in another folder than beside their index. */
  at(root: string): Knowledge {
    return new Knowledge(this.places.map((place) => ({ ...place, root })))
  }
}

// Loadout wrote it, and its checksum was verified.
const SUMMARY: Codec<Summary> = jsonCodec((json): json is Summary => isRecord(json) && Array.isArray(json.core))

const kept = new RecentValues<Knowledge>(8)

/** The entries of the layers; a process reads unchanged files once. `isSummed`: the caller asks mostly for the summary. */
export function openKnowledge(machine: Machine, options: Layers | undefined, isSummed = false): Knowledge {
  const places = layerPlaces(machine, options)
  const { name, state, bytes, isSettled } = signatureOf(
    places.map(({ path }) => path),
    machine.now(),
  )
  const key = JSON.stringify([name, state])
  const known = kept.get(key)
  if (known !== undefined) return known
  const knowledge = new Knowledge(places, undefined, bytes > 128 * 1024)
  if (isSummed && isSettled && knowledge.isLarge) {
    const stored = { kind: 'knowledge', version: 1, name, state }
    knowledge.summary = machine.cache.keep(stored, SUMMARY, () => knowledge.summary)
  }
  if (isSettled) kept.set(key, knowledge)
  return knowledge
}

/**
 * The largest index that a hook reads: 20,000 entries, or half a second of processor time. The user waits for a hook at
 * every prompt, and the index may come from a stranger's project.
 */
export const LARGEST_IN_A_HOOK = 8 * 1024 * 1024

export function readKnowledge(machine: Machine, options: Layers | undefined, isHook = false): Knowledge {
  return new Knowledge(layerPlaces(machine, options), isHook ? LARGEST_IN_A_HOOK : undefined)
}

/** Layers that exist but could not be used. */
export function brokenLayers({ findings }: Pick<Knowledge, 'findings'>): Finding[] {
  return findings.filter(({ code }) => code === 'LAYER_UNREADABLE')
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
    projectRoot: named.project === '' ? '' : machine.openProject(named.project),
    globalDir: check('global', isFolder, 'folder'),
    orgPath: check('org', isFile, 'file'),
    sessionPath: check('session', isFile, 'file'),
  }
}

/** The project of some layers; undefined if it is omitted. A library caller may name a missing folder. */
export function projectOf(machine: Machine, { projectRoot }: Layers = {}): Project | undefined {
  if (projectRoot === '') return undefined
  return typeof projectRoot === 'string'
    ? machine.projectAt(resolve(machine.cwd, projectRoot))
    : machine.openProject(projectRoot)
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
  let global = options.globalDir
  try {
    global ??= join(machine.home, '.ai-loadout')
  } catch (error) {
    // Without a home there is no global layer; the others still work.
    if (!(error instanceof LoadoutError)) throw error
    machine.report?.(layerFinding('global', undefined, error))
  }
  const places: [LayerName, string | undefined][] = [
    ['global', global && join(global, 'index.json')],
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
    const row: SearchedLayer = { name, path, found: false }
    searched.push(row)
    try {
      if (!exists(path)) continue
      const read = readIndexAt(place, largest)
      row.found = true
      layers.push({ name, path, index: read.index })
      findings.push(...read.findings.map((finding) => ({ ...finding, message: `${name} layer: ${finding.message}` })))
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      row.problem = error.message
      findings.push(layerFinding(name, path, error))
    }
  }
  return { layers, searched, findings }
}

/** An index that must be valid. The index of a project must be inside it; the user chose the files of other layers. */
export function readIndexAt(
  { path, root }: Pick<LayerPlace, 'path' | 'root'>,
  largest?: number,
): { index: LoadoutIndex; findings: Finding[] } {
  const isOfProject = path === join(root, INDEX_IN_PROJECT)
  const result = readIndex(isOfProject ? readJsonInside(root, INDEX_IN_PROJECT, largest) : readJson(path, largest))
  if ('problem' in result) throw failWith('BAD_JSON/index', { path, problem: result.problem })
  return result
}

function layerFinding(name: LayerName, path: string | undefined, problem: LoadoutError): Finding {
  const isMalformed = problem.code === 'BAD_JSON' || problem.code === 'NOT_TEXT'
  const hint = isMalformed ? 'repair it, or rebuild it with: loadout rules build' : (problem.hint ?? 'check the path')
  return report('LAYER_UNREADABLE/layer', { name, problem: problem.message, hint }, { subject: path })
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
