import { accessSync, constants } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ProgramCall } from '../../../domain/delivery/settings/hook-command.ts'
import { isFile } from '../../files.ts'
import type { Machine } from '../../machine.ts'
import { packageFolder } from '../../package-folder.ts'
import { realOrSame } from '../../skills/target-roots.ts'

/** How this program is started from anywhere: by its name if that is found, else by its path. */
export function ownCall(machine: Machine): ProgramCall {
  const script = join(packageFolder(), 'dist', 'cli.cjs')
  const found = findProgram(machine, 'loadout')
  const isThis = found !== undefined && realOrSame(found) === realOrSame(script)
  return isThis ? 'named' : { node: process.execPath, script }
}

/** Where a shell finds a program. What npm adds to the path while it runs a script is not there when an agent does. */
export function findProgram({ env }: Machine, name: string): string | undefined {
  const folders = (env.PATH ?? '')
    .split(':')
    .filter((folder) => isAbsolute(folder) && !/node_modules\/\.bin\/?$/.test(folder))
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isFile(path)
  } catch {
    return false
  }
}
