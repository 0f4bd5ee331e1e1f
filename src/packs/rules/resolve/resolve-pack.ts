import { type TaskWords, withoutWords, wordsIn } from '../../../search/task-words.ts'
import { examplesOf, guardChoices, withholdSecrets } from '../fence/content-guard.ts'
import { type Guide, guideChoices, readGuide } from '../fence/guide.ts'
import { groundRecords } from '../graph/record-grounding.ts'
import { type PackFiles, type PackManifest, type PackWarning, SOURCE_MAP_PATH } from '../pack.ts'
import { type Concern, checkHealth, claimsOf, claimWarnings, type FileHealth, readRecords } from '../records/health.ts'
import { announcesLimits, type Choice } from './choice.ts'
import { chooseDeeper, findEscalations } from './escalate.ts'
import { citingWords, gatherEvidence } from './evidence.ts'
import { findMissing, findUncited, hasDocument, uncitedWarnings } from './gaps.ts'
import { concerns, concernsClaim } from './relevance.ts'
import type { PackRequest, PackResolution, Reading } from './resolution.ts'
import { MOST_HITS, type SectionIndex } from './section-index.ts'
import { chooseViews } from './views.ts'

/**
 * Chooses what a task needs from one admitted pack: the guide, the short views, then pages and documents if the views
 * are not enough, and the source lines of statements.
 */
export function resolvePack(manifest: PackManifest, files: PackFiles, request: PackRequest): PackResolution {
  const guide = readGuide(files)
  if (guide === undefined) return { ...NOTHING, warnings: [...files.warnings] }
  const rules = guideChoices(guide, request.words)
  if (request.tier === 'guide')
    return { ...NOTHING, ...guardChoices(rules, guide.warnings), entryDigest: guide.file.sha256, words: request.words }
  const reading = openReading(manifest, files, guide, request)
  const views = chooseViews(reading)
  const isStrict = manifest.grounding === 'required'
  const healthOf = (choices: readonly Choice[]) => healthsOf(reading, choices, isStrict)
  const viewHealths = healthOf(views.choices)
  const usable = views.choices.filter(({ part }) => !viewHealths.get(part.path)?.isFailed)
  const escalations = findEscalations(reading, usable, viewHealths)
  const deeper = escalations.length === 0 ? [] : chooseDeeper(reading, escalations, usable, viewHealths)
  const records = chooseRecords(reading)
  const healths = new Map([...viewHealths, ...healthOf(deeper)])
  const content = [...usable, ...deeper.filter(({ part }) => !healths.get(part.path)?.isFailed)]
  const evidence = gatherEvidence(reading, content, healths)
  const uncited = isStrict ? findUncited(reading, content) : []
  const choices = [...rules, ...content, ...records.choices, ...evidence.choices]
  const missing = [...findMissing(reading, choices, records.isAnswered ?? false), ...records.missing]
  const asked = reading.records.claims.filter(({ status, text }) => status === 'missing' && missing.includes(text))
  const guarded = guardChoices(
    choices,
    [
      ...mapWarnings(reading),
      ...views.warnings,
      ...reading.sections.warnings,
      ...records.warnings,
      ...evidence.warnings,
      ...[...healths.values()].flatMap((health) => health.warnings),
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
    words: reading.words,
    escalations,
    sourceAnchors: [...new Set([...evidence.anchors, ...records.anchors])].sort(),
    citationGaps: uncited,
    missing: [...new Set(missing.map((fact) => withholdSecrets(fact).text))],
    sourceMapDigest: reading.records.sourceMapDigest,
    claims: [...new Set([...claimsOf(healths), ...asked].map(({ id }) => id))].sort(),
    runs: Object.fromEntries(
      content.flatMap(({ part }) => {
        const run = healths.get(part.path)?.run
        return run === undefined ? [] : [[part.path, run.runId]]
      }),
    ),
  }
}

const NOTHING: PackResolution = {
  entryDigest: undefined,
  words: new Map(),
  choices: [],
  escalations: [],
  sourceAnchors: [],
  citationGaps: [],
  warnings: [],
  missing: [],
  sourceMapDigest: undefined,
  claims: [],
  runs: {},
}

function openReading(manifest: PackManifest, files: PackFiles, guide: Guide, request: PackRequest): Reading {
  const own = wordsIn(request.words, manifest.name.replace(/-/g, ' '))
  const rest = withoutWords(request.words, new Set([...own, ...citingWords(request.task)]))
  // A task with nothing but the pack's name asks about the pack itself.
  const words = rest.size > 0 ? rest : request.words
  const sections = request.sections()
  const hits = sections
    .rank(request.task, MOST_HITS)
    .filter(({ terms }) => terms.some((term) => words.get(term) === 1) || [...words.values()].every((w) => w < 1))
  const rareWords = weighByRarity(words, sections)
  return { manifest, files, guide, request, records: readRecords(files), words, rareWords, sections, hits }
}

/** Weighs words: near 0 if every section has the word, 1 if none has it. */
function weighByRarity(words: TaskWords, { size, holders }: SectionIndex): TaskWords {
  const weigh = (word: string) => Math.log(1 + size / (1 + holders(word))) / Math.log(1 + size)
  return new Map([...words].map(([word, weight]) => [word, size === 0 ? weight : weight * weigh(word)]))
}

function healthsOf(reading: Reading, choices: readonly Choice[], isStrict: boolean): Map<string, FileHealth> {
  const { request, records, files } = reading
  const concern: Concern = {
    isAboutClaim: (claim) => request.mustEscalate || concernsClaim(reading, claim),
    isAbout: (text) => request.mustEscalate || concerns(reading, text),
  }
  const paths = new Set(choices.map(({ part }) => part.path))
  return new Map([...paths].map((path) => [path, checkHealth(path, records, files, isStrict, concern)]))
}

/** Chooses text that is made from records. */
function chooseRecords({ manifest, files, request }: Reading) {
  const { parts, used, ...rest } = groundRecords(manifest, files, request.task)
  const sources = used.flatMap((path) => {
    const file = files.read(path)
    return file === undefined ? [] : [{ path: file.path, sha256: file.sha256, bytes: file.bytes }]
  })
  const choices = parts.map((part): Choice => {
    const rule = part.layer === 'answers' ? 'answer' : 'ontology'
    return { part, rule, score: 1, why: 'its records are about the task', sources }
  })
  return { ...rest, choices }
}

function mapWarnings({ guide, files }: Reading): PackWarning[] {
  const absent = guide.map.filter(({ path, isDirectory }) =>
    isDirectory ? files.list(path).length === 0 : files.sizeOf(path) === undefined,
  )
  const [first] = absent
  if (first === undefined) return [...guide.warnings]
  const message = `the context map names ${absent.length === 1 ? 'a missing path' : `${absent.length} missing paths`}`
  return [
    ...guide.warnings,
    { severity: 'warning', code: 'pack.map.absent', path: guide.file.path, line: first.line, message },
  ]
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
