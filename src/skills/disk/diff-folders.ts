import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'
import { copyTree } from './tree.ts'

// User settings must not change a byte of it.
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

/** The difference between two versions of a skill, under its name; a version that is absent is empty. */
export async function diffSkillFolders(
  machine: Machine,
  scratch: string,
  skill: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string> {
  for (const [side, folder] of [['before', before] as const, ['after', after] as const]) {
    const target = join(scratch, side, skill)
    if (folder === undefined) mkdirSync(target, { recursive: true })
    else copyTree(folder, target)
  }
  return diffFolders(machine, scratch, 'before', 'after')
}
