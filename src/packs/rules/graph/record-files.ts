import type { TaskWords } from '../../../search/task.ts'
import { printableLine } from '../../../text/printable.ts'
import type { Code } from '../../../text/trouble.ts'
import { getDeep, isRecord } from '../../../text/values.ts'
import {
  type ContextPart,
  layerOf,
  normalizePackPath,
  type PackFiles,
  type PackWarning,
  packPathProblem,
  parsePackJson,
} from '../pack.ts'

/** The maximum number of different warnings per code and file. More are counted together. */
const MOST_ALIKE = 20

/** Collects warnings and counts repeated ones. */
export class Warnings {
  private readonly kinds = new Map<string, Map<string, PackWarning>>()

  add(code: Code, path: string, message: string, severity: PackWarning['severity'] = 'warning'): void {
    const kind = JSON.stringify([code, path, severity])
    const alike = this.kinds.get(kind) ?? new Map<string, PackWarning>()
    this.kinds.set(kind, alike)
    const text = alike.has(message) || alike.size < MOST_ALIKE ? message : 'there are more warnings of this kind'
    const known = alike.get(text)
    if (known === undefined) alike.set(text, { severity, code, path: path.slice(0, 200), message: text })
    else known.count = (known.count ?? 1) + 1
  }

  /** Whether a path of a record leads out of the  If so, adds a warning. */
  refuses(path: string): boolean {
    const problem = packPathProblem(path)
    if (problem !== undefined) this.add('source.escape', shortName(path), `this path is refused: ${problem}`, 'error')
    return problem !== undefined
  }

  all(): PackWarning[] {
    return [...this.kinds.values()].flatMap((alike) => [...alike.values()])
  }
}

/** Decodes one row of a kind. Not an object if the row has another format. */
export type Decode = (fields: Record<string, unknown>, warn: (problem: string) => void) => object | '' | undefined
export type RecordOf<D extends Decode> = Extract<ReturnType<D>, object> & { path: string }

/** The record files of `ontology/` or `answers/`. Opens each file on first use. */
export class RecordFiles<K extends Record<string, Decode>> {
  /** The files read so far. */
  readonly used: string[] = []
  /** Kinds with a file that could not be read. */
  readonly unread = new Set<keyof K>()
  readonly files: PackFiles
  readonly warnings: Warnings
  private readonly layer: 'ontology' | 'answers'
  private readonly kinds: K
  /** The files of each kind, with the content of those that are already read. */
  private readonly places = new Map<keyof K, Map<string, unknown>>()
  private readonly decoded = new Map<keyof K, readonly object[]>()

  constructor(files: PackFiles, layer: 'ontology' | 'answers', kinds: K, warnings: Warnings) {
    this.files = files
    this.layer = layer
    this.kinds = kinds
    this.warnings = warnings
  }

  /** Opens the file that the frontmatter names. Undefined, with a warning, if it cannot be used. */
  open(path: string): { path: string; folder: string; value: unknown } | undefined {
    if (this.warnings.refuses(path)) return undefined
    if (layerOf(path) !== this.layer || isExport(path)) {
      return this.warn(shortName(path), `it is not a record inside ${this.layer}/, so it is not opened`)
    }
    const name = normalizePackPath(path)
    const value = this.readJson(name)
    if (value === undefined) return undefined
    this.used.push(name)
    return { path: name, folder: name.slice(0, name.lastIndexOf('/') + 1), value }
  }

  /** Notes a file with records of a kind. */
  place(kind: keyof K, path: string, value?: unknown): void {
    this.places.set(kind, (this.places.get(kind) ?? new Map()).set(path, value))
  }

  /** The valid records of a kind, in the order of the files. */
  list<N extends keyof K & string>(kind: N): readonly RecordOf<K[N]>[] {
    const places = [...(this.places.get(kind) ?? [])]
    const records = this.decoded.get(kind) ?? places.flatMap(([path, value]) => this.decode(kind, path, value))
    this.decoded.set(kind, records)
    // The decoder of the kind made them.
    return records as readonly RecordOf<K[N]>[]
  }

  warn(path: string, problem: string): undefined {
    this.warnings.add(`${this.layer}.invalid`, path, problem)
  }

