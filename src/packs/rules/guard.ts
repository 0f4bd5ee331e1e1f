import { type Detection, detectSecrets } from '../../text/sensitive/detect.ts'
import { report } from '../../text/trouble.ts'
import { isRecord, lowerBound, sha256 } from '../../text/values.ts'
import { type ContextPart, type PackFiles, type PackWarning, parsePackJson } from './pack.ts'
import type { Choice } from './resolve/choose.ts'

/** Kinds and lines of findings. Never the text itself, which may be a secret. */
export interface ContentFindings {
  /** Lines are counted from 1. */
  secrets: { line: number; kind: string }[]
  injections: { line: number; kind: string }[]
}

/** Finds likely secrets and text that reads like an order to a model. It can miss some and report harmless ones. */
export function scanContent(text: string, isExample?: IsExample): ContentFindings {
  const found = foundLines(text, isExample)
  return {
    secrets: distinct(found.filter(isSecret)).map(({ line, kind }) => ({ line, kind })),
    injections: distinct(found.filter((each) => !isSecret(each))).map(({ line, kind }) => ({
      line,
      kind: kind.replace('injection-', ''),
    })),
  }
}

/** Replaces each line of a likely secret by a visible mark. Keeps the number of lines. */
export function withholdSecrets(text: string, isExample?: IsExample): { text: string; lines: number[] } {
  const kinds = new Map<number, Set<string>>()
  for (const { line, to, kind } of foundLines(text, isExample).filter(isSecret)) {
    for (let at = line; at <= to; at++) kinds.set(at, (kinds.get(at) ?? new Set()).add(kind))
  }
  if (kinds.size === 0) return { text, lines: [] }
  const shown = text.split('\n').map((line, index) => {
    const held = kinds.get(index + 1)
    return held === undefined ? line : `[withheld: this line looks like a secret (${[...held].join(', ')})]`
  })
  return { text: shown.join('\n'), lines: [...kinds.keys()].sort((a, b) => a - b) }
}

/** The lines of a likely secret that starts on this line. */
export function secretLines(text: string, line: number): string | undefined {
  const found = foundLines(text).filter((each) => isSecret(each) && each.line === line)
  const to = Math.max(...found.map((each) => each.to))
  return found.length === 0
    ? undefined
    : text
        .split('\n')
        .slice(line - 1, to)
        .join('\n')
}

interface FoundLines extends Detection {
  line: number
  /** The last line; a key may have several. */
  to: number
}

/** Skips secrets that the author declared as examples. */
function foundLines(text: string, isExample: IsExample = () => false): FoundLines[] {
  const lineAt = createLineFinder(text)
  const found = detectSecrets(text).map((each) => ({ ...each, line: lineAt(each.start), to: lineAt(each.end - 1) }))
  if (found.length === 0) return []
  const lines = text.split('\n')
  return found.filter((each) => !isSecret(each) || !isExample(lines.slice(each.line - 1, each.to).join('\n')))
}

function isSecret({ contentClass }: Detection): boolean {
  return contentClass !== 'prompt_injection'
}

/** Sorted by line, each kind once per line. */
function distinct<T extends { line: number; kind: string }>(found: readonly T[]): T[] {
  const first = new Map<string, T>()
  for (const item of found) {
    const key = `${item.line} ${item.kind}`
    if (!first.has(key)) first.set(key, item)
  }
  return [...first.values()].sort((a, b) => a.line - b.line)
}

/** Finds the line of an offset, counted from 1. */
function createLineFinder(text: string): (place: number) => number {
  const ends: number[] = []
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) ends.push(end)
  return (place) => lowerBound(ends, place) + 1
}

/** Withholds likely secrets, and warns about text that reads like an order to a model. */
export function guardChoices(
  choices: readonly Choice[],
  warnings: readonly PackWarning[],
  examples: (path: string) => IsExample = () => () => false,
): { choices: Choice[]; warnings: PackWarning[] } {
  const found = warnings.map((warning): PackWarning => ({ ...warning, message: withholdSecrets(warning.message).text }))
  const kept = choices.map((choice): Choice => {
    const { path, text, lines } = choice
    const { secrets, injections } = scanContent(text, examples(path))
    const lineOf = (line: number) => lines && lines.from + line - 1
    for (const { line, kind } of secrets) {
      found.push(report('content.secret/withheld', { kind }, { path, line: lineOf(line) }))
    }
    for (const { line, kind } of injections) {
      found.push(report('content.injection/kept', { kind }, { path, line: lineOf(line) }))
    }
    return secrets.length === 0 ? choice : guardPart(choice, examples)
  })
  return { choices: kept, warnings: found }
}

/** Withholds likely secrets of a part. Lines keep their numbers. */
export function guardPart<Part extends ContextPart>(part: Part, examples?: (path: string) => IsExample): Part {
  return { ...part, text: withholdSecrets(part.text, examples?.(part.path)).text }
}

/** Lists lines that only look like a secret: `[{ "path", "sha256" }]`, with the digest of the lines. */
export const EXAMPLES_PATH = 'secret-examples.json'

export interface SecretExample {
  path: string
  sha256: string
}

/** Whether the author declared these exact lines of a file as an example. */
export type IsExample = (lines: string) => boolean

/** The digest of declared lines. Ignores blanks at the end of a line. */
export function exampleDigest(lines: string): string {
  return sha256(lines.replace(/[ \t\r]+$/gm, ''))
}

/** Reads the declared examples of a pack and ignores invalid rows. */
export function readExamples(files: PackFiles): SecretExample[] {
  if (files.sizeOf(EXAMPLES_PATH) === undefined) return []
  const file = files.read(EXAMPLES_PATH)
  const parsed = file === undefined ? undefined : parsePackJson(file)
  const rows = parsed !== undefined && 'value' in parsed && Array.isArray(parsed.value) ? parsed.value : []
  return rows.flatMap((row: unknown) => {
    if (!isRecord(row) || typeof row.path !== 'string' || typeof row.sha256 !== 'string') return []
    return [{ path: row.path, sha256: row.sha256.toLowerCase() }]
  })
}

/** The declared examples of a pack, by file. */
export function examplesOf(files: PackFiles): (path: string) => IsExample {
  const declared = new Set(readExamples(files).map(({ path, sha256: digest }) => `${digest} ${path}`))
  if (declared.size === 0) return () => () => false
  return (path) => (lines) => declared.has(`${exampleDigest(lines)} ${path}`)
}
