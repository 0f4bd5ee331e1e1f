import { resolve } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isFolder } from '../files.ts'
import type { Machine } from '../machine.ts'
import { findProjectRoot, findRepositoryRoot } from '../project-root.ts'

/** The folder that is named, or the project around this one, or its repository, or this folder. */
export function findProjectFolder(machine: Machine, named: string | undefined): string {
  if (named === undefined) return findProjectRoot(machine.cwd) ?? findRepositoryRoot(machine.cwd) ?? machine.cwd
  const folder = resolve(machine.cwd, named)
  if (isFolder(folder)) return folder
  throw new LoadoutError('NOT_A_FOLDER', `${folder} is not a folder`, { hint: 'name the folder of a project' })
}
