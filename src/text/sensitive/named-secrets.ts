import { eachMatch, type TextSpan } from './each-match.ts'
import type { HintReader, Hints } from './hints.ts'
import { lettersOf, longWords } from './long-words.ts'
import { isMixed, isName, isReal } from './placeholders.ts'

export interface SecretPattern {
  kind: string
  /**
   * The first group, which needs the flag d, or else the whole match is the secret. Repetitions are bounded or start at
   * a word.
   */
  pattern: RegExp
  hints?: Hints
  /** The name may also be Chinese, which the hints do not cover. */
  isChinese?: boolean
  /** Accepts only values for which `looksRandom` is true, or long numbers. */
  isRandom?: boolean
  /** Rejects ordinary words of the same shape. */
  accepts?: (secret: string, before: () => string) => boolean
}

/** How many characters before a secret `accepts` may read. */
const BEFORE = 800

export function findByPattern(
  text: string,
  patterns: readonly SecretPattern[],
  isPossible: HintReader,
): TextSpan<string>[] {
  const found: TextSpan<string>[] = []
  let hasRandom: boolean | undefined
  for (const { kind, pattern, hints, accepts, isChinese = false, isRandom = false } of patterns) {
    if (hints !== undefined && !isPossible(hints) && !(isChinese && CHINESE_NAMES.test(text))) continue
    if (isRandom) hasRandom ??= mayHoldRandom(text)
    if (isRandom && !hasRandom) continue
    for (const match of eachMatch(text, pattern)) {
      const secret = match[1] ?? match[0]
      const before = () => text.slice(Math.max(0, match.index - BEFORE), match.index)
      if (accepts !== undefined && !accepts(secret, before)) continue
      const start = match.indices?.[1]?.[0] ?? match.index
      const quote = /^(["'`])[\s\S]*\1$/.test(secret) ? 1 : 0
      found.push({ kind, start: start + quote, end: start + secret.length - quote })
    }
  }
  return found
}

// password: "hunter22", API_KEY=9f8e7d..., client-secret => '...'
const SECRETS = [
  'passw(?:or)?d|pwd|passphrase|secret|api[_-]?(?:key|token)',
  '(?:access|auth|secret|private|account)[_-]?(?:key|token)',
  '密码|密碼|密钥|密鑰|口令',
].join('|')
const CHINESE_NAMES = /密[码碼钥鑰]|口令/
const OWNED = ['access', 'auth', 'private', 'account']
const SECRET_HINTS = [
  ...['passw', 'pwd', 'passphrase', 'secret'],
  ...['api', ...OWNED].flatMap((owner) =>
    ['', '_', '-'].flatMap((glue) => [`${owner}${glue}key`, `${owner}${glue}token`]),
  ),
]
const TOKEN_HINTS = [...SECRET_HINTS, 'token']
// Names with other uses too: only a value that looks random is a secret.
const PERHAPS = [
  '(?<!(?:page|public|primary|foreign|sort|partition|cache|csrf|xsrf|kms)[_-]?)',
  '(?:token|secret|credentials?|creds|user_?auth|api[_-]?key|_key|[a-z](?<!(?:publi|primar|foreig|sor|partitio|cach)[a-z])Key|login)',
  String.raw`(?!s?[_-]?(?:id|hash|vault|arn|name|type|ur[il])s?(?![a-z]))(?:[_-]?[A-Za-z]\w{0,23}|_\d{1,4})?`,
].join('')

// `:=`, `?=`, `.=`, `::=`, `=>` and, between the name and `=`, a type: `token string = "…"`, `token: string = "…"`.
const TYPE = String.raw`(?:[ \t]{0,2}:?[ \t]{0,2}[A-Za-z][\w.]{0,30}\??[ \t]{1,4})?`
const OPERATOR = String.raw`(?:(?:\?\?|[.?+]|:{1,3})?=(?![=~])>?|:(?![:=]))`
const ASSIGNED = String.raw`["'\x60*]{0,3}[ \t]{0,4}${OPERATOR}[ \t]{0,4}`
const TYPED = String.raw`${TYPE}(?:\?\?|[.?+]|:{1,3})?=(?![=~>])[ \t]{0,4}`
const QUOTED = String.raw`"[^"\s]{6,2000}"|'[^'\s]{6,2000}'|\x60[^\x60\s]{6,2000}\x60`
const VALUE = String.raw`${QUOTED}|[^\s"'\x60,;]{6,2000}`

const NAMED_PATTERNS: readonly SecretPattern[] = [
  {
    kind: 'password',
    pattern: new RegExp(`(?:${SECRETS})${ASSIGNED}(${VALUE})`, 'dgi'),
    hints: [SECRET_HINTS],
    isChinese: true,
    accepts: isAssigned,
  },
  {
    kind: 'named-token',
    pattern: new RegExp(`${PERHAPS}(?:${TYPED}|${ASSIGNED})(${VALUE})`, 'dgi'),
    hints: [['token', 'secret', 'cred', 'userauth', 'user_auth', 'key', 'login']],
    isRandom: true,
    accepts: isNamedToken,
  },
  // | password | ... |, of a table
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?:${SECRETS}|token)[\x60*]{0,3}[ \t]{0,40}\|[ \t]{0,40}[\x60*]{0,3}([^\s|\x60]{8,2000})`,
      'dgi',
    ),
    hints: [['|'], TOKEN_HINTS],
    isChinese: true,
    accepts: isInTable,
  },
  // --password ..., and `login ... password ...` of a .netrc
  {
    kind: 'password',
    pattern:
      /(?:--(?:password|passwd|token|api-?key|secret)|login[ \t]{1,4}\S{1,100}\s{1,8}password)[ \t]{1,4}([^\s"'\x60|]{6,2000})/dgi,
    hints: [['--password', '--passwd', '--token', '--api', '--secret', 'login']],
    accepts: isAssigned,
  },
  // set("X_TOKEN", "...")
  {
    kind: 'named-token',
    pattern: new RegExp(String.raw`(?:${SECRETS}|token)["'\x60][ \t]{0,4},\s{0,4}(${QUOTED})`, 'dgi'),
    hints: [TOKEN_HINTS],
    isChinese: true,
    isRandom: true,
    accepts: (value) => looksRandom(value.slice(1, -1)),
  },
  // <xToken>...</xToken>
  {
    kind: 'named-token',
    pattern: new RegExp(String.raw`(?:${SECRETS}|token)>\s{0,40}([^\s<>]{8,2000})\s{0,40}</`, 'dgi'),
    hints: [['</'], TOKEN_HINTS],
    isChinese: true,
    accepts: (value) => isMixed(value) && isAssigned(value) && !isName(value),
  },
  // <add key="Password" value="..."/>, name: X_TOKEN and below it value: ...
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`(?:key|name)["']?[ \t]{0,2}[=:][ \t]{0,2}["']?[\w.-]{0,60}(?:${SECRETS}|token)["']?,?\s{1,40}["']?(?:secret_)?value["']?[ \t]{0,2}[=:][ \t]{0,2}(${VALUE})`,
      'dgi',
    ),
    hints: [['value'], ['key', 'name'], TOKEN_HINTS],
    isChinese: true,
    accepts: isAssigned,
  },
  // BUNDLE_GEMS__ACME__COM: name:password
  {
    kind: 'password',
    pattern: new RegExp(
      String.raw`BUNDLE_\w{2,60}__[A-Z]{2,10}${ASSIGNED}["']?([^\s"':;]{3,100}:[^\s"':;]{3,200})`,
      'dg',
    ),
    hints: [['bundle_']],
    accepts: isReal,
  },
  // curl -u name:password, or a key with nothing after the colon
  {
    kind: 'password',
    pattern: /(?<=\s)(?:-u|--user|--proxy-user)(?:[ \t]{1,4}|=)["']?[^\s"':<>]{0,100}["']?:["']?([^\s"'<>]{3,200})/dg,
    hints: [['curl'], ['-u', '--user', '--proxy-user']],
    accepts: isOfCurl,
  },
  {
    kind: 'password',
    pattern: /(?<=\s)(?:-u|--user)(?:[ \t]{1,4}|=)["']?([^\s"':<>]{8,200}):["']?(?=\s|$)/dg,
    hints: [['curl'], ['-u', '--user', '--proxy-user']],
    accepts: isOfCurl,
  },
]

