import type { Spot } from './spots.ts'

// Letters that look like others. Case does not matter in addresses and names.
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1il|]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
]

/** A form of a name that is equal for names that look alike. */
export function lookOf(text: string): string {
  return PAIRS.reduce((read, [pattern, letter]) => read.replace(pattern, letter), text.toLowerCase())
}

const KNOWN = [
  'github.com',
  'githubusercontent.com',
  'gitlab.com',
  'bitbucket.org',
  'npmjs.com',
  'npmjs.org',
  'pypi.org',
  'anthropic.com',
  'claude.ai',
  'openai.com',
  'google.com',
  'googleapis.com',
  'microsoft.com',
  'amazonaws.com',
  'docker.com',
  'docker.io',
  'huggingface.co',
  'vercel.com',
  'cloudflare.com',
  'python.org',
  'rust-lang.org',
  'crates.io',
]
const LOOKS = new Map(KNOWN.map((host) => [lookOf(host), host]))

// One quick test for all characters below, because few files have any. Those beyond 16 bits match by their first half.
// biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are looked for
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\udb40]/

/** Finds invisible text, and text that looks like something else. */
export function findAppearance(text: string): Spot[] {
  if (!UNSEEN.test(text)) return findHosts(text)
  const invisible = (pattern: RegExp, message: string, severity: Spot['severity'] = 'severe') =>
    [...text.matchAll(pattern)].map(({ index: at }): Spot => ({ rule: 'invisible-text', severity, at, message }))
  return [
    // A flag is made of tags after a black flag; all other tags only hide text.
    ...invisible(
      /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0000}-\u{e007f}]{2,}/gu,
      'holds text in characters that nobody sees',
    ),
    ...invisible(/[\u200b-\u200f\u2060-\u2064\ufeff]{6,}/g, 'holds text in characters of no width'),
    ...invisible(/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/gu, 'holds text in characters that nobody sees'),
    ...invisible(
      /[\u202a-\u202e\u2066-\u2069]/g,
      'turns the direction of text around, so that it reads other than it runs',
    ),
    ...findHosts(text),
  ]
}

function findHosts(text: string): Spot[] {
  return [...text.matchAll(/https?:\/\/([^\s/"'\x60<>)\]}]+)/gi)].flatMap((match): Spot[] => {
    const host = (match[1] ?? '').replace(/^.*@/, '').replace(/:\d*$/, '').toLowerCase()
    const at = match.index
    if (/\p{Script=Latin}/u.test(host) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(host)) {
      return [{ rule: 'look-alike', severity: 'severe', at, message: 'an address mixes letters of different scripts' }]
    }
    const domain = host.split('.').slice(-2).join('.')
    const meant = LOOKS.get(lookOf(domain))
    if (meant === undefined || KNOWN.includes(domain)) return []
    return [{ rule: 'look-alike', severity: 'severe', at, message: `an address looks like ${meant}, but is ${domain}` }]
  })
}
