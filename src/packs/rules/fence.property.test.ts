import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAsSeen } from '../../text/as-seen.ts'
import { fence, findTokens, RESERVED_ELEMENTS } from '../../text/fence.ts'
import { wrapContext } from './fence.ts'
import { discloseCatalog } from './gates/catalog.ts'
import { makeTrusted, UNAPPROVED } from './gates/pack.fixture.ts'
import { wrapGuide } from './guide.ts'
import type { ContextPart } from './pack.ts'
import { readReservedTags } from './reserved-tags.fixture.ts'

const about = { name: 'a', status: 'ready', trust: 'official', profile: 'hybrid', mode: 'data' } as const

function wrapTexts(texts: readonly string[], missing: readonly string[] = []): string {
  const parts: ContextPart[] = texts.map((text, index) => ({ path: `wiki/${index}.md`, layer: 'wiki', text }))
  return wrapContext({ ...about, warnings: [], missing, parts }).text
}

const BRACKETS = [
  '<',
  '<',
  '\uff1c',
  '\ufe64',
  '\u2039',
  '\u3008',
  '\u27e8',
  '\u276e',
  '&lt;',
  '&lt',
  '&LT;',
  '&#60;',
  '&#060',
  '&#x3c;',
  '&#X03C',
  '&amp;lt;',
  '&amp;amp;#60;',
  '&#38;lt;',
  '&#x26;#x3c;',
  '&amp;#38;lt',
  '\uff06lt;',
  '&\uff23\uff13;',
  '&#\uff16\uff10;',
  '&l\u200dt;',
  '&#6\u200c0;',
  '&l&#116;;',
  '&&#35;60;',
  '&#6&#48;;',
  '&#xff1c;',
  '&#8249;',
  '<\u0301',
  '&num;60;',
  '&amp;num;60;',
  '&#x3&#99;',
]
const SLASHES = [
  '',
  '/',
  '/',
  ' / ',
  '\u00a0/',
  '\n/',
  '//',
  '&#47;',
  '&sol;',
  '\uff0f',
  '\u200b/',
  '\u3000/\u2003',
  '/\u00ad',
]
const HIDDEN = [
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u202e',
  '\u0000',
  '\u0301',
  '\u034f',
  '\ufe0f',
  '\u{e0061}',
  '\ud800',
  '\u115f',
  '\u{e0100}',
  '&#8203;',
  '&shy;'.replace('shy', '#173'),
]
const JOINTS = [
  '_',
  '_',
  '-',
  ' ',
  '\u00a0',
  '\uff3f',
  '&#95;',
  '&lowbar;',
  '\u2003',
  '\t',
  '&#x5F',
  '\u200b_',
  '_\u0301',
]
const ENDS = [
  '>',
  '',
  ' x="y">',
  '/>',
  '\t>',
  '\n',
  '&gt;',
  's>',
  '\u0301>',
  '\u200ds',
  '\u00e9',
  '-',
  '_x>',
  '\uff1e',
  ';',
  's\u0301',
]

const pick = (list: readonly string[], number: number): string => list[number % list.length] ?? ''

const WAYS: ((letter: string, code: number, number: number) => string)[] = [
  (letter) => letter.toUpperCase(),
  (_, code) => String.fromCharCode(code + 0xfee0),
  (_, code) => String.fromCodePoint(code - 0x61 + 0x1d41a),
  (_, code) => String.fromCodePoint(code - 0x61 + 0x24d0),
  (_, code) => `&#${code};`,
  (_, code) => `&#x${code.toString(16)}`,
  (_, code) => `&#x${code.toString(16)};`,
  (_, code) => `&#x${code.toString(16).charAt(0)}${String.fromCharCode(code.toString(16).charCodeAt(1) + 0xfee0)}`,
  (_, code) => `&amp;#${code};`,
  (_, code) => `&#0${code}`,
  (letter, _, number) => letter + pick(HIDDEN, number),
  (letter, _, number) => pick(HIDDEN, number) + letter,
]

/** One letter in one of several spellings. */
function spellLetter(letter: string, number: number): string {
  return WAYS[number % 40]?.(letter, letter.charCodeAt(0), number) ?? letter
}

/** A tag of a reserved element, mutated by a seed. One seed for all choices, because drawing many numbers is slow. */
function spellTag(number: number): string {
  let state = number
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 8
  }
  const name = [...pick(RESERVED_ELEMENTS, draw())].map((letter) =>
    letter === '_' ? pick(JOINTS, draw()) : spellLetter(letter, draw()),
  )
  return pick(BRACKETS, draw()) + pick(SLASHES, draw()) + name.join('') + pick(ENDS, draw())
}

const tag = fc.integer().map(spellTag)

