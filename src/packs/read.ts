import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { cutLine, findCut } from '../text/cap-content.ts'
import type { CheckedText } from '../text/checked-text.ts'
import { shellWord } from '../text/printable.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith, type LoadoutError, retell } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { recordUsage } from '../usage/record.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { type CatalogRequest, Packs } from './catalog.ts'
import { PackFolder } from './disk/pack-folder.ts'
import { findAnchor, parseAnchor } from './rules/anchors.ts'
import { admit, packWord, type TrustedPack } from './rules/gates/trust.ts'
import { examplesOf, guardChoices, withholdSecrets } from './rules/guard.ts'
import { type Guide, type GuideResource, readGuide, wrapGuide } from './rules/guide.ts'
import {
  type ContextPart,
  layerOf,
  type PackFile,
  type PackFiles,
  type PackLayer,
  type PackWarning,
  packPathProblem,
  settleWarnings,
  toFinding,
} from './rules/pack.ts'
import { checkHealth, readRecords } from './rules/records.ts'
import { chooseLines, countLines, takeLines } from './rules/resolve/choose.ts'
import { wrapPack } from './rules/resolve/pack-context.ts'

/** The folders whose files can be read one by one, and what their files are for. */
const RESOURCE_KINDS: Partial<Record<PackLayer, GuideResource['kind']>> = {
  compiled: 'runtime',
  documents: 'primary',
  wiki: 'primary',
  ontology: 'primary',
  answers: 'primary',
  sources: 'evidence',
}

