import { everydayWords, STOP_WORDS, stemWord } from '../../search/word-lists.ts'
import { cut, type Section } from '../../text/cut.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { compareText } from '../../text/values.ts'
import { buildEntries } from './build-index.ts'
import { kebab, readFrontmatter, serializeFrontmatter } from './frontmatter.ts'
import { DEFAULT_TRIGGERS } from './loadout-index.ts'
import { splitWords } from './match.ts'

/** How to split a large instruction file into a lean one and payloads. A value: nothing is written. */
export interface Migration {
  payloads: MigratedPayload[]
  kept: KeptSection[]
  /** The new instruction file: the text that stays, and a list of what can be loaded. */
  lean: string
  tokensBefore: number
  tokensAfter: number
}

interface MigratedPayload {
  id: string
  heading: string
  path: string
  keywords: string[]
  tokens: number
  text: string
}

interface KeptSection {
  heading: string
  tokens: number
  reason: string
}

export interface MigrationRules {
  /** Folder of the payloads, relative to the root. */
  into: string
  level?: number
  /** Headings to keep inline, besides those that look like general rules. */
  keep?: readonly string[]
  /** The text at an existing path (empty unless it is a file), so that nothing is overwritten. */
  existing(path: string): string | undefined
  /** Ids already in use by other payloads. */
  takenIds: ReadonlySet<string>
}

const LIST_HEADING = 'Loaded on demand'
const LIST_INTRODUCTION = 'Read one of these when the task touches its subject; `loadout plan "<task>"` picks them.'
const CORE_WORDS = new Set(
  'always core critical essential important mandatory must never principles required'.split(' '),
)

export function planMigration(markdown: string, rules: MigrationRules): Migration {
  const sections = groupSections(markdown, rules.level)
  const keywords = pickKeywords(sections)
  const names = new FreeNames(rules)
  const payloads: MigratedPayload[] = []
  const kept: KeptSection[] = []
  const inline: string[] = []
  let list = ''
  sections.forEach((section, at) => {
    if (section.title === LIST_HEADING) {
      list += section.text
      return
    }
    const isTitle = at === 0 && sections.some(({ level }) => level > section.level)
    const reason = isTitle ? 'it is the introduction' : reasonToKeep(section, rules.keep ?? [])
    if (reason === undefined) {
      payloads.push(names.take(section, keywords[at]!, payloads.length + 1))
    } else {
      kept.push({ heading: section.title, tokens: estimateTokens(section.text), reason })
      inline.push(section.text)
    }
  })
  const lean = leanFile(inline.join(''), list, payloads)
  return { payloads, kept, lean, tokensBefore: estimateTokens(markdown), tokensAfter: estimateTokens(lean) }
}

type Group = Pick<Section, 'title' | 'level' | 'text'>

/** The sections of a level and above, each with those below it; by default of the highest level that occurs twice. */
export function groupSections(markdown: string, level?: number): Group[] {
  const sections = cut('.md', markdown)
  const levels = sections.flatMap((section) => section.level || [])
  const repeated = [1, 2, 3, 4, 5, 6].find((each) => levels.indexOf(each) !== levels.lastIndexOf(each))
  const deepest = level ?? repeated ?? Math.min(...new Set(levels), 6)
  const groups: Group[] = []
  for (const section of sections) {
    const last = groups.at(-1)
    if (section.level <= deepest) groups.push({ ...section })
    else if (last === undefined) groups.push({ title: '', level: 0, text: section.text })
    else last.text += section.text
  }
  return groups
}

/** Advice for a file without movable sections: usually it is small enough to be one payload. */
export function adviseWhole(fileName: string, markdown: string): string {
  const sections = groupSections(markdown)
  if (sections.some(({ title }) => title === LIST_HEADING)) return `it was split before: see "${LIST_HEADING}" in it`
  const id = kebab(fileName.replace(/\.mdc?$/, '')) || 'payload'
  if (readFrontmatter(markdown, id).frontmatter !== null) {
    return `it can be a payload as it is: copy it to .claude/rules/${id}.md and run: loadout rules build`
  }
  const title = sections.find((section) => section.title !== '')?.title ?? ''
  const [keywords = []] = pickKeywords([{ title, text: markdown }])
  const lines = ['---', `id: ${id}`, `keywords: [${keywords.join(', ')}]`, '---']
  return `to load it as a whole when a task needs it, copy it to .claude/loadout/${id}.md and begin it with the lines: ${lines.join(' / ')}`
}

function reasonToKeep({ title: heading, text }: Group, keep: readonly string[]): string | undefined {
  if (heading === '') return 'it stands before the first heading'
  if (keep.some((wanted) => wanted.trim().toLowerCase() === heading.toLowerCase())) return 'you asked for it'
  const core = splitWords(heading).find((word) => CORE_WORDS.has(word))
  if (core !== undefined) return `its heading says "${core}"`
  // A pointer to a section costs about as much as a section of 60 tokens.
  if (estimateTokens(text) < 60) return 'it is as short as a pointer to it'
  return undefined
}

/** Gives each payload a unique id and path. */
class FreeNames {
  private readonly rules: MigrationRules
  private readonly taken = new Set<string>()
  private readonly lastAttempt = new Map<string, number>()

  constructor(rules: MigrationRules) {
    this.rules = rules
  }

