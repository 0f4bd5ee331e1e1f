import type { Capability } from './sheet.ts'

const TITLES: Readonly<Record<Capability['kind'], string>> = {
  misleads: 'misleads',
  sends: 'sends or downloads',
  runs: 'runs',
  writes: 'writes outside, deletes or changes settings',
  asks: 'asks for',
  unread: 'could not be read',
}

/** The lines of a sheet under their headings, in its order: worst first. */
export function sheetSections(sheet: readonly Capability[]): [title: string, lines: Capability[]][] {
  const sections = new Map<string, Capability[]>()
  for (const each of sheet) {
    const title = each.isUsual ? 'as usual in documentation' : TITLES[each.kind]
    sections.set(title, [...(sections.get(title) ?? []), each])
  }
  return [...sections]
}
