import { termsOf } from '../../../search/tokens.ts'
import type { Finding } from '../../../text/trouble.ts'
import { packWord } from '../gates/trust.ts'
import { packSections, toFinding } from '../pack.ts'
import { type ActivePack, isWaiting, type PackContext } from './pack-context.ts'
import { statementsOf } from './statements.ts'

/** The findings about a context: refused and replaced packs, warnings, contradictions. */
export function contextFindings({ active, refused, substitutions }: PackContext): Finding[] {
  const warnings = active.flatMap(({ pack, presented }) =>
    presented.warnings.map((warning) => toFinding(warning, pack.manifest.name)),
  )
  return [
    ...refused.map((each): Finding => {
      const { name, message, command } = each
      const code = isWaiting(each)
        ? each.reason === 'approval-needed'
          ? 'APPROVAL_NEEDED'
          : 'CONFIRMATION_NEEDED'
        : 'PACK_REFUSED'
      const hint = command === undefined ? {} : { hint: command }
      return { severity: isWaiting(each) ? 'warning' : 'info', code, message, subject: name, ...hint }
    }),
    ...substitutions.map(({ name, from, to }): Finding => {
      const message = `${packWord(name)} of the ${from.scope} is stale; the newer one of the ${to.scope} is used instead`
      return { severity: 'info', code: 'pack.substituted', message, subject: name }
    }),
    ...warnings,
    ...findContradictions(active),
  ]
}

interface Place {
  pack: string
  path: string
  line: number
  numbers: string
}

/** Statements with fewer words are too short to be called the same. */
const LEAST_WORDS = 3
const MOST_NAMED = 8

/** Finds statements of several packs that differ only in numbers. Loadout cannot know which is right. */
function findContradictions(active: readonly ActivePack[]): Finding[] {
  const stated = new Map<string, Place[]>()
  for (const { pack, presented } of active) {
    for (const { part } of presented.choices) {
      for (const { from, text } of packSections(part.path, part.text, part.lines?.from).flatMap(statementsOf)) {
        const { words, numbers } = takeApart(text)
        if (words.length < LEAST_WORDS || numbers === '') continue
        const key = words.join(' ')
        const place = { pack: pack.manifest.name, path: part.path, line: from, numbers }
        stated.set(key, [...(stated.get(key) ?? []), place])
      }
    }
  }
  return [...stated.values()].filter(isContradicted).slice(0, MOST_NAMED).map(contradictionFinding)
}

function takeApart(text: string): { words: string[]; numbers: string } {
  const plain = text.replace(/\[source:[^\]]*\]/g, '')
  const isNumber = (term: string) => /^\d/.test(term)
  const terms = termsOf(plain)
  return { words: terms.filter((term) => !isNumber(term)).sort(), numbers: terms.filter(isNumber).join(' ') }
}

function isContradicted(places: readonly Place[]): boolean {
  const [first] = places
  return places.some(({ pack, numbers }) => pack !== first?.pack && numbers !== first?.numbers)
}

function contradictionFinding(places: readonly Place[]): Finding {
  const named = [...new Set(places.map(({ pack, path, line }) => `${pack} ${path}:${line}`))].join(', ')
  const message = `packs state different numbers for the same thing: ${named}`
  return { severity: 'warning', code: 'claim.disputed', message, hint: 'name both, each with its source' }
}