/** Without quotes a value is a secret only if it cannot be a plain word or an expression. */
function isAssigned(value: string): boolean {
  const isQuoted = /^["'`]/.test(value)
  const inner = isQuoted ? value.slice(1, -1) : value.replace(/[.,;)\]}]+$/, '')
  if (!isReal(inner) || isName(inner) || (!isQuoted && isExpression(inner))) return false
  return /\d/.test(inner) || (isQuoted && (inner.length >= 12 || /[^\w.-]/.test(inner)))
}

/** A call, an index, a type (`Vec<u8>`, `Uint8Array`), a variable (`newToken2`). */
function isExpression(value: string): boolean {
  return (
    /[()[\]]|^[a-z_]\w*(?:(?:\.|::|->)[a-z_]\w*)+$|^&?(?:mut )?[a-z_]\w*(?:::\w+)*</i.test(value) ||
    /^[A-Z][A-Za-z]*\d{1,3}[A-Z][A-Za-z]*$|^[a-z]+(?:[A-Z][a-z]+)+\d{0,2}$|^[a-z]+(?:_[a-z]+)+_?\d{0,2}$/.test(value)
  )
}

/** A table may name a type or an algorithm beside a field: `string`, `sha256`, `base64`. */
function isInTable(value: string): boolean {
  return (
    isMixed(value) &&
    !/^(?:[a-z]{2,9}|[A-Z]{2,6})[-_]?\d{1,4}$/.test(value) &&
    !/^[\w.]*\(|^https?:|^@[\w-]+\/[\w./-]+$/.test(value)
  )
}

/** Most values named token are harmless; a secret is long and not a word. */
function isNamedToken(value: string): boolean {
  const isQuoted = /^["'`]/.test(value)
  const inner = value.replace(/^["'`]|["'`]$|&.*$/g, '').replace(/\\n.*$/, '')
  if (isQuoted && /^\d{16,40}$/.test(inner)) return isReal(inner)
  return isAssigned(value) && looksRandom(inner)
}

/** The characters and the minimum length of a random value; a numeric token is longer. */
const RANDOM_LETTERS = lettersOf(/[\w.~+/=:@%^-]/)
const SHORTEST_RANDOM = 14

function mayHoldRandom(text: string): boolean {
  for (const [start, end] of longWords(text, RANDOM_LETTERS, SHORTEST_RANDOM)) {
    if (/\d/.test(text.slice(start, end))) return true
  }
  return false
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Letters and digits alternate as in no word. */
export function looksRandom(value: string): boolean {
  if (value.length < SHORTEST_RANDOM || !/^[\w.~+/=:@%^-]+$/.test(value) || !isMixed(value)) return false
  if (UUID.test(value) || /^[0-9a-f]{20,}$/i.test(value)) return true
  if (/^(?:https?:|[\w-]{0,20}\/[\w./-]+$)|\.[a-z]{2,4}$/.test(value)) return false
  const turns = value.replace(/[^A-Za-z0-9]/g, '').match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g)?.length ?? 0
  return (
    turns >= (value.length < 20 ? 3 : 4) ||
    (turns > 0 && /^[A-Za-z0-9]{20,}$/.test(value) && /[a-z].*[A-Z].*[a-z].*[A-Z]/.test(value))
  )
}

/** Other programs also have `-u`, followed by user and group ids. A command may continue on the next line. */
function isOfCurl(secret: string, before: () => string): boolean {
  if (!isReal(secret) || isName(secret) || /^\d{1,6}$/.test(secret)) return false
  const command =
    before()
      .split(/(?<!\\)\n/)
      .at(-1) ?? ''
  return /\bcurl\s/.test(command)
}

const KUBERNETES_HINTS = [['kind:'], ['data:']]
const KUBERNETES_SECRET = /^[ \t]{0,8}kind:[ \t]{1,4}["']?secret["']?[ \t]*$/im
const DATA = /^([ \t]{0,8})(?:string)?data:[ \t]*\n((?:(?:\1[ \t]+.*|[ \t]*)(?:\n|$))*)/gim
const DATUM = /(?<=:[ \t]{1,8}(?:[|>][+-]?\s{1,40})?["']?)[A-Za-z0-9+/]{8,16000}={0,2}(?=["']?[ \t]*$)/gm

/** The values of a Kubernetes secret are in base64. */
function findClusterSecrets(text: string, isPossible: HintReader): TextSpan<string>[] {
  if (!isPossible(KUBERNETES_HINTS) || !KUBERNETES_SECRET.test(text)) return []
  const found: TextSpan<string>[] = []
  for (const data of text.matchAll(DATA)) {
    const from = data.index + data[0].length - (data[2] ?? '').length
    for (const { 0: value, index } of (data[2] ?? '').matchAll(DATUM)) {
      if (value.length % 4 !== 0 || !isReal(value)) continue
      found.push({ kind: 'kubernetes-secret', start: from + index, end: from + index + value.length })
    }
  }
  return found
}

/** Values whose name marks them as secret. */
export function findNamedSecrets(text: string, isPossible: HintReader): TextSpan<string>[] {
  return [...findByPattern(text, NAMED_PATTERNS, isPossible), ...findClusterSecrets(text, isPossible)]
}
