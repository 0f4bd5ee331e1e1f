import type { FileSection } from './sections.ts'

/** A file and its sections, in the order of its lines. */
export interface SectionedFile {
  path: string
  score: number
  /** A changelog, settings, data: it matches many tasks, but few need much of it. */
  isSide?: boolean
  sections: readonly FileSection[]
}

/** Some sections of a file that are shown together. */
interface Portion {
  /** The index of the file in the list. */
  file: number
  /** Which of its sections. */
  section: number
}

export interface SectionOrder {
  order: Portion[]
  /** How many of them come before any file shows more. */
  first: number
}

/** Before any file shows more, each shows its best sections up to this many characters. */
const FIRST_CHARS = 800
/** The maximum share of one file, once it has shown a little. */
const LARGEST_SHARE = 1 / 3
const FREE_CHARS = 2500
const SMALL_FILE = 1500
const SIDE_CHARS = 1500

/**
 * The order in which sections are shown: first the best of each file, then all others by weight. The order does not
 * depend on the space, so that less space never shows what more space does not.
 */
export function orderSections(
  files: readonly SectionedFile[],
  { mostPerFile, isUnrestricted = false }: { mostPerFile: number; isUnrestricted?: boolean },
): SectionOrder {
  const order: Portion[] = []
  const shown = files.map(() => 0)
  let total = 0
  const rest: (Portion & { worth: number })[] = []
  const taken = files.map(() => new Set<number>())
  const take = ({ file, section }: Portion) => {
    if (taken[file]!.has(section)) return
    const { text, head } = files[file]!.sections[section]!
    // A part of a definition says little without its signature.
    if (head !== undefined) take({ file, section: head })
    taken[file]!.add(section)
    order.push({ file, section })
    shown[file]! += text.length
    total += text.length
  }
  const sizeOf = ({ file, section }: Portion): number => {
    if (taken[file]!.has(section)) return 0
    const { text, head } = files[file]!.sections[section]!
    return text.length + (head === undefined ? 0 : sizeOf({ file, section: head }))
  }
  const best = files.map(() => 0)
  files.forEach(({ sections, score }, file) => {
    const ranked = sections
      .map(({ score: own }, section) => ({ file, section, worth: (own * score) / (1 + file / 20) }))
      .sort((a, b) => b.worth - a.worth || a.section - b.section)
    const whole = sections.reduce((sum, { text }) => sum + text.length, 0)
    const most = Math.min(mostPerFile, whole <= SMALL_FILE ? SMALL_FILE : FIRST_CHARS)
    best[file] = ranked[0]?.section ?? 0
    for (const [at, each] of ranked.entries()) {
      if (at === 0 || shown[file]! + sizeOf(each) <= most) take(each)
      else rest.push(each)
    }
  })
  const first = order.length
  // Many sections hold no word of the task: those beside the best one say more than the head of the file.
  const distance = ({ file, section }: Portion) => Math.abs(section - best[file]!)
  rest.sort((a, b) => b.worth - a.worth || distance(a) - distance(b) || a.file - b.file || a.section - b.section)
  const fits = (each: Portion) => shown[each.file]! + sizeOf(each) <= mostPerFile
  const isShared = (each: Portion) => {
    const size = sizeOf(each)
    const most = files[each.file]!.isSide ? SIDE_CHARS : Math.max(FREE_CHARS, LARGEST_SHARE * (total + size))
    return fits(each) && shown[each.file]! + size <= most
  }
  // If nothing else is left to show, a file may show more.
  const left = isUnrestricted ? rest : takeAllowed(rest, isShared, take)
  takeAllowed(left, fits, take)
  return { order, first }
}

/** A section that is not allowed yet may be allowed after others. Returns those that never were. */
function takeAllowed<T extends Portion>(
  rest: readonly T[],
  isAllowed: (each: T) => boolean,
  take: (each: T) => void,
): readonly T[] {
  const waiting: T[] = []
  for (const each of rest) {
    for (let at = waiting.findIndex(isAllowed); at >= 0; at = waiting.findIndex(isAllowed)) {
      take(...(waiting.splice(at, 1) as [T]))
    }
    if (isAllowed(each)) take(each)
    else waiting.push(each)
  }
  return waiting
}
