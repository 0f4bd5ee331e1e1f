import { failWith } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { type Argument, COMMON_FLAGS, type Command, type Flag, namedFlags } from './command.ts'

type Value = string | number | boolean | string[]

interface ParsedArguments {
  args: Record<string, string | string[]>
  flags: Record<string, Value>
  /** All arguments as typed. */
  words: string[]
}

/** Parses the words after a command's name. Strict: anything unknown is an error, never ignored. */
export function parseArguments(command: Command, words: readonly string[]): ParsedArguments {
  const flags = new Map<string, Value>()
  const positional: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (word === '--') {
      positional.push(...words.slice(at + 1))
      break
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word)
      continue
    }
    const [typed, attached] = splitFlag(word)
    const [name, flag, key] = findFlag(command, typed, word)
    if (flag.kind === 'switch') {
      if (attached !== undefined) throw failWith('USAGE/no-value', { name, usage: usage(command) })
      // Of --commit and --no-commit the careful one counts.
      flags.set(key, flags.get(key) !== false && name !== `no-${key}`)
      continue
    }
    const text = attached ?? words[++at]
    if (text === undefined || (attached === undefined && /^--?[a-z]/.test(text))) {
      const isFolder = 'value' in flag && flag.value === 'folder'
      throw failWith(isFolder ? 'USAGE/folder' : 'USAGE/value', { name, usage: usage(command) })
    }
    flags.set(key, readValue(command, name, flag, text, flags.get(key)))
  }
  return { args: assign(command, positional), flags: Object.fromEntries(flags), words: positional }
}

function splitFlag(word: string): [string, string | undefined] {
  if (word === '-h') return ['help', undefined]
  const equals = word.indexOf('=')
  const name = word.replace(/^--?/, '')
  return equals < 0 ? [name, undefined] : [name.slice(0, name.indexOf('=')), word.slice(equals + 1)]
}

/** A flag by its name or by one of its other names. */
function findFlag(command: Command, name: string, word: string): [name: string, flag: Flag, key: string] {
  const known = namedFlags({ ...command.flags, ...COMMON_FLAGS })
  const isFlag = word.startsWith('--') || word === '-h'
  const found = known.find(([each, { also }]) => isFlag && (each === name || also?.includes(name)))
  if (found !== undefined) return found
  // No flag has a blank in it: a task that begins with one was meant.
  if (/^--?[^\s=]*\s|\s\S+\s/.test(word)) {
    const said = word.split(/\s/, 1)[0]!
    throw failWith('USAGE/dashed-text', { said, usage: usage(command) })
  }
  const close = nearest(
    name,
    known.flatMap(([each, { also = [] }]) => [each, ...also]),
  )
  const typed = word.startsWith('--') ? `--${name}` : word
  throw failWith('USAGE/unknown-flag', { typed, close, usage: usage(command) })
}

function readValue(command: Command, name: string, flag: Flag, text: string, before: Value | undefined): Value {
  if (flag.kind === 'list') return [...(Array.isArray(before) ? before : []), text]
  if (flag.kind === 'choice' && !flag.choices.includes(text)) {
    const close = nearest(text, flag.choices)
    throw failWith('USAGE/one-of', { name, text, choices: flag.choices.join(', '), close, usage: usage(command) })
  }
  if (flag.kind !== 'number') return text
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw failWith('USAGE/whole-number', { name, text, usage: usage(command) })
  }
  return number
}

function assign(command: Command, words: readonly string[]): ParsedArguments['args'] {
  const args: ParsedArguments['args'] = {}
  let at = 0
  for (const { name, rest } of command.args) {
    const text = words.slice(at).join(' ')
    if (rest === 'names') args[name] = text.split(' ').filter((word) => word !== '')
    else if (at < words.length) args[name] = rest === 'text' ? text : words[at]!
    at = rest === undefined ? at + 1 : words.length
  }
  if (at < words.length) throw failWith('USAGE/argument', { word: words[at]!, usage: usage(command) })
  return args
}

/** Checked only when the command runs, so that `--help` works without arguments. */
export function requireArguments(command: Command, args: ParsedArguments['args']): void {
  const missing = command.args.find(({ name, required }) => required && `${args[name] ?? ''}`.trim() === '')
  if (missing !== undefined)
    throw failWith('USAGE/missing', { name: missing.name, summary: missing.summary, usage: usage(command) })
}

export function usageLine(command: Command): string {
  return ['loadout', command.name, ...command.args.map(showArgument)].join(' ')
}

export function showArgument({ name, required, rest }: Argument): string {
  const shown = rest ? `${name}…` : name
  return required ? `<${shown}>` : `[${shown}]`
}

/** How the command is called, as the hint of what was wrong. */
function usage(command: Command): string {
  return `usage: ${usageLine(command)} [flags]   (loadout help ${command.name})`
}
