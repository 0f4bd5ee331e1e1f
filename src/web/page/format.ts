import { signal } from '@preact/signals'
import { inHome } from '../../text/paths.ts'
import { printableLine } from '../../text/printable.ts'

const NUMBERS = new Intl.NumberFormat('en')

export function grouped(number: number): string {
  return NUMBERS.format(number)
}

/** 1 skill, 2 skills. */
export function count(number: number, noun: string, many = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : many}`
}

/** The home folder, once the server has sent it: paths below it begin with `~`. */
export const home = signal<string | undefined>(undefined)

const LONGEST_LABEL = 300

/** Formats any text or path on one line, with visible control characters, cut to a readable length. */
export function line(text: string, longest = LONGEST_LABEL): string {
  const short = inHome(text.slice(0, longest + LONGEST_LABEL), home.value)
  return printableLine(short.length > longest ? `${short.slice(0, longest)}\u2026` : short)
}
