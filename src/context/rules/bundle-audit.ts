import { isRecord, isTextList } from '../../text/values.ts'
import type { ContextBundle } from './bundle.ts'

/** What is needed to build a bundle again, and to show what has changed. Contains no text. */
export interface BundleAudit {
  format: 1
  /** Of the project, after links. */
  root: string
  request: AuditedRequest
  digest: string
  files: readonly AuditedFile[]
}

export interface AuditedRequest {
  task: string
  intent: string | null
  maxFiles: number | null
  maxCharsPerFile: number | null
  maxChars: number | null
  maxTokens: number | null
  tokenizer: string | null
  without: readonly ('tactical' | 'adapter')[]
  unrestricted: boolean
  /** Absent: the tests were only named. */
  withTests?: boolean
  /** Paths inside the project that were not sources, such as the file that the bundle was written to. */
  excluded: readonly string[]
  now: string | null
}

interface AuditedFile {
  path: string
  source_class: string
  sha256: string | null
  chars_emitted: number
}

export function auditBundle(root: string, request: AuditedRequest, bundle: ContextBundle): BundleAudit {
  return {
    format: 1,
    root,
    request: { ...request, now: bundle.now },
    digest: bundle.digest,
    files: bundle.files.map(({ path, source_class, sha256, chars_emitted }) => ({
      path,
      source_class,
      sha256,
      chars_emitted,
    })),
  }
}

/** Undefined for anything that is not exactly such a record. */
function parseBundleAudit(json: unknown): BundleAudit | undefined {
  if (!isRecord(json) || json.format !== 1) return undefined
  const { root, digest, request, files } = json
  const isWhole =
    typeof root === 'string' &&
    typeof digest === 'string' &&
    isRequest(request) &&
    Array.isArray(files) &&
    files.every(isFile)
  return isWhole ? { format: 1, root, request, digest, files } : undefined
}

export const BUNDLE_AUDITS = {
  kind: 'bundle' as const,
  place: 'context',
  idOf: ({ digest }: BundleAudit) => digest.slice(0, 16),
  parse: parseBundleAudit,
}

const NUMBERS = ['maxFiles', 'maxCharsPerFile', 'maxChars', 'maxTokens'] as const
const TEXTS = ['intent', 'tokenizer', 'now'] as const

function isRequest(json: unknown): json is AuditedRequest {
  if (!isRecord(json)) return false
  const { task, without, unrestricted, withTests, excluded, now } = json
  return (
    typeof task === 'string' &&
    NUMBERS.every((key) => json[key] === null || typeof json[key] === 'number') &&
    TEXTS.every((key) => json[key] === null || typeof json[key] === 'string') &&
    (now === null || !Number.isNaN(Date.parse(String(now)))) &&
    isTextList(without) &&
    without.every((each) => each === 'tactical' || each === 'adapter') &&
    typeof unrestricted === 'boolean' &&
    (withTests === undefined || typeof withTests === 'boolean') &&
    isTextList(excluded)
  )
}

function isFile(json: unknown): json is AuditedFile {
  return (
    isRecord(json) &&
    typeof json.path === 'string' &&
    typeof json.source_class === 'string' &&
    (json.sha256 === null || typeof json.sha256 === 'string') &&
    typeof json.chars_emitted === 'number'
  )
}

/** The differences, by path. */
export function changesSince(audit: BundleAudit, bundle: ContextBundle): string[] {
  if (audit.digest === bundle.digest) return []
  const now = new Map(bundle.files.map((file) => [file.path, file]))
  const before = new Set(audit.files.map(({ path }) => path))
  const changed = audit.files.flatMap(({ path, sha256, chars_emitted }) => {
    const file = now.get(path)
    if (file === undefined) return [`${path} is no longer in it`]
    if (file.sha256 !== sha256) return [`${path} has changed`]
    return file.chars_emitted === chars_emitted ? [] : [`${path} has another excerpt`]
  })
  const added = bundle.files.filter(({ path }) => !before.has(path)).map(({ path }) => `${path} is new in it`)
  const all = [...changed, ...added]
  return all.length > 0 ? all : ['its files are the same; settings, warnings or what was left out differ']
}
