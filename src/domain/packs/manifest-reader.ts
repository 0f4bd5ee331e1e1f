import type { Code } from '../shared/codes.ts'
import type { Severity } from '../shared/finding.ts'
import { getOwn, isRecord } from '../shared/record.ts'
import { PACK_FILE } from './pack.ts'
import { normalizePackPath, packPathProblem } from './pack-path.ts'
import { hasUnseen, lengthOf, quoted, shownText } from './shown-text.ts'
import type { PackWarning } from './warning.ts'

const LONGEST_PATH = 500

/** Takes fields out of a frontmatter, cut to their limits, and notes what is odd about them. */
export class ManifestReader {
  readonly warnings: PackWarning[]
  private readonly fields: Record<string, unknown>
  /** Of a part: `metadata.`. */
  private readonly prefix: string

  constructor(fields: Record<string, unknown>, prefix = '', warnings: PackWarning[] = []) {
    this.fields = fields
    this.prefix = prefix
    this.warnings = warnings
  }

  /** Undefined when there is none. A key with nothing after it says nothing. */
  value(key: string): unknown {
    const value = getOwn(this.fields, key)
    return value === null || value === '' ? undefined : value
  }

  has(key: string): boolean {
    return this.value(key) !== undefined
  }

  /** The text as the pack has it: to compare, not to show. */
  written(key: string): string | undefined {
    const value = this.value(key)
    return typeof value === 'string' ? value : undefined
  }

  /** The text as it may be shown. One past its limit is cut, and told with this severity. */
  text(key: string, limit: number, tooLong: Severity | 'quiet' = 'warning'): string | undefined {
    const value = this.value(key)
    if (value === undefined) return undefined
    if (typeof value !== 'string') {
      this.warn('warning', 'pack.field.invalid', `${this.prefix}${key} must be a text`)
      return undefined
    }
    if (tooLong !== 'quiet' && lengthOf(value.trim()) > limit) {
      this.warn(tooLong, 'pack.field.too-long', `${this.prefix}${key} is longer than ${limit} characters`)
    }
    return this.shown(value, limit) || undefined
  }

  /** A path inside the pack; one that would lead elsewhere is dropped. */
  path(key: string): string | undefined {
    const path = this.text(key, LONGEST_PATH)
    if (path === undefined) return undefined
    const written = this.written(key) ?? ''
    const what = `${this.prefix}${key} ${quoted(written)}`
    const problem = packPathProblem(written)
    if (problem !== undefined) {
      this.warn('error', 'source.escape', `${what} is refused: ${problem}`)
      return undefined
    }
    const normal = normalizePackPath(written)
    if (normal !== '' && written.length <= LONGEST_PATH && !hasUnseen(written)) return normal
    this.warn('warning', 'pack.field.invalid', `${what} is not the path of a file`)
    return undefined
  }

  /** The fields below a key. Anything else than a mapping is told, and read as an empty one. */
  part(key: string): ManifestReader {
    const value = this.value(key)
    if (value !== undefined && !isRecord(value)) {
      this.warn('warning', 'pack.field.invalid', `${this.prefix}${key} must hold keys and values`)
    }
    return new ManifestReader(isRecord(value) ? value : {}, `${this.prefix}${key}.`, this.warnings)
  }

  shown(text: string, limit: number): string {
    return shownText(text, limit)
  }

  /** A word that is not on its list. */
  unknown(severity: Severity, code: Code, key: string, words: readonly string[], effect: string): void {
    const written = this.written(key)
    const what = written === undefined ? 'is not a text' : `is ${quoted(written)}`
    this.warn(severity, code, `${this.prefix}${key} ${what}, not one of ${words.join(', ')}; ${effect}`)
  }

  warn(severity: Severity, code: Code, message: string): void {
    this.warnings.push({ severity, code, path: PACK_FILE, message })
  }
}
