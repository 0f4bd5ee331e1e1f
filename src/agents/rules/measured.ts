import { isRecord } from '../../text/values.ts'
import type { Listing, Rules } from './reading-rules.ts'
import { type ListedSkill, type ModelRequest, sentBeginning, textsOf } from './sent.ts'
import type { SeenSkills, Visibility } from './visibility.ts'

/** What a run of one version on this machine showed of its list. */
export interface MeasuredRow {
  day: string
  /** How many skills were compared, and those that the rules had wrong. */
  skills: number
  wrong: readonly string[]
  /** The skills inside of the program, as listed. */
  own: Listing['own']
  /** The maximum size of the list, if the program said it. */
  budget?: number
}

/** The rules with what was measured in the place of what was recorded from another version. */
export function withMeasured(rules: Rules, { own }: MeasuredRow): Rules {
  const { listing } = rules
  if (listing === undefined) return rules
  const kept = new Map(listing.own.map(({ name, isKept }) => [name, isKept]))
  const models = listing.models?.map(({ own: _, ...model }) => model)
  const measured = own.map((skill) => ({ ...skill, isKept: kept.get(skill.name) ?? false }))
  return { ...rules, listing: { ...listing, models, own: measured } }
}

/** A half-written or foreign file counts as none: the next run writes a new one. */
export function parseMeasured(json: unknown): MeasuredRow | undefined {
  const isRow =
    isRecord(json) && typeof json.day === 'string' && typeof json.skills === 'number' && Array.isArray(json.wrong)
  if (!isRow || !Array.isArray(json.own)) return undefined
  const isOwn = (skill: unknown) =>
    isRecord(skill) && typeof skill.name === 'string' && typeof skill.columns === 'number'
  return json.own.every(isOwn) ? (json as unknown as MeasuredRow) : undefined
}

/** A skill or an instruction file that reached the model in another form than `see` says. */
export interface Difference {
  name: string
  seen: string
  sent: string
}

const LISTED: readonly Visibility[] = ['visible', 'undescribed', 'cut', 'ambiguous']

/** Compares what `see` says of skills with what was listed: which, and how many characters of each description. */
export function compareSkills(seen: SeenSkills, sent: readonly ListedSkill[], hasListing: boolean) {
  const lengths = new Map<string, (number | undefined)[]>()
  for (const { name, description } of sent) lengths.set(name, [...(lengths.get(name) ?? []), description.length])
  const differences: Difference[] = []
  const words = (shown: number | undefined) =>
    shown === undefined ? 'not listed' : shown === 0 ? 'only its name' : `${shown} characters of its description`
  // Those that are listed first: of several with one name, the others are compared with what is left.
  const isListed = ({ fate, characters: { line } }: SeenSkills['skills'][number]) =>
    hasListing ? line > 0 : LISTED.includes(fate)
  const skills = [...seen.skills].sort((a, b) => Number(isListed(b)) - Number(isListed(a)))
  const met = new Set<string>()
  for (const skill of skills) {
    const left = lengths.get(skill.name) ?? []
    // Which one of several counts is not known: one of them is enough.
    if (skill.fate === 'ambiguous' && met.has(skill.name) && left.length === 0) continue
    met.add(skill.name)
    const { shown, description } = skill.characters
    const expected = isListed(skill) ? (hasListing ? shown : description) : undefined
    const at = left.indexOf(expected)
    const found = expected === undefined ? left.shift() : left.splice(Math.max(0, at), 1)[0]
    if (found !== expected) differences.push({ name: skill.name, seen: words(expected), sent: words(found) })
  }
  const known = new Set(seen.skills.map(({ name }) => name))
  const own = sent
    .filter(({ name }) => !known.has(name))
    .map(({ name, columns, characters }) => ({ name, columns, characters, isKept: false }))
  return { differences, own }
}

/** Compares what `see` says of instruction files with their texts in a request. */
export function compareInstructions(
  files: readonly { path: string; read: number; text: string }[],
  request: ModelRequest,
): { differences: Difference[]; sent: { path: string; bytes: number }[] } {
  const said = textsOf(request.body).join('\n')
  const sent = files.map(({ path, text }) => ({ path, bytes: Buffer.byteLength(sentPart(text, said)) }))
  const differences = files.flatMap(({ path, read, text }, at) => {
    const bytes = sent[at]!.bytes
    // A client may leave out blanks and comments at the ends.
    const isSame = bytes === read || (read > 0 && bytes >= Buffer.byteLength(text.trimEnd()) && bytes <= read)
    return isSame ? [] : [{ name: path, seen: `${read} bytes`, sent: `${bytes} bytes` }]
  })
  return { differences, sent }
}

function sentPart(text: string, said: string): string {
  return text.slice(0, sentBeginning(text, said))
}
