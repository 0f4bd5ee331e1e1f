import type { FileSection } from './sections.ts'

/** A file and its sections, in the order of its lines. */
export interface SectionedFile {
  /** How likely the task needs it, 0 to 1. */
  probability: number
  /** A changelog, settings, data: it matches many tasks, but few need much of it. */
  isSide?: boolean
  sections: readonly FileSection[]
}

/** A section of a file: both as places in their lists. */
interface Portion {
  file: number
  section: number
}

export interface SectionOrder {
  order: Portion[]
  /** How many of them come before any file shows more than its best definition. */
  first: number
}

/**
 * The order in which sections are shown: first the best definition of each file, then all others by how likely they are
 * needed. It does not depend on the space, so that less space never shows what more space does not.
 */
export function orderSections(
  files: readonly SectionedFile[],
  { mostPerFile, isUnrestricted = false }: { mostPerFile: number; isUnrestricted?: boolean },
): SectionOrder {
  const order: Portion[] = []
  const rest: (Portion & { worth: number; distance: number })[] = []
  const shown = files.map(() => 0)
  const taken = files.map(() => new Set<number>())
  // The parts of each long definition, by its first.
  const definitions = files.map(({ sections }) => {
    const byHead = new Map<number, { parts: number[]; size: number }>()
    sections.forEach(({ head, text }, at) => {
      if (head === undefined) return
      const known = byHead.get(head) ?? { parts: [head], size: sections[head]!.text.length }
      known.parts.push(at)
      known.size += text.length
      byHead.set(head, known)
    })
    return byHead
  })
  const isRoomFor = (file: number, parts: readonly number[], most: number) => {
    const missing = parts.filter((part) => !taken[file]!.has(part))
    const size = missing.reduce((sum, part) => sum + files[file]!.sections[part]!.text.length, 0)
    if (shown[file]! + size > most) return false
    for (const section of missing) {
      taken[file]!.add(section)
      order.push({ file, section })
    }
    shown[file]! += size
    return true
  }
  const show = ({ file, section }: Portion) => {
    // A side file shows little.
    const most = isUnrestricted || !files[file]!.isSide ? mostPerFile : Math.min(1500, mostPerFile)
    const { head } = files[file]!.sections[section]!
    const whole = definitions[file]!.get(head ?? section)
    // A definition of up to 1,600 characters is shown whole, a longer one by its signature and the parts that fit the task.
    if (whole !== undefined && whole.size <= 1600 && isRoomFor(file, whole.parts, most)) return true
    // A part of a definition says little without its signature.
    return isRoomFor(file, head === undefined ? [section] : [head, section], most)
  }
  files.forEach(({ sections, probability }, file) => {
    const most = sections.reduce((best, { score }) => Math.max(best, score), 0) || 1
    const ranked = sections
      .map(({ score }, section) => ({ file, section, worth: (probability * score) / most }))
      .sort((a, b) => b.worth - a.worth || a.section - b.section)
    const all = sections.map((_, section) => section)
    // A file of up to 800 characters is shown whole.
    if (isRoomFor(file, all, Math.min(800, mostPerFile))) return
    const [best, ...others] = ranked
    // However long it is, something of a file must be shown.
    if (best !== undefined && !show(best)) isRoomFor(file, [best.section], Infinity)
    // Many sections hold few words of the task: those beside the best one say more than the head of the file.
    for (const each of others) rest.push({ ...each, distance: Math.abs(each.section - (best?.section ?? 0)) })
  })
  const first = order.length
  rest.sort((a, b) => b.worth - a.worth || a.distance - b.distance || a.file - b.file || a.section - b.section)
  for (const each of rest) {
    // Sections that are less likely needed are not shown, however much room there is.
    if (each.worth < 0.08 && !isUnrestricted) break
    show(each)
  }
  return { order, first }
}
