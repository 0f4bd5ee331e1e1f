import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_END, BLOCK_START, buildBlock, readBlock, removeBlock, writeBlock } from './index-block.ts'
import { packItem } from './index-line.ts'

const pack = (name: string) => packItem({ name, description: 'Something.' })
const OLD = buildBlock([pack('old')], 1_000).text
const NEW = buildBlock([pack('new'), pack('old')], 1_000).text

describe('a block', () => {
  it('lists what fits and says where the rest is', () => {
    const { text, listed, left } = buildBlock([pack('a'), pack('b'), pack('c')], 34)
    expect([listed, left]).toEqual([2, 1])
    expect(text.split('\n').slice(-4)).toEqual([
      '- a: Something. -> `loadout packs resolve "the question" --pack a`',
      '- b: Something. -> `loadout packs resolve "the question" --pack b`',
      '- and 1 more: `loadout search "<words>"` finds them',
      BLOCK_END,
    ])
  })

  it('does not depend on the order in which things were found', () => {
    expect(buildBlock([pack('b'), pack('a')], 99).text).toBe(buildBlock([pack('a'), pack('b')], 99).text)
  })
})

/** Pieces of files: line ends of both kinds, fences in pairs, texts that resemble markers. */
const text = fc
  .array(
    fc.constantFrom(
      'a',
      '\n',
      '\r\n',
      '\r',
      ' ',
      '\n```sh\nx\n```\n',
      '# b',
      'see <!-- loadout:index:start',
      '\ufeff',
      '<!--',
    ),
  )
  .map((parts) => parts.join(''))

describe('writing and removing', () => {
  it('remove takes back what write did, byte for byte', () => {
    fc.assert(
      fc.property(text, (file) => {
        expect(removeBlock(writeBlock(file, OLD))).toBe(file)
      }),
      { numRuns: 2_000 },
    )
  })

  it('writing twice is writing once, and the last block counts', () => {
    fc.assert(
      fc.property(text, (file) => {
        const written = writeBlock(writeBlock(file, OLD), NEW)
        expect(written).toBe(writeBlock(file, NEW))
        expect(writeBlock(written, NEW)).toBe(written)
        expect(readBlock(written)).toBe(NEW)
      }),
    )
  })

  it('what stands around a block stays, whatever it is', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const start = before === '' || before.endsWith('\n') ? before : `${before}\n`
        expect(writeBlock(`${start}${OLD}\n${after}`, NEW)).toBe(`${start}${NEW}\n${after}`)
      }),
    )
  })

  const rows: [why: string, before: string | undefined, after: string][] = [
    ['a file that was not there', undefined, `${OLD}\n`],
    ['an empty one', '', OLD],
    ['text with a line end', '# A\n', `# A\n\n${OLD}\n`],
    ['text without one keeps having none', '# A', `# A\n\n${OLD}`],
    ['line ends of Windows', '# A\r\n', `# A\r\n\r\n${OLD.replaceAll('\n', '\r\n')}\r\n`],
    ['a byte order mark', '\ufeff# A\n', `\ufeff# A\n\n${OLD}\n`],
  ]
  it.each(rows)('%s', (_, before, after) => {
    expect(writeBlock(before, OLD)).toBe(after)
    expect(removeBlock(after)).toBe(before)
  })

  it('removes the empty line it came with, and no text that was added since', () => {
    expect(removeBlock(`# A\n\n${OLD}\n\n# B\n`)).toBe('# A\n\n# B\n')
    expect(removeBlock(`# A\n${OLD}\nmore`)).toBe('# A\nmore')
  })
})

describe('a damaged block is refused with its line', () => {
  const rows: [why: string, file: string, line: number, what: RegExp][] = [
    ['no end', `# A\n${BLOCK_START}\n- x\n`, 2, /never ends/],
    ['no start', `# A\n\n${BLOCK_END}\n`, 3, /without a start/],
    ['two starts', `${BLOCK_START}\n${BLOCK_START}\n${BLOCK_END}`, 2, /second time/],
    ['two blocks', `${OLD}\n${OLD}\n`, OLD.split('\n').length + 1, /second time/],
    ['two ends', `${BLOCK_START}\n${BLOCK_END}\n${BLOCK_END}`, 3, /second time/],
    ['inside a fence', `a\n\`\`\`html\n${BLOCK_START}\n${BLOCK_END}\n\`\`\`\n`, 3, /code fence/],
    ['indented', `a\n  ${BLOCK_START}\n${BLOCK_END}\n`, 2, /changed/],
    ['another spelling', `a\n<!-- LOADOUT:index:start -->\n${BLOCK_END}\n`, 2, /changed/],
    ['after a fence that is left open', 'a\n\n~~~\ncode\n', 3, /not closed/],
  ]
  it.each(rows)('%s', (_, file, line, what) => {
    for (const act of [() => writeBlock(file, NEW), () => removeBlock(file), () => readBlock(file)]) {
      expect(act).toThrow(what)
      expect(act).toThrow(new RegExp(`^line ${line}: `))
    }
  })
})
