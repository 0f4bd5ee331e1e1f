import {
  eachMatch,
  type HintReader,
  type Hints,
  isMixed,
  isName,
  isReal,
  lettersOf,
  longWords,
  readHints,
  type TextSpan,
} from './matching.ts'
import { findShapedTokens } from './token-shapes.ts'

// The words of a marker may wrap onto the next line.
const keyMark = (word: string) =>
  new RegExp(String.raw`-----${word}\s(?:[A-Z0-9]{1,20}\s{1,3}){0,4}PRIVATE\s{1,3}KEY(?:\sBLOCK)?-----`, 'g')
const keyStart = () => keyMark('BEGIN')
const keyEnd = () => keyMark('END')

// A placeholder password on a placeholder host.
const EXAMPLE_HOST = String.raw`(?!(?:[\w-]{1,60}\.){0,4}example(?:\.|[:/"'\s]))`

/** Recognised by the surrounding text rather than by a name. */
const SECRET_PATTERNS: readonly SecretPattern[] = [
  // The last part is empty in an unsigned token.
  {
    kind: 'jwt',
    pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.(?:[\w-]{10,2000}|(?![\w-]))/g,
    hints: [['eyj']],
  },
  {
    kind: 'bearer-token',
    pattern: /\bbearer[ \t]{1,4}([\w.~+/=-]{16,2000})/dgi,
    hints: [['bearer']],
    accepts: isMixed,
  },
  {
    kind: 'bearer-token',
    pattern: /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?basic[ \t]{1,4}([\w+/=-]{8,2000})/dgi,
    hints: [['authorization']],
    accepts: isReal,
  },
  {
    kind: 'bearer-token',
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:[a-z][a-z-]{2,20}[ \t]{1,4})?([\w.~+/=@-]{16,2000})/dgi,
    hints: [['authorization']],
    accepts: looksRandom,
  },
  {
    kind: 'url-password',
    pattern: new RegExp(String.raw`:\/\/[^\s/:@"'<>]{1,100}:([^\s/@"'<>]{3,200})@${EXAMPLE_HOST}`, 'dg'),
    hints: [['://'], ['@']],
    accepts: isReal,
  },
]

/** Every secret, unordered. Ranges of different kinds may overlap. */
export function findSecretSpans(text: string, isPossible = readHints(text)): TextSpan<string>[] {
  return [
    ...findKeyBlocks(text),
    ...findShapedTokens(text, isPossible),
    ...findByPattern(text, SECRET_PATTERNS, isPossible),
    ...findNamedSecrets(text, isPossible),
    ...findProseSecrets(text),
  ]
}

/** In characters; a key of 65,536 bits has about twelve thousand. */
const LONGEST_KEY = 16_000

/** A key extends to its end marker; without one, as far as its lines look like key material. */
function findKeyBlocks(text: string): TextSpan<string>[] {
  if (!text.includes('-----BEGIN')) return []
  const ends = [...text.matchAll(keyEnd())].map((match) => match.index + match[0].length)
  const found: TextSpan<string>[] = []
  let next = 0
  let covered = 0
  for (const { index: start, 0: mark } of text.matchAll(keyStart())) {
    if (start < covered) continue
    while ((ends[next] ?? text.length) < start) next++
    const end = ends[next] ?? Number.POSITIVE_INFINITY
    covered = end - start <= LONGEST_KEY ? end : endOfKeyLines(text, start + mark.length)
    if (isEmptyKey(text.slice(start + mark.length, covered))) continue
    found.push({ kind: 'private-key', start, end: covered })
  }
  return found
}

