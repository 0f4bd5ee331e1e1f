import { describe, expect, it } from 'vitest'
import { beside, block, insideOf, type Line, overlay, pane, plain } from './line.ts'

const draw = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''))
const letters = ['a', 'b', 'c'].map(plain)

describe('a pane', () => {
  it.each<[columns: number, rows: number, drawn: string[]]>([
    [10, 4, ['╭ Title ─╮', '│ a      │', '│ b      │', '╰────────╯']],
    [8, 3, ['╭ Ti… ─╮', '│ a    │', '╰──────╯']],
    [5, 3, ['╭  ─╮', '│ a │', '╰───╯']],
    [4, 3, ['a   ', 'b   ', 'c   ']],
    [10, 2, ['a         ', 'b         ']],
    [1, 1, ['a']],
    [3, 0, []],
  ])('of %i × %i', (columns, rows, drawn) => {
    expect(draw(pane(plain('Title'), letters, { columns, rows }, true))).toEqual(drawn)
  })

  it('says by its edge whether it has the focus', () => {
    const edge = (isFocused: boolean) => pane([], [], { columns: 6, rows: 3 }, isFocused)[0]?.[0]?.style
    expect([edge(true), edge(false)]).toEqual(['accent', 'faint'])
  })

  it.each<[columns: number, rows: number, inside: [number, number]]>([
    [80, 24, [76, 22]],
    [5, 3, [1, 1]],
    [4, 3, [4, 3]],
    [80, 2, [80, 2]],
    [80, -1, [80, 0]],
  ])('of %i × %i has room for', (columns, rows, [width, height]) => {
    expect(insideOf({ columns, rows })).toEqual({ columns: width, rows: height })
  })
})

it('a block has exactly its size', () => {
  expect(draw(block(letters, { columns: 2, rows: 2 }))).toEqual(['a ', 'b '])
  expect(draw(block([], { columns: 2, rows: 2 }))).toEqual(['  ', '  '])
  expect(draw(block(letters, { columns: 2, rows: -1 }))).toEqual([])
})

it('blocks stand beside each other', () => {
  expect(draw(beside(letters, [plain('1')]))).toEqual(['a1', 'b', 'c'])
})

describe('a box over a screen', () => {
  const screen = Array.from({ length: 3 }, () => plain('......'))
  it.each<[box: string[], drawn: string[]]>([
    [['##'], ['......', '  ##  ', '......']],
    [[], ['......', '......', '......']],
    [['########'], ['......', '#####…', '......']],
    [
      ['##', '##', '##', '##'],
      ['  ##  ', '  ##  ', '  ##  '],
    ],
  ])('%j', (box, drawn) => {
    expect(draw(overlay(screen, box.map(plain), { columns: 6, rows: 3 }))).toEqual(drawn)
  })
})
