import { createLoadout } from '../loadout.ts'
import { listed } from '../text/count.ts'
import { explainCode } from '../text/issues.ts'
import { printableJson } from '../text/printable.ts'
import { failWith, hasErrors, LoadoutError, type Report, toldOf } from '../text/trouble.ts'
import { VERSION } from '../text/version.ts'
import type { Argument, Command, Flags, Input } from './command.ts'
import { plan } from './commands/plan.ts'
import { parseArguments, requireArguments } from './parse.ts'
import { createScreen, formatError, formatFindings, inHome, printableLine, type Screen } from './screen.ts'
import type { Terminal } from './terminal.ts'

const WAITING = 3

/** Exit codes: 0 success, 1 when something needs action, 2 when it could not run, 3 when the user must answer first. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(argv, terminal)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') {
      terminal.write('stderr', 'Interrupted. Completed changes were kept; nothing was left half-written.\n')
      // As shells do.
      return 130
    }
    const problem = error instanceof LoadoutError ? error : unexpected(error)
    report(problem, argv.includes('--json'), terminal)
    return problem.code === 'APPROVAL_NEEDED' || problem.code === 'CONFIRMATION_NEEDED' ? WAITING : 2
  }
}

function report(problem: LoadoutError, asJson: boolean, terminal: Terminal): void {
  try {
    const text = formatError(problem, createScreen(terminal.hasColour('stderr')))
    terminal.write('stderr', inHome(text, process.env.HOME))
    if (asJson) terminal.write('stdout', toJsonText({ error: toldOf(problem) }))
  } catch {
    // The output itself cannot be written; the exit code still shows the error.
  }
}

async function runCommand(typed: readonly string[], terminal: Terminal): Promise<number> {
  const argv = flagsLast(typed)
  if (beforeDashes(argv).includes('--no-color')) process.env.NO_COLOR = '1'
  if (namesNothing(argv) && !argv.includes('--json') && terminal.isSeen('stdin') && terminal.isSeen('stdout'))
    return openInterface(argv)
  const width = terminal.isSeen('stdout') ? undefined : Number.POSITIVE_INFINITY
  const screen = createScreen(terminal.hasColour('stdout'), width)
  const told = await tellAbout(argv, screen)
  if (told !== undefined) {
    terminal.write('stdout', argv.includes('--json') ? toJsonText(told) : Object.values(told).join(''))
    return 0
  }
  const named = namesNothing(argv) ? ['status', ...argv.filter((word) => word !== '--user')] : argv
  const { command, rest } = await find(named)
  const parsed = parseArguments(command, rest)
  const { args, words } = parsed
  requireArguments(command, args)
  const { json, help: _, noColor: __, ...flags } = parsed.flags
  const asJson = json === true
  const input = {
    args,
    flags,
    request: { ...args, ...flags },
    words,
    asJson,
    readStdin: () => terminal.readStdin(),
    get control() {
      const onProgress = terminal.isSeen('stderr') ? showProgress(terminal) : undefined
      return { signal: terminal.interruption(), onProgress }
    },
    ask: terminal.isSeen('stdin') && terminal.isSeen('stderr') ? (text: string) => terminal.ask(text) : undefined,
  }
  const report = await command.run(input as Input<readonly Argument[], Flags>, createLoadout({ persist: true }))
  printAnswer(command, report, asJson, terminal, screen)
  if (command.isWaiting?.(report.value)) return WAITING
  return command.exitCode?.(report.value) ?? (hasErrors(report.findings) ? 1 : 0)
}

/** People also write `loadout --json status`. */
function flagsLast(argv: readonly string[]): readonly string[] {
  const first = argv.findIndex((word) => word !== '--json' && word !== '--no-color')
  if (first <= 0) return argv
  const words = argv.slice(first)
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return [...words.slice(0, end), ...argv.slice(0, first), ...words.slice(end)]
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  return argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
}

/** An agent may ask for a plan before every task: avoid loading all other commands. */
async function find(argv: readonly string[]): Promise<{ command: Command; rest: readonly string[] }> {
  if (argv[0] === plan.name) return { command: plan, rest: argv.slice(1) }
  return (await import('./commands.ts')).findCommand(argv)
}

