import { isRecord, sha256 } from '../../../text/values.ts'
import type { ContextPart, PackWarning } from '../pack.ts'
import type { Choice } from './choice.ts'
import type { ActivePack, PackContext } from './pack-context.ts'
import { SUFFICIENT } from './relevance.ts'

/** Everything needed to rebuild the text that a model got. Contains no text of a pack, no time and no session. */
export interface AuditRecord {
  format: 1
  resolver: { tool: 'loadout'; version: string; strategy: string }
  request: { task: string; sha256: string; needs: readonly string[]; cites: boolean; deep: boolean }
  options: { budget: number; threshold: number; counter: string }
  packs: readonly AuditedPack[]
  refused: PackContext['refused']
  substitutions: PackContext['substitutions']
  collisions: PackContext['collisions']
  tokens: number
}

export interface AuditedPack {
  name: string
  version: string | undefined
  scope: string
  root: string
  /** The digest of its KNOWLEDGE.md. */
  digest: string
  status: string
  trust: { declared: string; effective: string }
  approval: string | undefined
  confirmation: string | undefined
  activation: string
  parts: readonly AuditedPart[]
  sourceMap: { digest: string | undefined; claims: readonly string[] }
  runs: Readonly<Record<string, string>>
  /** The warnings inside the wrapper. */
  warnings: readonly PackWarning[]
  missing: readonly string[]
  anchors: readonly string[]
  omitted: PackContext['active'][number]['presented']['omitted']
  wrapper: { sha256: string; tokens: number } | undefined
}

export interface AuditedPart {
  path: string
  layer: ContextPart['layer']
  lines: { from: number; to: number } | undefined
  /** The digest of text that was made from records. */
  digest: string | undefined
  rule: Choice['rule']
  score: number
  why: string
  /** The files that the part was made from, with their digests. */
  files: readonly { path: string; sha256: string; bytes: number }[]
}

export interface AuditRequest {
  needs: readonly string[]
  cites: boolean
  deep: boolean
  version: string
}

export function auditOf(context: PackContext, request: AuditRequest): AuditRecord {
  const task = normalizeTask(context.task)
  const { needs, cites, deep, version } = request
  return {
    format: 1,
    resolver: { tool: 'loadout', version, strategy: 'views-then-pages' },
    request: { task, sha256: sha256(task), needs, cites, deep },
    options: { budget: context.budget, threshold: SUFFICIENT, counter: 'chars/4' },
    packs: context.active.map(auditPack),
    refused: context.refused,
    substitutions: context.substitutions,
    collisions: context.collisions,
    tokens: context.tokens,
  }
}

/** Derived from the content: the same resolution has the same id. */
function auditId(record: AuditRecord): string {
  return sha256(JSON.stringify(record)).slice(0, 16)
}

/** A short check is enough, because the id is the digest of the content. */
function isAudit(json: unknown): json is AuditRecord {
  return isRecord(json) && json.format === 1 && Array.isArray(json.packs)
}

export const PACK_AUDITS = {
  kind: 'packs' as const,
  place: 'packs/audit',
  idOf: auditId,
  parse: (json: unknown) => (isAudit(json) ? json : undefined),
}

/** Makes tasks equal that differ only in blanks. */
function normalizeTask(task: string): string {
  return task.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function auditPack({ pack, activation, confirmation, resolution, presented }: ActivePack): AuditedPack {
  const { manifest, trust } = pack
  return {
    name: manifest.name,
    version: manifest.version,
    scope: pack.scope,
    root: pack.root,
    digest: resolution.entryDigest ?? '',
    status: manifest.status ?? 'unknown',
    trust: { declared: manifest.trust, effective: trust.state },
    approval: trust.approvalId,
    confirmation,
    activation,
    parts: presented.choices.map(({ part: { path, layer, lines, text }, rule, score, why, sources }) => ({
      path,
      layer,
      lines,
      digest: lines === undefined ? sha256(text) : undefined,
      rule,
      score,
      why,
      files: sources,
    })),
    sourceMap: { digest: resolution.sourceMapDigest, claims: resolution.claims },
    runs: resolution.runs,
    warnings: presented.wrapperWarnings,
    missing: resolution.missing,
    anchors: resolution.sourceAnchors,
    omitted: presented.omitted,
    wrapper:
      presented.wrapper === undefined ? undefined : { sha256: sha256(presented.wrapper), tokens: presented.tokens },
  }
}
