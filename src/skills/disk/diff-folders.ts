import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'
import { copyTree } from './tree.ts'

// Settings of the user must not change the diff.
const NO_SETTINGS = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: undefined,
  GIT_CONFIG_SYSTEM: undefined,
}

/** The diff of two folders in `parent`, under their own names. `parent` must be outside of any repository. */
export async function diffFolders(machine: Machine, parent: string, a: string, b: string): Promise<string> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-prefix', '--no-renames']
  const { stdout } = await runGit(machine, parent, ['diff', ...flags, '--', a, b], {
    okCodes: [0, 1],
    env: NO_SETTINGS,
    settings: ['core.attributesFile=/dev/null'],
  })
  return stdout
}

/** The diff of two versions of a skill, under its name. A missing version counts as empty. */
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