/** One line that is overwritten, and cleared at the end. */
function showProgress(terminal: Terminal) {
  return (done: number, total: number, what: string) => {
    // With fewer steps a progress line would only flicker.
    if (total < 20) return
    const line = done < total ? `${done} of ${total}  ${printableLine(what)}`.slice(0, 78) : ''
    terminal.write('stderr', `\r\u001b[K${line}`)
  }
}

/** Without a command: the terminal interface on a terminal, otherwise the status. */
function namesNothing(argv: readonly string[]): boolean {
  return argv.every((word) => word === '--user' || word === '--json')
}

async function openInterface(argv: readonly string[]): Promise<number> {
  const { paintFirst } = await import('../tui/first-paint.ts')
  const { model, screen } = await paintFirst(createLoadout({ persist: true }), { isUser: argv.includes('--user') })
  try {
    const { runInterface } = await import('../tui/main.ts')
    return await runInterface(model, screen)
  } finally {
    screen.giveBack()
  }
}

/** The version, or the requested help. A word that only starts the names of commands lists them: `loadout packs`. */
async function tellAbout(
  argv: readonly string[],
  screen: Screen,
): Promise<{ version: string } | { help: string } | undefined> {
  const [first] = argv
  if (first === '--version' || first === '-v' || first === 'version') return { version: `${VERSION}\n` }
  const words = argv.filter((word) => !['--json', '--no-color', '--help', '-h', 'help', '--all'].includes(word))
  const options = beforeDashes(argv)
  const isAsked = first === 'help' || options.includes('--help') || options.includes('-h')
  const isOneWord = words.length === 1 && !options.includes('--all')
  if (!isAsked && (!isOneWord || first === plan.name || first === 'hook')) return undefined
  const { findCommand, findGroup } = await import('./commands.ts')
  const group = words.length === 1 ? findGroup(words[0] ?? '') : undefined
  if (!isAsked && group === undefined) return undefined
  const { commandHelp, everything, groupHelp, overview } = await import('./help.ts')
  if (group !== undefined) return { help: groupHelp(group, screen) }
  const code = words.length === 1 ? explainCode(words[0] ?? '') : undefined
  if (code !== undefined) return { help: `${code.join('\n  ')}\n` }
  if (words.length > 0) return { help: commandHelp(findCommand(words).command, screen) }
  return { help: options.includes('--all') ? everything(screen) : overview(screen) }
}

function printAnswer(
  command: Command,
  report: Report<unknown>,
  asJson: boolean,
  terminal: Terminal,
  screen: Screen,
): void {
  const { value, findings } = report
  if (asJson) {
    const json = command.toJson?.(value) ?? value
    // A list cannot contain findings; they are on standard error then.
    const isList = Array.isArray(json)
    terminal.write('stdout', toJsonText(isList ? json : { ...(json as object), findings }))
    // All of them are on standard output: a flood here would only hide the summary.
    if (!isList && findings.length > 8) {
      const codes = [...new Set(findings.map(({ code }) => code))]
      terminal.write('stderr', `${findings.length} findings in "findings": ${listed(codes)}\n`)
      return
    }
  } else {
    const text = command.print(value, screen, findings)
    terminal.write('stdout', command.keepsPaths ? text : inHome(text, process.env.HOME))
  }
  if (asJson || !command.printsFindings) {
    const text = formatFindings(findings, createScreen(terminal.hasColour('stderr')), 4)
    terminal.write('stderr', inHome(text, process.env.HOME))
  }
}

function toJsonText(value: unknown): string {
  return `${printableJson(JSON.stringify(value, null, 2))}\n`
}

/** A bug in Loadout: shown without a stack trace unless a developer asks for it. */
function unexpected(error: unknown): LoadoutError {
  if (process.env.LOADOUT_DEBUG) throw error
  const detail = error instanceof Error ? error.message : String(error)
  return failWith('UNEXPECTED', { detail }, { cause: error })
}
