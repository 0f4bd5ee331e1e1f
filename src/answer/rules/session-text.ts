import { fence, removeInvisible } from '../../text/fence.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { hashText, quickDigest } from '../../text/values.ts'
import { type DeliveredPart, heldAfter, keysOf } from '../../usage/rules/session-state.ts'

/** A part with its text for an agent: for a pointer, its line. */
export interface GivenPart {
  part: DeliveredPart
  text: string
  /** Of an index: the lines of its entries, by `kind:id`. */
  lines?: Readonly<Record<string, string>>
}

/** The tokens of lines that name an entry, by `kind:id`: of an index, and of pointers. */
export function linesOf(given: readonly GivenPart[]): Record<string, number> {
  const tokens: Record<string, number> = {}
  for (const { part, text, lines = {} } of given) {
    const named = part.form === 'pointer' ? { [`${part.kind}:${part.id}`]: text } : lines
    for (const [name, line] of Object.entries(named)) tokens[name] = (tokens[name] ?? 0) + estimateTokens(line)
  }
  return tokens
}

/** The size of a text in a reply. */
export type Measure = (text: string) => number

/** In the unit of an agent: JavaScript characters, or bytes of UTF-8. */
export function measureIn(counts: 'characters' | 'bytes'): Measure {
  return counts === 'bytes' ? (text) => new TextEncoder().encode(text).length : ({ length }) => length
}

const POINTERS = 'Loadout: may help here. Read the file, or run the command, of a line that fits.\n'

const OPENING = /<(loadout_[a-z_]+) [^<>]*boundary="[0-9a-f]+"[^<>]*>/g

/** Removes text of Loadout that the user pasted from another session: the prompt is not about it. */
export function withoutOwnText(prompt: string): string {
  let rest = ''
  let at = 0
  for (const { 0: opening, 1: name, index } of prompt.matchAll(OPENING)) {
    if (index < at) continue
    const closing = `</${name}>`
    const end = prompt.indexOf(closing, index + opening.length)
    if (end < 0) break
    rest += prompt.slice(at, index)
    at = end + closing.length
  }
  return at === 0 ? prompt : (rest + prompt.slice(at)).replaceAll(POINTERS, '')
}

/** A reply that grows by parts that fit, and that neither the session nor the prompt contains. */
export class Reply {
  readonly given: GivenPart[] = []
  private readonly known: Set<string>
  private readonly prompt: string
  private readonly room: number
  private readonly sizeOf: Measure

  constructor(known: ReadonlySet<string>, prompt: string, room: number, sizeOf: Measure) {
    this.known = new Set(known)
    this.prompt = prompt
    this.room = room
    this.sizeOf = sizeOf
  }

  knows(part: DeliveredPart): boolean {
    return keysOf(part).some((key) => this.known.has(key))
  }

  /** False if there is no room for a part. One that is known needs none. */
  add(each: GivenPart): boolean {
    const { part, text } = each
    if (this.knows(part) || this.prompt.includes(part.form === 'text' ? fenceDigest(text) : text)) return true
    if (partsLength([...this.given, each], this.sizeOf) > this.room) return false
    this.given.push(each)
    for (const key of heldAfter(part)) this.known.add(key)
    return true
  }
}

/** Texts in their order, then what can be loaded, then the pointers in one block. */
export function renderParts(given: readonly GivenPart[]): string {
  const pointers = given.filter(isLine)
  const whole = given.filter((each) => !isLine(each))
  return [...whole.map(({ text }) => text), pointerBlock(pointers.map(({ text }) => text))].join('')
}

/** One line of a block: an entry by its name, or a place in a file of the project. */
export function isLine({ part }: GivenPart): boolean {
  return part.form === 'pointer' || part.form === 'file'
}

/** The length of what `renderParts` returns. */
export function partsLength(given: readonly GivenPart[], sizeOf: Measure): number {
  const lines = given.filter(isLine).map(({ text }) => text)
  const whole = given.filter((each) => !isLine(each))
  return whole.reduce((sum, { text }) => sum + sizeOf(text), blockLength(lines, sizeOf))
}

export function pointerBlock(lines: readonly string[], heading = POINTERS): string {
  return lines.length === 0 ? '' : heading + indexBlock(lines)
}

/** Takes a fast digest as its boundary, or the usual one if the lines contain that digest. */
export function indexBlock(lines: readonly string[]): string {
  const content = lines.join('\n')
  const boundary = quickDigest(content)
  const isHeld = removeInvisible(content).text.includes(boundary)
  return fence('loadout_index', {}, content, isHeld ? undefined : boundary).text
}

/** The length of a block, whatever its lines contain. */
export function blockLength(lines: readonly string[], sizeOf: Measure, heading = POINTERS): number {
  if (lines.length === 0) return 0
  frame ??= indexBlock(['']).length - 1
  return heading.length + frame + lines.reduce((sum, line) => sum + sizeOf(line) + 1, 0)
}

// Computed on demand: almost every prompt gets no text.
let frame: number | undefined

/** The user waits at every prompt: loading SHA-256 would cost more than everything else. */
export function digestOf(text: string): string {
  return quickDigest(text)
}

/** The boundary of a fenced text, which is derived from everything that was fenced. */
export function fenceDigest(fenced: string): string {
  return / boundary="([0-9a-f]+)">/.exec(fenced)?.[1] ?? digestOf(fenced)
}

/** Equal for one text under two ids: excludes the first line, which contains the id. */
export function bodyDigest(fenced: string): string {
  const body = fenced.slice(fenced.indexOf('\n'))
  return `${hashText(body).toString(16)}-${body.length}`
}
