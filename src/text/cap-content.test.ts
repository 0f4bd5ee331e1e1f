import { describe, expect, it } from 'vitest'
import { type Cut, cutLine, findCut } from './cap-content.ts'

const wrap = (content: string) => `<${content}>`
const told = (characters: number, of: number) => cutLine({ characters, of }).length

describe('findCut', () => {
  const lines = 'one\ntwo\nthree\n'.repeat(7) // 98 characters
  const rows: [what: string, content: string, most: number, cut: Cut | undefined][] = [
    ['all that fits', lines, 100, undefined],
    ['one character too long', lines, 99, { characters: 50, of: 98 }],
    ['exactly room for a line', lines, 2 + 14 + told(14, 98), { characters: 14, of: 98 }],
    ['one less', lines, 2 + 14 + told(14, 98) - 1, { characters: 8, of: 98 }],
    ['a last line without an end', `${lines}x`, 2 + 98 + told(98, 99), undefined],
    ['a first line that is too long', 'x'.repeat(200), 2 + 30 + told(30, 200), { characters: 30, of: 200 }],
    ['a long first line before others', `${'x'.repeat(150)}\ny\n`, 60, { characters: 60 - 2 - told(12, 153), of: 153 }],
    ['a short line before an endless one', `\n${'x'.repeat(199)}`, 2 + 30 + told(30, 200), { characters: 30, of: 200 }],
    ['no room at all', lines, 10, { characters: 0, of: 98 }],
    ['nothing', '', 1, { characters: 0, of: 0 }],
  ]
  it.each(rows)('%s', (_, content, most, cut) => expect(findCut(content, most, wrap)).toEqual(cut))

  it('counts what a wrapper makes of the content, not the content', () => {
    const twice = (content: string) => content.replaceAll('!', '!!!!!!!!!!')
    const content = '!!!!\n'.repeat(40)
    const cut = findCut(content, 200, twice)
    expect(cut).toEqual({ characters: 15, of: 200 })
    const shown = (characters: number) => twice(content.slice(0, characters)).length + told(characters, 200)
    expect([shown(15) <= 200, shown(20) <= 200]).toEqual([true, false])
  })
})
