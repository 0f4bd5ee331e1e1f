import { failWith } from '../text/trouble.ts'
import { nearest } from '../text/values.ts'

export interface TokenCounter {
  /** The name of the counter: `chars/4`, `o200k_base`. */
  id: string
  count(text: string): number
}

type Encoding = 'o200k_base' | 'cl100k_base'

/** Tables of megabytes, each loaded on demand. */
const ENCODINGS: Record<Encoding, () => Promise<{ countTokens: CountTokens }>> = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
}

type CountTokens = (text: string, options: { disallowedSpecial: Set<string> }) => number

/** Four characters are about one token of English prose. */
export const CHARS_PER_TOKEN: TokenCounter = { id: 'chars/4', count: (text) => Math.ceil(text.length / 4) }

/** By the name of an OpenAI encoding, or of a model that uses one. */
export async function openTokenCounter(name: string): Promise<TokenCounter> {
  if (name === CHARS_PER_TOKEN.id) return CHARS_PER_TOKEN
  const id = isEncoding(name) ? name : await encodingOfModel(name)
  const { countTokens } = await ENCODINGS[id]()
  const longWord = /[\p{L}\p{M}]{513,}|[^\s\p{L}\p{N}]{513,}|\s{513,}/gu
  return { id, count: (text) => countInPieces(text, longWord, countTokens) }
}

function isEncoding(name: string): name is Encoding {
  return Object.hasOwn(ENCODINGS, name)
}

async function encodingOfModel(name: string): Promise<Encoding> {
  const { modelToEncodingMap, chatModelParams } = await import('gpt-tokenizer/mapping')
  const models = new Map<string, string>(Object.keys(chatModelParams).map((model) => [model, 'o200k_base']))
  for (const [model, encoding] of Object.entries(modelToEncodingMap)) models.set(model, encoding)
  // The same table with more special tokens, which are plain text here.
  const encoding = models.get(name)?.replace('o200k_harmony', 'o200k_base')
  if (encoding !== undefined && isEncoding(encoding)) return encoding
  const known = [CHARS_PER_TOKEN.id, ...Object.keys(ENCODINGS)]
  const meant = nearest(name, [...known, ...models.keys()])
  throw failWith('USAGE/tokenizer', { name: name.slice(0, 80), meant, known: known.join(', ') })
}

/**
 * The tokenizer's time for a word grows with the square of its length, so it gets at most 512 letters or signs at once.
 * Exact for all other text; each cut in a longer word may add or lose a token.
 */
function countInPieces(text: string, longWord: RegExp, countTokens: CountTokens): number {
  let [tokens, end] = [0, 0]
  const count = (piece: string) => {
    if (piece !== '') tokens += countTokens(piece, NOTHING_SPECIAL)
  }
  for (const { 0: word, index } of text.matchAll(longWord)) {
    count(text.slice(end, index))
    for (const [piece] of word.matchAll(/.{1,512}/gsu)) count(piece)
    end = index + word.length
  }
  count(text.slice(end))
  return tokens
}

/** Text that looks like a control token of a model is counted as text. */
const NOTHING_SPECIAL = { disallowedSpecial: new Set<string>() }
