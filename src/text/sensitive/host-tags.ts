/**
 * Words by which models and their hosts tell who speaks. In a text that is data they mean nothing: a model that took one
 * for its host's would read what follows as an order.
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

// Joiners stay in a text, because scripts need them; inside a word of ours they only hide it.
const joined = (word: string) => word.replace(/[a-z_|-]\??/g, (letter) => `${letter}[\\u200c\\u200d]{0,3}`)

const NAMES = ELEMENTS.map(joined).join('|')
// What is cut off behind its name is one too: the end of a text is where its fence follows.
const ELEMENT = String.raw`<(?:[/\u200c\u200d]{0,4}(?:antml:)?(?:${NAMES})(?:\s[^<>]{0,200})?(?:\/?>|$)|\s{1,4}\/?\s{0,4}(?:${NAMES})\s{0,4}>|\/\s{1,4}(?:${NAMES})\s{0,4}>)`
const SPECIAL = String.raw`<[\u200c\u200d]{0,3}\|[\w\u200c\u200d]{2,40}(?:\|[\u200c\u200d]{0,3}>?|$)|<<\/?SYS>>|\[\/?INST\]`

const TAGS = new RegExp(`${ELEMENT}|${SPECIAL}`, 'gi')
const SPEAKERS = /^(?:Human|HUMAN|Assistant|ASSISTANT):/gm
/** On one line, where line ends were taken away. */
const DIALOGUE = /\bHuman:\s[^,{}\n]{4,400}?\bAssistant:/g

const mayHoldTag = (text: string) => /<|\[\/?INST/i.test(text)
const mayHoldSpeaker = (text: string) => /human:|assistant:/i.test(text)

export function findHostTags(text: string): { start: number; end: number }[] {
  const tags = mayHoldTag(text) ? [...text.matchAll(TAGS)].filter(({ 0: tag, index }) => !isType(text, tag, index)) : []
  const speakers = mayHoldSpeaker(text) ? [...text.matchAll(SPEAKERS), ...text.matchAll(DIALOGUE)] : []
  return [...tags, ...speakers].map(({ 0: tag, index }) => ({ start: index, end: index + tag.length }))
}

/** Code has types in such brackets: `Option<System>`. */
function isType(text: string, tag: string, at: number): boolean {
  return tag === '<System>' && /\w/.test(text[at - 1] ?? '')
}

const HARMLESS: Record<string, string> = { '<': '\u2039', '>': '\u203a', '[': '\u2039', ']': '\u203a' }

/**
 * The same text with other brackets around such words, and another colon behind a speaker: as long, as readable, and no
 * tag.
 */
export function defuseHostTags(text: string): string {
  const without = mayHoldTag(text)
    ? text.replace(TAGS, (tag: string, at: number) => (isType(text, tag, at) ? tag : otherBrackets(tag)))
    : text
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
