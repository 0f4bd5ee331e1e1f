import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutDocument, frontmatterTitle, joinDocument, lineEndOf } from './frontmatter-block.ts'

describe('cutDocument', () => {
  const cuts: [text: string, block: string | undefined, body: string][] = [
    ['', undefined, ''],
    ['# Title\n', undefined, '# Title\n'],
    ['---\nname: x\n---\nbody', 'name: x\n', 'body'],
    ['---\nname: x\n---\n\nbody', 'name: x\n', 'body'],
    ['---\nname: x\n---\n\n\nbody', 'name: x\n', '\nbody'],
    ['---\nname: x\n---\n \nbody', 'name: x\n', ' \nbody'],
    ['---\nname: x\n---', 'name: x\n', ''],
    ['---\n---\nbody', '', 'body'],
    ['--- \t\nname: x\n---  \nbody', 'name: x\n', 'body'],
    ['---\r\nname: x\r\n---\r\n\r\nbody\r\n', 'name: x\r\n', 'body\r\n'],
    ['\ufeff---\nname: x\n---\nbody', 'name: x\n', 'body'],
    ['---\nprose without an end', undefined, '---\nprose without an end'],
    ['---\n ---\n---x\n----\n', undefined, '---\n ---\n---x\n----\n'],
    ['---\na\r---\r\u2028---\u2028\n', undefined, '---\na\r---\r\u2028---\u2028\n'],
    ['---', undefined, '---'],
    [' ---\nname: x\n---\n', undefined, ' ---\nname: x\n---\n'],
    ['\n---\nname: x\n---\n', undefined, '\n---\nname: x\n---\n'],
    ['---\r', undefined, '---\r'],
  ]
  it.each(cuts)('%j', (text, block, body) => {
    expect(cutDocument(text)).toMatchObject({ bom: text.startsWith('\ufeff') ? '\ufeff' : '', block, body })
  })

  it('loses nothing of what it does not fence', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('---', '\n', '\r', '\ufeff', ' ', 'a') }), (text) => {
        const { bom, block, body } = cutDocument(text)
        if (block === undefined) expect(bom + body).toBe(text)
        else expect(text.startsWith(`${bom}---`) && text.includes(block) && text.endsWith(body)).toBe(true)
      }),
    )
  })
})

describe('joinDocument', () => {
  const joins: [block: string, body: string, text: string][] = [
    ['', '', '---\n---\n\n'],
    ['a: 1', 'body', '---\na: 1\n---\n\nbody'],
    ['a: 1\n', '\r\nbody\n', '---\r\na: 1\r\n---\r\n\r\n\r\nbody\n'],
    ['a: 1\n', '\ufeffbody', '\ufeff---\na: 1\n---\n\nbody'],
    ['a: 1\n', '\rbody\r', '---\na: 1\n---\n\n\rbody\r'],
  ]
  it.each(joins)('%j before %j', (block, body, text) => {
    expect(joinDocument(block, body)).toBe(text)
  })

  it.each([
    ['', '\n'],
    ['\n', '\n'],
    ['a\r\nb\n', '\r\n'],
    ['a\nb\r\n', '\n'],
    ['\r', '\n'],
    ['\r\n', '\r\n'],
  ])(
    // biome-ignore format: a list to scan
    'the first line end of %j is %j',
    (text, lineEnd) => {
      expect(lineEndOf(text)).toBe(lineEnd)
      expect(cutDocument(text).lineEnd).toBe(lineEnd)
    },
  )
})

it.each([
  ['---\ntitle: Merge a change\n---\n# Other\n', 'Merge a change'],
  ['---\r\nid: x\r\ntitle: "Paging: who"\r\n---\r\ntext\r\n', 'Paging: who'],
  ["---\ntitle: 'It'\n---\n", 'It'],
  ['---\ntitle:\nid: x\n---\n', ''],
  ['---\n  title: deeper\n---\n', ''],
  ['---\ntitle: never closed\n', ''],
  ['title: no frontmatter\n', ''],
])('the title in the frontmatter of %j is %j', (text, title) => {
  expect(frontmatterTitle(text)).toBe(title)
})
