import { withoutWords, wordsIn } from '../../../search/task.ts'
import { examplesOf, guardChoices, withholdSecrets } from '../fence/content-guard.ts'
import { guideChoices, readGuide } from '../fence/guide.ts'
import { groundRecords } from '../graph.ts'
import { type PackFiles, type PackManifest, type PackWarning, SOURCE_MAP_PATH } from '../pack.ts'
import { checkHealth, claimsOf, claimWarnings, type FileHealth, readRecords } from '../records/health.ts'
import { announcesLimits, type Choice, isAbout, pathWords } from './choice.ts'
import {
  chooseCompanions,
  chooseContradictions,
  chooseDefaults,
  choosePagesOfClaims,
  chooseSections,
} from './choose-sections.ts'
import { citingWords, gatherEvidence } from './evidence.ts'
import { findDeclared, findUncited, uncitedWarnings } from './gaps.ts'
import { hasDocument, type PackRequest, type PackResolution, type Reading } from './resolution.ts'

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
  const paths = new Set(content.map(({ part }) => part.path))
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
      content.flatMap(({ part }) => {
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
  const overlaps = ({ part: a }: Choice, { part: b }: Choice) =>
    a.path === b.path && (a.lines?.from ?? 1) <= (b.lines?.to ?? 0) && (b.lines?.from ?? 1) <= (a.lines?.to ?? 0)
  return choices.filter(
    (choice, at) => !known.has(choice.part.path) && !choices.slice(0, at).some((other) => overlaps(other, choice)),
  )
}

function healthFor(reading: Reading, path: string, isStrict: boolean): FileHealth {
  const { request, records, files } = reading
  return checkHealth(path, records, files, isStrict, {
    isAboutClaim: ({ text, compiledInto }) => {
      const pages = compiledInto.filter((page) => page.path.startsWith('wiki/')).map((page) => pathWords(page.path))
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
    return { part, rule, score: 1, why: 'its records are about the task', sources }
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
  const texts = [{ path, text: guide.body }, ...choices.map(({ part }) => part)]
  if (manifest.mode === 'persona' && !announcesLimits(files, texts)) {
    const message = 'it is a persona without limits on what it says'
    warnings.push({ severity: 'warning', code: 'pack.persona.unbounded', path, message })
  }
  return warnings
}
