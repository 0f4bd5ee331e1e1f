import { type Task, type TaskWords, withoutWords, wordsIn } from '../../../search/task.ts'
import { termsOf } from '../../../search/tokens.ts'
import { estimateTokens } from '../../../text/tokens.ts'
import { report } from '../../../text/trouble.ts'
import { compareText } from '../../../text/values.ts'
import { findAnchor, findInlineAnchors, formatAnchor, parseAnchor, placeAt } from '../anchors.ts'
import { groundRecords } from '../graph.ts'
import { examplesOf, guardChoices, withholdSecrets } from '../guard.ts'
import { type Guide, guideChoices, guideWarnings, readGuide } from '../guide.ts'
import {
  isContent,
  isProse,
  type PackFiles,
  type PackManifest,
  type PackWarning,
  packPathProblem,
  packSections,
  quoted,
  SOURCE_MAP_PATH,
  shownText,
} from '../pack.ts'
import { checkHealth, claimsOf, claimWarnings, type FileHealth, type Records, readRecords } from '../records.ts'
import { type Choice, chooseLines, matchedShare, pathWords, type Rule, setsLimits, takeLines } from './choose.ts'
import { findDeclared, findUncited, uncitedWarnings } from './gaps.ts'
import { differingNumbers, linkedPages, numberedSentences, Pages } from './related.ts'
import { linesToShow, type SectionHit } from './sections.ts'

/** The question to one pack that passed its gates. */
export interface PackRequest {
  task: Task
  wantsCitations: boolean
  /** The caller wants more than the closest sections. */
  isDeep: boolean
  /** The pack is disputed: give its contradictions and the sources too. */
  isDisputed: boolean
  /** An ISO date: a page may be past the day of its review. */
  today: string
  /** The sections of the pack that match the task, best first. */
  hits: readonly SectionHit[]
  /** How rare a stem is among all sections that were asked, from near 0 to 1. */
  rarity: (term: string) => number
}

/** A pack and a task, with everything that is known before content is chosen. */
export interface Reading extends PackRequest {
  manifest: PackManifest
  files: PackFiles
  guide: Guide
  records: Records
  /** The words of the task without those of the pack's name. */
  words: TaskWords
  /** The same words, weighted by how rare they are. */
  rareWords: TaskWords
  /** Judges each file once. */
  healthOf(path: string): FileHealth
  /** The lines of a section. A file is split once. */
  textOf(place: Pick<SectionHit, 'path' | 'from' | 'to'>): string
}

/** What one pack gives to a task. */
export interface PackResolution {
  /** Digest of the KNOWLEDGE.md; undefined if it could not be read. */
  entryDigest: string | undefined
  /** In the order of the wrapper; the guide is not among `selectedFiles`. */
  choices: readonly Choice[]
  sourceAnchors: readonly string[]
  /** Statements without a source, if the pack requires sources. */
  citationGaps: readonly { path: string; line: number }[]
  warnings: readonly PackWarning[]
  /** Gaps that the pack declares and the task asks about. */
  missing: readonly string[]
  /** A prepared answer of the pack settles the task. */
  isAnswered: boolean
  /** Digest of the source map, if there is one. */
  sourceMapDigest: string | undefined
  /** Ids of the claims that the chosen files rely on. */
  claims: readonly string[]
  /** The compile run of each chosen view. */
  runs: Readonly<Record<string, string>>
}

/**
 * Chooses what a task needs from one admitted pack: the rules of use, the limits, the sections that say most about the
 * task, records about it, and the source lines of statements.
 */
