import { describe, expect, it } from 'vitest'
import { openTokenCounter } from './token-counter.ts'

describe('openTokenCounter', () => {
  const counts: [name: string, text: string, tokens: number][] = [
    ['chars/4', '', 0],
    ['chars/4', 'abcde', 2],
    ['o200k_base', '', 0],
    // Published with the encodings.
    ['cl100k_base', 'tiktoken is great!', 6],
    ['cl100k_base', 'antidisestablishmentarianism', 6],
    ['o200k_base', 'antidisestablishmentarianism', 6],
    ['cl100k_base', '2 + 2 = 4', 7],
    ['o200k_base', '2 + 2 = 4', 7],
    ['cl100k_base', '\u304a\u8a95\u751f\u65e5\u304a\u3081\u3067\u3068\u3046', 9],
    ['o200k_base', '\u304a\u8a95\u751f\u65e5\u304a\u3081\u3067\u3068\u3046', 8],
  ]
  it.each(counts)('%s counts %j as %d', async (name, text, tokens) => {
    expect((await openTokenCounter(name)).count(text)).toBe(tokens)
  })

  const models: [name: string, id: string][] = [
    ['chars/4', 'chars/4'],
    ['gpt-4o', 'o200k_base'],
    ['gpt-5', 'o200k_base'],
    ['gpt-oss-20b', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-3.5-turbo', 'cl100k_base'],
  ]
  it.each(models)('%s is counted by %s', async (name, id) => {
    expect((await openTokenCounter(name)).id).toBe(id)
  })

  it('takes the control tokens of a model for text', async () => {
    const { count } = await openTokenCounter('o200k_base')
    expect(count('<|endoftext|>')).toBeGreaterThan(1)
  })

  const unknown: [name: string, hint: RegExp][] = [
    ['gpt4o', /did you mean gpt-4o\? known are chars\/4, o200k_base, cl100k_base/],
    ['text-davinci-003', /known are/],
    ['constructor', /known are/],
    ['', /known are/],
  ]
  it.each(unknown)('%j is refused, and the known ones are named', async (name, hint) => {
    await expect(openTokenCounter(name)).rejects.toMatchObject({ code: 'USAGE', hint: expect.stringMatching(hint) })
  })

  it('parts nothing else', async () => {
    const { count } = await openTokenCounter('o200k_base')
    const text = `${'word '.repeat(2000)}${'x'.repeat(512)} end`
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    expect(count(text)).toBe(countTokens(text))
  })
})
