import { type Detection, detectContent, detectSafely, failedDetection, sanitize } from '../text/sensitive/detect.ts'
import { isName, isPlaceholder, isReal, mayHoldSecret } from '../text/sensitive/matching.ts'
import { RecentValues } from './cache.ts'

interface Looked {
  ours: readonly Detection[]
  /** From secretlint. */
  theirs: readonly Detection[]
}

/** How many results a server keeps: scanning a text takes longer than most of the rest of an answer. */
const KEPT_TEXTS = 1024
const looked = new RecentValues<Promise<Looked>>(KEPT_TEXTS)

function lookThrough(text: string): Promise<Looked> {
  if (text.length > 16_384) return lookAnew(text)
  const found = looked.get(text) ?? lookAnew(text)
  looked.set(text, found)
  return found
}

async function lookAnew(text: string): Promise<Looked> {
  return { ours: detectSafely(detectContent, text), theirs: await scanForSecrets(text) }
}

/** Everything that must not be shown, by our own rules and by secretlint. */
export async function detectAll(text: string): Promise<readonly Detection[]> {
  const { ours, theirs } = await lookThrough(text)
  return [...ours, ...theirs]
}

/** Finds what secretlint's recommended rules know. If the scanner fails, the whole text counts as sensitive. */
export async function scanForSecrets(text: string): Promise<readonly Detection[]> {
  if (!mayHoldSecret(text)) return []
  try {
    const found: Detection[] = []
    for (const { start, piece } of cutPieces(text)) {
      for (const detection of await scanPiece(piece)) {
        found.push({ ...detection, start: detection.start + start, end: detection.end + start })
      }
    }
    return found
  } catch {
    // The cause may quote the text.
    return [failedDetection(text)]
  }
}

const LONGEST_PIECE = 65_536
/** No secret of the rules is longer; a secret at a cut is whole in the next piece. */
const OVERLAP = 8192

/** The scanner compares every finding with every other one, so it gets a limited text at a time. */
function cutPieces(text: string): { start: number; piece: string }[] {
  const pieces = []
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += LONGEST_PIECE - OVERLAP) {
    pieces.push({ start, piece: text.slice(start, start + LONGEST_PIECE) })
  }
  return pieces
}

async function scanPiece(text: string): Promise<Detection[]> {
  const { lintSource, rules } = await loadScanner()
  // The scanner removes a byte order mark and counts from after it.
  const skipped = text.startsWith('\ufeff') ? 1 : 0
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text', ext: '', contentType: 'text' },
    options: { config: { rules }, noPhysicFilePath: true },
  })
  const found = messages.map(({ ruleId, range: [from, to], data }): Detection => {
    const start = Math.min(from + skipped, text.length - 1)
    const end = Math.max(to + skipped, start + 1, ...endsOf(text, start, data))
    const kind = ruleId.replace(/^.*secretlint-rule-/, '')
    return { contentClass: CREDENTIALS.has(kind) ? 'credential' : 'secret', kind, start, end }
  })
  return found.filter(({ kind, start, end }) => isLeak(kind, text.slice(start, end), text[start - 1] ?? ' '))
}

/** The rules also report examples of secrets, and the middle of longer names. */
function isLeak(kind: string, secret: string, before: string): boolean {
  if (kind === 'basicauth') {
    const [, password = '', host = ''] = /:\/\/[^/@\s]*?:([^/\s]*)@([^/@\s]*)/.exec(secret) ?? []
    return isReal(password) && !isName(password) && !/(?:^|\.)example(?:\.|$)/.test(host)
  }
  if (kind === 'slack' && (/[\w-]/.test(before) || !/\d/.test(secret))) return false
  return kind === 'privatekey' || !isPlaceholder(secret)
}

const CREDENTIALS: ReadonlySet<string> = new Set(['basicauth', 'database-connection-string'])

/** Some rules report the position of a name and the length of its value: the quoted value must be inside the range. */
function endsOf(text: string, start: number, data: object | undefined): number[] {
  return Object.values(data ?? {}).flatMap((quoted: unknown) => {
    if (typeof quoted !== 'string' || quoted === '') return []
    const at = text.indexOf(quoted, start)
    return at === -1 ? [] : [at + quoted.length]
  })
}

/** Comments in a text must not switch the scanner off: the author of the text could hide a secret that way. */
const SWITCHES = '@secretlint/secretlint-rule-filter-comments'

let loading: ReturnType<typeof load> | undefined

function loadScanner(): ReturnType<typeof load> {
  loading ??= load()
  return loading
}

async function load() {
  const { lintSource, rules, secretLintProfiler } = await import('./secretlint.ts')
  // It records every step and searches the record at every step.
  secretLintProfiler.mark = () => undefined
  // One by one: a rule that is disabled inside a preset runs nevertheless.
  const kept = rules.filter(({ meta }) => meta.id !== SWITCHES).map((rule) => ({ id: rule.meta.id, rule }))
  return { lintSource, rules: kept }
}

/** The text with everything secret or personal masked. */
export async function maskText(text: string): Promise<string> {
  return sanitize(text, await detectPrivate(text), 'mask').text ?? ''
}

/** The secret and personal parts of a text. */
export async function detectPrivate(text: string): Promise<Detection[]> {
  const views = [text, withoutEndings(text)].filter((each, at, all) => all.indexOf(each) === at)
  const { ours, theirs } = await lookThrough(text)
  const found = [...ours, ...views.slice(1).flatMap((each) => detectSafely(detectContent, each)), ...theirs]
  return found.filter(({ contentClass }) => ['secret', 'credential', 'pii'].includes(contentClass))
}

/** The extension of a file name hides what the name ends with. Replaced by blanks, so that positions stay the same. */
function withoutEndings(text: string): string {
  return text.replace(/\.[a-z]\w{0,4}(?=$|[\s"',;:)])/gi, (ending) => ' '.repeat(ending.length))
}
