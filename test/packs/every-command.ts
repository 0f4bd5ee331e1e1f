import { COMMON_FLAGS, type Command, type Flag, namedFlags } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'

export interface Words {
  /** Values for arguments that take a name or a path. */
  targets: readonly string[]
  /** The value for a task, and the value where one word is enough. */
  task: string
  name: string
}

/**
 * Calls every command of the table: with each target as its argument and with each value of each flag, in turn as text
 * and as JSON; LOADOUT_TEST_ALL=1 calls all in both ways. New commands and flags are included automatically.
 */
export function everyCall(words: Words, isMeant: (command: Command) => boolean = () => true): string[][] {
  const calls = COMMANDS.filter(isMeant).flatMap((command) => callsOf(command, words))
  // Removes duplicates: calls with a task do not depend on the target.
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()]
}

function callsOf(command: Command, words: Words): string[][] {
  const start = command.name.split(' ')
  const usual = [...start, ...argumentsOf(command, words, words.name)]
  const byTarget =
    command.args.length === 0
      ? [usual]
      : [words.task, ...words.targets].map((target) => [...start, ...argumentsOf(command, words, target)])
  const flags = namedFlags({ ...command.flags, help: COMMON_FLAGS.help })
  const byFlag = flags.flatMap(([name, flag]) =>
    valuesOf(flag, words).map((value, at) => [`--${name}`, ...value, ...(at % 2 === 0 ? [] : ['--json'])]),
  )
  const switches = namedFlags(command.flags).flatMap(([name, { kind }]) => (kind === 'switch' ? [`--${name}`] : []))
  const all = [words.name, ...words.targets.slice(0, 1)].map((target) => everyFlag(command, { ...words, name: target }))
  const calls = [...byTarget, ...[switches, ...all].map((flag) => [...usual, ...flag])]
  const isWhole = process.env.LOADOUT_TEST_ALL !== undefined
  const asked = calls.flatMap((call, at) => [call, [...call, '--json']].filter((_, way) => isWhole || way === at % 2))
  return [...asked, ...byFlag.map((flag) => [...usual, ...flag])]
}

/** All flags at once. */
function everyFlag({ flags }: Command, words: Words): string[] {
  return namedFlags(flags).flatMap(([name, flag]) => {
    if (flag.kind === 'switch') return [`--${name}`]
    if (name === 'project') return []
    return [`--${name}`, flag.kind === 'number' ? '1000000' : (valuesOf(flag, words).at(-1)?.[0] ?? '')]
  })
}

/** The task for task arguments, the target for all others. */
function argumentsOf({ args }: Command, { task }: Words, target: string): string[] {
  return args.flatMap(({ name }) => (name === 'task' || name === 'words' ? [task] : [target]))
}

/** The values to try for a flag; for texts the last target and the name. */
function valuesOf(flag: Flag, { targets, task, name }: Words): string[][] {
  switch (flag.kind) {
    case 'switch':
      return [[]]
    case 'choice':
      return flag.choices.map((choice) => [choice])
    case 'number':
      return [['1'], ['1000000']]
    default:
      return [targets.at(-1) ?? task, name].map((value) => [value])
  }
}
