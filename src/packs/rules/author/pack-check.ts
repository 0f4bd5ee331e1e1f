import type { Code, Severity } from '../../../text/trouble.ts'
import { isRecord } from '../../../text/values.ts'
import { type PackFile, type PackFiles, type PackManifest, type PackWarning, parsePackJson } from '../pack.ts'
import { type AnchorPlace, anchorsOf, parseAnchor } from '../records/anchor.ts'

const GUIDE = 'KNOWLEDGE.md'

/** The most files and bytes that a validation opens. */
const MOST_OPENED = 3000
const MOST_BYTES = 128 * 1024 * 1024

/** More warnings are counted together. */
const MOST_WARNINGS = 1000

/** The state of a validation. Messages name place and rule, and never quote the pack. */
export interface PackCheck {
  readonly manifest: PackManifest
  readonly files: PackFiles
  readonly warnings: PackWarning[]
  warn(severity: Severity, code: Code, path: string, message: string, line?: number): void
  /** Undefined also if the limit of opened files is reached. */
  read(path: string): PackFile | undefined
  /** The JSON of a file. Reports invalid JSON with this code. */
  readJson(path: string, code: Code): unknown
  fingerprint(path: string): string | undefined
  /** Finds an anchor in a file; undefined if the file cannot be read. */
  find(path: string, anchor: string): AnchorPlace | undefined
}

export function startCheck(manifest: PackManifest, files: PackFiles): PackCheck {
  const warnings: PackWarning[] = []
  const fingerprints = new Map<string, string | undefined>()
  const finders = new Map<string, ((anchor: string) => AnchorPlace) | undefined>()
  const mayOpen = createAllowance(files)
  const check: PackCheck = {
    manifest,
    files,
    warnings,
    warn(severity, code, path, message, line) {
      if (warnings.length < MOST_WARNINGS) {
        warnings.push({ severity, code, path, message, ...(line === undefined ? {} : { line }) })
      } else
        warnings.push({
          severity,
          code: 'discovery.limit',
          path: GUIDE,
          message: 'there are more warnings of this kind',
        })
    },
    read(path) {
      if (mayOpen(path)) return files.read(path)
      check.warn('warning', 'discovery.limit', GUIDE, 'the pack is too large: not every file was checked')
      return undefined
    },
    readJson(path, code) {
      const file = check.read(path)
      if (file === undefined) return undefined
      const parsed = parsePackJson(file)
      if ('value' in parsed) return parsed.value
      check.warn('error', code, path, parsed.problem)
      return undefined
    },
    fingerprint(path) {
      if (!fingerprints.has(path) && mayOpen(path)) fingerprints.set(path, files.fingerprint(path))
      return fingerprints.get(path)
    },
    find(path, anchor) {
      if (!finders.has(path)) {
        const file = check.read(path)
        finders.set(path, file === undefined ? undefined : anchorsOf(file.text, path))
      }
      return finders.get(path)?.(anchor)
    },
  }
  return check
}

/** Counts opened files and bytes against the limits. */
function createAllowance(files: PackFiles): (path: string) => boolean {
  const allowed = new Set<string>()
  let bytes = 0
  return (path) => {
    if (allowed.has(path)) return true
    const found = files.sizeOf(path) ?? 0
    // The reader refuses a file above the limit itself, with a better message.
    const size = found > MOST_BYTES ? 0 : found
    if (allowed.size >= MOST_OPENED || bytes + size > MOST_BYTES) return false
    allowed.add(path)
    bytes += size
    return true
  }
}

/** Whether a path is a file or a folder that is not empty. */
export function isThere({ files }: PackCheck, path: string): boolean {
  return files.sizeOf(path) !== undefined || files.list(path).length > 0
}

/** Reports a missing source or anchor. `at`: the place that names it. */
export function checkPlace(
  check: PackCheck,
  place: { path: string; anchor?: string | undefined },
  from: { path: string; at: string; line?: number },
): void {
  const { path, anchor } = place
  if (!isThere(check, path)) {
    check.warn('error', 'source.absent', from.path, `${from.at} names a missing file`, from.line)
    return
  }
  const kind = anchor === undefined ? undefined : parseAnchor(anchor).kind
  if (anchor === undefined || (kind !== 'lines' && kind !== 'heading')) return
  if (check.find(path, anchor)?.isFound !== false) return
  const what = kind === 'lines' ? 'lines that the file does not have' : 'a heading that the file does not have'
  check.warn('error', 'source.anchor.absent', from.path, `${from.at} names ${what}`, from.line)
}

/** The paths in a list or object of a record: texts, or objects with a path. */
export function pathsIn(value: unknown): string[] {
  const items = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []
  return items.map((item) => (typeof item === 'string' ? item : isRecord(item) ? String(item.path ?? '') : ''))
}