export function resolvePack(manifest: PackManifest, files: PackFiles, request: PackRequest): PackResolution {
  const guide = readGuide(files)
  if (guide === undefined) {
    const none = { choices: [], sourceAnchors: [], citationGaps: [], missing: [], claims: [], runs: {} }
    const warnings = [...files.warnings]
    return { ...none, entryDigest: undefined, warnings, isAnswered: false, sourceMapDigest: undefined }
  }
  const healths = new Map<string, FileHealth>()
  const reading = read(manifest, files, guide, request, healths)
  const { records, hits } = reading

  const found = chooseSections(reading)
  const chosen = [...(found.length > 0 ? found : chooseDefaults(reading)), ...chooseCompanions(reading)]
  // The first choice of a file wins over a later one of the same lines.
  const overlaps = (a: Choice, b: Choice) =>
    a.path === b.path && (a.lines?.from ?? 1) <= (b.lines?.to ?? 0) && (b.lines?.from ?? 1) <= (a.lines?.to ?? 0)
  const content = chosen.filter((choice, at) => !chosen.slice(0, at).some((other) => overlaps(other, choice)))
  const paths = new Set(content.map(({ path }) => path))
  // A view that a failed run made is named only if the task would have got it.
  const isNamed = (path: string, { isFailed }: FileHealth) =>
    paths.has(path) || (isFailed && hits.some((hit) => hit.path === path))
  const used = new Map([...healths].filter(([path, health]) => isNamed(path, health)))
  content.push(...choosePagesBehind(reading, used).filter(({ path }) => !paths.has(path)))

  const recorded = chooseRecords(reading)
  const evidence = gatherEvidence(reading, content, used)
  // The pages and headings of documents that the text comes from, which a program can open.
  const places = content.flatMap(({ path, lines, places: own = [] }) => {
    const anchor = lines && placeAt(own, lines.from)
    return anchor === undefined ? [] : [formatAnchor({ path, anchor })]
  })
  const isStrict = manifest.grounding === 'required'
  const uncited = isStrict ? findUncited(reading, content) : []
  const declared = findDeclared(reading)
  const asked = records.claims.filter(({ status, text }) => status === 'missing' && declared.includes(text))
  const choices = [...guideChoices(guide, request.task.words), ...content, ...recorded.choices, ...evidence.choices]
  const warnings = [
    ...guideWarnings(manifest, files, guide, () => choices),
    ...recorded.warnings,
    ...evidence.warnings,
    ...[...used.values()].flatMap((health) => health.warnings),
    ...[...healths].flatMap(([path, { age }]) => (age === undefined || paths.has(path) ? [] : [age])),
    ...claimWarnings(asked, SOURCE_MAP_PATH, isStrict),
    ...uncitedWarnings(uncited),
    ...numberWarnings(reading, content),
    ...content.flatMap(({ path, lines, layer }) =>
      layer === 'compiled' && lines && rewordedPages(files, { ...(hits[0] as SectionHit), path, ...lines }).length > 0
        ? [report('claim.doubtful/reworded', {}, { path, line: lines.from })]
        : [],
    ),
    ...records.warnings,
    ...files.warnings,
  ]
  return {
    ...guardChoices(choices, warnings, examplesOf(files)),
    entryDigest: guide.file.sha256,
    sourceAnchors: [...new Set([...evidence.anchors, ...recorded.anchors, ...places])].sort(),
    citationGaps: uncited,
    missing: [...new Set([...declared, ...recorded.missing].map((fact) => withholdSecrets(fact).text))],
    isAnswered: recorded.isAnswered,
    sourceMapDigest: records.sourceMapDigest,
    claims: [...new Set([...claimsOf(used), ...asked].map(({ id }) => id))].sort(),
    runs: Object.fromEntries(
      content.flatMap(({ path }) => {
        const run = used.get(path)?.run
        return run === undefined ? [] : [[path, run.runId]]
      }),
    ),
  }
}

