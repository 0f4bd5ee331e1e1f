import type { FieldedText } from '../../search/analyze.ts'
import { DEFAULT_TUNING, type Field, type Tuning } from '../../search/document.ts'
import { cut, type Section } from '../../text/cut.ts'

/** The fields of a file for the search engine. */
const FIELDS: readonly Field[] = [
  { name: 'file', label: 'file name', weight: 6, norm: 0, length: 1, isName: true },
  { name: 'path', label: 'folder', weight: 3, norm: 0, length: 1 },
  { name: 'symbols', label: 'defines', weight: 2, norm: 0, length: 1 },
  { name: 'headings', label: 'heading', weight: 1.5, norm: 0, length: 1 },
  { name: 'body', label: 'text', weight: 1, norm: 0.6, length: 400, isLong: true },
]
const [FILE, PATH, SYMBOLS, HEADINGS, BODY] = [0, 1, 2, 3, 4] as const
export const SYMBOL_FIELD = SYMBOLS

/** How the engine ranks the files of a project. */
export const PROJECT_TUNING: Tuning = {
  ...DEFAULT_TUNING,
  fields: FIELDS,
  backgroundSize: 0,
  pair: 0,
  related: 0,
  relatedToUnknown: 0,
  joined: 1,
  fade: 0,
}

/** The maximum number of pieces of a file, and the number of lines between which a piece is one definition. */
export const MOST_PIECES = 32
/** What the engine reads of a file. Repetition does not help: each name counts at most three times. */
export function documentOf(path: string, text: string): FieldedText {
  const sections = cut(path, text)
  const symbols = sections.flatMap((section) => section.symbols.map(({ name }) => name))
  const headings = sections.flatMap(({ level, title }) => (level > 0 ? title : []))
  const slash = path.lastIndexOf('/')
  return [
    [FILE, nameOf(path)],
    [PATH, path.slice(0, Math.max(0, slash))],
    [SYMBOLS, atMostThrice(symbols).join('\n')],
    [HEADINGS, atMostThrice(headings).join('\n')],
    [BODY, piecesOf(sections)],
  ]
}

/** The name of a file without its extension. */
export function nameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

function atMostThrice(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return names.filter((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count <= 3
  })
}

/** Its definitions, or the sections of a document: short ones joined, long ones split, few enough for one bit each. */
function piecesOf(sections: readonly Section[]): string[] {
  const lines = sections.at(-1)?.to ?? 0
  // Pieces of 6 to 60 lines, or longer ones if there would be too many.
  for (let least = Math.max(6, Math.ceil(lines / MOST_PIECES)); ; least = Math.ceil(1.3 * least)) {
    const pieces = joinSections(sections, least, Math.max(60, least))
    if (pieces.length <= MOST_PIECES) return pieces
  }
}

function joinSections(sections: readonly Section[], least: number, most: number): string[] {
  const pieces: string[] = []
  let [text, height] = ['', 0]
  const end = () => {
    if (height > 0) pieces.push(text)
    text = ''
    height = 0
  }
  for (const section of sections) {
    const size = section.to - section.from + 1
    if (height + size > most) end()
    if (size <= most) {
      text += section.text
      height += size
      if (height >= least) end()
    } else {
      const own = section.text.split('\n')
      const step = Math.max(least, most / 3)
      for (let at = 0; at < size; at += step) pieces.push(`${own.slice(at, at + step).join('\n')}\n`)
    }
  }
  end()
  return pieces
}
