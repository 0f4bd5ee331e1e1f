import type { Act } from './acts.ts'

// Letters that look like others. Case does not matter in addresses and names.
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1il|]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
]

/** A form of a name that is equal for names that look alike. */
function lookOf(text: string): string {
  return PAIRS.reduce((read, [pattern, letter]) => read.replace(pattern, letter), text.toLowerCase())
}

/** Returns the name of another skill that looks like this one. */
export type FindTwin = (name: string) => string | undefined

/** Prepares the names of a library once, for many calls. */
export function findTwinIn(names: readonly string[]): FindTwin {
  const byLook = new Map<string, Set<string>>()
  for (const name of names) {
    const look = lookOf(name)
    byLook.set(look, (byLook.get(look) ?? new Set()).add(name))
  }
  return (name) => [...(byLook.get(lookOf(name)) ?? [])].find((other) => other !== name)
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

type Found = Pick<Act, 'kind' | 'what' | 'isAlarming'>
const misleads = (what: string): Found => ({ kind: 'misleads', what, isAlarming: true })

/** Finds invisible text in a line, and text that looks like something else. */
export function findAppearance(line: string): Found[] {
  const found: Found[] = []
  if (line.includes('://')) found.push(...findHosts(line))
  if (/^[\t\x20-\x7e]*$/.test(line)) return found
  // A flag is a black flag with up to six tags; all other tags only hide text.
  const bare = line.replace(/\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7}/gu, '')
  if (
    /[\u{e0000}-\u{e007f}]{2}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3}|[\u200b-\u200f\u2060-\u2064\ufeff]{6}/u.test(bare)
  )
    found.push(misleads('holds text in characters that nobody sees'))
  if (/[\u202a-\u202e\u2066-\u2069]/.test(bare))
    found.push(misleads('turns the direction of text around, so that it reads other than it runs'))
  // Of the Greek letters only those that look like Latin ones: formulas have the others inside of words.
  if (/[A-Za-z][\u0400-\u04ffΑΒΕΖΗΙΚΜΝΟΡΤΥΧαινορυ][A-Za-z]|[\u0400-\u04ff][A-Za-z][\u0400-\u04ff]/.test(bare))
    found.push(misleads('mixes letters of different scripts in a word'))
  return found
}

function findHosts(line: string): Found[] {
  return line
    .split('://')
    .slice(1)
    .flatMap((rest): Found[] => {
      const authority = (/^[^\s/"'\x60<>)\]}]{0,300}/.exec(rest)?.[0] ?? '').toLowerCase()
      const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d{0,5}$/, '')
      if (/\p{Script=Latin}/u.test(host) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(host))
        return [misleads('an address mixes letters of different scripts')]
      const domain = host.split('.').slice(-2).join('.')
      const meant = LOOKS.get(lookOf(domain))
      return meant === undefined || KNOWN.includes(domain)
        ? []
        : [misleads(`an address looks like ${meant}, but is ${domain}`)]
    })
}
