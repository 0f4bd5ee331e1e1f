import { shellWord } from '../../../text/printable.ts'

/** How the program is started: by its name, only where it is installed, or by two paths. */
export type ProgramCall = 'named' | 'named-if-there' | { node: string; script: string }

/** A hook of ours, as its command line tells. */
export interface OwnCommand {
  event: string
  /** What a person added behind the event. */
  options: string
}

// So that no other program's `cli.cjs hook` is taken for ours.
const SIGNATURE = '# loadout'

/** The line an agent hands to a shell. The second form is silent for people who share the project but not this program. */
export function formatCommand(call: ProgramCall, agent: string, event: string, options = ''): string {
  const words = `hook ${agent} ${event}${options}`
  if (call === 'named') return `loadout ${words}`
  if (call === 'named-if-there') return `command -v loadout >/dev/null 2>&1 && loadout ${words} || true`
  return `${quote(call.node)} ${quote(call.script)} ${words} ${SIGNATURE}`
}

/** Reads any form of ours, also older ones and those a person wrote; undefined for what is not, or does more than ours. */
export function readCommand(command: string, agent: string): OwnCommand | undefined {
  const found = NAMED.exec(command) ?? (command.endsWith(SIGNATURE) ? SIGNED.exec(command) : null)
  if (found === null) return undefined
  const [, host, event = '', options = ''] = found
  return host === agent ? { event, options } : undefined
}

const WORDS = / hook ([a-z]+) ([A-Za-z]+)((?: --[a-z-]+(?:[ =][\w.-]+)?)*)/.source
const IF_THERE = /(?:(?:if )?command -v loadout >\/dev\/null 2>&1(?: &&|; then) )?/.source
const STARTER = /(?:(?:\w+=[\w./:-]*|npx|exec|env|timeout [\d.]+[smh]?) )*/.source
const PROGRAM = /(?:"(?:[^"$`]*\/)?loadout"|'(?:[^']*\/)?loadout'|(?:[^\s;&|()<>'"`$]*\/)?loadout)/.source
const ENDING = /(?: \d?>{1,2} ?[\w./&-]+| \|\| true|; fi)*\s*$/.source

// From its beginning to its end, because all of it is taken out: what a person added to it would be lost.
const NAMED = new RegExp(`^\\s*${IF_THERE}${STARTER}${PROGRAM}${WORDS}${ENDING}`)
const SIGNED = new RegExp(`/cli\\.c?js['"]?${WORDS}\\s+${SIGNATURE}$`)

/** The paths in a command of the third form; undefined for one that looks the program up by its name. */
export function pathsIn(command: string): { node: string; script: string } | undefined {
  const [, node, script] = /^('(?:[^']|'\\'')*') ('(?:[^']|'\\'')*') hook /.exec(command) ?? []
  return node === undefined || script === undefined ? undefined : { node: unquote(node), script: unquote(script) }
}

function quote(path: string): string {
  const word = shellWord(path)
  return word.startsWith("'") ? word : `'${word}'`
}

function unquote(word: string): string {
  return word.slice(1, -1).replaceAll("'\\''", "'")
}
