import { readTask } from '../../../search/task.ts'
import { sha256 } from '../../../text/values.ts'
import { examplesOf, guardPart } from '../fence/content-guard.ts'
import type { TrustedPack } from '../gates/trust.ts'
import { groundRecords } from '../graph.ts'
import { type ContextPart, PACK_FILE, type PackFiles, type PackWarning } from '../pack.ts'
import { type Choice, takeLines } from './choice.ts'
import { type ActivePack, type PackContext, wrapPack } from './pack-context.ts'

/** Everything needed to rebuild the text that a model got. Contains no text of a pack, no time and no session. */
export interface PackAudit {
  kind: 'packs'
  question: {
    task: string
    /** Of the task. */
    sha256: string
    needs: readonly string[]
    cites: boolean
    deep: boolean
    strategy: string
    budget: number
    counter: string
  }
  parts: readonly AuditedPack[]
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

interface AuditedPart {
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

export function auditOf(
  context: PackContext,
  asked: Pick<PackAudit['question'], 'needs' | 'cites' | 'deep'>,
): PackAudit {
  // Tasks that differ only in blanks are equal.
  const task = context.task.normalize('NFC').replace(/\s+/g, ' ').trim()
  const { refused, substitutions, collisions, tokens, budget } = context
  return {
    kind: 'packs',
    question: { task, sha256: sha256(task), ...asked, strategy: 'sections', budget, counter: 'chars/4' },
    parts: context.active.map(auditPack),
    refused,
    substitutions,
    collisions,
    tokens,
  }
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

/** The recorded text, or the changes that prevent rebuilding it. */
type Rebuilt = { text: string; changed?: undefined } | { text?: undefined; changed: string[] }

/** Rebuilds a recorded wrapper from the same lines. Unused files of the pack may have changed. */
export function rebuildWrapper(audited: AuditedPack, pack: TrustedPack, files: PackFiles, task: string): Rebuilt {
  const recorded = new Map([[PACK_FILE, audited.digest]])
  for (const { path, sha256: was } of audited.parts.flatMap((part) => part.files)) recorded.set(path, was)
  const changed = [...recorded].filter(([path, was]) => files.read(path)?.sha256 !== was).map(([path]) => path)
  if (changed.length > 0) return { changed }
  const examples = examplesOf(files)
  const records = groundRecords(pack.manifest, files, readTask(task).words).parts.map((part) =>
    guardPart(part, examples),
  )
  const parts: ContextPart[] = []
  for (const { path, layer, lines, digest } of audited.parts) {
    const text = lines && files.read(path)?.text
    const part =
      lines === undefined
        ? records.find((each) => each.path === path && sha256(each.text) === digest)
        : text === undefined
          ? undefined
          : guardPart({ path, layer, lines, text: takeLines(text, lines) }, examples)
    if (part === undefined) return { changed: ['the records of the pack'] }
    parts.push(part)
  }
  const trust = { state: audited.trust.effective }
  const { text } = wrapPack({ manifest: pack.manifest, trust }, parts, audited.warnings, audited.missing)
  // The same files with another text: another version of Loadout wrote the record.
  return sha256(text) === audited.wrapper?.sha256 ? { text } : { changed: ['the program'] }
}
