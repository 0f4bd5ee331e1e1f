/**
 * Words by which models and their hosts mark who speaks. Inside data they must mean nothing: a model that believed one
 * would follow the text after it as an order.
 */
const ELEMENTS = [
  'system-reminder',
  'system-prompt',
  'system',
  'function_calls?',
  'function_results?',
  'tool_calls?',
  'tool_results?',
  'tool_use',
  'tool_response',
  'invoke',
]

// Joiners stay in a text, because scripts need them; inside one of these words they only hide it.
const joined = (word: string) => word.replace(/[a-z_|-]\??/g, (letter) => `${letter}[\\u200c\\u200d]{0,3}`)

// Takes V8 50 ms to compile: created and used only where the beginning of one of these words was found.
let tag: RegExp | undefined

function tagPattern(): RegExp {
  if (tag !== undefined) return tag
  const names = ELEMENTS.map(joined).join('|')
  // A tag cut off after its name also counts: Loadout's fence follows the end of the text.
  const element = String.raw`<(?:[/\u200c\u200d]{0,4}(?:antml:)?(?:${names})(?:\s[^<>]{0,200})?(?:\/?>|$)|\s{1,4}\/?\s{0,4}(?:${names})\s{0,4}>|\/\s{1,4}(?:${names})\s{0,4}>)`
  const special = String.raw`<[\u200c\u200d]{0,3}\|[\w\u200c\u200d]{2,40}(?:\|[\u200c\u200d]{0,3}>?|$)|<<\/?SYS>>|\[\/?INST\]`
  tag = new RegExp(`${element}|${special}`, 'iy')
  return tag
}

const BEGINNING = /^(?:<(?:[/\s]{0,9}(?:antml:)?(?:system|function_|tool_|invoke)|\||<\/?SYS)|\[\/?INST)/i
/** The maximum length of a beginning, with its joiners. */
const LONGEST_BEGINNING = 64
const SPEAKERS = /^(?:Human|HUMAN|Assistant|ASSISTANT):/gm
/** A dialogue on one line, after line ends were removed. */
const DIALOGUE = /\bHuman:\s[^,{}\n]{4,400}?\bAssistant:/g

interface Tag {
  start: number
  end: number
}

/** In the order of the text, without overlap. */
function tagsIn(text: string): Tag[] {
  const found: Tag[] = []
  let [angle, square] = [text.indexOf('<'), text.indexOf('[')]
  while (angle >= 0 || square >= 0) {
    const start = angle < 0 || (square >= 0 && square < angle) ? square : angle
    const tag = tagAt(text, start)
    const next = start + (tag?.length ?? 1)
    if (tag !== undefined && !isType(text, tag, start)) found.push({ start, end: next })
    if (angle >= 0 && angle < next) angle = text.indexOf('<', next)
    if (square >= 0 && square < next) square = text.indexOf('[', next)
  }
  return found
}

function tagAt(text: string, start: number): string | undefined {
  const near = text.slice(start, start + LONGEST_BEGINNING).replace(/[\u200c\u200d]/g, '')
  if (!BEGINNING.test(near)) return undefined
  const pattern = tagPattern()
  pattern.lastIndex = start
  return pattern.exec(text)?.[0]
}

const mayHoldSpeaker = (text: string) =>
  ['Human:', 'HUMAN:', 'Assistant:', 'ASSISTANT:'].some((speaker) => text.includes(speaker))

export function findHostTags(text: string): Tag[] {
  const speakers = mayHoldSpeaker(text) ? [...text.matchAll(SPEAKERS), ...text.matchAll(DIALOGUE)] : []
  return [...tagsIn(text), ...speakers.map(({ 0: tag, index }) => ({ start: index, end: index + tag.length }))]
}

/** Code uses such brackets for types: `Option<System>`. */
function isType(text: string, tag: string, at: number): boolean {
  return tag === '<System>' && /\w/.test(text[at - 1] ?? '')
}

const HARMLESS: Record<string, string> = { '<': '\u2039', '>': '\u203a', '[': '\u2039', ']': '\u203a' }

/**
 * Replaces the brackets around such words, and the colon after a speaker. The text keeps its length and stays readable,
 * but has no tag.
 */
export function defuseHostTags(text: string): string {
  let [without, end] = ['', 0]
  for (const tag of tagsIn(text)) {
    without += text.slice(end, tag.start) + otherBrackets(text.slice(tag.start, tag.end))
    end = tag.end
  }
  without += text.slice(end)
  if (!mayHoldSpeaker(without)) return without
  return without
    .replace(SPEAKERS, otherColons)
    .replace(DIALOGUE, (dialogue) => dialogue.replace(/^Human:|Assistant:$/g, otherColons))
}

function otherColons(speaker: string): string {
  return speaker.replace(':', '\u2236')
}

function otherBrackets(tag: string): string {
  return tag.replace(/^(?:<<|[<[])|(?:>>|[>\]])$/g, (found) => found.replace(/./g, (each) => HARMLESS[each] ?? each))
}
