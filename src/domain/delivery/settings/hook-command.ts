import { shellWord } from '../../shared/shell-word.ts'

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

/** Reads any form of ours, also older ones and those a person wrote; undefined for what is not ours. */
export function readCommand(command: string, agent: string): OwnCommand | undefined {
  const found = OWN_COMMAND.exec(command)
  if (found === null) return undefined
  const [, name, host, event = '', options = ''] = found
  if (host !== agent || (name === undefined && !command.endsWith(SIGNATURE))) return undefined
  return { event, options }
}

const OWN_COMMAND =
  /(?:(?:^|[\s;&|(/'"])(loadout)|\/cli\.c?js)['"]? hook ([a-z]+) ([A-Za-z]+)((?: --[a-z-]+(?:[ =][\w.-]+)?)*)(?=$|[\s;&|)'"])/

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
