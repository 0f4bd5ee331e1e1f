import { LoadoutError } from '../text/trouble.ts'
import type { Argument, Flags, Input } from './command.ts'

/** The project a command is about: the only declaration of `--project`. What it means when it is absent differs. */
export function projectFlag(otherwise: string) {
  const summary = `project folder, such as . (default: ${otherwise})`
  return { project: { kind: 'text', value: 'folder', summary } } as const
}

export const PROJECT_FLAG = projectFlag('the project around this folder')

/** Where the layers are, for every command that reads them. */
export const LAYER_FLAGS = {
  ...PROJECT_FLAG,
  global: { kind: 'text', value: 'folder', summary: 'folder of the global layer (default: ~/.ai-loadout)' },
  org: { kind: 'text', value: 'index', summary: 'index of the org layer (default: $AI_LOADOUT_ORG)' },
  session: { kind: 'text', value: 'index', summary: 'index of the session layer (default: $AI_LOADOUT_SESSION)' },
} as const satisfies Flags

/** Which installs a command is about. */
export const SCOPE_FLAGS = projectFlag('your own skills')

export const TARGET_FLAG = {
  target: { kind: 'list', value: 'a,b|all', summary: 'only these agents (default: all that are enabled)' },
} as const

export const DRY_RUN_FLAG = {
  'dry-run': { kind: 'switch', summary: 'only say what would be done' },
} as const

/** Whether a change of the library becomes a commit; the configuration says so otherwise. */
export const COMMIT_FLAGS = {
  commit: { kind: 'switch', summary: 'commit the change' },
  'no-commit': { kind: 'switch', summary: 'leave the change uncommitted' },
} as const

export function commitChoice(flags: { commit?: boolean; 'no-commit'?: boolean }): boolean | undefined {
  if (flags['no-commit']) return false
  return flags.commit
}

/** Names as a person writes them after a command. */
export function namesIn(words: string | undefined): string[] {
  return (words ?? '').split(' ').filter((name) => name !== '')
}

export const PACK_ARGUMENT = { name: 'pack', summary: 'its name, or its folder', required: true } as const

export const TASK_ARGUMENT = {
  name: 'task',
  summary: 'what is to be done, in your words; - reads standard input',
  required: true,
  rest: true,
} as const satisfies Argument

/** The task that a command was given, or piped. */
export function readTask({ args, readStdin }: Pick<Input<Flags>, 'args' | 'readStdin'>): string {
  const task = (args.task === '-' ? readStdin() : (args.task ?? '')).trim()
  if (task !== '') return task
  throw new LoadoutError('USAGE', 'there is no task on standard input', {
    hint: 'pipe it in: echo "fix the ci" | loadout plan -',
  })
}
