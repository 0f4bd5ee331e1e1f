import { HOOK_HOSTS } from '../agents/rules/hook-hosts.ts'
import { writeAudit } from '../machine/audits.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { summarizeChanges } from '../machine/rules/approval.ts'
import { claimant, claimLine, NO_AGENT, readSession, sessionPath } from '../machine/sessions.ts'
import { readTask } from '../search/task.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, sha256 } from '../text/values.ts'
import { type RecordedEntry, recordTask } from '../usage/record.ts'
import { formatClaim, readState } from '../usage/rules/session-state.ts'
import { Packs } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { placesIn } from './rules/anchors.ts'
import { admit } from './rules/gates/trust.ts'
import { groundRecords } from './rules/graph.ts'
import { examplesOf, guardPart } from './rules/guard.ts'
import { type ContextPart, PACK_FILE } from './rules/pack.ts'
import { takeLines } from './rules/resolve/choose.ts'
import { type ActivePack, type PackContext, wrapPack } from './rules/resolve/pack-context.ts'

export interface RecordRequest {
  cite?: boolean
  deep?: boolean
  needs?: readonly string[]
  /** Loadout does not repeat text that it already gave to this session. */
  session?: string
}

/** Records the context that a model gets, which of its texts its session now has, and the use of the packs. */
export function recordContext(
  machine: Machine,
  context: PackContext,
  { needs = [], cite = false, deep = false, session }: RecordRequest,
): { id: string | undefined; findings: Finding[] } {
  const { task, active } = context
  if (active.length === 0) return { id: undefined, findings: [] }
  const { id, findings } = writeAudit(machine, auditOf(context, { needs, cites: cite, deep }), (audit) => {
    if (session === undefined) return
    const texts = active.flatMap(({ presented: { wrapper } }) => wrapper ?? [])
    notePacks(machine, session, texts.map(sha256), audit)
  })
  const repeated = active.filter(({ isRepeated }) => isRepeated)
  const steps = [
    { stage: 'delivered' as const, entries: deliveredPacks(context) },
    // The session already has them.
    { stage: 'planned' as const, entries: repeated.map((each) => noteOf(each, 0)) },
  ]
  const via = machine.caller?.via ?? 'cli'
  const inSession = session && Object.create(machine, { caller: { value: { via, session } } })
  const used = recordTask(inSession ?? machine, { task, steps })
  return { id, findings: [...findings, ...used] }
}

/** The packs whose text goes to the model now, without those that its session already has. */
export function deliveredPacks({ active }: PackContext): RecordedEntry[] {
  return active.flatMap((each) => {
    const { presented, isRepeated } = each
    return presented.wrapper === undefined || isRepeated ? [] : [noteOf(each, presented.tokens)]
  })
}

function noteOf({ pack, activation }: ActivePack, tokens: number): RecordedEntry {
  const isNamed = activation === 'explicit'
  const [trigger, mode] = isNamed ? (['named', 'manual'] as const) : (['ranked', 'lazy'] as const)
  return { id: pack.manifest.name, kind: 'pack', trigger, mode, tokens }
}

/** Digests of the pack texts that a conversation already has. An unreadable file counts as empty. */
export function givenPacks(machine: Machine, session: string): string[] {
  requireConversation(session)
  const claims = agentsOf(machine, session).flatMap((agent) => {
    try {
      return readState(readSession(machine, agent, session)).claims
    } catch {
      return []
    }
  })
  const sums = claims.flatMap(({ parts }) => parts.flatMap((part) => (part.form === 'pack' ? [part.sum] : [])))
  return [...new Set(sums)]
}

/** Records delivered pack texts, in the file of the conversation's hooks if it has hooks. */
export function notePacks(machine: Machine, session: string, sums: readonly string[], audit?: string): void {
  requireConversation(session)
  if (sums.length === 0) return
  const parts = sums.map((sum) => ({ form: 'pack' as const, sum, audit }))
  const [agent = NO_AGENT] = agentsOf(machine, session)
  claimLine(machine, agent, session, formatClaim({ by: claimant(), parts }))
}

function agentsOf(machine: Machine, session: string): string[] {
  const agents = [...HOOK_HOSTS.map(({ agent }) => agent), NO_AGENT]
  return agents.filter((agent) => exists(sessionPath(machine, agent, session)))
}

function requireConversation(session: string): void {
  if (/^(?!\.+$)[A-Za-z0-9._-]{1,128}$/.test(session)) return
  throw failWith('USAGE/session', { session: session.slice(0, 80) })
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
  const files = openPack(machine, pack, { files: trust.files })
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

export type PackAudit = ReturnType<typeof auditOf>
type AuditedPack = ReturnType<typeof auditPack>

/** Everything needed to rebuild the text that a model got. Contains no text of a pack, no time and no session. */
function auditOf(context: PackContext, asked: { needs: readonly string[]; cites: boolean; deep: boolean }) {
  // Tasks that differ only in blanks are equal.
  const task = context.task.normalize('NFC').replace(/\s+/g, ' ').trim()
  const { refused, substitutions, collisions, tokens, budget } = context
  return {
    kind: 'packs' as const,
    question: { task, sha256: sha256(task), ...asked, strategy: 'sections', budget, counter: 'chars/4' },
    parts: context.active.map(auditPack),
    refused,
    substitutions,
    collisions,
    tokens,
  }
}

function auditPack({ pack, activation, confirmation, resolution, presented }: ActivePack) {
  const { manifest, trust, scope, root } = pack
  const { wrapper, choices, omitted, tokens } = presented
  return {
    name: manifest.name,
    version: manifest.version,
    scope,
    root,
    /** Of its KNOWLEDGE.md. */
    digest: resolution.entryDigest ?? '',
    status: manifest.status ?? 'unknown',
    trust: { declared: manifest.trust, effective: trust.state },
    approval: trust.approvalId,
    confirmation,
    activation,
    parts: choices.map(({ path, layer, lines, text, rule, score, why, sources }) => ({
      path,
      layer,
      lines,
      /** Of text that was made from records. */
      digest: lines === undefined ? sha256(text) : undefined,
      rule,
      score,
      why,
      files: sources,
    })),
    sourceMap: { digest: resolution.sourceMapDigest, claims: resolution.claims },
    runs: resolution.runs,
    /** Those inside the wrapper. */
    warnings: presented.wrapperWarnings,
    missing: resolution.missing,
    anchors: resolution.sourceAnchors,
    omitted,
    wrapper: wrapper === undefined ? undefined : { sha256: sha256(wrapper), tokens },
  }
}
