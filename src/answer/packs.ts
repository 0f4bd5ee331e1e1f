import type { Machine } from '../machine/machine.ts'
import { summarizeChanges } from '../machine/rules/approval.ts'
import { PackFolder, Packs } from '../packs/catalog.ts'
import { type ResolveRequest, resolvePacks } from '../packs/resolve.ts'
import { placesIn } from '../packs/rules/anchors.ts'
import { admit } from '../packs/rules/gates/trust.ts'
import { groundRecords } from '../packs/rules/graph.ts'
import { examplesOf, guardPart } from '../packs/rules/guard.ts'
import { type ContextPart, PACK_FILE } from '../packs/rules/pack.ts'
import { takeLines } from '../packs/rules/resolve/choose.ts'
import { type PackContext, wrapPack } from '../packs/rules/resolve/pack-context.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, sha256 } from '../text/values.ts'
import { type AuditedPack, givenPacks, type PackAudit, type RecordRequest, recordPacks } from './record.ts'

export interface PackRequest extends Omit<ResolveRequest, 'known'>, RecordRequest {
  /** Default: true. A preview passes false and leaves no record. */
  isRecorded?: boolean
}

/** What packs alone know about a task: the best there is, and what is missing. Recorded once. */
export function answerFromPacks(machine: Machine, request: PackRequest): PackContext {
  const { session, isRecorded = true } = request
  const known = session === undefined ? [] : givenPacks(machine, session)
  const context = resolvePacks(machine, { ...request, known })
  if (!isRecorded) return context
  const { id: auditId, findings } = recordPacks(machine, context, request)
  machine.report(...findings)
  return { ...context, auditId }
}

export interface RehydratedContext {
  id: string
  task: string
  /** The same bytes as then. Empty if anything has changed. */
  wrappers: { pack: string; text: string }[]
  /** The changes since then, by pack. */
  changed: { pack: string; paths: string[] }[]
}

/** Rebuilds a recorded context byte for byte. If anything has changed, reports the changes and returns no text. */
export function rehydrate(machine: Machine, id: string, record: PackAudit): RehydratedContext {
  const { task } = record.question
  const value: RehydratedContext = { id, task, wrappers: [], changed: [] }
  const findings: Finding[] = []
  for (const audited of record.parts.filter(({ wrapper }) => wrapper !== undefined)) {
    const { name } = audited
    const { text, changed, since } = rebuild(machine, audited, task)
    if (text === undefined) {
      const facts = { name, changed: changed.join(', '), task: shellWord(task) }
      value.changed.push({ pack: name, paths: changed })
      findings.push(report('CONTEXT_CHANGED/pack', facts, { subject: name }))
      continue
    }
    value.wrappers.push({ pack: name, text })
    if (since.length === 0) continue
    const facts = { name, changes: summarizeChanges(since) }
    findings.push(report('CONTEXT_CHANGED/unused', facts, { subject: name }))
  }
  if (value.changed.length > 0) value.wrappers = []
  machine.report(...findings.sort((a, b) => compareText(a.severity, b.severity)))
  return value
}

/** The recorded text, or the changes that prevent rebuilding it. */
type Rebuilt = ({ text: string; changed?: undefined } | { text?: undefined; changed: string[] }) & {
  /** Changes in files that it does not use. */
  since: readonly string[]
}

/** Rebuilds a recorded wrapper from the same lines. Asks the gate again: after `revoke` it must not be shown any more. */
function rebuild(machine: Machine, audited: AuditedPack, task: string): Rebuilt {
  const { catalog } = new Packs(machine, { packs: [audited.root] })
  const pack = catalog.all.find(({ root }) => root === audited.root)
  if (pack === undefined) {
    throw failWith('PACK_NOT_FOUND/gone', { name: audited.name, root: audited.root })
  }
  const { manifest, trust } = pack
  // In a changed pack, files that still match the approval may be given again.
  const isOpen = trust.isOpen || (trust.state === 'changed' && trust.files !== undefined)
  const asked = { isExplicit: true, isConfirmed: audited.confirmation !== undefined }
  if (admit({ ...pack, trust: { ...trust, isOpen } }, asked).verdict !== 'admitted') {
    throw failWith('APPROVAL_NEEDED/record', { name: audited.name, word: shellWord(`pack:${audited.root}`) })
  }
  const since = trust.changes ?? []
  // Not the kept copies: a replay says what has changed on disk.
  const files = new PackFolder(machine, pack, { files: trust.files })
  const recorded = new Map([[PACK_FILE, audited.digest]])
  for (const { path, sha256: was } of audited.parts.flatMap((part) => part.files)) recorded.set(path, was)
  const changed = [...recorded].filter(([path, was]) => files.read(path)?.sha256 !== was).map(([path]) => path)
  if (changed.length > 0) return { changed, since }
  const examples = examplesOf(files)
  const records = groundRecords(manifest, files, readTask(task).words).parts.map((part) => guardPart(part, examples))
  const parts: ContextPart[] = []
  for (const { path, layer, lines, digest } of audited.parts) {
    const text = files.read(path)?.text ?? ''
    const part =
      lines === undefined
        ? records.find((each) => each.path === path && sha256(each.text) === digest)
        : guardPart({ path, layer, lines, places: placesIn(path, text), text: takeLines(text, lines) }, examples)
    if (part === undefined) return { changed: ['the records of the pack'], since }
    parts.push(part)
  }
  const then = { manifest, trust: { state: audited.trust.effective } }
  const { text } = wrapPack(then, parts, audited.warnings, audited.missing)
  // The same files with another text: another version of Loadout wrote the record.
  return sha256(text) === audited.wrapper?.sha256 ? { text, since } : { changed: ['the program'], since }
}
