import type { Loadout } from '../loadout.ts'
import { type Finding, failWith, type Report } from '../text/trouble.ts'
import type { Screen } from './screen.ts'

/**
 * A flag as data: the source of parsing, help, completion and documentation. Its key is the field of the request that it
 * fills; people type its `name`, or else the key with hyphens.
 */
export type Flag = (
  | {
      kind: 'switch'
      /** There is `--no-<name>` too, and this is what it does. */
      no?: string
    }
  | { kind: 'text' | 'list' | 'number'; value: string }
  | { kind: 'choice'; choices: readonly string[] }
) & {
  summary: string
  name?: string
  /** Accepted, but not listed in help, completion and documentation: for aliases and renamed flags. */
  isUnlisted?: true
  /** Other names of the flag: those it had before, and those that people try. */
  also?: readonly string[]
}

export type Flags = Readonly<Record<string, Flag>>

export interface Argument {
  name: string
  summary: string
  required?: boolean
  /** Takes all remaining words: `text` joins them by blanks, `names` are one by one. */
  rest?: 'text' | 'names'
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

export interface Input<A extends readonly Argument[], F extends Flags> {
  args: {
    [Each in A[number] as Each['name']]: Each extends { rest: 'names' }
      ? string[]
      : Each extends { required: true }
        ? string
        : string | undefined
  }
  flags: { [K in keyof F]?: FlagValue<F[K]> }
  /** Arguments and flags together, as use cases take them. */
  request: this['args'] & this['flags']
  /** All arguments as typed. */
  words: readonly string[]
  /** The answer will be printed as JSON. */
  asJson: boolean
  /** All of standard input as text. */
  readStdin(): string
  /**
   * For a long use case: shows its progress, if a terminal can, and fires when the user wants to stop. Who takes it must
   * then stop without leaving anything half done.
   */
  readonly control: { signal: AbortSignal; onProgress?: (done: number, total: number, what: string) => void }
  /** Asks the user and returns the answer; undefined without a terminal. */
  ask?: Ask
}

export type Ask = (question: string) => string

/** A command as data: its arguments, one call, and how to print its answer. */
export interface Command<A extends readonly Argument[] = readonly Argument[], F extends Flags = Flags, V = unknown> {
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
  args: A
  flags: F
  run(input: Input<A, F>, loadout: Loadout): Report<V> | Promise<Report<V>>
  print(value: V, screen: Screen, findings: readonly Finding[]): string
  /** The value for --json, if it differs from the result of `run`. */
  toJson?(value: V): unknown
  /** True when the output is content, not messages: there, paths below the home folder do not become `~/…`. */
  keepsPaths?: boolean
  /** True when the findings are the answer: `print` shows them, and standard error stays empty. */
  printsFindings?: boolean
  /** Whether an approval or a confirmation is missing and Loadout could not ask for it. */
  isWaiting?(value: V): boolean
  /** For a command that runs another program: what that program ended with. */
  exitCode?(value: V): number | undefined
}

/** Keeps the types of arguments and flags in a command's definition; the table needs only the general type. */
export function defineCommand<const A extends readonly Argument[], const F extends Flags, V>(
  command: Command<A, F, V>,
): Command {
  return command as unknown as Command
}

/** `dryRun` is typed as `dry-run`. */
export function nameOfKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** Each flag by the name that people type; a switch with a `no` is two flags. */
export function namedFlags(flags: Flags): [name: string, flag: Flag, key: string][] {
  return Object.entries(flags).flatMap(([key, flag]): [string, Flag, string][] => {
    const name = flag.name ?? nameOfKey(key)
    const no = flag.kind === 'switch' && flag.no
    return [
      [name, flag, key],
      ...(no ? [[`no-${name}`, { kind: 'switch', summary: no }, key] as [string, Flag, string]] : []),
    ]
  })
}

/** The flags that help, completion and documentation show. */
export function listedFlags(flags: Flags): [name: string, flag: Flag, key: string][] {
  return namedFlags(flags).filter(([, { isUnlisted }]) => !isUnlisted)
}

/** Flags that every command has. */
export const COMMON_FLAGS = {
  json: { kind: 'switch', summary: 'print JSON for programs' },
  help: { kind: 'switch', summary: 'show this help' },
  noColor: { kind: 'switch', summary: 'print without colour', isUnlisted: true, also: ['no-colour'] },
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
  targets: {
    name: 'agent',
    kind: 'list',
    value: 'a,b|all',
    summary: 'only these agents (default: all that are enabled)',
    also: ['agents', 'target', 'targets'],
  },
} as const

export const DRY_RUN_FLAG = {
  dryRun: { kind: 'switch', summary: 'only show what would change' },
} as const

/** Whether to commit a change of the library; the configuration decides otherwise. */
export const COMMIT_FLAGS = {
  commit: { kind: 'switch', summary: 'commit the change', no: 'leave the change uncommitted' },
} as const

/** The agents that a skill is for. */
export function agentsFlag(summary: string, value = 'a,b') {
  return { name: 'agents', kind: 'list', value, summary, also: ['targets', 'agent', 'target'] } as const
}

export const ALL_FLAG = { all: { kind: 'switch', summary: 'every skill' } } as const

/** What to take of a repository, folder or archive. */
export const SOURCE_FLAGS = {
  all: { kind: 'switch', summary: 'every skill that was found' },
  ref: { kind: 'text', value: 'ref', summary: 'branch, tag or commit of the repository' },
} as const

export function limitFlag(usual: number) {
  return { limit: { kind: 'number', value: 'n', summary: `maximum number (default: ${usual})` } } as const
}

/** For aliases: what is named is a pack. */
export const PACK_KIND_FLAG = {
  kind: { kind: 'choice', choices: ['pack'], summary: 'what is named is a pack', isUnlisted: true },
} as const

export const YES_FLAG = { yes: { kind: 'switch', summary: 'do not ask' } } as const

export const PACK_ARGUMENT = { name: 'pack', summary: 'its name, or its folder', required: true } as const

export const NAME_ARGUMENT = [{ name: 'name', summary: 'the skill', required: true }] as const
export const NAMES_ARGUMENT = [{ name: 'names', summary: 'the skills', rest: 'names' }] as const

export const TASK_ARGUMENT = {
  name: 'task',
  summary: 'the task in your own words; - reads standard input',
  required: true,
  rest: 'text',
} as const satisfies Argument

/** The task from the arguments or from standard input. */
export function readTask({ args, readStdin }: { args: { task: string }; readStdin(): string }): string {
  const task = (args.task === '-' ? readStdin() : args.task).trim()
  if (task !== '') return task
  throw failWith('USAGE/no-stdin-task')
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer)
}
