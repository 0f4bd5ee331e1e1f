import type { Loadout } from '../loadout.ts'
import { type Finding, failWith, type Report } from '../text/trouble.ts'
import type { Screen } from './screen.ts'

/** A flag as data: the source of parsing, help, completion and documentation. */
export type Flag = FlagValueKind & {
  /** Accepted, but not listed in help, completion and documentation: for aliases and renamed flags. */
  isUnlisted?: true
  /** Other names of the flag: those it had before, and those that people try. */
  also?: readonly string[]
}

type FlagValueKind =
  | { kind: 'switch'; summary: string }
  | { kind: 'text'; value: string; summary: string }
  | { kind: 'list'; value: string; summary: string }
  | { kind: 'number'; value: string; summary: string }
  | { kind: 'choice'; choices: readonly string[]; summary: string }

export type Flags = Readonly<Record<string, Flag>>

export interface Argument {
  name: string
  summary: string
  required?: boolean
  /** Takes all remaining words, joined by blanks. */
  rest?: boolean
  /** The shell completes it with file names, or with these words. */
  complete?: 'file' | readonly string[]
}

type FlagValue<F extends Flag> = F extends { kind: 'switch' }
  ? boolean
  : F extends { kind: 'number' }
    ? number
    : F extends { kind: 'list' }
      ? string[]
      : F extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : string

export interface Input<F extends Flags> {
  /** By name; an omitted argument is absent. */
  args: Record<string, string | undefined>
  flags: { [K in keyof F]?: FlagValue<F[K]> }
  /** All arguments as typed, for a command that needs those of `rest` one by one. */
  words: readonly string[]
  /** The answer will be printed as JSON. */
  asJson: boolean
  /** All of standard input as text. */
  readStdin(): string
  /** Shows the progress of a long operation, if a terminal can show it. */
  onProgress: ((done: number, total: number, what: string) => void) | undefined
  /** Fires when the user wants to stop. The command must then stop without leaving anything half done. */
  readonly signal: AbortSignal
  /** Asks the user and returns the answer; undefined without a terminal. */
  ask: ((question: string) => string) | undefined
}

/** A command as data: its arguments, one call, and how to print its answer. */
export interface Command<F extends Flags = Flags, V = unknown> {
  /** One or two words: `plan`, `index build`. */
  name: string
  /**
   * Other names of this command, each with the words that they insert before the typed ones: `dead` runs
   * `usage --dead`. Help, completion and documentation do not list them.
   */
  aliases?: Readonly<Record<string, readonly string[]>>
  summary: string
  /** Added to the summary in the command's own help. */
  details?: string
  args: readonly Argument[]
  flags: F
  run(input: Input<F>, loadout: Loadout): Report<V> | Promise<Report<V>>
  print(value: V, screen: Screen, findings: readonly Finding[]): string
  /** The value for --json, if it differs from the result of `run`. */
  toJson?(value: V): unknown
  /** True when the output names files: paths below the home folder begin with `~`. */
  shortensHome?: boolean
  /** True when the findings are the answer: `print` shows them, and standard error stays empty. */
  printsFindings?: boolean
  /** Whether an approval or a confirmation is missing and Loadout could not ask for it. */
  isWaiting?(value: V): boolean
}

/** Keeps the types of the flags in a command's definition; the table needs only the general type. */
export function defineCommand<const F extends Flags, V>(command: Command<F, V>): Command {
  return command as unknown as Command
}

/** The flags that help, completion and documentation show. */
export function listedFlags(flags: Flags): [name: string, flag: Flag][] {
  return Object.entries(flags).filter(([, { isUnlisted }]) => !isUnlisted)
}

/** Flags that every command has. */
export const COMMON_FLAGS = {
  json: { kind: 'switch', summary: 'print JSON for programs' },
  help: { kind: 'switch', summary: 'show this help' },
  'no-color': { kind: 'switch', summary: 'print without colour', isUnlisted: true, also: ['no-colour'] },
} as const satisfies Flags

/** The only declaration of `--project`. Commands differ in its default. */
export function projectFlag(otherwise: string) {
  const summary = `project folder, such as . (default: ${otherwise})`
  return { project: { kind: 'text', value: 'folder', summary } } as const
}

export const PROJECT_FLAG = projectFlag('the project around this folder')

/** The locations of the layers, for every command that reads them. */
export const LAYER_FLAGS = {
  ...PROJECT_FLAG,
  global: { kind: 'text', value: 'folder', summary: 'folder of the global layer (default: ~/.ai-loadout)' },
  org: { kind: 'text', value: 'index', summary: 'index of the org layer (default: $AI_LOADOUT_ORG)' },
  session: { kind: 'text', value: 'index', summary: 'index of the session layer (default: $AI_LOADOUT_SESSION)' },
} as const satisfies Flags

/** The installs that a command works on. */
export const SCOPE_FLAGS = projectFlag('your own skills')

export const AGENT_FLAG = {
  agent: {
    kind: 'list',
    value: 'a,b|all',
    summary: 'only these agents (default: all that are enabled)',
    also: ['agents', 'target', 'targets'],
  },
} as const

export const DRY_RUN_FLAG = {
  'dry-run': { kind: 'switch', summary: 'only show what would change' },
} as const

/** Whether to commit a change of the library; the configuration decides otherwise. */
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
  summary: 'the task in your own words; - reads standard input',
  required: true,
  rest: true,
} as const satisfies Argument

/** The task from the arguments or from standard input. */
export function readTask({ args, readStdin }: Pick<Input<Flags>, 'args' | 'readStdin'>): string {
  const task = (args.task === '-' ? readStdin() : (args.task ?? '')).trim()
  if (task !== '') return task
  throw failWith('USAGE/no-stdin-task')
}
