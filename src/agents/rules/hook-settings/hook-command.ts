import { shellWord } from '../../../text/printable.ts'

/** How the program is started: by its name, only where it is installed, or by two paths. */
export type ProgramCall = 'named' | 'named-if-there' | { node: string; script: string }

/** The shell that an agent hands a command to. */
export type Shell = 'sh' | 'powershell'

/** A hook of ours, as its command line tells. */
export interface OwnCommand {
  event: string
  /** What a person added behind the event. */
  options: string
}

// So that no other program's `cli.cjs hook` is taken for ours.
const SIGNATURE = '# loadout'

/** How a shell writes each form of a call. */
interface Spelling {
  /** Silent for people who share the project but not this program. */
  ifThere(words: string): string
  paths(node: string, script: string): string
}

const SPELLINGS: Readonly<Record<Shell, Spelling>> = {
  sh: {
    ifThere: (words) => `command -v loadout >/dev/null 2>&1 && ${words} || true`,
    paths: (node, script) => `${quote(node)} ${quote(script)}`,
  },
  powershell: {
    // A search that finds nothing has failed, which would be the status of the whole.
    ifThere: (words) => `if (Get-Command loadout -ErrorAction SilentlyContinue) { ${words} }; exit 0`,
    paths: (node, script) => `& ${quoteForPowerShell(node)} ${quoteForPowerShell(script)}`,
  },
}

/** The line an agent hands to a shell. */
export function formatCommand(call: ProgramCall, shell: Shell, agent: string, event: string, options = ''): string {
  const words = `hook ${agent} ${event}${options}`
  if (call === 'named') return `loadout ${words}`
  if (call === 'named-if-there') return SPELLINGS[shell].ifThere(`loadout ${words}`)
  return `${SPELLINGS[shell].paths(call.node, call.script)} ${words} ${SIGNATURE}`
}

/** Reads any form of ours, also older ones and those a person wrote; undefined for what is not, or does more than ours. */
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

// From its beginning to its end, because all of it is taken out: what a person added to it would be lost.
const NAMED = new RegExp(`^\\s*${IF_THERE}${STARTER}${PROGRAM}${WORDS}${ENDING}`)
const SIGNED = new RegExp(`[/\\\\]cli\\.c?js['"]?${WORDS}\\s+${SIGNATURE}$`)

/** The paths in a command of the third form; undefined for one that looks the program up by its name. */
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

// To PowerShell the curved ones are single quotes as well. Inside a text, two of them stand for the second.
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
