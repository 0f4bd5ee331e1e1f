import { resolve } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { isFile, isFolder } from '../../infra/files.ts'
import type { ResolveOptions } from '../../infra/layers.ts'
import type { Machine } from '../../infra/machine.ts'

export interface NamedLayers {
  project?: string | undefined
  global?: string | undefined
  org?: string | undefined
  session?: string | undefined
}

/** Layers that a person names must be there: a mistyped path should not look like an empty layer. Empty suppresses. */
export function nameLayers(machine: Machine, named: NamedLayers): ResolveOptions {
  const check = (flag: keyof NamedLayers, isThere: (path: string) => boolean, what: string) => {
    const path = named[flag]
    if (!path || isThere(resolve(machine.cwd, path))) return path
    throw new LoadoutError('FILE_NOT_FOUND', `--${flag} ${path}: there is no such ${what}`, {
      hint: `check the path, or give --${flag}= to leave that layer out`,
    })
  }
  return {
    projectRoot: check('project', isFolder, 'folder'),
    globalDir: check('global', isFolder, 'folder'),
    orgPath: check('org', isFile, 'file'),
    sessionPath: check('session', isFile, 'file'),
  }
}
