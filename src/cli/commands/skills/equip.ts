import type { Loadout } from '../../../app/loadout.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { defineCommand } from '../../command.ts'
import { printOperations } from '../../operations.ts'
import { DRY_RUN_FLAG, namesIn, SCOPE_FLAGS, TARGET_FLAG } from '../../skill-flags.ts'

const ARGS = [{ name: 'names', summary: 'the skills', rest: true }] as const

const FLAGS = {
  ...TARGET_FLAG,
  tag: { kind: 'list', value: 'tag', summary: 'all skills with this tag' },
  all: { kind: 'switch', summary: 'every skill' },
  ...SCOPE_FLAGS,
  ...DRY_RUN_FLAG,
} as const

export const equip = defineCommand({
  name: 'equip',
  aliases: { add: [], install: [] },
  summary: 'install skills for agents',
  details:
    'A copy goes into the folder of every enabled agent that the skill supports. What is not ours is never touched.',
  args: ARGS,
  flags: FLAGS,
  run: (input, loadout) => {
    const source = namesIn(input.args.names).find((name) => /\/|\.tar\.gz$|\.git$/.test(name))
    if (source === undefined) return loadout.equip(requestOf(input))
    throw new LoadoutError('USAGE', `${source} is a folder or URL, not the name of a skill`, {
      hint: `first: loadout import ${shellWord(source)}`,
    })
  },
  print: (outcome, screen, findings) => printOperations(outcome, screen, findings, 'Everything is equipped already.'),
})

export const unequip = defineCommand({
  name: 'unequip',
  aliases: { remove: [], uninstall: [] },
  summary: 'remove installed copies',
  details: 'Edited copies are kept in the backup folder. What loadout did not install stays.',
  args: ARGS,
  flags: FLAGS,
  run: (input, loadout) => loadout.unequip(requestOf(input)),
  print: (outcome, screen, findings) => printOperations(outcome, screen, findings, 'Nothing was removed.'),
})

interface EquipInput {
  args: Record<string, string | undefined>
  flags: { target?: string[]; tag?: string[]; all?: boolean; project?: string; 'dry-run'?: boolean }
  onProgress: ((done: number, total: number, what: string) => void) | undefined
  signal: AbortSignal
}

function requestOf({ args, flags, onProgress, signal }: EquipInput): Parameters<Loadout['equip']>[0] {
  return {
    names: namesIn(args.names),
    targets: flags.target,
    tags: flags.tag,
    all: flags.all,
    project: flags.project,
    dryRun: flags['dry-run'],
    onProgress,
    signal,
  }
}
