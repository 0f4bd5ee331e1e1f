import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTask } from '../search/task.ts'
import { CORTEX, chooseIntent, GENERIC, type Intent } from './settings.ts'

const keyOf = (task: string) => chooseIntent(readTask(task), CORTEX.intents).key

describe('the intent of a task', () => {
  it.each([
    // [task, intent of the cortex preset]
    ['Improve the visual design of the front page', 'design'],
    ['fix the UI', 'design'],
    ['two UIs, one look', 'design'],
    ['designing a login screen', 'design'],
    ['build the project', 'default'],
    ['a designated driver', 'default'],
    ['direct messages in the directory', 'default'],
    ['the police audit', 'governance'],
    ['review the policies', 'governance'],
    ['which rule applies', 'governance'],
    ['auditing last quarter', 'governance'],
    ['set our north star', 'direction'],
    ['north-star metric', 'direction'],
    ['two north stars', 'direction'],
    ['the star of the north', 'default'],
    ['north, and then star', 'default'],
    ['strategies for growth', 'direction'],
    ['change the schema', 'spec'],
    ['special inspection', 'default'],
    ['', 'default'],
    ['   \n\t', 'default'],
    ['修正する', 'default'],
  ])('of %j is %s', (task, key) => {
    expect(keyOf(task)).toBe(key)
  })

  it('is the one with most keywords, and of equals the one declared first', () => {
    expect(chooseIntent(readTask('audit the schema and the contract'), CORTEX.intents)).toEqual({
      key: 'spec',
      matched: ['schema', 'contract'],
      scores: { design: 0, governance: 1, direction: 0, spec: 2, default: 0 },
      isOverridden: false,
    })
    expect(chooseIntent(readTask('the schema of an audit'), CORTEX.intents).key).toBe('governance')
  })

  it('counts a keyword once, however often and in however many spellings it comes', () => {
    expect(chooseIntent(readTask('audit audits audited auditing'), CORTEX.intents).scores.governance).toBe(1)
  })

  it.each([
    ['新しいテストを書く', 'ja'],
    ['テスト', 'ja'],
    ['为数据库写测试用例', 'zh'],
    ['ทดสอบระบบ', 'th'],
    ['проверить ТЕСТЫ', 'ru'],
    ['die Prüfung', 'de'],
    ['die Pru\u0308fung', 'de'],
    ['API設計の見直し', 'mixed'],
    ['設計の見直し', 'none'],
    ['ｔｅｓｔ ＡＰＩ', 'wide'],
  ])('is read in any script: %j', (task, key) => {
    const intents: Intent[] = [
      { key: 'ja', keywords: ['テスト'], include: [] },
      { key: 'zh', keywords: ['测试'], include: [] },
      { key: 'th', keywords: ['ทดสอบ'], include: [] },
      { key: 'ru', keywords: ['тесты'], include: [] },
      { key: 'de', keywords: ['Prüfung'], include: [] },
      { key: 'mixed', keywords: ['api設計'], include: [] },
      { key: 'wide', keywords: ['api'], include: [] },
      { key: 'none', keywords: [], include: [] },
    ]
    expect(chooseIntent(readTask(task), intents).key).toBe(key)
  })

  it('can be asked for, whatever the task says', () => {
    expect(chooseIntent(readTask('audit the schema'), CORTEX.intents, 'spec')).toMatchObject({
      key: 'spec',
      matched: ['schema'],
      isOverridden: true,
    })
    expect(chooseIntent(readTask('audit'), CORTEX.intents, 'default')).toMatchObject({ key: 'default', matched: [] })
  })

  it.each([
    ['desing', 'did you mean "design"?'],
    ['zzz', 'there is no intent "zzz"'],
  ])('named %s is refused, with the nearest that there is', (override, message) => {
    expect(() => chooseIntent(readTask('x'), CORTEX.intents, override)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    )
  })

  it('is the default without intents, and `__proto__` is a key like others', () => {
    expect(chooseIntent(readTask('x'), []).key).toBe('default')
    const { key, scores } = chooseIntent(readTask('x'), [{ key: '__proto__', keywords: ['x'], include: [] }])
    expect([key, Object.keys(scores)]).toEqual(['__proto__', ['__proto__']])
  })

  it('never fails, is always the same, and scores every kind', () => {
    const word = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('test', 'テスト', 'y'.repeat(9999)),
    )
    const intents = fc.uniqueArray(
      fc.record({ key: fc.string(), keywords: fc.array(word), include: fc.constant([]) }),
      {
        selector: ({ key }) => key,
        minLength: 1,
      },
    )
    fc.assert(
      fc.property(fc.array(word), intents, (words, kinds) => {
        const task = words.join(' ')
        const reading = chooseIntent(readTask(task), kinds)
        expect(chooseIntent(readTask(task), kinds)).toEqual(reading)
        expect(Object.keys(reading.scores).sort()).toEqual(kinds.map(({ key }) => key).sort())
        const best = Math.max(...Object.values(reading.scores))
        const first = kinds.find(({ key }) => Object.entries(reading.scores).some(([k, n]) => k === key && n === best))
        expect(reading.key).toBe(best === 0 ? kinds.at(-1)?.key : first?.key)
      }),
    )
  })

  it('of a keyword alone is the kind that holds it', () => {
    for (const { intents } of [CORTEX, GENERIC]) {
      for (const { key, keywords } of intents) {
        for (const keyword of keywords)
          expect([keyword, chooseIntent(readTask(`please ${keyword} it`), intents).key]).toEqual([keyword, key])
      }
    }
  })
})
