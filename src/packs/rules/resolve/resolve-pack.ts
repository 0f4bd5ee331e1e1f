import { withoutWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { findAnchor, findInlineAnchors, formatAnchor, parseAnchor } from '../anchors.ts'
import { groundRecords } from '../graph.ts'
import { examplesOf, guardChoices, withholdSecrets } from '../guard.ts'
import { guideChoices, readGuide } from '../guide.ts'
import { type PackFiles, type PackManifest, type PackWarning, packPathProblem, SOURCE_MAP_PATH } from '../pack.ts'
import { checkHealth, claimsOf, claimWarnings, type FileHealth, readRecords } from '../records.ts'
import { shownText } from '../shown-text.ts'
import {
  announcesLimits,
  type Choice,
  chooseCompanions,
  chooseContradictions,
  chooseDefaults,
  chooseLines,
  choosePagesOfClaims,
  chooseSections,
  hasDocument,
  isAbout,
  matchedShare,
  type PackRequest,
  type PackResolution,
  pathWords,
  type Reading,
  takeLines,
} from './choose.ts'
import { findDeclared, findUncited, uncitedWarnings } from './gaps.ts'

/**
 * Chooses what a task needs from one admitted pack: the rules of use, the limits, the sections that say most about the
 * task, records about it, and the source lines of statements.
 */
export function resolvePack(manifest: PackManifest, files: PackFiles, request: PackRequest): PackResolution {
  const guide = readGuide(files)
  if (guide === undefined) return { ...NOTHING, warnings: [...files.warnings] }
  const rules = guideChoices(guide, request.task.words)
  const own = wordsIn(request.task.words, manifest.name.replace(/-/g, ' '))
  const rest = withoutWords(request.task.words, new Set([...own, ...citingWords(request.task.text)]))
  // A task with nothing but the pack's name asks about the pack itself.
  const words = rest.size > 0 ? rest : request.task.words
  const rareWords = new Map([...words].map(([word, weight]) => [word, weight * request.rarity(word)]))
  const isEveryday = [...words.values()].every((weight) => weight < 1)
  const hits = request.hits.filter(({ terms }) => isEveryday || terms.some((term) => words.get(term) === 1))
  const reading: Reading = { manifest, files, guide, request, records: readRecords(files), words, rareWords, hits }

  const isStrict = manifest.grounding === 'required'
  const healths = new Map<string, FileHealth>()
  const healthOf = (path: string) => {
    const health = healths.get(path) ?? healthFor(reading, path, isStrict)
    healths.set(path, health)
    return health
  }
  const found = chooseSections(reading, healthOf)
  const content = distinct([
    ...(found.length > 0 ? found : chooseDefaults(reading, healthOf)),
    ...chooseCompanions(reading, healthOf),
  ])
  const paths = new Set(content.map(({ path }) => path))
  const isFailed = ([path, health]: [string, FileHealth]) => health.isFailed && isInPlay(reading, path)
  const used = new Map([...healths].filter((each) => paths.has(each[0]) || isFailed(each)))
  content.push(...distinct([...choosePagesOfClaims(reading, used), ...chooseContradictions(reading, used)], paths))

  const records = chooseRecords(reading)
  const evidence = gatherEvidence(reading, content, used)
  const uncited = isStrict ? findUncited(reading, content) : []
  const choices = [...rules, ...content, ...records.choices, ...evidence.choices]
  const declared = findDeclared(reading)
  const asked = reading.records.claims.filter(({ status, text }) => status === 'missing' && declared.includes(text))
  const guarded = guardChoices(
    choices,
    [
      ...mapWarnings(reading),
      ...records.warnings,
      ...evidence.warnings,
      ...[...used.values()].flatMap((health) => health.warnings),
      ...[...healths].flatMap(([path, { age }]) => (age === undefined || paths.has(path) ? [] : [age])),
      ...claimWarnings(asked, SOURCE_MAP_PATH, isStrict),
      ...uncitedWarnings(uncited),
      ...profileWarnings(reading, choices),
      ...reading.records.warnings,
      ...files.warnings,
    ],
    examplesOf(files),
  )
  return {
    ...guarded,
    entryDigest: guide.file.sha256,
    sourceAnchors: [...new Set([...evidence.anchors, ...records.anchors])].sort(),
    citationGaps: uncited,
    missing: [...new Set([...declared, ...records.missing].map((fact) => withholdSecrets(fact).text))],
    isAnswered: records.isAnswered,
    sourceMapDigest: reading.records.sourceMapDigest,
    claims: [...new Set([...claimsOf(used), ...asked].map(({ id }) => id))].sort(),
    runs: Object.fromEntries(
      content.flatMap((part) => {
        const run = used.get(part.path)?.run
        return run === undefined ? [] : [[part.path, run.runId]]
      }),
    ),
  }
}

const NOTHING: PackResolution = {
  entryDigest: undefined,
  choices: [],
  sourceAnchors: [],
  citationGaps: [],
  warnings: [],
  missing: [],
  isAnswered: false,
  sourceMapDigest: undefined,
  claims: [],
  runs: {},
}

/** A view that a failed run made is named only if the task would have got it. */
function isInPlay({ hits }: Reading, path: string): boolean {
  return hits.some((hit) => hit.path === path)
}

/** Without text that is already chosen: the first choice of a file wins over a later one of the same lines. */
function distinct(choices: readonly Choice[], known: ReadonlySet<string> = new Set()): Choice[] {
  const overlaps = (a: Choice, b: Choice) =>
    a.path === b.path && (a.lines?.from ?? 1) <= (b.lines?.to ?? 0) && (b.lines?.from ?? 1) <= (a.lines?.to ?? 0)
  return choices.filter(
    (choice, at) => !known.has(choice.path) && !choices.slice(0, at).some((other) => overlaps(other, choice)),
  )
}

function healthFor(reading: Reading, path: string, isStrict: boolean): FileHealth {
  const { request, records, files } = reading
  return checkHealth(path, records, files, {
    isStrict,
    today: request.today,
    isAboutClaim: ({ text, compiledInto }) => {
      const pages = compiledInto.filter((page) => page.startsWith('wiki/')).map(pathWords)
      return request.isDisputed || isAbout(reading, [text, ...pages].join(' '))
    },
    isAbout: (text) => request.isDisputed || isAbout(reading, text),
  })
}

/** Chooses text that is made from records. */
function chooseRecords({ manifest, files, request }: Reading) {
  const { parts, used, ...rest } = groundRecords(manifest, files, request.task.words)
  const sources = used.flatMap((path) => {
    const file = files.read(path)
    return file === undefined ? [] : [{ path: file.path, sha256: file.sha256, bytes: file.bytes }]
  })
  const choices = parts.map((part): Choice => {
    const rule = part.layer === 'answers' ? 'answer' : 'ontology'
    return { ...part, rule, score: 1, why: 'its records are about the task', sources }
  })
  return { ...rest, choices, isAnswered: rest.isAnswered ?? false }
}

function mapWarnings({ guide, files, manifest }: Reading): PackWarning[] {
  const warnings = [...guide.warnings]
  const path = guide.file.path
  if (manifest.profile === 'hybrid' && guide.map.length === 0) {
    const message = 'there is no context map: the compiled views come first instead'
    warnings.push({ severity: 'warning', code: 'pack.map.missing', path, message })
  }
  const absent = guide.map.filter((entry) =>
    entry.isDirectory ? files.list(entry.path).length === 0 : files.sizeOf(entry.path) === undefined,
  )
  const [first] = absent
  if (first !== undefined) {
    const message = `the context map names ${absent.length === 1 ? 'a missing path' : `${absent.length} missing paths`}`
    warnings.push({ severity: 'warning', code: 'pack.map.absent', path, line: first.line, message })
  }
  return warnings
}

function profileWarnings(reading: Reading, choices: readonly Choice[]): PackWarning[] {
  const { manifest, guide, files } = reading
  const warnings: PackWarning[] = []
  const path = guide.file.path
  if (manifest.profile === 'document-first' && !hasDocument(reading)) {
    const message = 'it keeps its facts in documents, but the document is missing'
    warnings.push({ severity: 'warning', code: 'pack.documents.missing', path, message })
  }
  const texts = [{ path, text: guide.body }, ...choices]
  if (manifest.mode === 'persona' && !announcesLimits(files, texts)) {
    const message = 'it is a persona without limits on what it says'
    warnings.push({ severity: 'warning', code: 'pack.persona.unbounded', path, message })
  }
  return warnings
}

const CITES =
  /\b(?:cit(?:e|es|ed|ing|ation|ations)|sources?|verif(?:y|ied|ies|ication)|evidence|references?|proof|footnotes?|fact.?check\w*|ingest\w*)\b|\u5f15\u7528|\u51fa\u5904|\u6765\u6e90|\u6838\u5b9e|\u9a8c\u8bc1/gi

/** Words of the task that ask for sources, such as "cite". They are not its subject. */
function citingWords(task: string): string[] {
  return [...task.matchAll(CITES)].flatMap(([word]) => termsOf(word))
}

/** Statements below this share of the best match are not what the task asks for. */
const CLOSE = 0.7
const MOST_EXCERPTS = 8
const LONGEST_EXCERPT = 40

/** The sources of the chosen text. Adds their lines only for citations, verification or disputes. */
function gatherEvidence(reading: Reading, content: readonly Choice[], healths: ReadonlyMap<string, FileHealth>) {
  const { request, manifest, files, words, rareWords } = reading
  const isCiting = request.wantsCitations || citingWords(request.task.text).length > 0

  // From claims in the source map and from marks in the text: each place once, with the statements that name it.
  const named = new Map<string, { path: string; anchor: string | undefined; about: string }>()
  const name = (path: string, anchor: string | undefined, about: string) => {
    const key = formatAnchor({ path, anchor })
    const known = named.get(key)
    if (path !== '') named.set(key, { path, anchor, about: known === undefined ? about : `${known.about} ${about}` })
  }
  for (const { path, text } of content) {
    const lines = text.split('\n')
    for (const mark of findInlineAnchors(text)) name(mark.path, mark.anchor, lines[mark.line - 1] ?? '')
    for (const claim of healths.get(path)?.claims ?? []) name(claim.source.path, claim.source.anchor, claim.text)
  }

  // Those of statements about the task. If none matches, a task that asks for sources gets all.
  const scored = [...named.values()].map((each) => ({ ...each, share: matchedShare(rareWords, each.about) }))
  const best = Math.max(0, ...scored.map(({ share }) => share))
  const matching = scored.filter(({ share }) => share > 0 && share >= CLOSE * best).sort((a, b) => b.share - a.share)
  const asked = best === 0 && isCiting ? scored : matching

  const warnings: PackWarning[] = []
  const warn = (code: 'source.absent' | 'source.anchor.absent', path: string, message: string) =>
    warnings.push({ severity: 'warning', code, path: shownText(path), message })
  const noPlace = (path: string, anchor: string) =>
    warn('source.anchor.absent', path, `the place ${shownText(anchor, 60)} does not exist in it`)
  const isSafe = ({ path }: { path: string }) => packPathProblem(path) === undefined
  for (const { path } of [...scored, ...asked].filter((each) => !isSafe(each))) {
    const message = `a statement names this path as its source, but it is refused: ${packPathProblem(path)}`
    warnings.push({ severity: 'error', code: 'source.escape', path: shownText(path), message })
  }
  for (const { path, anchor = '' } of asked.filter(isSafe)) {
    const size = files.sizeOf(path)
    const place = parseAnchor(anchor)
    if (size === undefined) {
      warn('source.absent', path, 'a statement names this file as its source, but the file is missing')
      // By its size: a file cannot have more lines than bytes, plus one without a line end.
    } else if (place.kind === 'lines' && place.to > size + 1) noPlace(path, anchor)
  }
  if (manifest.grounding === 'none' && !isCiting) return { choices: [], warnings, anchors: [] }

  const anchors = asked.map(formatAnchor)
  const isDisputed = request.isDisputed || claimsOf(healths).some(({ status }) => status === 'disputed')
  const sources = isCiting || isDisputed ? asked.filter((each) => isSafe(each) && each.path.startsWith('sources/')) : []
  const choices = sources.slice(0, MOST_EXCERPTS).flatMap(({ path, anchor }) => {
    const file = files.sizeOf(path) === undefined ? undefined : files.read(path)
    if (file === undefined || anchor === undefined) return []
    const { isFound, lines } = findAnchor(file.text, anchor, file.path)
    if (!isFound) noPlace(path, anchor)
    if (lines === undefined) return []
    const { from } = lines
    const to = Math.min(lines.to, from + LONGEST_EXCERPT - 1)
    // Scans the whole file: a single line of a key does not look like a secret.
    const secrets = withholdSecrets(file.text, examplesOf(files)(path)).lines
    const line = secrets.find((each) => each >= from && each <= to)
    if (line !== undefined) {
      const message = 'an excerpt was withheld: it contains what looks like a secret'
      warnings.push({ severity: 'error', code: 'content.secret', path, line, message })
      return []
    }
    const excerpt = { from, to, text: takeLines(file.text, { from, to }) }
    return [chooseLines(file, excerpt, 'excerpt', words, 'a statement rests on these lines')]
  })
  return { choices, warnings, anchors }
}
