import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'

// Nobody's settings may change a byte of it.
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** The difference between two folders beside each other, under their own names. `parent` lies in no repository. */
export async function diffFolders(machine: Machine, parent: string, a: string, b: string): Promise<string> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-prefix', '--no-renames']
  const { stdout } = await runGit(machine, parent, ['diff', ...flags, '--', a, b], {
    okCodes: [0, 1],
    env: NO_SETTINGS,
    settings: ['core.attributesFile=/dev/null'],
  })
  return stdout
}
