import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeInput } from './decode-input.ts'

type Messages = ReturnType<typeof decodeInput>['messages']

const key = (name: string) => ({ kind: 'key', name }) as const
const text = (typed: string) => ({ kind: 'text', text: typed }) as const
const paste = (pasted: string) => ({ kind: 'paste', text: pasted }) as const

const ESC = '\u001b'
const pasting = (content: string) => `${ESC}[200~${content}${ESC}[201~`

const KEYS: [input: string, name: string][] = [
  [`${ESC}[A`, 'up'],
  [`${ESC}[B`, 'down'],
  [`${ESC}[C`, 'right'],
  [`${ESC}[D`, 'left'],
  [`${ESC}OA`, 'up'],
  [`${ESC}OB`, 'down'],
  [`${ESC}OC`, 'right'],
  [`${ESC}OD`, 'left'],
  [`${ESC}[H`, 'home'],
  [`${ESC}[F`, 'end'],
  [`${ESC}OH`, 'home'],
  [`${ESC}OF`, 'end'],
  [`${ESC}[1~`, 'home'],
  [`${ESC}[4~`, 'end'],
  [`${ESC}[7~`, 'home'],
  [`${ESC}[8~`, 'end'],
  [`${ESC}[5~`, 'pageup'],
  [`${ESC}[6~`, 'pagedown'],
  [`${ESC}[3~`, 'backspace'],
  [`${ESC}[Z`, 'tab'],
  [`${ESC}[1;5A`, 'up'],
  [`${ESC}[1;2B`, 'down'],
  [`${ESC}[5;5~`, 'pageup'],
  [ESC, 'escape'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\t', 'tab'],
  ['\u007f', 'backspace'],
  ['\b', 'backspace'],
  ['\u0003', 'ctrl-c'],
  ['\u0004', 'ctrl-d'],
  ['\u000b', 'ctrl-k'],
  ['\u000e', 'ctrl-n'],
  ['\u0010', 'ctrl-p'],
  ['\u0015', 'ctrl-u'],
]

describe('what the terminal sends', () => {
  it.each(KEYS.map(([input, name]) => [JSON.stringify(input), input, name]))('%s is a key', (_, input, name) => {
    expect(decodeInput(input)).toEqual({ messages: [key(name)], rest: '' })
  })

  const rows: [what: string, input: string, messages: Messages, rest?: string][] = [
    ['nothing', '', []],
    ['a letter', 'j', [text('j')]],
    ['letters in one piece', 'jjk', [text('jjk')]],
    ['wide and joined characters', '技👨‍👩‍👧e\u0301', [text('技👨‍👩‍👧e\u0301')]],
    ['several keys in one piece', `${ESC}[Ajj${ESC}[B\r`, [key('up'), text('jj'), key('down'), key('enter')]],
    ['the escape key and a letter', `${ESC}j`, [key('escape'), text('j')]],
    ['the escape key twice', ESC + ESC, [key('escape'), key('escape')]],
    ['the escape key before a sequence', `${ESC}${ESC}[A`, [key('escape'), key('up')]],
    ['an unknown sequence', `${ESC}[15~x`, [text('x')]],
    ['a function key of the console', `${ESC}[[Ax`, [text('x')]],
    ['an answer of the terminal', `${ESC}[?2026;2$yx`, [text('x')]],
    ['a report of the mouse', `${ESC}[<0;10;20Mx`, [text('x')]],
    ['the keyboard protocol of some terminals', `${ESC}[>1ux`, [text('x')]],
    ['half a sequence', `j${ESC}[1;`, [text('j')], `${ESC}[1;`],
    ['half a sequence of the other kind', `${ESC}O`, [], `${ESC}O`],
    ['a paste', pasting('a b'), [paste('a b')]],
    ['a paste with line ends and controls', pasting('a\r\nb\u0003\u0007'), [paste('a\r\nb\u0003\u0007')]],
    ['a paste with sequences in it', pasting(`${ESC}[A${ESC}`), [paste(`${ESC}[A${ESC}`)]],
    ['an empty paste', pasting(''), [paste('')]],
    ['keys around a paste', `j${pasting('q')}k`, [text('j'), paste('q'), text('k')]],
    ['two pastes', pasting('a') + pasting('b'), [paste('a'), paste('b')]],
    ['half a paste', `j${ESC}[200~abc`, [text('j')], `${ESC}[200~abc`],
    ['a paste whose end is cut', `${ESC}[200~abc${ESC}[20`, [], `${ESC}[200~abc${ESC}[20`],
    ['the end of a paste that never began', `${ESC}[201~x`, [text('x')]],
  ]
  it.each(rows)('%s', (_, input, messages, rest = '') => {
    expect(decodeInput(input)).toEqual({ messages, rest })
  })

  /** In pieces, as they arrive; neighbouring texts are one text. */
  function decodeAll(pieces: readonly string[]): Messages {
    const all: Messages = []
    let rest = ''
    for (const piece of pieces) {
      const decoded = decodeInput(rest + piece)
      rest = decoded.rest
      for (const message of decoded.messages) {
        const last = all.at(-1)
        if (message.kind === 'text' && last?.kind === 'text') all[all.length - 1] = text(last.text + message.text)
        else all.push(message)
      }
    }
    return all
  }

  const input = fc
    .array(
      fc.oneof(
        fc.constantFrom(...KEYS.map(([sequence]) => sequence)),
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'binary' }).map((content) => pasting(content.replaceAll(ESC, ''))),
        fc.constantFrom(`${ESC}[15~`, `${ESC}[?2026;2$y`, `${ESC}[<0;10;20M`),
      ),
    )
    .map((parts) => parts.join(''))

  it('means the same in any pieces, unless one ends with an escape', () => {
    fc.assert(
      fc.property(input, fc.array(fc.nat(200)), (whole, cuts) => {
        const places = [...new Set(cuts)].sort((a, b) => a - b).filter((at) => whole[at - 1] !== ESC)
        const pieces = [0, ...places].map((from, index) => whole.slice(from, places[index] ?? whole.length))
        expect(decodeAll(pieces)).toEqual(decodeAll([whole]))
      }),
    )
  })

  it('never loses its place in noise', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (noise) => {
        const { messages, rest } = decodeInput(noise)
        expect(noise.endsWith(rest)).toBe(true)
        for (const message of messages) if (message.kind === 'text') expect(noise).toContain(message.text)
      }),
    )
  })

  it('takes a large paste in small pieces', () => {
    const content = 'x'.repeat(200_000)
    const whole = pasting(content)
    const pieces = Array.from({ length: Math.ceil(whole.length / 1_024) }, (_, at) =>
      whole.slice(at * 1_024, (at + 1) * 1_024),
    )
    expect(decodeAll(pieces)).toEqual([paste(content)])
  })
})
