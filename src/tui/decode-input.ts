import type { Message } from './message.ts'

type Pressed = Extract<Message, { kind: 'key' | 'text' | 'paste' }>

const SEQUENCES: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[5~': 'pageup',
  '[6~': 'pagedown',
  '[3~': 'backspace',
  '[Z': 'tab',
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
}

const PASTE_START = '\u001b[200~'
const PASTE_END = '\u001b[201~'

/**
 * Decodes what the terminal sent into keys, text and pastes. Several keys may arrive in one piece, and one key in two:
 * put `rest` before the next piece.
 */
export function decodeInput(input: string): { messages: Pressed[]; rest: string } {
  const messages: Pressed[] = []
  let at = 0
  while (at < input.length) {
    if (input.startsWith(PASTE_START, at)) {
      const end = input.indexOf(PASTE_END, at)
      if (end < 0) return { messages, rest: input.slice(at) }
      messages.push({ kind: 'paste', text: input.slice(at + PASTE_START.length, end) })
      at = end + PASTE_END.length
      continue
    }
    const [message, length] = decodeOne(input, at)
    if (length === 0) return { messages, rest: input.slice(at) }
    if (message !== undefined) messages.push(message)
    at += length
  }
  return { messages, rest: '' }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a text
const TEXT = /[^\u0000-\u001f\u007f]+/y

function decodeOne(input: string, at: number): [Pressed | undefined, number] {
  const first = input[at] ?? ''
  if (first === '\u001b') return decodeEscape(input, at)
  const control = CONTROLS[first]
  if (control !== undefined) return [{ kind: 'key', name: control }, 1]
  if (first < ' ') return [{ kind: 'key', name: `ctrl-${String.fromCharCode(first.charCodeAt(0) + 96)}` }, 1]
  TEXT.lastIndex = at
  const text = TEXT.exec(input)?.[0] ?? first
  return [{ kind: 'text', text }, text.length]
}

// As terminals send them: parameters, then at most one end. `[[A` to `[[E` are function keys of the console.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape itself
const SEQUENCE = /\u001b(\[\[[A-E]|\[[0-?]*[ -/]*[@-Z\\-~]|O[ -~])/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape itself
const UNFINISHED = /\u001b(\[\[?|\[[0-?]*[ -/]*|O)$/y

/** A sequence, or the escape key itself when nothing follows it. */
function decodeEscape(input: string, at: number): [Pressed | undefined, number] {
  SEQUENCE.lastIndex = at
  const sequence = SEQUENCE.exec(input)?.[1]
  if (sequence !== undefined) {
    const name = SEQUENCES[withoutModifier(sequence)]
    return [name === undefined ? undefined : { kind: 'key', name }, sequence.length + 1]
  }
  UNFINISHED.lastIndex = at
  return UNFINISHED.test(input) ? [undefined, 0] : [{ kind: 'key', name: 'escape' }, 1]
}

/** Ignores shift, alt and control with an arrow. */
function withoutModifier(sequence: string): string {
  return sequence.replace(/^\[1;\d+([A-Z])$/, '[$1').replace(/^\[(\d+);\d+~$/, '[$1~')
}
