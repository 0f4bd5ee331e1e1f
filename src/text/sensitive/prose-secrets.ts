import { eachMatch, type TextSpan } from './each-match.ts'
import { lettersOf, longWords } from './long-words.ts'
import { looksRandom } from './named-secrets.ts'
import { isName, isReal } from './placeholders.ts'

// In several languages. Only a password may look like a word with digits; the others have more uses.
const PASSWORD = [
  String.raw`(?<![\p{L}\p{N}_$./])(?:pass[ -]?(?:word|phrase|code|wd)|pwd?|mot de passe|contraseña|passwort|kennwort|senha|wachtwoord|пароль)(?![\p{L}\p{N}_(]|[.-]\w)`,
  'パスワード|密[码碼]|口令|비밀번호',
].join('|')
const TOKEN = [
  String.raw`(?<![\p{L}\p{N}_$./])(?:keys?|tokens?|secrets?|passwords|credentials?|creds|pat|(?:recovery|unlock|activation|access) code|schlüssel|clé(?: api)?|clave|chiave)(?![\p{L}\p{N}_(]|[.-]\w)`,
  '密[钥鑰]',
].join('|')
const NAMES = new RegExp(`(${PASSWORD})|${TOKEN}`, 'giu')

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
const WORDS = String.raw`[\p{L}\p{N}\s,'’#&/*_"\x60-]{0,80}(?:\([^()\n]{0,40}\)?[\p{L}\s*,'’]{0,40})?(?:\. It)?`
const LINK = String.raw`(?:(?<=[\s'’])(?:is|was|are|be|to|s|reads|equals|called|still|follows|as|ist|lautet|war|est|es|era|è|é)(?=\s)|\s?[:=?：＝]\*{0,2}|\s?(?:[=-]>|[→⇒])|\s[–—-](?=\s)|は|是|[为為]|는|은)`
const ADVERBS = String.raw`(?:[\s,]{1,3}(?:now|currently|still|always|set to|as follows:?|a:)){0,2}`
const ACCOUNT = String.raw`(?:[\w.-]{2,30} ?\/)?`
const LINKED = new RegExp(String.raw`^${WORDS}${LINK}${ADVERBS}\s{0,4}${ACCOUNT}[\s"'’\x60*(]{0,12}$`, 'iu')
const DIRECT = /^[\s"'`*(]{1,6}$/
/** … is the key, … as our password */
const FOLLOWED = /^["'`*)]{0,3}\s(?:is|was|as)\s(?:(?:the|an?|our|my|your|his|her|their)\s)(?:[\p{L}-]{1,20}\s){0,3}$/iu

const NEAR = 110
const SHORTEST = 8
const LONGEST = 400
/** Quotes, brackets and separators end a word. */
const LETTERS = lettersOf(/[^\s"'`<>()[\]{},;|\\]/)

/** Secrets that a sentence names: "the key is …", "my password: …", "use … as the token". */
export function findProseSecrets(text: string): TextSpan<string>[] {
  const names = Array.from(eachMatch(text, ROUGHLY), ({ index }) => index)
  const found: TextSpan<string>[] = []
  if (names.length === 0) return found
  let next = 0
  for (const [start, last] of longWords(text, LETTERS, SHORTEST)) {
    while (next < names.length && names[next]! < start - NEAR) next++
    if ((names[next] ?? Number.POSITIVE_INFINITY) > last + NEAR) continue
    if (last - start > LONGEST || !hasMixed(text, start, last)) continue
    const word = text.slice(start, last).replace(/[.:*_]{1,3}$/, '')
    // Fingerprints of keys, and an action at a commit.
    if (word.length < SHORTEST || /^(?:[0-9A-Fa-f]{2}:){4}|^[0-9A-F]{40}$|@[0-9a-f]{40}$/.test(word)) continue
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
  for (const name of [...eachMatch(before, NAMES)].reverse()) {
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
  for (const name of eachMatch(after, NAMES)) {
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
