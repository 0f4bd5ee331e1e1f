import type { Line, Style } from './line.ts'

/** How many colours the terminal shows: none, 16, 256, or all. */
export type ColourDepth = 0 | 4 | 8 | 24

type Codes = Record<Style, string>

// Without colour a state still has its sign and word; the chosen row is reversed.
const NO_COLOURS: Codes = { strong: '1', faint: '', good: '', alert: '', accent: '', chosen: '7' }
const SIXTEEN_COLOURS: Codes = { strong: '1', faint: '90', good: '32', alert: '33', accent: '36', chosen: '7' }
const ALL_COLOURS: Codes = {
  ...SIXTEEN_COLOURS,
  faint: '38;5;244',
  accent: '38;5;75',
  good: '38;5;114',
  alert: '38;5;215',
}
const ALL: Codes = {
  strong: '1',
  faint: '38;2;128;134;144',
  good: '38;2;126;200;130',
  alert: '38;2;240;170;90',
  accent: '38;2;96;175;255',
  chosen: '7',
}

const PALETTES: Record<ColourDepth, Codes> = { 0: NO_COLOURS, 4: SIXTEEN_COLOURS, 8: ALL_COLOURS, 24: ALL }

export function paintLine(line: Line, depth: ColourDepth): string {
  const codes = PALETTES[depth]
  return line
    .map(({ text, style }) => {
      const code = style === undefined ? '' : codes[style]
      return code === '' ? text : `\u001b[${code}m${text}\u001b[0m`
    })
    .join('')
}

/** The colours of the terminal, from its environment variables. */
export function colourDepth(env: Readonly<Record<string, string | undefined>>): ColourDepth {
  if (env.NO_COLOR || env.TERM === 'dumb') return 0
  if (/truecolor|24bit/i.test(env.COLORTERM ?? '')) return 24
  return /256/.test(env.TERM ?? '') ? 8 : 4
}
