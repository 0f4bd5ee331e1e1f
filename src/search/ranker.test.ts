import { describe, expect, test } from 'vitest'
import { DEFAULT_TUNING, type RankDocument } from './document.ts'
import { createRanker, loadRanker } from './ranker.ts'

const LIBRARY: readonly RankDocument[] = [
  {
    id: 'kitchen/bread-baking',
    name: 'bread-baking',
    description:
      'Bake bread and rolls. Use when the user asks about dough, yeast or sourdough. For cakes, see cake-baking.',
    tokens: 300,
  },
  { id: 'kitchen/cake-baking', name: 'cake-baking', description: 'Layer sponge and decorate with icing.', tokens: 500 },
  {
    id: 'office/release-notes',
    name: 'release-notes',
    description: 'Write release notes from a git log.',
    keywords: ['changelog'],
    tokens: 100,
  },
  {
    id: 'office/invoice-archive',
    name: 'invoice-archive',
    description: 'File invoices by supplier.',
    body: 'Scan the receipt first.',
    negatives: ['delete all invoices of a supplier'],
    tokens: 200,
  },
]
const ranker = createRanker(LIBRARY)
const ids = (task: string) => ranker.rank(task).map(({ id }) => id)

describe('rank', () => {
  test.each([
    ['how do I get my sourdough dough to rise', 'kitchen/bread-baking'],
    ['draft the changelog for version 2', 'office/release-notes'],
    ['write notes for the next release', 'office/release-notes'],
    ['archive this invoice', 'office/invoice-archive'],
    ['scan a receipt', 'office/invoice-archive'],
  ])('%s → %s', (task, id) => {
    expect(ids(task)[0]).toBe(id)
  })

  test('a topic handed over counts for the document it is handed to', () => {
    expect(ids('cakes')[0]).toBe('kitchen/cake-baking')
    expect(ids('cakes')).not.toContain('kitchen/bread-baking')
  })

  test.each(['', '   ', 'the and of to', '?!', 'repair my bicycle chain', 'quantum chromodynamics lecture', '\ud800'])(
    'silent for %j',
    (task) => {
      expect(ranker.rank(task)).toEqual([])
    },
  )

  describe('examples', () => {
    const documents = (examples: readonly string[]): RankDocument[] => [
      { id: 'refunds', name: 'refunds', description: 'Pay money back to a customer.' },
      { id: 'invoices', name: 'invoices', description: 'Send a bill.', examples },
    ]
    const first = (task: string, examples: readonly string[]) =>
      createRanker(documents(examples), { silence: 0 }).rank(task)[0]!

    test('lift the document that they belong to', () => {
      const task = 'the accountant wants last month once more'
      expect(createRanker(documents([]), { silence: 0 }).rank(task)).toEqual([])
      expect(first(task, ['our accountant needs last month again']).id).toBe('invoices')
    })

    test('do not push out the best document by words that has none, unless they say much more', () => {
      const near = first('a customer wants money back', ['how much money does the customer get back'])
      expect(near).toMatchObject({ id: 'refunds' })
      const task = 'the customer asks where the letter with the yearly total went'
      const far = first(task, ['the customer lost the letter with the yearly total'])
      expect(far.id).toBe('invoices')
    })
  })

  describe('the form of a hit', () => {
    const forms = (task: string, ...all: string[]) =>
      createRanker(all.map((id) => ({ id, name: id.replace(/.*\//, ''), description: `How ${id} works.` })))
        .rank(task)
        .map(({ id, form }) => [id, form])

    test('is text for a certain one', () => {
      expect(forms('kubernetes rollback', 'kubernetes-rollback', 'invoice-archive')).toEqual([
        ['kubernetes-rollback', 'text'],
      ])
    })

    test('is a pointer for each of several that match the same words', () => {
      expect(forms('kubernetes rollback', 'a/kubernetes-rollback', 'b/kubernetes-rollback')).toEqual([
        ['a/kubernetes-rollback', 'pointer'],
        ['b/kubernetes-rollback', 'pointer'],
      ])
    })

    test('is text for each of several that have words of their own', () => {
      expect(forms('kubernetes rollback, then the invoice archive', 'kubernetes-rollback', 'invoice-archive')).toEqual([
        ['kubernetes-rollback', 'text'],
        ['invoice-archive', 'text'],
      ])
    })
  })

  test('a prompt among the negatives excludes the document, another one does not', () => {
    expect(ids('delete all the invoices of this supplier')).not.toContain('office/invoice-archive')
    expect(ids('file the invoices of this supplier')).toContain('office/invoice-archive')
  })

  test('weights of why add up to the score', () => {
    const [hit] = ranker.rank('write release notes')
    expect(hit!.why.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(hit!.score, 9)
    expect(hit!.why.map(({ term, field }) => `${field} [${term}]`)).toContain('name [release notes]')
  })

  test('a related word is named', () => {
    const [hit] = createRanker([{ id: 'a', name: 'a', description: 'Diagnose faults in pumps.' }], { silence: 0 }).rank(
      'debug a pump',
    )
    expect(hit!.why).toContainEqual(expect.objectContaining({ term: 'debug', via: 'diagnose' }))
  })

  test('limit and budget', () => {
    const open = createRanker(LIBRARY, { silence: 0 })
    const task = 'bread cake release invoice'
    expect(open.rank(task)).toHaveLength(4)
    expect(open.rank(task, { limit: 2 })).toHaveLength(2)
    expect(open.rank(task, { limit: 0 })).toEqual([])
    const cheap = open
      .rank(task, { budget: 450 })
      .map(({ id }) => LIBRARY.find((document) => document.id === id)!.tokens!)
    expect(cheap.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(450)
    expect(cheap).toHaveLength(2)
  })

  test('a task that has a keyword is answered, however much else it says', () => {
    const words = 'a long report about umbrellas bicycles lecture halls mountains rivers and a changelog'
    expect(ids(words)).toEqual(['office/release-notes'])
    expect(ids(words.replace('changelog', 'log'))).toEqual([])
  })

  test('equal documents come in id order', () => {
    const twins = ['b', 'a', 'C'].map((id) => ({ id, name: 'twin', description: 'Count sheep.' }))
    expect(
      createRanker(twins, { silence: 0 })
        .rank('count sheep')
        .map(({ id }) => id),
    ).toEqual(['C', 'a', 'b'])
  })
})

describe('fields of the caller', () => {
  const fields = [
    { name: 'path', weight: 3, norm: 0.5, length: 6, isName: true },
    { name: 'symbols', label: 'defines', weight: 2, norm: 0.5, length: 20 },
    { name: 'code', weight: 1, norm: 0.6, length: 300, isLong: true },
  ]
  const tuning = { ...DEFAULT_TUNING, fields, pair: 0, related: 0, relatedToUnknown: 0 }
  const files: RankDocument[] = [
    { id: 'a', name: 'src/bread.ts', fields: { path: 'src/bread.ts', symbols: 'bakeBread', code: 'knead the dough' } },
    { id: 'b', name: 'src/cake.ts', fields: { path: 'src/cake.ts', code: `${'x '.repeat(60_000)} dough icing` } },
    { id: 'c', name: 'test/bread.ts', fields: { path: 'test/bread.ts', symbols: 'bakeBread' }, factor: 0.5 },
    { id: 'd', name: 'd', fields: { nowhere: 'zebra' }, description: 'No such field: icing.' },
  ]
  const code = createRanker(files, { silence: 0, tuning })

  test.each([
    ['bake bread', ['a', 'c'], 'defines'],
    ['the icing', ['b'], 'code'],
    ['zebra', [], undefined],
  ])('%s → %j', (task, found, field) => {
    const hits = code.rank(task)
    expect(hits.map(({ id }) => id)).toEqual(found)
    if (field !== undefined) expect(hits[0]!.why.map((why) => why.field)).toContain(field)
  })

  test('a saved form of other fields is stale, of the same ones it is not', () => {
    expect(loadRanker(code.save())).toBeNull()
    expect(loadRanker(code.save(), { silence: 0, tuning })!.rank('bake bread')).toEqual(code.rank('bake bread'))
  })

  test('a lift changes the order and is named', () => {
    const lift = { label: 'history', of: (id: string) => (id === 'c' ? 4 : 1) }
    const [hit] = code.rank('bake bread', { lift })
    expect(hit).toMatchObject({ id: 'c' })
    expect(hit!.why.at(-1)).toMatchObject({ term: 'more', field: 'history' })
    expect(hit!.why.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(hit!.score, 9)
  })
})

describe('explain', () => {
  test.each([
    ['sourdough dough', 'kitchen/bread-baking', 'first', 1],
    ['bread baking or cake baking', 'kitchen/cake-baking', 'outranked', 2],
    ['first and foremost a receipt of my long lost umbrella', 'office/invoice-archive', 'silent', 1],
    ['delete all the invoices of a supplier', 'office/invoice-archive', 'excluded', null],
    ['sourdough dough', 'office/release-notes', 'no-match', null],
    ['sourdough dough', 'nobody', 'unknown', null],
  ])('%s · %s: %s', (task, id, outcome, rank) => {
    expect(ranker.explain(task, id)).toMatchObject({ id, outcome, rank })
  })

  test('says to whom a task was handed', () => {
    expect(ranker.explain('bread and cakes', 'kitchen/bread-baking').redirects).toEqual(['cake-baking'])
  })

  test('agrees with rank', () => {
    const [hit] = ranker.rank('sourdough dough')
    const { score, confidence, form, why } = ranker.explain('sourdough dough', hit!.id)
    expect({ id: hit!.id, score, confidence, form, why }).toEqual(hit)
  })
})

describe('bad input', () => {
  test('duplicate ids are named', () => {
    const twice = [...LIBRARY, LIBRARY[0]!, LIBRARY[2]!]
    expect(() => createRanker(twice)).toThrow(/kitchen\/bread-baking, office\/release-notes/)
    expect(() => createRanker(LIBRARY).add(LIBRARY[1]!)).toThrow(/kitchen\/cake-baking/)
  })

  test('an empty library answers nothing', () => {
    const empty = createRanker([])
    expect([empty.size, empty.rank('bread'), empty.remove('x')]).toEqual([0, [], false])
  })

  test('words and ids of the object prototype are ordinary', () => {
    const odd = createRanker(
      ['__proto__', 'constructor', 'toString'].map((id) => ({ id, name: id, description: `Explain ${id}` })),
    )
    expect(odd.rank('explain the constructor')[0]!.id).toBe('constructor')
    expect(odd.rank('__proto__')[0]!.id).toBe('__proto__')
  })

  test('a document with a name alone, and one with a body of one long line', () => {
    const bare = createRanker([
      { id: 'a', name: 'lonely' },
      { id: 'b', name: 'long', body: 'x1 '.repeat(3_500_000) },
    ])
    expect(bare.rank('lonely')[0]!.id).toBe('a')
    expect(bare.rank('x1 x1')[0]!.id).toBe('b')
  })

  test('a task of a megabyte is answered', () => {
    const task = `bread ${Array.from({ length: 150_000 }, (_, i) => `w${i.toString(36)}`).join(' ')}`
    expect(createRanker(LIBRARY, { silence: 0 }).rank(task)[0]!.id).toBe('kitchen/bread-baking')
  })

  test('documents of other scripts are found', () => {
    const mixed = createRanker([
      { id: 'ja', name: '翻訳', description: '日本語の文書を英語に翻訳する' },
      { id: 'ru', name: 'перевод', description: 'Перевод документов' },
      { id: 'ko', name: '번역', description: '문서를 번역합니다' },
    ])
    expect(mixed.rank('この文書を翻訳して')[0]!.id).toBe('ja')
    expect(mixed.rank('перевод')[0]!.id).toBe('ru')
    expect(mixed.rank('문서 번역')[0]!.id).toBe('ko')
  })
})
