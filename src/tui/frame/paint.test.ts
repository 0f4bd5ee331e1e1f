import { describe, expect, it } from 'vitest'
import { span } from './line.ts'
import { type ColourDepth, colourDepth, paintLine } from './paint.ts'

describe('how many colours a terminal has', () => {
  it.each<[env: Record<string, string>, depth: ColourDepth]>([
    [{}, 4],
    [{ TERM: 'xterm' }, 4],
    [{ TERM: 'xterm-256color' }, 8],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 24],
    [{ COLORTERM: '24bit' }, 24],
    [{ TERM: 'dumb', COLORTERM: 'truecolor' }, 0],
    [{ NO_COLOR: '1', COLORTERM: 'truecolor' }, 0],
    [{ NO_COLOR: '', TERM: 'xterm-256color' }, 8],
  ])('%j', (env, depth) => {
    expect(colourDepth(env)).toBe(depth)
  })
})

describe('a painted line', () => {
  const line = [span('plain '), span('strong', 'strong'), span(' good', 'good'), span(' row', 'chosen')]
  it.each<[depth: ColourDepth, painted: string]>([
    [0, 'plain \u001b[1mstrong\u001b[0m good\u001b[7m row\u001b[0m'],
    [4, 'plain \u001b[1mstrong\u001b[0m\u001b[32m good\u001b[0m\u001b[7m row\u001b[0m'],
    [8, 'plain \u001b[1mstrong\u001b[0m\u001b[38;5;114m good\u001b[0m\u001b[7m row\u001b[0m'],
    [24, 'plain \u001b[1mstrong\u001b[0m\u001b[38;2;126;200;130m good\u001b[0m\u001b[7m row\u001b[0m'],
  ])('with depth %i', (depth, painted) => {
    expect(paintLine(line, depth)).toBe(painted)
  })

  it('has no colour without colours', () => {
    const styles = ['faint', 'good', 'alert', 'accent'] as const
    expect(
      paintLine(
        styles.map((style) => span(style, style)),
        0,
      ),
    ).toBe(styles.join(''))
  })
})
