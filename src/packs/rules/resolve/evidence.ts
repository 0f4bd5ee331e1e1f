import { termsOf } from '../../../search/tokens.ts'
import { examplesOf, withholdSecrets } from '../fence/content-guard.ts'
import { type PackFiles, type PackWarning, packPathProblem } from '../pack.ts'
import { findAnchor, findInlineAnchors, formatAnchor, parseAnchor } from '../records/anchor.ts'
import { claimsOf, type FileHealth } from '../records/health.ts'
import { shownText } from '../shown-text.ts'
import { type Choice, chooseLines, takeLines } from './choice.ts'
import { spokenShare } from './relevance.ts'
import type { Reading } from './resolution.ts'

/** A place in a source that a chosen text rests on. */
interface Reference {
  path: string
  anchor: string | undefined
  /** The statement that rests on it. */
  about: string
}

const CITES =
  /\b(?:cit(?:e|es|ed|ing|ation|ations)|sources?|verif(?:y|ied|ies|ication)|evidence|references?|proof|footnotes?|fact.?check\w*|ingest\w*)\b|\u5f15\u7528|\u51fa\u5904|\u6765\u6e90|\u6838\u5b9e|\u9a8c\u8bc1/gi

/** The words by which a task itself wants to see where things come from; they are no subject of it. */
export function citingWords(task: string): string[] {
  return [...task.matchAll(CITES)].flatMap(([word]) => termsOf(word))
}

/** Everything that the chosen files say they rest on: claims of the source map and anchors in the text. */
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

/** A statement that speaks of so much less than the best one is not what was asked for. */
const CLOSE = 0.7

/** The places behind the statements that speak of the task. When none does, a task that wants to see sources sees all. */
function askedReferences(reading: Reading, references: readonly Reference[], isCiting: boolean): Reference[] {
  const scored = references.map((reference) => ({ reference, share: spokenShare(reading, reference.about) }))
  const best = Math.max(0, ...scored.map(({ share }) => share))
  if (best === 0) return isCiting ? [...references] : []
  return scored
    .filter(({ share }) => share > 0 && share >= CLOSE * best)
    .sort((a, b) => b.share - a.share)
    .map(({ reference }) => reference)
}

/** What is wrong with the places themselves. Looks at names and sizes; opens nothing. */
function checkReferences(references: readonly Reference[], files: PackFiles): PackWarning[] {
  return references.flatMap(({ path, anchor }): PackWarning[] => {
    const problem = packPathProblem(path)
    if (problem !== undefined) {
      const message = `a statement names this as its source, and it is refused: ${problem}`
      return [{ severity: 'error', code: 'source.escape', path: shownText(path), message }]
    }
    const size = files.sizeOf(path)
    if (size === undefined) {
      const message = 'a statement names this as its source, and it is not there'
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

/** The very lines that the statements on the task rest on, and no others. One with a secret in it is withheld. */
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
    // The whole file is looked at: a line from the middle of a key does not look like one.
    const line = withholdSecrets(file.text, examplesOf(files)(path)).lines.find(
      (each) => each >= lines.from && each <= to,
    )
    if (line !== undefined) {
      const message = 'an excerpt was withheld: it holds what looks like a secret'
      warnings.push({ severity: 'error', code: 'content.secret', path, line, message })
      return []
    }
    return [chooseLines(file, { from: lines.from, to, text }, 'excerpt', words, 'a statement rests on these lines')]
  })
  return { choices, warnings }
}

/** Where the chosen text comes from; the lines themselves only for citing, checking or settling a dispute. */
export function gatherEvidence(reading: Reading, content: readonly Choice[], healths: ReadonlyMap<string, FileHealth>) {
  const { request, manifest } = reading
  const isCiting = request.wantsCitations || citingWords(request.task).length > 0
  const all = collectReferences(content, healths)
  const references = askedReferences(reading, all, isCiting)
  const warnings = [
    ...checkReferences(all, reading.files).filter(({ code }) => code === 'source.escape'),
    ...checkReferences(references, reading.files),
  ]
  if (manifest.grounding === 'none' && !isCiting) return { choices: [], warnings, anchors: [] }
  const anchors = references.map(formatAnchor)
  const isDisputed = claimsOf(healths).some(({ status }) => status === 'disputed')
  const opensSources = isCiting || request.mustEscalate || isDisputed
  if (!opensSources || request.tier !== 'evidence') return { choices: [], warnings, anchors }
  const excerpts = chooseExcerpts(reading, references)
  return { choices: excerpts.choices, warnings: [...warnings, ...excerpts.warnings], anchors }
}
