import { lstatSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { DiscoveredLayer, LayerName, SearchedLayer } from '../domain/routing/layers.ts'
import { readIndex } from '../domain/routing/loadout-index.ts'
import type { Finding } from '../domain/shared/finding.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { readJson } from './json-file.ts'
import type { Machine } from './machine.ts'
import { findProjectRoot, INDEX_IN_PROJECT } from './project-root.ts'

export interface ResolveOptions {
  /** Where the project layer is looked for: here, then upwards to the root of the repository. Default: the working folder. */
  projectRoot?: string | undefined
  /** Default: `~/.ai-loadout`. */
  globalDir?: string | undefined
  /** Default: `$AI_LOADOUT_ORG`. */
  orgPath?: string | undefined
  /** Default: `$AI_LOADOUT_SESSION`. */
  sessionPath?: string | undefined
}

/** Where an index is looked for. Its payloads' paths start from `root` and may not leave it. */
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

/** The fixed places of the layer stack, in order. An empty text suppresses a layer. */
export function layerPlaces(machine: Machine, options: ResolveOptions): LayerPlace[] {
  const { env } = machine
  const at = (path: string) => (isAbsolute(path) ? path : resolve(machine.cwd, path))
  const places: [LayerName, string | undefined][] = [
    ['global', inFolder(options.globalDir ?? globalFolder(machine), 'index.json')],
    ['org', options.orgPath ?? env.AI_LOADOUT_ORG],
    ['project', options.projectRoot === '' ? '' : join(projectFolder(machine, options), INDEX_IN_PROJECT)],
    ['session', options.sessionPath ?? env.AI_LOADOUT_SESSION],
  ]
  return places.flatMap(([name, path]) => (path ? [{ name, path: at(path), root: rootOf(name, at(path)) }] : []))
}

/** Reads what is there. A missing layer is normal; a broken one is reported and the others still work. */
export function readLayers(places: readonly LayerPlace[]): Discovery {
  const layers: DiscoveredLayer[] = []
  const searched: SearchedLayer[] = []
  const findings: Finding[] = []
  for (const { name, path } of places) {
    if (isMissing(path)) {
      searched.push({ name, path, found: false })
      continue
    }
    const result = readLayer(path)
    if ('problem' in result) {
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

function readLayer(path: string) {
  try {
    const result = readIndex(readJson(path))
    if (!('problem' in result)) return result
    return { problem: new LoadoutError('BAD_JSON', `${path} is not an index: ${result.problem}`) }
  } catch (error) {
    if (error instanceof LoadoutError) return { problem: error }
    throw error
  }
}

function layerFinding(name: string, path: string, problem: LoadoutError): Finding {
  const isMalformed = problem.code === 'BAD_JSON' || problem.code === 'NOT_TEXT'
  return {
    severity: 'error',
    code: isMalformed ? 'LAYER_MALFORMED' : 'LAYER_UNREADABLE',
    message: `the ${name} layer is not used: ${problem.message}`,
    subject: path,
    hint: isMalformed ? 'repair it, or rebuild it with: loadout index build' : (problem.hint ?? 'check the path'),
  }
}

function isMissing(path: string): boolean {
  try {
    lstatSync(path)
    return false
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ENOTDIR'
  }
}

/** The project a request means: the one around the folder it names, or around the working folder; else that folder. */
export function projectFolder(machine: Machine, { projectRoot }: ResolveOptions): string {
  const start = isAbsolute(projectRoot ?? '') ? projectRoot! : resolve(machine.cwd, projectRoot || '.')
  return findProjectRoot(start) ?? start
}

/** Without a home there is no global layer; the others still work. */
function globalFolder(machine: Machine): string {
  try {
    return join(machine.home, '.ai-loadout')
  } catch {
    return ''
  }
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? '' : join(folder, name)
}

/** The index of a project lies two folders deep; any other lies at the root of its payloads. */
function rootOf(name: LayerName, path: string): string {
  return name !== 'global' && path.endsWith(`/${INDEX_IN_PROJECT}`)
    ? path.slice(0, -INDEX_IN_PROJECT.length - 1) || '/'
    : dirname(path)
}
