import { join } from 'node:path'
import { shellWord } from '../text/printable.ts'
import type { Readable } from '../text/readable.ts'
import { type Code, LoadoutError } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { examplesOf, guardChoices } from './rules/fence/content-guard.ts'
import { packWord, requireTier, type TrustedPack } from './rules/gates/trust.ts'
import { layerOf, type PackFile, packPathProblem, settleWarnings, toFinding } from './rules/pack.ts'
import { checkHealth, readRecords } from './rules/records/health.ts'
import { chooseFile, chooseLines, countLines, takeLines } from './rules/resolve/choice.ts'
import { wrapPack } from './rules/resolve/pack-context.ts'
import { type AdmittedPack, type Fenceable, openAdmitted, prepareGuide, RESOURCE_KINDS } from './show.ts'

/** Reads the guide of a pack or one of its files, if the gates allow it. */
export function openPackText(pack: TrustedPack, path: string | undefined): Readable {
  const admitted = openAdmitted(pack, false)
  const { path: wanted, lines } = readLines(path)
  const file = wanted === undefined ? admitted.guide.file : requireFile(admitted, wanted)
  const readable = wanted === undefined ? prepareGuide(admitted) : prepareFile(admitted, file, lines)
  return { name: pack.manifest.name, layer: pack.scope, path: join(pack.root, file.path), ...readable }
}

interface Lines {
  from: number
  to: number
}

/** `wiki/a.md#L3-L9` names lines of a file. */
function readLines(path: string | undefined): { path: string | undefined; lines?: Lines } {
  const [, file, from, to] = /^(.+)#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(path ?? '') ?? []
  if (file === undefined) return { path }
  return { path: file, lines: { from: Number(from), to: Number(to ?? from) } }
}

/** Reads a file of a readable layer. Throws if the approval does not cover it. */
function requireFile({ pack, files }: AdmittedPack, path: string): PackFile {
  const problem = packPathProblem(path)
  if (problem !== undefined) throw pathEscape(path, problem)
  const layer = layerOf(path)
  if (layer === undefined || RESOURCE_KINDS[layer] === undefined) throw notOffered(pack, path, OFFERED)
  requireTier(pack, layer === 'sources' ? 'evidence' : 'context')
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

/** Prepares a file as a resolution does: refuses it if its run failed, withholds secrets, adds warnings. */
function prepareFile({ pack, files, warnings }: AdmittedPack, file: PackFile, lines?: Lines): Fenceable {
  const { manifest } = pack
  const records = readRecords(files)
  const health = checkHealth(file.path, records, files, manifest.grounding === 'required')
  if (health.isFailed) {
    const message = `${shownPath(file.path)} of the pack ${packWord(manifest.name)} was made by a run that failed`
    throw new LoadoutError('PACK_REFUSED', message, { hint: 'ask for the pages or sources behind it' })
  }
  const guarded = guardChoices(
    [
      lines === undefined
        ? chooseFile(file, 'page', new Map())
        : chooseLines(file, cutLines(file, lines), 'page', new Map()),
    ],
    [...warnings, ...records.warnings, ...health.warnings, ...files.warnings],
    examplesOf(files),
  )
  const part = guarded.choices[0]?.part ?? { path: file.path, layer: 'guide' as const, text: '' }
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

function cutLines({ path, text }: PackFile, { from, to }: Lines) {
  const last = countLines(text)
  if (from < 1 || from > to || from > last) {
    throw new LoadoutError('ENTRY_NOT_FOUND', `${shownPath(path)} has ${last} lines`, {
      hint: 'ask for lines that it has',
    })
  }
  const lines = { from, to: Math.min(to, last) }
  return { ...lines, text: takeLines(text, lines) }
}
