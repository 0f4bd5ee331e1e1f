import { HOOK_HOSTS } from '../agents/rules/hook-hosts.ts'
import { type AuditRecord, newestAudits, writeAudit } from '../machine/audits.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import { claimant, NO_AGENT } from '../machine/sessions.ts'
import type { ResolveRequest } from '../packs/resolve.ts'
import type { ActivePack, PackContext } from '../packs/rules/resolve/pack-context.ts'
import { planTerms } from '../payloads/plan.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, failWith } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { keepMasked, type RecordedEntry, recordTask } from '../usage/record.ts'
import { formatClaim, readState } from '../usage/rules/session-state.ts'
import type { TaskParts } from './read-task.ts'
import type { BundleFile, ContextBundle } from './rules/bundle.ts'
import type { ContextRequest } from './settings.ts'

/** What is needed to build a bundle again, and to show what has changed. */
export interface BundleAudit extends AuditRecord {
  kind: 'bundle'
  /** `project` is the folder after links; `now` is null for a bundle that does not depend on it. */
  question: Omit<ContextRequest, 'project' | 'now'> & { project: string; now: string | null }
  parts: readonly Pick<BundleFile, 'path' | 'source_class' | 'sha256' | 'chars_emitted'>[]
  digest: string
}

/** Records how to build the bundle again. */
export function recordBundle(
  machine: Machine,
  { task, now, digest, files }: ContextBundle,
  { root, request, excluded }: { root: string; request: ContextRequest; excluded: readonly string[] },
): Finding[] {
  // Where the answer goes and how it is judged changes no byte of it.
  const { out: _out, strict: _strict, signal: _signal, mostTaken: _most, ...asked } = request
  const audit: BundleAudit = {
    kind: 'bundle',
    question: { ...asked, task, project: root, excluded, now },
    parts: files.map(({ path, source_class, sha256, chars_emitted }) => {
      return { path, source_class, sha256, chars_emitted }
    }),
    digest,
  }
  return writeAudit(machine, audit).findings
}

/** Records what routing and packs offered, and which of it is in the bundle. */
export function recordDelivery(
  machine: Machine,
  { files }: ContextBundle,
  { project, request, task: parts }: { project: Project; request: ContextRequest; task: TaskParts },
): Finding[] {
  const { task } = request
  const delivered = files.flatMap(({ path, excerpt }) => {
    const entry = parts.planned.get(path)
    return entry === undefined ? [] : [{ ...entry, tokens: estimateTokens(excerpt) }]
  })
  return recordTask(machine, {
    task,
    project,
    // It contains no secret: it was masked before anything else.
    kept: keepMasked(machine, task, () => planTerms(machine, { layers: { projectRoot: project } }, parts.strategy)),
    steps: [
      { stage: 'planned', entries: [...parts.planned.values()] },
      { stage: 'delivered', entries: request.isOnlyPlanned ? [] : delivered },
    ],
  })
}

/** One delivered bundle that can be reproduced. */
export interface BundleRecord {
  id: string
  /** When it was last delivered. */
  at: string
  task: string
  /** The folder of the project. */
  root: string
  files: number
  chars: number
}

/** The bundles that were delivered last, the newest first. */
export function listRecords(machine: Machine, { limit = 50 }: { limit?: number }): BundleRecord[] {
  return newestAudits<BundleAudit>(machine, 'bundle', limit).map(({ id, at, record: { question, parts } }) => ({
    id,
    at: at.toISOString(),
    task: question.task,
    root: question.project,
    files: parts.length,
    chars: parts.reduce((sum, { chars_emitted }) => sum + chars_emitted, 0),
  }))
}

export interface RecordRequest extends Pick<ResolveRequest, 'cite' | 'deep' | 'needs'> {
  /** Loadout does not repeat text that it already gave to this session. */
  session?: string
}

/** Records the context that a model gets, which of its texts its session now has, and the use of the packs. */
export function recordPacks(
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
      return readState(machine.sessions.read(agent, session)).claims
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
  machine.sessions.claimLine(agent, session, formatClaim({ by: claimant(), parts }))
}

function agentsOf(machine: Machine, session: string): string[] {
  const agents = [...HOOK_HOSTS.map(({ agent }) => agent), NO_AGENT]
  return agents.filter((agent) => exists(machine.sessions.path(agent, session)))
}

function requireConversation(session: string): void {
  if (/^(?!\.+$)[A-Za-z0-9._-]{1,128}$/.test(session)) return
  throw failWith('USAGE/session', { session: session.slice(0, 80) })
}

export type PackAudit = ReturnType<typeof auditOf>
export type AuditedPack = ReturnType<typeof auditPack>

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
