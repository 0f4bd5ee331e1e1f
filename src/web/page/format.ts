import { printableLine } from '../../text/printable.ts'

const NUMBERS = new Intl.NumberFormat('en')

export function grouped(number: number): string {
  return NUMBERS.format(number)
}

/** 1 skill, 2 skills. */
export function count(number: number, noun: string, many = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : many}`
}

/** A path with the home folder as `~`. */
export function inHome(path: string, home: string | undefined): string {
  return line(home !== undefined && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path)
}

const LONGEST = 300

/** A name or a title that somebody else wrote: on one line, its controls visible, and no longer than a page can bear. */
export function line(text: string, longest = LONGEST): string {
  const shown = printableLine(text.length > longest ? `${text.slice(0, longest)}\u2026` : text)
  return shown
}