function read(
  manifest: PackManifest,
  files: PackFiles,
  guide: Guide,
  request: PackRequest,
  healths: Map<string, FileHealth>,
): Reading {
  const { task, rarity, isDisputed, today } = request
  const own = wordsIn(task.words, manifest.name.replace(/-/g, ' '))
  const rest = withoutWords(task.words, new Set([...own, ...citingWords(task.text)]))
  // A task with nothing but the pack's name asks about the pack itself.
  const words = rest.size > 0 ? rest : task.words
  const rareWords = new Map([...words].map(([word, weight]) => [word, weight * rarity(word)]))
  const isEveryday = [...words.values()].every((weight) => weight < 1)
  const hits = request.hits.filter(({ terms }) => isEveryday || terms.some((term) => words.get(term) === 1))
  const records = readRecords(files)
  const isAboutTask = (text: string) => isDisputed || isAbout({ words, rareWords }, text)
  const healthOf = (path: string) => {
    const known = healths.get(path)
    if (known !== undefined) return known
    const health = checkHealth(path, records, files, {
      isStrict: manifest.grounding === 'required',
      today,
      isAboutClaim: ({ text, compiledInto }) => {
        const pages = compiledInto.filter((page) => page.startsWith('wiki/')).map(pathWords)
        return isAboutTask([text, ...pages].join(' '))
      },
      isAbout: isAboutTask,
    })
    healths.set(path, health)
    return health
  }
  const split = new Map<string, string[]>()
  const textOf = ({ path, from, to }: Pick<SectionHit, 'path' | 'from' | 'to'>) => {
    const lines = split.get(path) ?? (files.read(path)?.text ?? '').split('\n')
    split.set(path, lines)
    return lines.slice(from - 1, to).join('\n')
  }
  return { ...request, manifest, files, guide, records, words, rareWords, hits, healthOf, textOf }
}

/** Whether a text is about the task: it has such a share of its words. Any text is, if the task has everyday words only. */
export function isAbout(
  { words, rareWords }: Pick<Reading, 'words' | 'rareWords'>,
  text: string,
  least = 0.3,
): boolean {
  return [...words.values()].every((weight) => weight < 1) || matchedShare(rareWords, text) >= least
}

/** The room for sections, in tokens. The best section is given even if it is larger. */
const SECTION_ROOM = 2_600
const MOST_SECTIONS = 20
/** Sections below this share of the best score are noise. */
const CLOSE = 0.45
/** A page that is not current loses to any that says about as much. */
const OLD = 0.4
/** A page up to this size is given whole, in tokens: its sections explain each other. */
const SHORT_PAGE = 300

/**
 * The sections of a pack that say most about the task. Views and pages compete: a view that does not say it cannot
 * silence a page that does. Never text that a failed run made.
 */
