import { shellWord } from '../../../text/printable.ts'

/** How to start Loadout: by its name, by its name if it is installed, or by two paths. */
export type ProgramCall = 'named' | 'named-if-there' | { node: string; script: string }

/** The shell in which an agent runs a command. */
export type Shell = 'sh' | 'powershell'

/** The event and the options in a command line of ours. */
export interface OwnCommand {
  event: string
  /** Options that the user added after the event. */
  options: string
}

// Distinguishes our command from `cli.cjs hook` of another program.
const SIGNATURE = '# loadout'

/** The syntax of a shell for each form of a call. */
interface Spelling {
  /** Does nothing for people who share the project but have not installed Loadout. */
  ifThere(words: string): string
  paths(node: string, script: string): string
}

const SPELLINGS: Readonly<Record<Shell, Spelling>> = {
  sh: {
    ifThere: (words) => `command -v loadout >/dev/null 2>&1 && ${words} || true`,
    paths: (node, script) => `${quote(node)} ${quote(script)}`,
  },
  powershell: {
    // Without `exit 0`, a missing program would make the whole command fail.
    ifThere: (words) => `if (Get-Command loadout -ErrorAction SilentlyContinue) { ${words} }; exit 0`,
    paths: (node, script) => `& ${quoteForPowerShell(node)} ${quoteForPowerShell(script)}`,
  },
}

/** The command line that an agent runs. */
export function formatCommand(call: ProgramCall, shell: Shell, agent: string, event: string, options = ''): string {
  const words = `hook ${agent} ${event}${options}`
  if (call === 'named') return `loadout ${words}`
  if (call === 'named-if-there') return SPELLINGS[shell].ifThere(`loadout ${words}`)
  return `${SPELLINGS[shell].paths(call.node, call.script)} ${words} ${SIGNATURE}`
}

/** Reads any form of our command, also older or hand-written ones. Undefined for a command that does something else too. */
export function readCommand(command: string, agent: string): OwnCommand | undefined {
  const found = NAMED.exec(command) ?? (command.endsWith(SIGNATURE) ? SIGNED.exec(command) : null)
  if (found === null) return undefined
  const [, host, event = '', options = ''] = found
  return host === agent ? { event, options } : undefined
}

const WORDS = / hook ([a-z]+) ([A-Za-z]+)((?: --[a-z-]+(?:[ =][\w.-]+)?)*)/.source
const IF_THERE =
  /(?:(?:if )?command -v loadout >\/dev\/null 2>&1(?: &&|; then) |if \(Get-Command loadout -ErrorAction SilentlyContinue\) \{ )?/
    .source
const STARTER = /(?:(?:\w+=[\w./:-]*|npx|exec|env|timeout [\d.]+[smh]?) )*/.source
const PROGRAM = /(?:"(?:[^"$`]*\/)?loadout"|'(?:[^']*\/)?loadout'|(?:[^\s;&|()<>'"`$]*\/)?loadout)/.source
const ENDING = /(?: \d?>{1,2} ?[\w./&-]+| \|\| true|; fi| \}; exit 0)*\s*$/.source

// Matches the whole command, because Loadout removes all of it: an addition of the user would be lost.
const NAMED = new RegExp(`^\\s*${IF_THERE}${STARTER}${PROGRAM}${WORDS}${ENDING}`)
const SIGNED = new RegExp(`[/\\\\]cli\\.c?js['"]?${WORDS}\\s+${SIGNATURE}$`)

/** The paths in a command; undefined if it calls the program by its name. */
export function pathsIn(command: string): { node: string; script: string } | undefined {
  const { node, script } = PATHS.exec(command)?.groups ?? {}
  if (node !== undefined && script !== undefined) return { node: unquote(node), script: unquote(script) }
  const found = POWERSHELL_PATHS.exec(command)?.groups
  if (found?.node === undefined || found.script === undefined) return undefined
  return { node: unquoteForPowerShell(found.node), script: unquoteForPowerShell(found.script) }
}

const PATHS = /^(?<node>'(?:[^']|'\\'')*') (?<script>'(?:[^']|'\\'')*') hook /

function quote(path: string): string {
  const word = shellWord(path)
  return word.startsWith("'") ? word : `'${word}'`
}

function unquote(word: string): string {
  return word.slice(1, -1).replaceAll("'\\''", "'")
}

// PowerShell treats curved quotes as single quotes too. In a string, two of them stand for the second.
const QUOTE = /['\u2018-\u201b]/g
const TWO_QUOTES = /['\u2018-\u201b](['\u2018-\u201b])/g
const QUOTED = /'(?:[^'\u2018-\u201b]|['\u2018-\u201b]{2})*'/.source
const POWERSHELL_PATHS = new RegExp(`^& (?<node>${QUOTED}) (?<script>${QUOTED}) hook `)

function quoteForPowerShell(path: string): string {
  return `'${path.replace(QUOTE, '$&$&')}'`
}

function unquoteForPowerShell(word: string): string {
  return word.slice(1, -1).replace(TWO_QUOTES, '$1')
}
