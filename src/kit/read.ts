import { join } from 'node:path'
import { readTextInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { importedDocument } from '../machine/skill-document.ts'
import { guardChoices } from '../packs/rules/fence/content-guard.ts'
import { wrapContext } from '../packs/rules/fence/wrapper.ts'
import { packWord, type TrustedPack } from '../packs/rules/gates/catalog.ts'
import { opensTier } from '../packs/rules/gates/trust.ts'
import { layerOf, packPathProblem, settleWarnings, toFinding } from '../packs/rules/pack.ts'
import type { PackFile } from '../packs/rules/pack-files.ts'
import { checkHealth, readRecords } from '../packs/rules/records/health.ts'
import { chooseFile, countLines } from '../packs/rules/resolve/choice.ts'
import { wrapperInput } from '../packs/rules/resolve/pack-context.ts'
import { type AdmittedPack, type Fenceable, openAdmitted, prepareGuide, RESOURCE_KINDS } from '../packs/show.ts'
import { fenceFindings } from '../payloads/load.ts'
import { payloadBody } from '../payloads/rules/frontmatter.ts'
import { filesOf, readShelved, type ShelvedSkill } from '../skills/skill-shelf.ts'
import { type Cut, cutLine, findCut, LEAST_CHARACTERS } from '../text/cap-content.ts'
import { fence } from '../text/fence.ts'
import { shellWord } from '../text/printable.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Code, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { recordUsage } from '../usage/record.ts'
import type { EntryKind } from '../usage/rules/usage-event.ts'
import { idOf, type Located, type LocatedText, locate, READABLE } from './locate.ts'
import { entryId } from './rules/entry-id.ts'
import type { ShelfRequest } from './shelf.ts'

/** The text of one entry, or of one file of it, fenced as data, as it goes to a model. */
export interface EntryText {
  /** The id that means only this. */
  id: string
  kind: EntryKind
  /** The file it was read from. */
  path: string
  text: string
  tokens: number
  cut?: Cut
}

export interface ReadRequest extends ShelfRequest {
  /** `release-pipeline`, `pack:name`, `pack:name/path`, `skill:name`, `skill:name/path`, or a bare name of any kind. */
  id: string
  /** The most that the text may have, fence included. */
  maxCharacters?: number | undefined
}

/** A text that passed its gates, before it is cut and fenced. */
export interface Readable {
  name: string
  /** Where it comes from: a layer of payloads, the scope of a pack, the library. */
  layer: string
  path: string
  body: string
  wrap(body: string): { text: string; findings: Finding[] }
}

/** One entry by its id: fenced, no longer than asked for, and recorded as used. */
export function readEntry(machine: Machine, request: ReadRequest): Report<EntryText> {
  const most = requireRoom(request.maxCharacters)
  const { value: located, findings } = locate(machine, { ...request, kinds: READABLE })
  const read = readLocated(machine, located, most)
  return { value: read.value, findings: [...findings, ...read.findings] }
}

export function readLocated(machine: Machine, located: LocatedText, most = Infinity): Report<EntryText> {
  const { name, layer, path, body, wrap } = open(located)
  const cut = findCut(body, most, (content) => wrap(content).text)
  const fenced = wrap(cut === undefined ? body : body.slice(0, cut.characters))
  const text = cut === undefined ? fenced.text : `${fenced.text}${cutLine(cut)}`
  const tokens = estimateTokens(text)
  const id = idOf(located)
  const entry = { id: name, kind: located.kind, trigger: 'lookup', mode: 'manual' as const, tokens, layer }
  const recorded = recordUsage(machine, { task: `lookup ${id}`, stage: 'used', entries: [entry] })
  const value = { id, kind: located.kind, path, text, tokens, ...(cut === undefined ? {} : { cut }) }
  return { value, findings: [...fenced.findings, ...recorded] }
}

function open(located: LocatedText): Readable {
  switch (located.kind) {
    case 'payload':
      return openPayload(located)
    case 'skill':
      return openSkill(located)
    case 'pack':
      return openPackText(located)
  }
}

function requireRoom(most: number | undefined): number | undefined {
  if (most === undefined || (Number.isSafeInteger(most) && most >= LEAST_CHARACTERS)) return most
  throw new LoadoutError('USAGE', `a text needs room for ${LEAST_CHARACTERS} characters or more, not ${most}`, {
    hint: 'raise the limit',
  })
}

/** The guide of a pack, or one of its files, as far as its gates are open. */
export function openPackText({ pack, path }: Located & { kind: 'pack' }): Readable {
  const admitted = openAdmitted(pack, false)
  const file = path === undefined ? admitted.guide.file : requireFile(admitted, path)
  const readable = path === undefined ? prepareGuide(admitted) : prepareFile(admitted, file)
  return { name: pack.manifest.name, layer: pack.scope, path: join(pack.root, file.path), ...readable }
}

/** A file that a reader may ask for, if the approval goes that far. */
function requireFile({ pack, files }: AdmittedPack, path: string): PackFile {
  const problem = packPathProblem(path)
  if (problem !== undefined) throw pathEscape(path, problem)
  const layer = layerOf(path)
  if (layer === undefined || RESOURCE_KINDS[layer] === undefined) throw notOffered(pack, path, OFFERED)
  const tier = layer === 'sources' ? 'evidence' : 'context'
  if (!opensTier(pack.trust, tier)) {
    const message = `the pack ${packWord(pack.manifest.name)} is approved up to its ${pack.trust.tier} only`
    const hint = `loadout approve ${shellWord(pack.root)} --tier ${tier}`
    throw new LoadoutError('APPROVAL_NEEDED', message, { hint })
  }
  const known = files.warnings.length
  const file = files.read(path)
  if (file !== undefined) return file
  const warning = files.warnings[known]
  if (warning?.code === 'source.escape') throw pathEscape(path, warning.message)
  if (warning !== undefined) {
    const message = `${shownPath(path)} of the pack ${packWord(pack.manifest.name)}: ${warning.message}`
    throw new LoadoutError(CODES[warning.code] ?? 'FILE_UNREADABLE', message, { hint: 'ask for another file' })
  }
  const close = nearest(path, files.list(layer))
  throw notOffered(
    pack,
    path,
    close === undefined ? OFFERED : `did you mean ${entryId('pack', pack.manifest.name, close)}?`,
  )
}

const OFFERED = `its readable files are below ${Object.keys(RESOURCE_KINDS).join('/, ')}/`

const CODES: Partial<Record<Code, Code>> = {
  'file.not-text': 'NOT_TEXT',
  'file.too-large': 'FILE_TOO_LARGE',
  'file.not-regular': 'NOT_A_FILE',
}

function pathEscape(path: string, problem: string): LoadoutError {
  const hint = 'name a file inside the pack'
  return new LoadoutError('PATH_ESCAPE', `the path ${shownPath(path)} is refused: ${problem}`, { hint })
}

function notOffered({ manifest }: TrustedPack, path: string, instead: string): LoadoutError {
  const message = `the pack ${packWord(manifest.name)} has no file ${shownPath(path)} to read; ${instead}`
  const hint = `loadout lookup ${shellWord(entryId('pack', manifest.name))} --load lists its files`
  return new LoadoutError('ENTRY_NOT_FOUND', message, { hint })
}

function shownPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 199)}\u2026` : path)
}

/** As a resolution would give it: not when its run failed, without secrets, with what must be known about it. */
function prepareFile({ pack, files, warnings }: AdmittedPack, file: PackFile): Fenceable {
  const { manifest } = pack
  const records = readRecords(files)
  const health = checkHealth(file.path, records, files, manifest.grounding === 'required')
  if (health.isFailed) {
    const message = `${shownPath(file.path)} of the pack ${packWord(manifest.name)} was made by a run that failed`
    throw new LoadoutError('PACK_REFUSED', message, { hint: 'ask for the pages or sources behind it' })
  }
  const guarded = guardChoices(
    [chooseFile(file, 'page', new Map())],
    [...warnings, ...records.warnings, ...health.warnings, ...files.warnings],
  )
  const part = guarded.choices[0]?.part ?? { path: file.path, layer: 'guide' as const, text: '' }
  const told = settleWarnings(guarded.warnings)
  return {
    body: part.text,
    wrap: (text) => {
      const lines = { from: 1, to: countLines(text) }
      const wrapper = wrapContext(wrapperInput(pack, [{ ...part, lines, text }], told, []))
      const all = settleWarnings([...told, ...wrapper.warnings])
      return { text: wrapper.text, findings: all.map((warning) => toFinding(warning, manifest.name)) }
    },
  }
}

export function openPayload({ entry, knowledge }: Located & { kind: 'payload' }): Readable {
  const { id, path } = entry
  const root = knowledge.rootOf(entry)
  const layer = knowledge.layerOf(entry)
  return {
    name: id,
    layer,
    path: join(root, path),
    body: payloadBody(readTextInside(root, path)),
    wrap: (body) => {
      const fenced = fence('loadout_payload', { id, layer, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}

/** SKILL.md without its frontmatter, or another file of the skill as it is. */
export function openSkill({ skill, path = DOCUMENT_FILE }: Located & { kind: 'skill' }): Readable {
  const { name, folder, source } = skill
  const text = readFile(skill, path)
  const id = entryId('skill', name)
  return {
    name,
    layer: source,
    path: join(folder, path),
    body: path === DOCUMENT_FILE ? importedDocument(text).body : text,
    wrap: (body) => {
      const fenced = fence('loadout_skill', { id, path }, body)
      return { text: fenced.text, findings: fenceFindings(fenced, id, path) }
    },
  }
}

function readFile(skill: ShelvedSkill, path: string): string {
  try {
    return readShelved(skill, path)
  } catch (error) {
    if (!(error instanceof LoadoutError) || error.code !== 'FILE_NOT_FOUND') throw error
    const { name } = skill
    const files = filesOf(skill).map((file) => file.path)
    const close = nearest(path, files)
    const meant = close === undefined ? '' : `; did you mean ${entryId('skill', name, close)}?`
    throw new LoadoutError('ENTRY_NOT_FOUND', `the skill ${name} has no file "${path.slice(0, 80)}"${meant}`, {
      hint: `loadout lookup ${entryId('skill', name)} lists its files`,
      cause: error,
    })
  }
}