  private decode(kind: keyof K & string, path: string, known: unknown): object[] {
    const value = known ?? this.readJson(path)
    const rows = rowsOf(kind, value)
    if (rows === undefined) {
      this.unread.add(kind)
      if (value !== undefined) this.warn(path, `it has no list of ${kind}`)
      return []
    }
    if (!this.used.includes(path)) this.used.push(path)
    return rows.flatMap((row) => {
      const record = isRecord(row) && this.kinds[kind]?.(row, (problem) => this.warn(path, problem))
      if (record) return { ...record, path }
      this.warn(path, `a row is not a valid record of ${kind}`)
      return []
    })
  }

  private readJson(path: string): unknown {
    const file = this.files.read(path)
    if (file === undefined) return this.warn(path, 'it cannot be read')
    const { value, problem } = parsePackJson(file)
    if (problem !== undefined) this.warn(path, problem)
    return value
  }
}

/** The names of a kind in a pack: of its files, and of its list in a file. */
export function namesOfKind(kind: string): string[] {
  return kind === 'answer-blocks' ? [kind, 'answers'] : [kind]
}

/** The rows of a kind: the value itself, or a list in it, below a name such as `answer-blocks` or `answerBlocks`. */
export function rowsOf(kind: string, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const keys = isRecord(value) ? namesOfKind(kind).flatMap((name) => [name, camelCase(name)]) : []
  return keys.map((key) => getDeep(value, key)).find(Array.isArray)
}

/** Exports are copies for other programs. Loadout never opens them. */
export function isExport(path: string): boolean {
  return path.toLowerCase().split('/').slice(0, -1).includes('exports')
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A keyword in lower case. */
export function wordOf(value: unknown): string | undefined {
  return textOf(value)?.trim().toLowerCase()
}

/** A list of names, or one name as a list. Otherwise undefined. */
export function namesOf(value: unknown): string[] | undefined {
  const names: unknown[] = [value].flat()
  return names.every((name) => typeof name === 'string') ? names.filter((name) => name !== '') : undefined
}

/** The summed weight of words of a task. */
export function weightOf(words: TaskWords, found: Iterable<string>): number {
  let weight = 0
  for (const word of found) weight += words.get(word) ?? 0
  return weight
}

/** Text of the pack on one line, so that it cannot look like one of our lines. */
export function oneLine(text: string): string {
  return printableLine(text.replace(/\s+/g, ' ').trim())
}

/** Replaces double quotes inside the text, so that its end is clear. */
export function quoted(text: string): string {
  return `"${oneLine(text).replaceAll('"', "'")}"`
}

/** A name from the pack, short and harmless. */
export function shortName(name: string): string {
  const line = oneLine(name.slice(0, 240))
  return line.length > 60 ? `${line.slice(0, 60)}...` : line
}

/** A line of text made from a record, below one of our headings. */
export interface Line {
  path: string
  heading: string
  text: string
}

/** Text of limited length: one part per heading and file, in the order of their first lines. */
export class BoundedText {
  private readonly byHeading = new Map<string, ContextPart>()
  private left: number

  constructor(characters: number) {
    this.left = characters
  }

  /** Adds a line if it fits whole. */
  add({ path, heading, text }: Line): boolean {
    if (text.length >= this.left) return false
    this.left -= text.length + 1
    const key = JSON.stringify([heading, path])
    const part = this.byHeading.get(key)
    if (part !== undefined) part.text += `${text}\n`
    else this.byHeading.set(key, { path, layer: layerOf(path) ?? 'ontology', text: `${heading}\n${text}\n` })
    return true
  }

  /** Adds limits. False, with a warning, if not all fit: then nothing that they limit may follow. */
  addLimits(limits: readonly Line[], warnings: Warnings): boolean {
    const isWhole = limits.filter((line) => this.add(line)).length === limits.length
    const message = 'not all limits fit; nothing is given without them'
    if (!isWhole) warnings.add('context.omitted', limits[0]!.path, message)
    return isWhole
  }

  parts(): ContextPart[] {
    return [...this.byHeading.values()]
  }
}