const soup = fc
  .array(
    fc.constantFrom(
      ...BRACKETS,
      ...SLASHES,
      ...HIDDEN,
      ...JOINTS,
      ...ENDS,
      ...RESERVED_ELEMENTS,
      ...RESERVED_ELEMENTS.flatMap((name) => name.split('_')),
      '&',
      '#',
      'x3c',
      '60',
      ';',
      'lt;',
      'amp;',
      'a',
      '\ud83d',
      '\ude00',
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

const ONE_PAIR = ['knowledge_pack', '/knowledge_pack']

it('the independent check finds tags in much of the generated text', () => {
  const tags = fc.sample(tag, { numRuns: 2000, seed: 1 })
  expect(tags.filter((text) => readReservedTags(text).length > 0).length).toBeGreaterThan(800)
})

// LOADOUT_TEST_ALL=1 tries four times as many.
const TIMES = process.env.LOADOUT_TEST_ALL === undefined ? 1 : 4

describe('whatever a pack says, its wrapper opens once and closes once', () => {
  it('case 124: 5 000 mutations of reserved tags, twenty files to a wrapper', () => {
    fc.assert(
      fc.property(fc.array(tag, { minLength: 20, maxLength: 20 }), (tags) => {
        expect(readReservedTags(wrapTexts(tags))).toEqual(ONE_PAIR)
      }),
      { numRuns: 250 * TIMES },
    )
  }, 120_000)

  it('5 000 heaps of pieces of tags, split over four files and cut at any place', () => {
    fc.assert(
      fc.property(soup, soup, fc.nat(60), fc.nat(60), (one, two, here, there) => {
        const texts = [one.slice(0, here), one.slice(here), two.slice(0, there), two.slice(there)]
        expect(readReservedTags(wrapTexts(texts, [one.slice(0, there)]))).toEqual(ONE_PAIR)
      }),
      { numRuns: 1250 * TIMES },
    )
  }, 120_000)

  it('one tag in every spelling of its bracket, slash and end, cut at every place', () => {
    for (const bracket of BRACKETS) {
      for (const [index, slash] of SLASHES.entries()) {
        const text = `${bracket}${slash}knowledge_pack${pick(ENDS, index)}`
        const cuts = Array.from({ length: text.length + 1 }, (_, cut) => text.slice(0, cut))
        expect(readReservedTags(wrapTexts(cuts))).toEqual(ONE_PAIR)
      }
    }
  }, 120_000)

  it('guides, catalogs and payloads hold as well', () => {
    const guide = ['knowledge_pack_guide', 'knowledge_resources', '/knowledge_resources', '/knowledge_pack_guide']
    fc.assert(
      fc.property(tag, tag, (one, two) => {
        const resources = [{ path: two, kind: 'primary' }] as const
        expect(readReservedTags(wrapGuide({ ...about, root: two, body: one, resources }).text)).toEqual(guide)
        const pack = makeTrusted({ name: two, description: one, type: 'x' }, { trust: UNAPPROVED })
        const catalog = ['available_knowledge_packs', '/available_knowledge_packs']
        expect(readReservedTags(discloseCatalog([pack, pack]))).toEqual(catalog)
        const payload = ['loadout_payload', '/loadout_payload']
        expect(readReservedTags(fence('loadout_payload', { id: two }, one).text)).toEqual(payload)
      }),
      { numRuns: 250 * TIMES },
    )
  }, 120_000)
})

it('ordinary text is unchanged', () => {
  const ordinary = fc.constantFrom(
    'knowledge_pack',
    'loadout_payload',
    'a < b',
    '<div class="x">',
    '</p>',
    '&amp;',
    '&lt;b&gt;',
    '&amp;lt;',
    ' ',
    '\n',
    '. ',
    '\u77e5\u8bc6\u5305',
    '\u300a\u77e5\u8bc6\u300b',
    '\u{1f469}\u200d\u{1f680}',
    '\u2764\ufe0f',
    'na\u00efve',
    '<knowledge>',
    '<KnowledgePack>',
    'caf\u0065\u0301',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '`code`',
    '| a | b |',
    '&copy; 2024',
    '100 %',
    'C:\\temp',
    '<https://example.com>',
  )
  fc.assert(
    fc.property(fc.array(ordinary, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('. ')
      expect(wrapTexts([text])).toContain(`layer=wiki]\n${text.endsWith('\n') ? text : `${text}\n`}[end `)
    }),
    { numRuns: 2000 },
  )
}, 60_000)

it('looks closer at every character that can be a bracket or can spell one', () => {
  const spelt = new Map([
    ['<', '/knowledge_pack'],
    ['&', 'lt;/knowledge_pack'],
    ['%', '3c/knowledge_pack'],
    ['\\', 'x3c/knowledge_pack'],
  ])
  const overlooked: string[] = []
  for (let code = 0; code < 0x20000; code++) {
    const character = String.fromCodePoint(code)
    const rest = spelt.get(readAsSeen(character)[0]?.text.charAt(0) ?? '')
    if (rest !== undefined && findTokens(character + rest).length !== 1) overlooked.push(code.toString(16))
  }
  expect(overlooked).toEqual([])
})
