import { join, resolve } from 'node:path'
import { isFolder, readJson } from '../machine/files.ts'
import { readJsonInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { INDEX_IN_PROJECT, openProject, type Project } from '../machine/open-project.ts'
import { requireParts } from '../machine/settings.ts'
import { type Finding, failWith, LoadoutError } from '../text/trouble.ts'
import { collectPayloads } from './disk/payload-files.ts'
import type { PayloadFile } from './rules/build-index.ts'
import { type LoadoutIndex, readIndex } from './rules/loadout-index.ts'

/** A folder of payloads and the index derived from them. */
export interface PayloadRoot {
  root: string
  indexPath: string
  /** Which files are payloads. */
  globs: readonly string[]
}

export interface PayloadRootRequest {
  /** The project's folder; default: the project around the working folder. */
  project?: string | Project
  /** Which layer is meant; default: the project. */
  layer?: 'project' | 'global'
  /** The folder of the global layer; default: `~/.ai-loadout`. */
  globalDir?: string
}

export function openPayloadRoot(machine: Machine, request: PayloadRootRequest): PayloadRoot {
  if (request.layer === 'global') {
    const root = resolve(machine.cwd, request.globalDir ?? join(machine.home, '.ai-loadout'))
    if (!isFolder(root)) {
      throw failWith('NOT_A_FOLDER/root', { root })
    }
    return { root, indexPath: join(root, 'index.json'), globs: ['**/*.md'] }
  }
  const { root, settings } = openProject(machine, request.project)
  requireParts(settings, 'payloads')
  return { root, indexPath: join(root, INDEX_IN_PROJECT), globs: settings.payloads }
}

/** An index that the user named. */
export function readIndexFile(path: string): ReadIndex {
  return checkIndex(readJson(path), path)
}

/** The index of a project must be inside it. */
export function readIndexIn({ root, indexPath }: PayloadRoot): ReadIndex {
  const isOfProject = indexPath === join(root, INDEX_IN_PROJECT)
  return checkIndex(isOfProject ? readJsonInside(root, INDEX_IN_PROJECT) : readJson(indexPath), indexPath)
}

interface ReadIndex {
  index: LoadoutIndex
  findings: Finding[]
}

function checkIndex(json: unknown, path: string): ReadIndex {
  const result = readIndex(json)
  if ('problem' in result) {
    throw failWith('BAD_JSON/index', { path, problem: result.problem })
  }
  return result
}

/** The current index, if it is usable. */
export function currentIndex(payloads: PayloadRoot): LoadoutIndex | undefined {
  try {
    return readIndexIn(payloads).index
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

/** Every Markdown file below a folder. */
export function readPayloadFolder(folder: string): { files: PayloadFile[]; findings: Finding[] } {
  return collectPayloads(folder, ['**/*.md'])
}
