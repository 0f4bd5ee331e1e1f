import { termsOf } from '../../../search/tokens.ts'
import { examplesOf, withholdSecrets } from '../fence/content-guard.ts'
import { type PackFiles, type PackWarning, packPathProblem } from '../pack.ts'
import { findAnchor, findInlineAnchors, formatAnchor, parseAnchor } from '../records/anchor.ts'
import { claimsOf, type FileHealth } from '../records/health.ts'
import { shownText } from '../shown-text.ts'
import { type Choice, chooseLines, matchedShare, takeLines } from './choice.ts'
import type { Reading } from './resolution.ts'

/** A place in a source that a chosen text names. */
interface Reference {
  path: string
  anchor: string | undefined
  /** The statement that names it. */
  about: string
}

const CITES =
  /\b(?:cit(?:e|es|ed|ing|ation|ations)|sources?|verif(?:y|ied|ies|ication)|evidence|references?|proof|footnotes?|fact.?check\w*|ingest\w*)\b|\u5f15\u7528|\u51fa\u5904|\u6765\u6e90|\u6838\u5b9e|\u9a8c\u8bc1/gi

/** Words of the task that ask for sources, such as "cite". They are not its subject. */
export function citingWords(task: string): string[] {
  return [...task.matchAll(CITES)].flatMap(([word]) => termsOf(word))
}

/** The sources of the chosen files: from claims in the source map and from marks in the text. */
function collectReferences(choices: readonly Choice[], healths: ReadonlyMap<string, FileHealth>): Reference[] {
  const references = choices.flatMap(({ part }): Reference[] => {
    const lines = part.text.split('\n')
    const inline = findInlineAnchors(part.text).map(({ path, anchor, line }) => ({
      path,
      anchor,
      about: lines[line - 1] ?? '',
    }))
    const claims = (healths.get(part.path)?.claims ?? []).map(({ source, text }) => ({
      path: source.path,
      anchor: source.anchor,
      about: text,
    }))
    return [...inline, ...claims]
  })
  const distinct = new Map<string, Reference>()
  for (const reference of references) {
    const key = formatAnchor(reference)
    const known = distinct.get(key)
    if (reference.path === '') continue
    distinct.set(key, known === undefined ? reference : { ...known, about: `${known.about} ${reference.about}` })
  }
  return [...distinct.values()]
}

/** Statements below this share of the best match are not what the task asks for. */
const CLOSE = 0.7

/** The sources of statements about the task. If none matches, a task that asks for sources gets all. */
function askedReferences(reading: Reading, references: readonly Reference[], isCiting: boolean): Reference[] {
  const scored = references.map((reference) => ({ reference, share: matchedShare(reading.rareWords, reference.about) }))
  const best = Math.max(0, ...scored.map(({ share }) => share))
  if (best === 0) return isCiting ? [...references] : []
  return scored
    .filter(({ share }) => share > 0 && share >= CLOSE * best)
    .sort((a, b) => b.share - a.share)
    .map(({ reference }) => reference)
}

/** Warns about wrong places, by paths and sizes. Opens no file. */
function checkReferences(references: readonly Reference[], files: PackFiles): PackWarning[] {
  return references.flatMap(({ path, anchor }): PackWarning[] => {
    const problem = packPathProblem(path)
    if (problem !== undefined) {
      const message = `a statement names this path as its source, but it is refused: ${problem}`
      return [{ severity: 'error', code: 'source.escape', path: shownText(path), message }]
    }
    const size = files.sizeOf(path)
    if (size === undefined) {
      const message = 'a statement names this file as its source, but the file is missing'
      return [{ severity: 'warning', code: 'source.absent', path: shownText(path), message }]
    }
    // A file cannot have more lines than bytes, plus one without a line end.
    const place = anchor === undefined ? undefined : parseAnchor(anchor)
    return place?.kind === 'lines' && place.to > size + 1 ? [anchorAbsent(path, anchor)] : []
  })
}

function anchorAbsent(path: string, anchor: string | undefined): PackWarning {
  const message = `the place ${shownText(anchor ?? '', 60)} does not exist in it`
  return { severity: 'warning', code: 'source.anchor.absent', path: shownText(path), message }
}

const MOST_EXCERPTS = 8
const LONGEST_EXCERPT = 40

/** The exact source lines of statements about the task. Withholds an excerpt with a secret. */
function chooseExcerpts(
  { files, words }: Reading,
  references: readonly Reference[],
): { choices: Choice[]; warnings: PackWarning[] } {
  const warnings: PackWarning[] = []
  const places = references.filter(({ path }) => path.startsWith('sources/') && packPathProblem(path) === undefined)
  const choices = places.slice(0, MOST_EXCERPTS).flatMap(({ path, anchor }) => {
    const file = files.sizeOf(path) === undefined ? undefined : files.read(path)
    if (file === undefined || anchor === undefined) return []
    const { isFound, lines } = findAnchor(file.text, anchor, file.path)
    if (!isFound) warnings.push(anchorAbsent(path, anchor))
    if (lines === undefined) return []
    const to = Math.min(lines.to, lines.from + LONGEST_EXCERPT - 1)
    const text = takeLines(file.text, { from: lines.from, to })
    // Scans the whole file: a single line of a key does not look like a secret.
    const line = withholdSecrets(file.text, examplesOf(files)(path)).lines.find(
      (each) => each >= lines.from && each <= to,
    )
    if (line !== undefined) {
      const message = 'an excerpt was withheld: it contains what looks like a secret'
      warnings.push({ severity: 'error', code: 'content.secret', path, line, message })
      return []
    }
    return [chooseLines(file, { from: lines.from, to, text }, 'excerpt', words, 'a statement rests on these lines')]
  })
  return { choices, warnings }
}

/** The sources of the chosen text. Adds their lines only for citations, verification or disputes. */
export function gatherEvidence(reading: Reading, content: readonly Choice[], healths: ReadonlyMap<string, FileHealth>) {
  const { request, manifest } = reading
  const isCiting = request.wantsCitations || citingWords(request.task.text).length > 0
  const all = collectReferences(content, healths)
  const references = askedReferences(reading, all, isCiting)
  const warnings = [
    ...checkReferences(all, reading.files).filter(({ code }) => code === 'source.escape'),
    ...checkReferences(references, reading.files),
  ]
  if (manifest.grounding === 'none' && !isCiting) return { choices: [], warnings, anchors: [] }
  const anchors = references.map(formatAnchor)
  const isDisputed = claimsOf(healths).some(({ status }) => status === 'disputed')
  const opensSources = isCiting || request.isDisputed || isDisputed
  if (!opensSources) return { choices: [], warnings, anchors }
  const excerpts = chooseExcerpts(reading, references)
  return { choices: excerpts.choices, warnings: [...warnings, ...excerpts.warnings], anchors }
}
