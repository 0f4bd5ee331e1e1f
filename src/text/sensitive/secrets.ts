/** A stretch of a text, its end excluded. */
export interface TextSpan<Kind extends string> {
  kind: Kind
  start: number
  end: number
}

const SECRET_KINDS = [
  'private-key',
  'aws-access-key',
  'github-token',
  'gitlab-token',
  'slack-token',
  'npm-token',
  'openai-key',
  'anthropic-key',
  'stripe-key',
  'google-key',
  'service-token',
  'jwt',
  'bearer-token',
  'url-password',
  'password',
  'named-token',
] as const

export type SecretKind = (typeof SECRET_KINDS)[number]

interface SecretPattern {
  kind: SecretKind
  /** Its first group, or else the whole, is the secret. Every repetition is bounded or starts where a word does. With a group, it has the flag d. */
  pattern: RegExp
  /** Tells a secret from a word that has its shape. */
  accepts?: (secret: string) => boolean
}

// The words of a mark may be wrapped onto the next line.
const keyMark = (word: string) =>
  new RegExp(String.raw`-----${word}\s(?:[A-Z0-9]{1,20}\s{1,3}){0,4}PRIVATE\s{1,3}KEY(?:\sBLOCK)?-----`, 'g')
const keyStart = () => keyMark('BEGIN')
const keyEnd = () => keyMark('END')

// password: "hunter22", API_KEY=9f8e7d..., client-secret => '...'
const NAMES_OF_SECRETS = [
  'passw(?:or)?d|pwd|passphrase|secret|api[_-]?key',
  '(?:access|auth|secret|private|account)[_-]?(?:key|token)',
  '密码|密碼|密钥|密鑰|口令',
].join('|')
const ASSIGNED = String.raw`["'\x60*]{0,3}[ \t]{0,4}(?:=>?|:=?)[ \t]{0,4}`
const VALUE = String.raw`"[^"\s]{6,2000}"|'[^'\s]{6,2000}'|\x60[^\x60\s]{6,2000}\x60|[^\s"'\x60,;]{6,2000}`

// Of services that mark their tokens: by their prefix, in the order of their names.
const SERVICE_TOKENS = [
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'ATATT3[\\w=-]{20,400}',
  'dapi[0-9a-f]{32}(?:-\\d)?',
  'do[opr]_v1_[0-9a-f]{64}',
  'dckr_[op]at_[\\w-]{20,80}',
  'figd_[\\w-]{30,200}',
  'gl(?:sa|c)_[\\w+/=-]{20,400}',
  'gsk_[A-Za-z0-9]{52}',
  'hf_[A-Za-z0-9]{30,40}',
  'hv[sbr]\\.[\\w-]{20,400}',
  'lin_(?:api|oauth)_\\w{32,128}',
  'key-[0-9a-f]{32}',
  'NRAK-[A-Z0-9]{27}',
  'ntn_\\w{40,60}',
  'pypi-[\\w-]{50,400}',
  'PMAK-[0-9a-f]{24}-[0-9a-f]{34}',
  'rubygems_[0-9a-f]{48}',
  'SG\\.[\\w-]{16,32}\\.[\\w-]{30,64}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  'sntrys_[\\w+/=-]{40,400}',
  'SK[0-9a-f]{32}',
  'vc[aciprk]_[A-Za-z0-9]{20,60}',
  '\\d{8,10}:AA[\\w-]{33}',
]

const SECRET_PATTERNS: readonly SecretPattern[] = [
  { kind: 'aws-access-key', pattern: /(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])/g },
  {
    kind: 'github-token',
    pattern: /(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})/g,
    accepts: isMixed,
  },
  { kind: 'gitlab-token', pattern: /(?<![\w-])gl(?:pat|dt|rt|ptt)-[\w-]{20,255}/g, accepts: isMixed },
  {
    kind: 'slack-token',
    pattern: /(?<![\w-])xox[abeoprs]-[\w-]{10,255}|hooks\.slack\.com\/services\/\w{6,20}\/\w{6,20}\/\w{16,40}/g,
    accepts: isMixed,
  },
  { kind: 'npm-token', pattern: /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/g, accepts: isMixed },
  { kind: 'anthropic-key', pattern: /(?<![\w-])sk-ant-[\w-]{20,255}/g, accepts: isMixed },
  { kind: 'openai-key', pattern: /(?<![\w-])sk-(?!ant-)[\w-]{20,255}/g, accepts: isMixed },
  {
    kind: 'stripe-key',
    pattern: /(?<!\w)(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255})/g,
    accepts: isMixed,
  },
  { kind: 'google-key', pattern: /(?<![\w-])(?:AIza[\w-]{35}(?![\w-])|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,255})/g },
  {
    kind: 'service-token',
    pattern: new RegExp(`(?<![\\w.-])(?:${SERVICE_TOKENS.join('|')})(?!\\w)`, 'g'),
    accepts: isReal,
  },
  { kind: 'jwt', pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g },
  { kind: 'bearer-token', pattern: /\bbearer[ \t]{1,4}([\w.~+/=-]{16,2000})/dgi, accepts: isMixed },
  {
    kind: 'bearer-token',
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,4}([\w+/=-]{8,2000})/dgi,
  },
  {
    kind: 'url-password',
    pattern: /:\/\/[^\s/:@"'<>]{1,100}:([^\s/@"'<>]{3,200})@(?!(?:[\w-]{1,60}\.){0,4}example\.)/dg,
    accepts: isReal,
  },
  { kind: 'password', pattern: new RegExp(`(?:${NAMES_OF_SECRETS})${ASSIGNED}(${VALUE})`, 'dgi'), accepts: isAssigned },
  // | password | ... |, of a table
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?:${NAMES_OF_SECRETS}|token)[\x60*]{0,3}[ \t]{0,40}\|[ \t]{0,40}[\x60*]{0,3}([^\s|\x60]{8,2000})`,
      'dgi',
    ),
    accepts: isInTable,
  },
  // --password ..., and `login ... password ...` of a .netrc
  {
    kind: 'password',
    pattern:
      /(?:--(?:password|passwd|token|api-?key|secret)|login[ \t]{1,4}\S{1,100}\s{1,8}password)[ \t]{1,4}([^\s"'\x60|]{6,2000})/dgi,
    accepts: isAssigned,
  },
  {
    kind: 'named-token',
    pattern: new RegExp(`(?<!page[_-]?)token${ASSIGNED}(${VALUE})`, 'dgi'),
    accepts: isNamedToken,
  },
]

function isMixed(secret: string): boolean {
  return /\d/.test(secret) && /[a-z]/i.test(secret) && isReal(secret)
}

/** Without quotes a value is a secret only if no plain word or expression could stand there. */
function isAssigned(value: string): boolean {
  const isQuoted = /^["'`]/.test(value)
  const inner = isQuoted ? value.slice(1, -1) : value.replace(/[.,;)\]}]+$/, '')
  const isExpression = /[()[\]]|^[a-z_]\w*(?:\.[a-z_]\w*)+$/i.test(inner)
  if (!isReal(inner) || (isExpression && !isQuoted)) return false
  return /\d/.test(inner) || (isQuoted && (inner.length >= 12 || /[^\w.-]/.test(inner)))
}

