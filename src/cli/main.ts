import { createLoadout } from '../app/loadout.ts'
import { hasErrors, type Report } from '../domain/shared/finding.ts'
import { LoadoutError } from '../domain/shared/loadout-error.ts'
import { nearest } from '../domain/shared/nearest.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { formatError, formatFindings } from './findings.ts'
import { commandHelp, overview } from './help.ts'
import { parseArguments, requireArguments } from './parse.ts'
import { createScreen, type Screen } from './screen.ts'
import type { Terminal } from './terminal.ts'

declare const LOADOUT_VERSION: string | undefined

export const VERSION = typeof LOADOUT_VERSION === 'string' ? LOADOUT_VERSION : 'development'

/** Exit codes: 0 fine, 1 findings that need action, 2 could not run. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(argv, terminal)
  } catch (error) {
    report(error instanceof LoadoutError ? error : unexpected(error), argv.includes('--json'), terminal)
    return 2
  }
}

function report(problem: LoadoutError, asJson: boolean, terminal: Terminal): void {
  const { code, message, hint } = problem
  try {
    terminal.write('stderr', formatError(problem, createScreen(terminal.hasColour('stderr'))))
    if (asJson) terminal.write('stdout', toJsonText({ error: { code, message, hint } }))
  } catch {
    // What could not be written is the problem itself; the exit code still tells.
  }
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const screen = createScreen(terminal.hasColour('stdout'))
  const say = (key: string, text: string) => {
    terminal.write('stdout', argv.includes('--json') ? toJsonText({ [key]: text }) : text)
    return 0
  }
  const [first] = argv
  if (first === undefined || first === '--help' || first === '-h') return say('help', overview(VERSION, screen))
  if (first === '--version' || first === '-v') return say('version', `${VERSION}\n`)
  const helpFor = first === 'help' ? argv.slice(1) : argv.at(-1)?.match(/^(--help|-h)$/) ? argv.slice(0, -1) : undefined
  const words = helpFor?.filter((word) => word !== '--json')
  if (words !== undefined && words.length <= 1 && isGroup(words[0]))
    return say('help', overview(VERSION, screen, words[0]))
  if (first === 'help') return say('help', commandHelp(findCommand(words ?? []), screen))
  const command = findCommand(argv)
  const { args, flags } = parseArguments(command, argv.slice(command.name.split(' ').length))
  if (flags.help) return say('help', commandHelp(command, screen))
  requireArguments(command, args)
  const report = await command.run(
    { args, flags, asJson: flags.json === true, readStdin: () => terminal.readStdin() },
    createLoadout(),
  )
  show(command, report, flags.json === true, terminal, screen)
  return hasErrors(report.findings) ? 1 : 0
}

function show(command: Command, report: Report<unknown>, asJson: boolean, terminal: Terminal, screen: Screen): void {
  const { value, findings } = report
  if (asJson) {
    const json = command.toJson?.(value) ?? value
    // A list has no room for findings; they are on standard error in any case.
    const whole = Array.isArray(json) ? json : { ...(json as object), findings }
    terminal.write('stdout', toJsonText(whole))
  } else {
    terminal.write('stdout', command.print(value, screen, findings))
  }
  if (asJson || !command.printsFindings) {
    terminal.write('stderr', formatFindings(findings, createScreen(terminal.hasColour('stderr'))))
  }
}

/** Escapes what JSON allows but a terminal may obey: C1 controls, line separators, direction marks. */
function toJsonText(value: unknown): string {
  const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value, null, 2).replace(steering, escaped)}\n`
}

/** True for nothing, and for the first word of commands of two. */
function isGroup(word: string | undefined): boolean {
  return word === undefined || COMMANDS.some(({ name }) => name.startsWith(`${word} `))
}

function findCommand(words: readonly string[]): Command {
  const [first = '', second = ''] = words
  const command =
    COMMANDS.find(({ name }) => name === `${first} ${second}`) ?? COMMANDS.find(({ name }) => name === first)
  if (command !== undefined) return command
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
  if (below.length > 0) {
    const names = below.map(({ name }) => name.slice(first.length + 1))
    const close = nearest(second, names)
    const problem = second === '' ? `"${first}" needs to know what to do` : `there is no command "${first} ${second}"`
    throw new LoadoutError('USAGE', `${problem}${close === undefined ? '' : `; did you mean ${first} ${close}?`}`, {
      hint: `loadout ${first} ${names.join('|')}`,
    })
  }
  const close = nearest(first, [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))])
  throw new LoadoutError(
    'USAGE',
    `there is no command "${first}"${close === undefined ? '' : `; did you mean ${close}?`}`,
    {
      hint: 'loadout help lists the commands',
    },
  )
}

/** A defect of ours: say so without a stack trace, unless a developer asks for it. */
function unexpected(error: unknown): LoadoutError {
  if (process.env.LOADOUT_DEBUG) throw error
  const detail = error instanceof Error ? error.message : String(error)
  return new LoadoutError('UNEXPECTED', `something went wrong that should not: ${detail}`, {
    hint: 'this is a defect of loadout; LOADOUT_DEBUG=1 shows where',
    cause: error,
  })
}