  take(section: Group, keywords: string[], number: number): MigratedPayload {
    const stem = kebab(section.title) || `section-${number}`
    for (let attempt = (this.lastAttempt.get(stem) ?? 0) + 1; ; attempt++) {
      const id = attempt === 1 ? stem : `${stem}-${attempt}`
      const path = `${this.rules.into}/${id}.md`
      const text = `${serializeFrontmatter({ id, keywords, patterns: [], priority: 'domain' as const, triggers: DEFAULT_TRIGGERS })}\n\n${section.text}`
      if (!this.isFree(id, path, text)) continue
      this.lastAttempt.set(stem, attempt)
      this.taken.add(id)
      return { id, heading: section.title, path, keywords, tokens: estimateTokens(text), text }
    }
  }

  /** An interrupted run has written the same text: then there is nothing left to write. */
  private isFree(id: string, path: string, text: string): boolean {
    if (this.taken.has(id)) return false
    const existing = this.rules.existing(path)
    return existing === undefined ? !this.rules.takenIds.has(id) : existing === text
  }
}

/** The lean file: one line per payload shows an agent without Loadout where to look. Extends an existing list. */
function leanFile(inline: string, list: string, payloads: readonly MigratedPayload[]): string {
  const { entries } = buildEntries(payloads)
  const lines = entries.map(({ path, summary, keywords }) => `- \`${path}\` (${keywords.join(', ')}): ${summary}\n`)
  const head = list || `## ${LIST_HEADING}\n\n${LIST_INTRODUCTION}\n\n`
  return withLineEnd(inline, list ? 1 : 2) + withLineEnd(head, 1) + lines.join('')
}

/** Text that ends with at least this many line ends, so that the next text starts on its own line. */
function withLineEnd(text: string, count: number): string {
  const present = /\n*$/.exec(text)?.[0].length ?? 0
  return text === '' ? '' : text + '\n'.repeat(Math.max(0, count - present))
}

const FEWEST_KEYWORDS = 3

/** A word of a section, under its stem: how often it occurs, its shortest form, and whether a heading contains it. */
interface OwnWord {
  count: number
  word: string
  isInTitle: boolean
  isInHeading: boolean
}

/**
 * For each section the words that distinguish it: those of its heading, then those of its subheadings and frequent
 * ones. A word that many sections, or any conversation, contain would load all of them.
 */
export function pickKeywords(sections: readonly Pick<Section, 'title' | 'text'>[]): string[][] {
  const words = sections.map(readSection)
  const sectionsWith = new Map<string, number>()
  for (const own of words) for (const stem of own.keys()) sectionsWith.set(stem, (sectionsWith.get(stem) ?? 0) + 1)
  return words.map((own) => pickFrom(own, sectionsWith, sections.length))
}

function pickFrom(own: ReadonlyMap<string, OwnWord>, sectionsWith: ReadonlyMap<string, number>, sections: number) {
  const candidates = [...own]
    .filter(([, { word }]) => word.length > 1 && !STOP_WORDS.has(word) && !/^\d+$/.test(word))
    .map(([stem, facts]) => {
      const shared = sectionsWith.get(stem) ?? 1
      // A subheading names a subject of the section; its words count as if they occurred three times more.
      const often = facts.count + (facts.isInHeading ? 3 : 0)
      return { ...facts, shared, weight: often * Math.log(1 + sections / shared) }
    })
    .sort((a, b) => Number(b.isInTitle) - Number(a.isInTitle) || b.weight - a.weight || compareText(a.word, b.word))
  const isRare = ({ shared, isInHeading }: { shared: number; isInHeading: boolean }) =>
    shared <= Math.max(1, Math.floor(sections / (isInHeading ? 2 : 3)))
  const rare = candidates.filter((each) => isRare(each) && !EVERYDAY.has(each.word))
  const chosen = rare.filter(({ count, word, isInHeading }) => isInHeading || (count > 1 && word.length > 2))
  // A short section contains every word once; one with only common words is found by its heading, or not at all.
  if (chosen.length < FEWEST_KEYWORDS) chosen.push(...rare.filter((each) => !chosen.includes(each)))
  const kept = chosen.length > 0 ? chosen : candidates.slice(0, FEWEST_KEYWORDS)
  return kept.slice(0, 8).map(({ word }) => word)
}

const EVERYDAY: ReadonlySet<string> = new Set(everydayWords())

function readSection({ title: heading, text }: Pick<Section, 'title' | 'text'>): Map<string, OwnWord> {
  const words = new Map<string, OwnWord>()
  const plain = text.replace(/https?:\/\/\S+/g, ' ')
  for (const word of splitWords(plain)) {
    const stem = stemWord(word)
    const known = words.get(stem)
    if (known === undefined) words.set(stem, { count: 1, word, isInTitle: false, isInHeading: false })
    else {
      known.count++
      if (word.length < known.word.length) known.word = word
    }
  }
  mark(words, heading, 'isInTitle')
  for (const { title } of cut('.md', plain)) mark(words, title, 'isInHeading')
  return words
}

function mark(words: Map<string, OwnWord>, heading: string, field: 'isInTitle' | 'isInHeading'): void {
  for (const word of splitWords(heading)) {
    const known = words.get(stemWord(word))
    if (known !== undefined) known[field] = true
  }
}