function chooseSections(reading: Reading): Choice[] {
  const { hits, files, words, task, records, healthOf } = reading
  const isFailed = (path: string) => records.governing.get(path)?.status === 'failed' && healthOf(path).isFailed
  const inOrder = (some: SectionHit[]) =>
    some.sort((a, b) => b.score - a.score || compareText(a.path, b.path) || a.from - b.from)
  const usable = inOrder(
    hits
      .filter(({ from, path }) => from > 0 && !isFailed(path))
      .map((hit) => ({ ...hit, score: hit.score * preference(reading, hit) })),
  )
  const close = usable
    .filter(({ score }) => score >= CLOSE * (usable[0]?.score ?? 0))
    .flatMap((hit, at) => {
      const origins = at < MOST_COMPARED ? rewordedPages(files, hit) : []
      return origins.length === 0 ? [hit] : [{ ...hit, score: PARAPHRASE * hit.score }, ...origins]
    })
  // Only pages that may be given are asked for their age.
  const ordered = inOrder(close.map((hit) => (healthOf(hit.path).age ? { ...hit, score: OLD * hit.score } : hit)))
  const top = ordered[0]?.score ?? 0
  const taken = new Map<string, SectionHit[] | 'whole'>()
  const said: string[] = []
  let left = reading.isDeep ? 2 * SECTION_ROOM : SECTION_ROOM
  for (const hit of ordered) {
    const file = files.read(hit.path)
    const others = taken.get(hit.path) ?? []
    if (said.length === MOST_SECTIONS || hit.score < CLOSE * top) break
    if (file === undefined || others === 'whole') continue
    const isWhole = !hit.path.startsWith('documents/') && estimateTokens(file.text) <= SHORT_PAGE
    const text = isWhole ? file.text : takeLines(file.text, hit)
    const flat = text.replace(/^#.*$/gm, '').replace(/\s+/g, ' ').trim()
    const cost = estimateTokens(text)
    if ((cost > left && said.length > 0) || said.some((other) => other.includes(flat))) continue
    left -= cost
    said.push(flat)
    taken.set(hit.path, isWhole ? 'whole' : [...others, hit])
  }
  for (const hit of linkedSections(reading, ordered, taken)) taken.set(hit.path, [hit])
  return [...taken].flatMap(([path, pieces]) => {
    const file = files.read(path)
    if (file === undefined) return []
    // The budget takes the best first, whatever the order of the files.
    const choose = (own: readonly SectionHit[], stretch = {}): Choice => {
      const best = Math.min(top, Math.max(...own.map(({ score }) => score)))
      const choice = chooseLines(file, ruleFor(path), words, { ...stretch, task: task.text })
      return { ...choice, score: Math.round((1000 * best) / top) / 1000 }
    }
    if (pieces === 'whole') return [choose(ordered.filter((hit) => hit.path === path))]
    return packSections(path, file.text).flatMap((section) => {
      const own = pieces.filter(({ from, to }) => section.from <= from && to <= section.to)
      return linesToShow(section, own).map((stretch) => {
        const inside = own.filter(({ from, to }) => from <= stretch.to && stretch.from <= to)
        return choose(inside.length > 0 ? inside : own, stretch)
      })
    })
  })
}

/** A view that says in other words what a page says comes after that page. */
const PARAPHRASE = 0.7

/** The sections of pages that a part of a view names as its sources without repeating them word for word. */
function rewordedPages(files: PackFiles, hit: SectionHit): SectionHit[] {
  const view = hit.path.startsWith('compiled/') ? files.read(hit.path) : undefined
  if (view === undefined) return []
  const text = takeLines(view.text, hit)
  const lines = text.split('\n')
  const flat = (words: string) =>
    words
      .replace(/\[source:[^\]]*\]|[`*_|]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
  return findInlineAnchors(text).flatMap(({ path, anchor, line }) => {
    const page = /^(?:wiki|documents)\//.test(path) && isContent(path) ? files.read(path) : undefined
    const said = flat((lines[line - 1] ?? '').replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ''))
    if (page === undefined || flat(page.text).includes(said)) return []
    const place = anchor === undefined ? undefined : findAnchor(page.text, anchor, path).lines
    return place === undefined ? [] : [{ ...hit, path, ...place }]
  })
}

const MOST_LINKED = 2
/** Of the files that say most about the task, so many are opened to compare them with the chosen ones. */
const MOST_COMPARED = 10
const LONGEST_LINKED = 500
/** A linked page holds what is asked if it has such a share of what the chosen text does not have. */
const NEW_SHARE = 0.12

/** The sections of pages one link away that say what is asked and the chosen sections do not say. */
function linkedSections(
  { files, hits, rareWords, healthOf, textOf }: Reading,
  ordered: readonly SectionHit[],
  taken: ReadonlyMap<string, SectionHit[] | 'whole'>,
): SectionHit[] {
  const pages = new Pages([...files.list('wiki'), ...files.list('documents')].filter(isContent))
  const linksOf = (path: string, text: string) => linkedPages(text, path, pages).filter((page) => page !== path)
  const from = [...taken].map(([path, pieces]) => {
    const { text = '' } = files.read(path) ?? {}
    return { path, text: pieces === 'whole' ? text : pieces.map(textOf).join('\n') }
  })
  const outward = from.map(({ path, text }) => linksOf(path, text))
  const near = new Set(outward.flat())
  for (const path of [...new Set(hits.map((hit) => hit.path))].slice(0, MOST_COMPARED)) {
    const { text = '' } = taken.has(path) ? {} : (files.read(path) ?? {})
    if (text.length < 64 * 1024 && linksOf(path, text).some((page) => taken.has(page))) near.add(path)
  }
  const said = new Set([...taken.values()].flat().flatMap((hit) => (hit === 'whole' ? [] : hit.terms)))
  for (const hit of ordered) if (taken.get(hit.path) === 'whole') for (const term of hit.terms) said.add(term)
  const whole = [...rareWords.values()].reduce((sum, weight) => sum + weight, 0)
  const gainOf = ({ terms }: SectionHit) =>
    terms.reduce((sum, term) => sum + (said.has(term) ? 0 : (rareWords.get(term) ?? 0)), 0) / (whole || 1)
  const isFree = (path: string) => near.has(path) && !taken.has(path) && healthOf(path).age === undefined
  const isShort = (hit: SectionHit) => estimateTokens(textOf(hit)) <= LONGEST_LINKED
  const found = hits
    .filter((hit) => hit.from > 0 && isFree(hit.path) && gainOf(hit) >= NEW_SHARE && isShort(hit))
    .sort((a, b) => gainOf(b) - gainOf(a) || b.score - a.score || compareText(a.path, b.path))
  // A short best section that links little points there, whatever the words of the other page.
  const [first] = from
  const pointed = first !== undefined && estimateTokens(first.text) <= 120 ? outward[0]!.slice(0, MOST_LINKED) : []
  const leads = pointed.filter(isFree).flatMap((path): SectionHit[] => {
    const [lead] = packSections(path, files.read(path)?.text ?? '')
    return lead === undefined || ordered[0] === undefined ? [] : [{ ...ordered[0], ...lead, path, score: 0 }]
  })
  const each = new Map([...leads.filter(isShort), ...found.toReversed()].map((hit) => [hit.path, hit]))
  return [...each.values()].slice(-MOST_LINKED).map((hit) => ({ ...hit, score: CLOSE * (ordered[0]?.score ?? 0) }))
}

/** Pages that give another number than the chosen ones for the same thing. */
function numberWarnings({ hits, textOf, healthOf }: Reading, content: readonly Choice[]): PackWarning[] {
  const isPage = (path: string) => /^(?:wiki|documents)\//.test(path)
  const given = content.filter(({ path }) => isPage(path) && healthOf(path).age === undefined)
  const mine = given.flatMap(({ path, lines, text }) => {
    const title = hits.find((hit) => hit.path === path && hit.from <= (lines?.to ?? 0) && hit.to >= (lines?.from ?? 0))
    return numberedSentences(path, title?.title ?? '', text, lines?.from ?? 1)
  })
  if (mine.length === 0) return []
  const compared = new Set([...new Set(hits.map(({ path }) => path))].slice(0, MOST_COMPARED))
  const others = hits
    .filter(({ from, path }) => from > 0 && isPage(path))
    .filter(({ path }) => compared.has(path))
    .filter(({ path }) => healthOf(path).age === undefined)
    .flatMap((hit) => numberedSentences(hit.path, hit.title, textOf(hit), hit.from))
  const pairs = differingNumbers(mine, others)
  const isFirst = ([one, other]: (typeof pairs)[number], at: number) =>
    !pairs.slice(0, at).some(([a, b]) => (a.text === one.text && b.text === other.text) || a.text === other.text)
  return pairs.filter(isFirst).map(([one, other]) => {
    const there = formatAnchor({ path: shownText(other.path), anchor: `L${other.line}` })
    const facts = { said: quoted(one.text), there, other: quoted(other.text) }
    return report('claim.disputed/numbers', facts, { path: one.path, line: one.line })
  })
}

function ruleFor(path: string): Rule {
  if (path.startsWith('compiled/splits/')) return 'split'
  return path.startsWith('compiled/') ? 'view' : path.startsWith('documents/') ? 'section' : 'page'
}

/** A small preference for what a profile reads first, so that it wins among equals and silences nothing better. */
function preference({ manifest, guide }: Reading, { path }: SectionHit): number {
  // They say what is open or contradicted, and state no fact.
  if (/^wiki\/(?:open-questions|contradictions)\//.test(path)) return 0.5
  const isMapped = guide.map.some((entry) =>
    entry.isDirectory ? path.startsWith(`${entry.path.replace(/\/$/, '')}/`) : entry.path === path,
  )
  const isFirst = manifest.profile === 'hybrid' && guide.map.length > 0 ? isMapped : path.startsWith('compiled/')
  return isFirst ? 1.2 : path === manifest.primaryDocument ? 1.1 : 1
}

/** Chooses whole files that are not empty, each once. */
function chooseFiles({ files, words }: Reading, paths: readonly string[], why: string, rule?: Rule): Choice[] {
  return [...new Set(paths)].flatMap((path) => {
    const file = files.sizeOf(path) === undefined ? undefined : files.read(path)
    const isEmpty = file === undefined || file.text.trim() === ''
    return isEmpty ? [] : [chooseLines(file, rule ?? ruleFor(path), words, { why })]
  })
}

/** For a task that matches nothing: the short views. */
function chooseDefaults(reading: Reading): Choice[] {
  const { files, healthOf } = reading
  const isUsable = (path: string) => isProse(path) && files.sizeOf(path) !== undefined && !healthOf(path).isFailed
  const views = ['compiled/briefing.md', 'compiled/facts.md', 'compiled/boundaries.md'].filter(isUsable)
  const others = files.list('compiled').filter((path) => isUsable(path) && !path.startsWith('compiled/splits/'))
  return chooseFiles(reading, views.length > 0 ? views : others.slice(0, 3), 'standard view', 'view')
}

const VOICE =
  /voice|tone|value|taboo|persona|style|character|boundar|\u8bed\u6c14|\u98ce\u683c|\u7981\u5fcc|\u4ef7\u503c/i

/** What goes with any part of the pack: its limits, and for a persona its voice. */
function chooseCompanions(reading: Reading): Choice[] {
  const { files, words, manifest, guide, healthOf } = reading
  const isUsable = (path: string) => isProse(path) && !healthOf(path).isFailed
  const limits = files.list('compiled').filter((path) => setsLimits(pathWords(path)) && isUsable(path))
  const chosen = chooseFiles(reading, limits.slice(0, MOST_SECTIONS), 'sets limits')
  if (manifest.mode !== 'persona') return chosen
  // Views, and files that the context map names, whose name or hint is about a voice. A map cannot open raw sources.
  const mapped = guide.map.filter(({ layer, isDirectory }) => !isDirectory && /^(?:wiki|documents)$/.test(layer))
  const hints = (path: string) => guide.map.filter((entry) => entry.path === path).map(({ hint }) => hint)
  const voice = [...files.list('compiled'), ...mapped.map(({ path }) => path)]
    .filter((path) => VOICE.test([pathWords(path), ...hints(path)].join(' ')) && isUsable(path))
    .filter((path) => !limits.includes(path))
  // Sections of its document, if there are no slices of it.
  const path = manifest.primaryDocument ?? files.list('documents').find(isProse)
  const document = path === undefined || files.list('compiled/splits').some(isProse) ? undefined : files.read(path)
  const sections = document === undefined ? [] : packSections(document.path, document.text)
  const why = 'shapes the voice'
  return [
    ...chosen,
    ...chooseFiles(reading, voice.slice(0, MOST_SECTIONS), why),
    ...sections
      .filter(({ title }) => VOICE.test(title))
      .map(({ from, to, text }) => chooseLines(document!, 'section', words, { from, to, text, why })),
  ]
}

const MOST_PAGES = 4

/** The pages behind views that are out of date, and the contradictions behind what is disputed. */
function choosePagesBehind(reading: Reading, healths: ReadonlyMap<string, FileHealth>): Choice[] {
  const { files, hits } = reading
  const behind = (status: 'stale' | 'disputed') =>
    claimsOf(healths).flatMap((claim) => (claim.status === status ? claim.compiledInto : []))
  const all = [...healths.values()]
  // The pages that the claims name, or the page that says most about the task.
  const isPage = (path: string) => path.startsWith('wiki/') && isContent(path)
  const named = behind('stale').filter(isPage)
  const first = hits.map(({ path }) => path).find(isPage)
  const pages = !all.some(({ isStale }) => isStale) ? [] : named.length > 0 ? named : first === undefined ? [] : [first]
  // Those that the claims name or that match the task; all of them if the whole pack is disputed.
  const known = files.list('wiki/contradictions').filter(isProse)
  const direct = known.filter((path) => behind('disputed').includes(path))
  const related = direct.length > 0 ? direct : known.filter((path) => hits.some((hit) => hit.path === path))
  const isDisputed = reading.isDisputed || all.some((health) => health.isDisputed)
  const disputed = !isDisputed ? [] : related.length > 0 && !reading.isDisputed ? related : known
  const why = 'it has a claim that is out of date in a view'
  return [
    ...chooseFiles(reading, [...new Set(pages)].slice(0, MOST_PAGES), why, 'page'),
    ...chooseFiles(reading, disputed.slice(0, MOST_PAGES), 'a claim in play is disputed', 'contradiction'),
  ]
}

/** Chooses text that is made from records. */
function chooseRecords({ manifest, files, task }: Reading) {
  const { parts, used, ...rest } = groundRecords(manifest, files, task.words)
  const sources = used.flatMap((path) => {
    const file = files.read(path)
    return file === undefined ? [] : [{ path: file.path, sha256: file.sha256, bytes: file.bytes }]
  })
  const choices = parts.map((part): Choice => {
    const rule = part.layer === 'answers' ? 'answer' : 'ontology'
    return { ...part, rule, score: 1, why: 'its records are about the task', sources }
  })
  return { ...rest, choices }
}

const CITES =
  /\b(?:cit(?:e|es|ed|ing|ation|ations)|sources?|verif(?:y|ied|ies|ication)|evidence|references?|proof|footnotes?|fact.?check\w*|ingest\w*)\b|\u5f15\u7528|\u51fa\u5904|\u6765\u6e90|\u6838\u5b9e|\u9a8c\u8bc1/gi

/** Words of the task that ask for sources, such as "cite". They are not its subject. */
function citingWords(task: string): string[] {
  return [...task.matchAll(CITES)].flatMap(([word]) => termsOf(word))
}

/** Statements below this share of the best match are not what the task asks for. */
const CLOSE_STATEMENT = 0.7
const MOST_EXCERPTS = 8
const LONGEST_EXCERPT = 40

/** The sources of the chosen text. Adds their lines only for citations, verification or disputes. */
function gatherEvidence(reading: Reading, content: readonly Choice[], healths: ReadonlyMap<string, FileHealth>) {
  const { manifest, files, words, rareWords } = reading
  const isCiting = reading.wantsCitations || citingWords(reading.task.text).length > 0

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
  const matching = scored
    .filter(({ share }) => share > 0 && share >= CLOSE_STATEMENT * best)
    .sort((a, b) => b.share - a.share)
  const asked = best === 0 && isCiting ? scored : matching

  const warnings: PackWarning[] = []
  const noPlace = (path: string, anchor: string) =>
    warnings.push(report('source.absent/place', { anchor: shownText(anchor, 60) }, { path: shownText(path) }))
  const isSafe = ({ path }: { path: string }) => packPathProblem(path) === undefined
  for (const { path } of [...scored, ...asked].filter((each) => !isSafe(each))) {
    const problem = `${packPathProblem(path)}`
    warnings.push(report('PATH_ESCAPE/pack-statement', { problem }, { path: shownText(path) }))
  }
  for (const { path, anchor = '' } of asked.filter(isSafe)) {
    const size = files.sizeOf(path)
    const place = parseAnchor(anchor)
    if (size === undefined) {
      warnings.push(report('source.absent/source', {}, { path: shownText(path) }))
      // By its size: a file cannot have more lines than bytes, plus one without a line end.
    } else if (place.kind === 'lines' && place.to > size + 1) noPlace(path, anchor)
  }
  if (manifest.grounding === 'none' && !isCiting) return { choices: [], warnings, anchors: [] }

  const anchors = asked.map(formatAnchor)
  const isDisputed = reading.isDisputed || claimsOf(healths).some(({ status }) => status === 'disputed')
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
      warnings.push(report('content.secret/excerpt', {}, { path, line }))
      return []
    }
    const text = takeLines(file.text, { from, to })
    return [chooseLines(file, 'excerpt', words, { from, to, text, why: 'a statement rests on these lines' })]
  })
  return { choices, warnings, anchors }
}
