import { sha256 } from '../../../text/values.ts'
import { examplesOf, guardPart } from '../fence/content-guard.ts'
import type { TrustedPack } from '../gates/trust.ts'
import { groundRecords } from '../graph/record-grounding.ts'
import { type ContextPart, PACK_FILE, type PackFiles } from '../pack.ts'
import type { AuditedPack, AuditedPart } from './audit-record.ts'
import { takeLines } from './choice.ts'
import { wrapPack } from './pack-context.ts'

/** The recorded text, or the changes that prevent rebuilding it. */
export type Rebuilt = { text: string; changed?: undefined } | { text?: undefined; changed: string[] }

/** Rebuilds a recorded wrapper from the same lines. Unused files of the pack may have changed. */
export function rebuildWrapper(audited: AuditedPack, pack: TrustedPack, files: PackFiles, task: string): Rebuilt {
  const changed = changedFiles(audited, files)
  if (changed.length > 0) return { changed }
  const grounded = groundRecords(pack.manifest, files, task)
  const examples = examplesOf(files)
  const records = grounded.parts.map((part) => guardPart(part, examples))
  const parts = audited.parts.map((part) => rebuildPart(part, files, records, examples))
  if (parts.some((part) => part === undefined)) return { changed: ['the records of the pack'] }
  const { text } = wrapPack(
    { manifest: pack.manifest, trust: { state: audited.trust.effective } },
    parts.filter((part) => part !== undefined),
    audited.warnings,
    audited.missing,
  )
  // The same files with another text: another version of Loadout wrote the record.
  return sha256(text) === audited.wrapper?.sha256 ? { text } : { changed: ['the program'] }
}

function changedFiles({ digest, parts }: AuditedPack, files: PackFiles): string[] {
  const recorded = new Map([[PACK_FILE, digest]])
  for (const { path, sha256: was } of parts.flatMap((part) => part.files)) recorded.set(path, was)
  return [...recorded].filter(([path, was]) => files.read(path)?.sha256 !== was).map(([path]) => path)
}

function rebuildPart(
  { path, layer, lines, digest }: AuditedPart,
  files: PackFiles,
  records: readonly ContextPart[],
  examples: ReturnType<typeof examplesOf>,
): ContextPart | undefined {
  if (lines === undefined) return records.find((part) => part.path === path && sha256(part.text) === digest)
  const text = files.read(path)?.text
  return text === undefined ? undefined : guardPart({ path, layer, lines, text: takeLines(text, lines) }, examples)
}
