import { isDomain, type LoadoutEntry, PHASES } from '../../payloads/rules/loadout-index.ts'
import { harmlessLine } from '../../text/fence.ts'
import { compareText, quickDigest } from '../../text/values.ts'

/** A loadable entry, as one line of an index shows it. */
export interface IndexItem {
  id: string
  kind: 'payload' | 'pack' | 'skill'
  /** What it is about, in its author's words. */
  summary: string
  /** The words of matching tasks, or `always`, or `on request`. */
  when: readonly string[]
  /** What to read or run to load it. */
  where: string
  /** The order of groups: core, packs, what tasks find, what is loaded only on request. */
  rank: number
  /** Within a group, higher comes first. */
  reach: number
  /** The headings of the part that fits, if known. */
  section?: string
  /** Its cost, if known. */
  tokens?: number
}
const LONGEST_WORD = 40
const MOST_WORDS = 6

/** `file` is its path relative to the root of the project. */
export function payloadItem(entry: LoadoutEntry, file: string): IndexItem {
  const { id, summary, priority, triggers } = entry
  const phases = PHASES.filter((phase) => triggers?.[phase] === true).length
  const words = [...entry.keywords, ...entry.patterns.map((pattern) => pattern.replaceAll('_', ' '))]
  return {
    id,
    kind: 'payload',
    summary,
    when: priority === 'core' ? ['always'] : isDomain(entry) ? words : ['on request'],
    where: placeOf(id, file),
    rank: priority === 'core' ? 0 : isDomain(entry) ? 2 : 3,
    reach: phases * 1_000 + Math.min(words.length, 999),
  }
}

export function packItem({ name, description }: { name: string; description: string }): IndexItem {
  return {
    id: name,
    kind: 'pack',
    summary: description,
    when: [],
    where: `loadout packs resolve "the question" --pack ${name}`,
    rank: 1,
    reach: 0,
  }
}

/** `section`: the headings of the part that fits. */
export function packLine(pack: { name: string; description: string }, isOpen: boolean, section?: string): string {
  const item = { ...packItem(pack), id: `pack ${pack.name}`, section }
  if (isOpen) return indexLine(item)
  return indexLine({
    ...item,
    when: ['a person has to approve it first'],
    where: `loadout packs show ${pack.name}`,
  })
}

/** `tool`: the agent's own tool that opens a skill, with its permissions and variables; without one, its file is read. */
export function skillLine(skill: { name: string; description: string; file: string }, tool?: string): string {
  const { name, description: summary, file } = skill
  const item = { id: `skill ${name}`, kind: 'skill' as const, summary, when: [], rank: 0, reach: 0 }
  return indexLine({ ...item, where: tool === undefined ? file : `${tool} tool: ${name}` })
}

/** Does not show a name that would break the line or have a meaning to a shell. */
function placeOf(id: string, file: string): string {
  if (file !== '' && file === harmless(file, file.length)) return file
  return /^[A-Za-z0-9][\w.:/-]*$/.test(id) ? `loadout lookup ${id} --load` : 'loadout resolve'
}

/**
 * The most useful first, the same on every machine: core, packs, the rest, manual entries; in each group by the number
 * of phases and words; then by id.
 */
export function orderItems(items: readonly IndexItem[]): IndexItem[] {
  return [...items].sort((a, b) => a.rank - b.rank || b.reach - a.reach || compareText(a.id, b.id))
}

/** One line of Markdown. Nothing in it can start a line, a comment, a tag, a link or a span of code of its own. */
export function indexLine({ id, summary, when, where, section, tokens }: IndexItem): string {
  const words = [...new Set(when.map((word) => harmless(word, LONGEST_WORD)))].filter((word) => word !== '')
  const shown = words.length > MOST_WORDS ? [...words.slice(0, MOST_WORDS), '...'] : words
  const about = harmless(summary, 160)
  const notes = [...(shown.length === 0 ? [] : [shown.join(', ')]), ...(tokens ? [`${tokens} tokens`] : [])]
  return [
    `- ${harmless(id, LONGEST_WORD * 2)}`,
    about === '' ? '' : `: ${about}`,
    notes.length === 0 ? '' : ` (${notes.join('; ')})`,
    ` -> \`${harmless(where, where.length)}\``,
    // Last, so that a transcript that contains this line also contains the line without the section.
    section === undefined ? '' : `, section: ${harmless(section, 120)}`,
  ].join('')
}

const PLAIN: Record<string, string> = {
  '<': '\u2039',
  '>': '\u203a',
  '`': "'",
  '[': '(',
  ']': ')',
  '|': '/',
  '*': '',
  '\\': '/',
}

// Most of ten thousand ids, words and paths need no escaping.
const HARMLESS = /^[\w./:-]+(?: [\w./:,;()-]+)*$/

/** Foreign text inside a line of Markdown: one line, nothing invisible, no markup. */
function harmless(text: string, longest: number): string {
  if (text.length <= longest && HARMLESS.test(text)) return text
  return harmlessLine(text, quickDigest(text), Math.max(1, longest))
    .text.replace(/[<>`[\]|*\\]/g, (mark) => PLAIN[mark] ?? '')
    .trim()
}