/** Reads the guide of a pack or one of its files, if the gates allow it. */
export function openPackText(packs: Packs, pack: TrustedPack, path: string | undefined): CheckedText {
  const admitted = openAdmitted(packs, pack, false)
  // `wiki/a.md#L3-L9`, `documents/a.pdf#page=3` or `wiki/a.md#a-heading` names a part of a file.
  const [, wanted = path, anchor] = /^([^#]+)#(.+)$/.exec(path ?? '') ?? []
  const file = wanted === undefined ? admitted.guide.file : requireFile(admitted, wanted)
  const lines = anchor === undefined ? undefined : requireLines(file, anchor)
  const readable = wanted === undefined ? prepareGuide(admitted) : prepareFile(admitted, file, lines)
  return { layer: pack.scope, path: join(pack.root, file.path), ...readable }
}

interface Lines {
  from: number
  to: number
}

/** Reads a file of a readable layer. Throws if the approval does not cover it. */
function requireFile({ pack, files }: AdmittedPack, path: string): PackFile {
  const problem = packPathProblem(path)
  if (problem !== undefined) throw pathEscape(path, problem)
  const layer = layerOf(path)
  if (layer === undefined || RESOURCE_KINDS[layer] === undefined) throw notOffered(pack, path, OFFERED)
  const known = files.warnings.length
  const file = files.read(path)
  if (file !== undefined) return file
  const warning = files.warnings[known]
  if (warning?.code === 'PATH_ESCAPE') throw pathEscape(path, warning.message)
  if (warning !== undefined) {
    const message = `${shownPath(path)} of the pack ${packWord(pack.manifest.name)}: ${warning.message}`
    throw retell(warning, { message, hint: 'ask for another file' })
  }
  const close = nearest(path, files.list(layer))
  throw notOffered(
    pack,
    path,
    close === undefined ? OFFERED : `did you mean ${entryId('pack', pack.manifest.name, close)}?`,
  )
}

const OFFERED = `its readable files are below ${Object.keys(RESOURCE_KINDS).join('/, ')}/`

function pathEscape(path: string, problem: string): LoadoutError {
  return failWith('PATH_ESCAPE/pack', { path: shownPath(path), problem })
}

function notOffered({ manifest }: TrustedPack, path: string, instead: string): LoadoutError {
  return failWith('ENTRY_NOT_FOUND/pack-file', {
    name: packWord(manifest.name),
    path: shownPath(path),
    instead,
    entryId: shellWord(entryId('pack', manifest.name)),
  })
}

function shownPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}\u2026` : path)
}

/** Prepares a file as a resolution does: refuses it if its run failed, withholds secrets, adds warnings. */
function prepareFile({ pack, files, warnings }: AdmittedPack, file: PackFile, lines?: Lines): Fenceable {
  const { manifest } = pack
  const records = readRecords(files)
  const health = checkHealth(file.path, records, files, { isStrict: manifest.grounding === 'required' })
  if (health.isFailed) {
    throw failWith('PACK_REFUSED/failed-run', { path: shownPath(file.path), name: packWord(manifest.name) })
  }
  const guarded = guardChoices(
    [chooseLines(file, 'page', new Map(), lines && cutLines(file, lines))],
    [...warnings, ...records.warnings, ...health.warnings, ...files.warnings],
    examplesOf(files),
  )
  const part: ContextPart = guarded.choices[0] ?? { path: file.path, layer: 'guide', text: '' }
  const told = settleWarnings(guarded.warnings)
  return {
    body: part.text,
    wrap: (text) => {
      const from = part.lines?.from ?? 1
      const shown = { from, to: from + countLines(text) - 1 }
      const wrapper = wrapPack(pack, [{ ...part, lines: shown, text }], told, [])
      const all = settleWarnings([...told, ...wrapper.warnings])
      return { text: wrapper.text, findings: all.map((warning) => toFinding(warning, manifest.name)) }
    },
  }
}

function requireLines({ path, text }: PackFile, anchor: string): Lines {
  const place = parseAnchor(anchor)
  const lines = place.kind === 'lines' ? place : findAnchor(text, anchor, path).lines
  if (lines !== undefined) return lines
  throw failWith('ENTRY_NOT_FOUND/place', { path: shownPath(path), anchor: shownPath(anchor) })
}

function cutLines({ path, text }: PackFile, { from, to }: Lines) {
  const last = countLines(text)
  if (from < 1 || from > to || from > last) {
    throw failWith('ENTRY_NOT_FOUND/lines', { path: shownPath(path), last })
  }
  const lines = { from, to: Math.min(to, last) }
  return { ...lines, text: takeLines(text, lines) }
}

/** About 6,000 tokens. A longer guide is cut, and says so. */
const LONGEST_GUIDE = 24_000

/** The fenced guide of an admitted pack, with the names of its other files. Logged as used. */
export function openGuide(
  machine: Machine,
  request: CatalogRequest & {
    pack: string
    isConfirmed?: boolean
    isRecorded?: boolean
    /** The maximum length of the text, including the fence. */
    maxCharacters?: number
  },
): { name: string; guide: string } {
  const packs = new Packs(machine, { ...request, packs: [request.pack] })
  const pack = packs.get(request.pack)
  const { body, wrap } = prepareGuide(openAdmitted(packs, pack, request.isConfirmed ?? false))
  const cut = findCut(body, request.maxCharacters ?? LONGEST_GUIDE, (content) => wrap(content).text)
  const fenced = wrap(body.slice(0, cut?.characters))
  const text = `${fenced.text}${cut === undefined ? '' : cutLine(cut)}`
  const { name } = pack.manifest
  const entry = { id: name, kind: 'pack', trigger: 'guide', mode: 'manual', tokens: estimateTokens(text) } as const
  const recorded =
    request.isRecorded === false ? [] : recordUsage(machine, { task: `guide ${name}`, stage: 'used', entries: [entry] })
  machine.report(...fenced.findings, ...recorded)
  return { name, guide: text }
}

/** A pack that passed its gates and still matches its approval. */
interface AdmittedPack {
  pack: TrustedPack
  files: PackFiles
  guide: Guide
  warnings: readonly PackWarning[]
}

/** Opens a pack that the caller named. Throws if it is closed; the error says what is missing. */
export function openAdmitted({ machine }: Packs, pack: TrustedPack, isConfirmed: boolean): AdmittedPack {
  const { error, warnings } = admit(pack, { isExplicit: true, isConfirmed })
  if (error !== undefined) throw error()
  const files = new PackFolder(machine, pack, pack.trust)
  const guide = readGuide(files)
  // Replaced after it was checked: it is not the approved one.
  if (guide === undefined) throw admit({ ...pack, trust: { ...pack.trust, isOpen: false } }).error!()
  return { pack, files, guide, warnings: [...pack.warnings, ...warnings] }
}

/** A text that the caller may shorten before the fence is added. */
interface Fenceable {
  body: string
  wrap(body: string): { text: string; findings: Finding[] }
}

/** Prepares the guide and withholds what looks like a secret. */
function prepareGuide({ pack, files, guide, warnings }: AdmittedPack): Fenceable {
  const { name, status = 'unknown', profile, mode } = pack.manifest
  const { firstLine } = guide
  const resources = listResources(files.list(''))
  const head = { name, status, trust: pack.trust.state, profile, mode, root: name, firstLine, resources }
  return {
    body: withholdSecrets(guide.body).text,
    wrap: (body) => {
      const wrapped = wrapGuide({ ...head, body })
      const told = settleWarnings([...warnings, ...guide.warnings, ...wrapped.warnings])
      return { text: wrapped.text, findings: told.map((warning) => toFinding(warning, name)) }
    },
  }
}

function listResources(paths: readonly string[]): GuideResource[] {
  return paths
    .flatMap((path) => {
      const layer = layerOf(path)
      const kind = layer === undefined ? undefined : RESOURCE_KINDS[layer]
      return kind === undefined ? [] : [{ path, kind }]
    })
    .slice(0, 200)
}
