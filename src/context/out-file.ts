import { basename, dirname, join, normalize, relative } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { realFolder } from '../machine/open-project.ts'
import { SETTINGS_FILE } from '../machine/settings.ts'
import { LoadoutError } from '../text/trouble.ts'
import type { ContextSettings } from './rules/context-settings.ts'

/** The paths of a file inside the project, by its own name and by that of a link's target. */
export function namesInside(machine: Machine, root: string, path: string): string[] {
  const names = [join(realFolder(machine, dirname(path)), basename(path)), realFolder(machine, path)]
  return [...new Set(names.map((name) => relative(root, name)))].filter((name) => !/^\.\.(?:\/|$)/.test(name))
}

/** Settings, notes and adapter files are not documents: a bundle in their place would break the next one. */
export function refuseSource(names: readonly string[], { tactical, adapters }: ContextSettings): void {
  const sources = [SETTINGS_FILE, tactical?.path, ...adapters.map(({ file }) => file)]
  const source = sources.find((path) => path !== undefined && names.includes(normalize(path)))
  if (source === undefined) return
  throw new LoadoutError('WRITE_FAILED', `${source} is not written over: the bundle is made from it`, {
    hint: 'choose another path for --out',
  })
}