/** Markers around dots, a word or a variable are examples of the format. */
function isEmptyKey(body: string): boolean {
  return /-----END/.test(body) && !/[\w+/=]{16}/.test(body.replace(/-----END[\s\S]*$/, ''))
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

interface SecretPattern {
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

function findByPattern(text: string, patterns: readonly SecretPattern[], isPossible: HintReader): TextSpan<string>[] {
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
function looksRandom(value: string): boolean {
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
function findNamedSecrets(text: string, isPossible: HintReader): TextSpan<string>[] {
  return [...findByPattern(text, NAMED_PATTERNS, isPossible), ...findClusterSecrets(text, isPossible)]
}

// In several languages. Only a password may look like a word with digits; the others have more uses.
const PASSWORD = [
  String.raw`(?<![\p{L}\p{N}_$./])(?:pass[ -]?(?:word|phrase|code|wd)|pwd?|mot de passe|contraseña|passwort|kennwort|senha|wachtwoord|пароль)(?![\p{L}\p{N}_(]|[.-]\w)`,
  'パスワード|密[码碼]|口令|비밀번호',
].join('|')
const TOKEN_NAMES = [
  String.raw`(?<![\p{L}\p{N}_$./])(?:keys?|tokens?|secrets?|passwords|credentials?|creds|pat|(?:recovery|unlock|activation|access) code|schlüssel|clé(?: api)?|clave|chiave)(?![\p{L}\p{N}_(]|[.-]\w)`,
  '密[钥鑰]',
].join('|')
const SECRET_NAMES = new RegExp(`(${PASSWORD})|${TOKEN_NAMES}`, 'giu')

/** Where a name may be: cheaper to search a whole text for. */
const ROUGHLY =
  /pass|pw|contrase|kennwort|senha|wachtwoord|парол|key|token|secret|cred|pat|code|schl|cl[éa]|chiave|パス|[密口비]/gi

/** What is named so is not secret: a public key, the key of a cache or of a table. */
const HARMLESS_OWNER =
  /(?:public|primary|foreign|sort|partition|cache|map|dictionary|object|json|host|index|routing|idempotency|csrf|xsrf|page|continuation|kms|registry|row|lookup|unique|translation|property|config|issue|hash)[ _-]$/i
/** Nor is something else about a key. */
const HARMLESS_PART =
  /(?<![\p{L}\p{N}])(?:ids?|names?|hash(?:es|ed)?|fingerprints?|digest|checksum|sha-?\d+|md5|commits?|versions?|types?|formats?|algorithms?|curves?|sizes?|bits?|bytes|length|urls?|endpoints?|paths?|files?|folders?|director(?:y|ies)|prefix(?:es)?|headers?|variables?|fields?|columns?|methods?|functions?|class)(?![\p{L}\p{N}])/iu

// The key of the staging cluster (AES) is now "…", the token → …, Passwort lautet …
const FEW_WORDS = String.raw`[\p{L}\p{N}\s,'’#&/*_"\x60-]{0,80}(?:\([^()\n]{0,40}\)?[\p{L}\s*,'’]{0,40})?(?:\. It)?`
const LINK = String.raw`(?:(?<=[\s'’])(?:is|was|are|be|to|s|reads|equals|called|still|follows|as|ist|lautet|war|est|es|era|è|é)(?=\s)|\s?[:=?：＝]\*{0,2}|\s?(?:[=-]>|[→⇒])|\s[–—-](?=\s)|は|是|[为為]|는|은)`
const ADVERBS = String.raw`(?:[\s,]{1,3}(?:now|currently|still|always|set to|as follows:?|a:)){0,2}`
const ACCOUNT = String.raw`(?:[\w.-]{2,30} ?\/)?`
const LINKED = new RegExp(String.raw`^${FEW_WORDS}${LINK}${ADVERBS}\s{0,4}${ACCOUNT}[\s"'’\x60*(]{0,12}$`, 'iu')
const DIRECT = /^[\s"'`*(]{1,6}$/
/** … is the key, … as our password */
const FOLLOWED = /^["'`*)]{0,3}\s(?:is|was|as)\s(?:(?:the|an?|our|my|your|his|her|their)\s)(?:[\p{L}-]{1,20}\s){0,3}$/iu

const NEAR = 110
const SHORTEST_SECRET = 8
const LONGEST_SECRET = 400
/** Quotes, brackets and separators end a word. */
const LETTERS = lettersOf(/[^\s"'`<>()[\]{},;|\\]/)

/** Secrets that a sentence names: "the key is …", "my password: …", "use … as the token". */
function findProseSecrets(text: string): TextSpan<string>[] {
  const names = Array.from(eachMatch(text, ROUGHLY), ({ index }) => index)
  const found: TextSpan<string>[] = []
  if (names.length === 0) return found
  let next = 0
  for (const [start, last] of longWords(text, LETTERS, SHORTEST_SECRET)) {
    while (next < names.length && names[next]! < start - NEAR) next++
    if ((names[next] ?? Number.POSITIVE_INFINITY) > last + NEAR) continue
    if (last - start > LONGEST_SECRET || !hasMixed(text, start, last)) continue
    const word = text.slice(start, last).replace(/[.:*_]{1,3}$/, '')
    // Fingerprints of keys, and an action at a commit.
    if (word.length < SHORTEST_SECRET || /^(?:[0-9A-Fa-f]{2}:){4}|^[0-9A-F]{40}$|@[0-9a-f]{40}$/.test(word)) continue
    const isToken = isRandomToken(word)
    if (!isToken && !isPassword(word)) continue
    const end = start + word.length
    const kind =
      kindBefore(text.slice(Math.max(0, start - NEAR), start), isToken, /[!#$%&?^]/.test(word)) ??
      kindAfter(text.slice(end, end + NEAR), isToken)
    if (kind !== undefined) found.push({ kind, start, end })
  }
  return found
}

/** A digit, or upper case after lower case: most words have neither. */
function hasMixed(text: string, start: number, end: number): boolean {
  let wasLower = false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 48 && code <= 57) || (wasLower && code >= 65 && code <= 90)) return true
    wasLower = code >= 97 && code <= 122
  }
  return false
}

function kindBefore(before: string, isToken: boolean, hasSign: boolean): string | undefined {
  for (const name of [...eachMatch(before, SECRET_NAMES)].reverse()) {
    const isPassword = name[1] !== undefined
    if (!isToken && !isPassword && !hasSign) continue
    const gap = before.slice(name.index + name[0].length)
    if (/\n\s*\n/.test(gap) && !/^[^\n]*:\s*$/.test(gap)) return undefined
    if (HARMLESS_PART.test(gap) || HARMLESS_OWNER.test(before.slice(0, name.index))) continue
    if (LINKED.test(gap) || ((isToken || isPassword) && DIRECT.test(gap)))
      return isPassword ? 'password' : 'named-token'
  }
  return undefined
}

function kindAfter(after: string, isToken: boolean): string | undefined {
  for (const name of eachMatch(after, SECRET_NAMES)) {
    const gap = after.slice(0, name.index)
    if ((isToken || name[1] !== undefined) && FOLLOWED.test(gap) && !HARMLESS_OWNER.test(gap))
      return name[1] === undefined ? 'named-token' : 'password'
  }
  return undefined
}

/** Letters and digits, upper and lower case alternate as in no word. */
function isRandomToken(word: string): boolean {
  if (looksRandom(word)) return true
  const hasDigit = /\d/.test(word)
  if (word.length < (hasDigit ? 9 : 16) || !/^[\w-]+$/.test(word) || !isReal(word)) return false
  const turns = word.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0
  return turns > word.length / 2.5 && (hasDigit ? /[a-z]/.test(word) && /[A-Z]/.test(word) : true)
}

/** Letters with digits, but no address, path, version, date, unit, variable, or name with a number. */
function isPassword(word: string): boolean {
  if (!/\d/.test(word) || !/\p{L}/u.test(word) || !isReal(word) || isName(word)) return false
  if (
    /:\/\/|^www\.|^[\w.+-]{1,60}@[\w-]{1,60}\.\w|^[$@#/.~-]|\w\/\w|::|->|=>|\.[a-z]{1,5}$|^[A-Za-z_-]{1,40}=/.test(word)
  )
    return false
  if (/^v?\d{1,8}[.:x-]\d|^\d{1,12}(?:[a-z]{1,6}|%)?$/i.test(word)) return false
  return !word
    .split(/[-_.:]/)
    .every((part) => /^(?:[a-z]*\d{0,4}|[A-Z]*\d{0,4}|\d+|[a-z]+(?:[A-Z][a-z]+)+\d{0,2})$/.test(part))
}
