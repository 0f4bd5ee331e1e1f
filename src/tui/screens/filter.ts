import type { SkillView } from '../../loadout.ts'
import { compareText, sortedBy } from '../../text/values.ts'
import type { InventoryState, Model } from '../model.ts'
import { SIGNS } from '../signs.ts'

/** What a skill can be filtered by besides its words: `state:outdated`, `tag:review`, `source:acme`, `agent:claude`. */
const FACETS = ['state', 'agent', 'tag', 'source'] as const
type Facet = (typeof FACETS)[number]

interface Term {
  facet?: Facet
  word: string
}

const TERM = /(state|agent|tag|source):(?:"([^"]*)"?|(\S*))|"([^"]*)"?|(\S+)/g

/** The words of a filter. A value with blanks is in quotes; an empty value matches everything. */
export function parseFilter(filter: string): Term[] {
  return [...filter.toLowerCase().matchAll(TERM)].map(([, facet, quotedValue, value, quoted, word]): Term => {
    if (facet === undefined) return { word: quoted ?? word ?? '' }
    return { facet: facet as Facet, word: quotedValue ?? value ?? '' }
  })
}

function termOf(facet: Facet, value: string): string {
  return /\s/.test(value) ? `${facet}:"${value}"` : `${facet}:${value}`
}

/** The values of a skill for a facet. Agents: those that it is installed for, in the shown scope. */
function facetValues(facet: Facet, skill: SkillView, scope: Model['scope']): string[] {
  if (facet === 'state') return [skill.state]
  if (facet === 'tag') return skill.tags
  if (facet === 'source') return skill.source === undefined ? [] : [shortSource(skill.source)]
  return skill.placements.filter((each) => each.scope === scope).flatMap(({ agents }) => agents)
}

export function shortSource(source: string): string {
  return source.replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/, '').replace(/\.git$/, '')
}

/** Something that can be found by its name or other text. */
interface Findable {
  name: string
  text: string
}

/** How well a word fits, or undefined. `isLoose`: letters of the name may be left out. */
function scoreWord(word: string, { name, text }: Findable, isLoose: boolean): number | undefined {
  const inName = isLoose || name.includes(word) ? fuzzyScore(word, name) : undefined
  if (inName !== undefined) return inName
  return text.toLowerCase().includes(word) ? 10 : undefined
}

/**
 * The matches, best first; equal ones keep their order. Letters may be left out only if nothing contains the words as
 * written: a user who acts on all shown rows must know which they are.
 */
export function findBest<T>(items: readonly T[], score: (item: T, isLoose: boolean) => number | undefined): T[] {
  for (const isLoose of [false, true]) {
    const found = items.flatMap((item) => {
      const value = score(item, isLoose)
      return value === undefined ? [] : [{ item, value }]
    })
    if (found.length > 0) return found.sort((a, b) => b.value - a.value).map(({ item }) => item)
  }
  return []
}

export function scoreWords(words: readonly string[], item: Findable, isLoose: boolean): number | undefined {
  let score = 0
  for (const word of words) {
    const added = scoreWord(word, item, isLoose)
    if (added === undefined) return undefined
    score += added
  }
  return score
}

/** Matches the letters of the word in their order: best together, better at the beginnings of words than inside. */
export function fuzzyScore(word: string, text: string): number | undefined {
  const at = text.indexOf(word)
  if (at >= 0) return 100 + (at === 0 || text[at - 1] === '-' ? 50 : 0) - Math.min(at, 40)
  let score = 30
  let from = 0
  for (const letter of word) {
    const found = text.indexOf(letter, from)
    if (found < 0) return undefined
    if (found === 0 || text[found - 1] === '-') score += 5
    else if (found > from) score -= 2
    from = found + 1
  }
  return Math.max(score, 21)
}

function hasFacets(terms: readonly Term[], skill: SkillView, scope: Model['scope']): boolean {
  return terms.every(({ facet, word }) => {
    if (facet === undefined || word === '') return true
    const fits = (value: string) => (facet === 'source' ? value.includes(word) : value.startsWith(word))
    return facetValues(facet, skill, scope).some((value) => fits(value.toLowerCase()))
  })
}

// Cached by model: a model never changes.
const found = new WeakMap<InventoryState, SkillView[]>()

/** The skills that match the filter: by group, then the best first, then in the order of the library. */
export function visibleSkills(inventory: InventoryState): SkillView[] {
  const known = found.get(inventory)
  if (known !== undefined) return known
  const { value, filter, grouping } = inventory
  const scope = value?.scope ?? 'user'
  const terms = parseFilter(filter)
  const words = terms.flatMap(({ facet, word }) => (facet === undefined && word !== '' ? [word] : []))
  const possible = (value?.skills ?? []).filter((skill) => hasFacets(terms, skill, scope))
  const best = findBest(possible, (skill, isLoose) => {
    const { name, tags, description } = skill
    return scoreWords(words, { name, text: `${tags.join(' ')} ${description}` }, isLoose)
  })
  const order = groupOrder(inventory)
  const skills = grouping === 'none' ? best : best.sort((a, b) => order(groupOf(inventory, a), groupOf(inventory, b)))
  found.set(inventory, skills)
  return skills
}

const NO_VALUE: Record<'tag' | 'source' | 'agent', string> = {
  tag: 'without a tag',
  source: 'made here',
  agent: 'not installed',
}

/** The group that a skill belongs to: each skill is in one only. */
export function groupOf({ value, grouping }: InventoryState, skill: SkillView): string {
  if (grouping === 'none') return ''
  if (grouping === 'state') return SIGNS[skill.state].word
  const values = facetValues(grouping, skill, value?.scope ?? 'user')
  const named = grouping === 'agent' ? values.join(', ') : values[0]
  return named || NO_VALUE[grouping]
}

/** States by urgency; names alphabetically, and skills without one last. */
function groupOrder({ grouping }: InventoryState): (a: string, b: string) => number {
  if (grouping === 'none') return () => 0
  if (grouping === 'state') {
    const words = STATE_FACETS.map((state) => SIGNS[state].word)
    return (a, b) => words.indexOf(a) - words.indexOf(b)
  }
  const last = NO_VALUE[grouping]
  return (a, b) => Number(a === last) - Number(b === last) || compareText(a, b)
}

const STATE_FACETS = [
  'outdated',
  'edited',
  'broken',
  'orphaned',
  'unsupported',
  'unmanaged',
  'invalid',
  'current',
  'inactive',
] as const satisfies readonly SkillView['state'][]

export interface FacetRow {
  facet: Facet
  value: string
  count: number
  /** Whether the filter contains it. */
  isOn: boolean
}

/** Everything that the skills of the library can be filtered by. */
export function facetRows({ value, filter }: InventoryState): FacetRow[] {
  const terms = new Set(parseFilter(filter).flatMap(({ facet, word }) => (facet ? [`${facet}:${word}`] : [])))
  return FACETS.flatMap((facet) => {
    const counts = new Map<string, number>()
    for (const skill of value?.skills ?? []) {
      for (const each of new Set(facetValues(facet, skill, value?.scope ?? 'user'))) {
        counts.set(each, (counts.get(each) ?? 0) + 1)
      }
    }
    return sortedBy([...counts], ([name]) => name).map(([name, count]) => ({
      facet,
      value: name,
      count,
      isOn: terms.has(`${facet}:${name.toLowerCase()}`),
    }))
  })
}

/** The filter with a facet added, or without it. */
export function withFacet(filter: string, { facet, value, isOn }: FacetRow): string {
  const term = termOf(facet, value)
  if (!isOn) return `${filter.trim()} ${term}`.trim()
  return filter.replace(new RegExp(`(^|\\s)${escaped(term)}(?=\\s|$)`, 'i'), '').trim()
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