/** Beside the name of a field its type or an algorithm may stand: `string`, `sha256`, `base64`. */
function isInTable(value: string): boolean {
  return isMixed(value) && !/^(?:[a-z]{2,9}|[A-Z]{2,6})[-_]?\d{1,4}$/.test(value) && !/^[\w.]*\(|^https?:/.test(value)
}

/** Most things called a token are no secret; one is long and no word. */
function isNamedToken(value: string): boolean {
  const inner = value.replace(/^["'`]|["'`]$|&.*$/g, '')
  return inner.length >= 16 && isMixed(inner) && isAssigned(value) && /^[\w.~+/=:-]+$/.test(inner)
}

const PLACEHOLDER_WORD =
  /example|placeholder|change.?me|redacted|(?<![a-z])(?:your|todo|fake)|dummy|sample|^xxx|xxxx|insert|replace|masked|\.\.\.|\u2026|\*\*\*/i

/** No variable, blank to fill in, or path. */
function isReal(value: string): boolean {
  if (
    /^[<{[(]|^\$(?:[{(]|\w+$)|^%\w{1,100}%$|^(?:process|os|env|config|secrets|vault|var)\b|^(?:~|\.{0,2})\/[\w./-]*$|^\.\w+$/.test(
      value,
    )
  )
    return false
  if (/^(?:pass(?:word)?|pwd?|secret|token)$/i.test(value)) return false
  return !PLACEHOLDER_WORD.test(value) && !/^(.)\1*$/.test(value)
}

/** Every secret, in no order. Stretches of different kinds may overlap. */
export function findSecretSpans(text: string): TextSpan<SecretKind>[] {
  const found = findKeyBlocks(text)
  for (const { kind, pattern, accepts } of SECRET_PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1] ?? match[0]
      if (accepts !== undefined && !accepts(secret)) continue
      const start = match.indices?.[1]?.[0] ?? match.index
      const quote = isQuoted(secret) ? 1 : 0
      found.push({ kind, start: start + quote, end: start + secret.length - quote })
    }
  }
  return found
}

function isQuoted(value: string): boolean {
  return /^(["'`])[\s\S]*\1$/.test(value)
}

/** In characters; about twelve thousand are a key of 65,536 bits. */
const LONGEST_KEY = 16_000

/** A key goes to its end mark; one that has none, as far as its lines look like one. */
function findKeyBlocks(text: string): TextSpan<SecretKind>[] {
  if (!text.includes('-----BEGIN')) return []
  const ends = [...text.matchAll(keyEnd())].map((match) => match.index + match[0].length)
  const found: TextSpan<SecretKind>[] = []
  let next = 0
  let covered = 0
  for (const { index: start, 0: mark } of text.matchAll(keyStart())) {
    if (start < covered) continue
    while ((ends[next] ?? text.length) < start) next++
    const end = ends[next] ?? Number.POSITIVE_INFINITY
    covered = end - start <= LONGEST_KEY ? end : endOfKeyLines(text, start + mark.length)
    found.push({ kind: 'private-key', start, end: covered })
  }
  return found
}

function endOfKeyLines(text: string, from: number): number {
  let end = lineEnd(text, from)
  while (end < text.length) {
    const next = lineEnd(text, end + 1)
    if (!looksLikeKey(text.slice(end + 1, Math.min(next, end + 1001)))) break
    end = next
  }
  return end
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function looksLikeKey(line: string): boolean {
  return line.length < 1000 && /^(?:[\w+/=-]{16,}|[\w-]{1,40}: .{0,200})?$/.test(line.replace(/^[\s>|]+/, '').trim())
}
