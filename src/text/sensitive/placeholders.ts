// This many letters do not occur together by chance in a token.
const LONG_WORDS =
  /example|placeholder|change.?me|redacted|dummy|sample|insert|replace|masked|xxxx|x-x-x|your[_-]|\.\.\.|\u2026|\*\*\*|####|abcdefghijklmnop|1234567890123456/i

// These do: they count only as words of their own, with nothing random beside them.
const SHORT_WORDS = /^(?:your|todo|fake)|(?<![a-z0-9])(?:your|todo|fake|here)(?![a-z0-9])/i
const RANDOM_RUN = /(?=[a-z]{0,64}\d)(?=\d{0,64}[a-z])[a-z0-9]{16}/i

// `A` and `_` stand for zeros and ones in base64.
const ONE_LETTER = /^(.)\1*$|([^A_=-])\2{7,4000}/

/** A placeholder for a secret: `ghp_xxxx…`, `AKIA…EXAMPLE`, `your-key-here`. */
export function isPlaceholder(value: string): boolean {
  if (LONG_WORDS.test(value) || 2 * (ONE_LETTER.exec(value)?.[0].length ?? 0) >= value.length) return true
  return SHORT_WORDS.test(value) && !RANDOM_RUN.test(value)
}

/** Not a variable, a blank to fill in, or a path. */
export function isReal(value: string): boolean {
  if (
    /^[<{[(]|^\$(?:[{(]|\w+$)|^%\w{1,100}%$|^(?:process|os|env|config|secrets|vault|var)\b|^(?:~|\.{0,2})\/[\w./-]*$|^\.\w+$/.test(
      value,
    )
  )
    return false
  if (/^(?:pass(?:word)?|passwd|pwd?|secret|token|user(?:name)?|key|test)$/i.test(value)) return false
  return !isPlaceholder(value)
}

export function isMixed(secret: string): boolean {
  return /\d/.test(secret) && /[a-z]/i.test(secret) && isReal(secret)
}

/**
 * Lower-case words of which one names what it stands for: `my-secret-key`, `forgot_password`. This is a name, not a
 * secret.
 */
export function isName(value: string): boolean {
  return (
    /^[a-z]{1,20}(?:[-_./][a-z]{1,20}){0,8}$/.test(value) &&
    /(?:^|[-_./])(?:pass|passw(?:or)?ds?|pwd|passphrase|tokens?|secrets?|keys?|credentials?)(?:$|[-_./])/.test(value)
  )
}
