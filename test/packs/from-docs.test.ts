import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approve } from '../../src/answer/approve.ts'
import { answerFromPacks } from '../../src/answer/packs.ts'
import { Machine } from '../../src/machine/machine.ts'
import { startPackFrom } from '../../src/packs/new-pack.ts'
import { listPacks } from '../../src/packs/show.ts'
import { validatePackAt } from '../../src/packs/validate.ts'
import { aLinkTo, type Content, makeFolder, makeProject } from '../cli/run.ts'

const MARKDOWN = '# Refunds\n\n## Deadlines\n\nAn article can be returned within 30 days.\n'
const RST = 'Shipping\n========\n\nCarriers\n--------\n\nHeavy parcels travel with the Kestrel line.\n'
const ADOC = '= Storage\n\n== Cellar\n\nThe cellar holds 400 crates.\n'
const DOCS = { 'docs/refunds.md': MARKDOWN, 'docs/guide/shipping.rst': RST, 'docs/guide/storage.adoc': ADOC }

function machineIn(files: Record<string, Content>): Machine {
  return new Machine({
    cwd: makeProject({ '.git/HEAD': '', ...files }),
    home: makeFolder(),
    env: {},
    now: () => new Date(),
  })
}

function text(machine: Machine, path: string): string {
  return readFileSync(join(machine.cwd, path), 'utf8')
}

const KNOWLEDGE = '.agents/knowledge/shop/KNOWLEDGE.md'

async function ask(machine: Machine, task: string) {
  await approve(machine, { what: 'pack:shop' })
  const value = answerFromPacks(machine, { task, packs: ['shop'], isRecorded: false })
  return value.active[0]?.presented.wrapper ?? value.refused
}

describe('a pack from documents', () => {
  it.each([
    ['until when can an article be returned', 'documents/refunds.md', 'within 30 days'],
    ['which carriers take heavy parcels', 'documents/guide/shipping.rst', 'the Kestrel line'],
    ['how many crates does the cellar hold', 'documents/guide/storage.adoc', '400 crates'],
  ])('%s', async (task, path, answer) => {
    const machine = machineIn(DOCS)
    const value = await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect(value).toMatchObject({ documents: 3, profile: 'document-first', isProposed: true, isCopied: false })
    expect(readdirSync(join(machine.cwd, '.agents/knowledge/shop')).sort()).toEqual(['KNOWLEDGE.md', 'runs'])
    expect(validatePackAt(machine, { path: value.path }).errors).toBe(0)
    const wrapper = await ask(machine, task)
    expect(wrapper).toContain(path)
    expect(wrapper).toContain(answer)
  })

  it('is chosen and mapped by the headings, and says that its description is not confirmed', async () => {
    const machine = machineIn(DOCS)
    await startPackFrom(machine, { from: 'docs', name: 'shop' })
    const guide = text(machine, KNOWLEDGE)
    expect(guide).toContain('- Refunds: Deadlines: `documents/refunds.md`\n')
    expect(guide).toContain('- Shipping: Carriers: `documents/guide/shipping.rst`\n')
    expect(guide).toContain(
      'description: "Documentation of shop: Refunds, Shipping, Storage, Deadlines, Carriers, Cellar. Use for',
    )
    expect(guide).toMatch(/^# proposed from the headings/m)
    expect(guide).toContain('status: needs-review')
  })

  it('names documents by their frontmatter where that has a title', async () => {
    const machine = machineIn({
      'docs/a.md': '---\ntitle: "Merging changes"\n---\n\n## Before you start\n\nTwo reviews.\n',
    })
    await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect(text(machine, KNOWLEDGE)).toContain('- Merging changes: Before you start: `documents/a.md`\n')
  })

  it('holds the documents itself when they lie outside the project', async () => {
    const machine = machineIn({})
    const outside = makeProject(DOCS)
    const request = { from: join(outside, 'docs'), name: 'shop' }
    const value = await startPackFrom(machine, request)
    expect(value.isCopied).toBe(true)
    expect(value.written).toContain('documents/guide/shipping.rst')
    expect(text(machine, '.agents/knowledge/shop/documents/guide/shipping.rst')).toBe(RST)
    expect(await ask(machine, 'which carriers take heavy parcels')).toContain('the Kestrel line')
  })

  it('counts what it leaves out, with reasons', async () => {
    const machine = machineIn({
      ...DOCS,
      '.gitignore': 'docs/_build\n',
      'docs/_build/made.md': '# Made\n',
      'docs/a.png': 'x',
      'docs/b.PNG': 'x',
      'docs/paper.pdf': 'x',
      'docs/empty.md': ' \n',
      'docs/binary.md': 'a\0b',
      'docs/link.md': aLinkTo('/etc/passwd'),
    })
    const value = await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect(value.documents).toBe(3)
    expect(value.leftOut.map(({ what, count }) => [what, count])).toEqual([
      ['image', 2],
      ['PDF that is not a PDF that can be read', 1],
      ['empty document', 1],
      ['file that is not text', 1],
      ['hidden or ignored', 1],
      ['link', 1],
    ])
  })

  it.each([
    [
      'one line without a heading',
      { 'docs/pump.md': 'The pump moves 40 litres.' },
      'how many litres does the pump move',
    ],
    [
      'another language',
      { 'docs/bremse.md': '# Bremse\n\nDie Bremse wird jährlich geprüft.' },
      'wie oft wird die bremse geprüft',
    ],
    [
      'no letters',
      { 'docs/\u91d1\u989d.md': '# \u9000\u6b3e\n\n\u9000\u6b3e\u671f\u9650\u4e3a30\u5929\u3002' },
      '\u9000\u6b3e\u671f\u9650\u662f\u591a\u4e45',
    ],
  ])('of %s', async (_, files, task) => {
    const machine = machineIn(files)
    await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect(await ask(machine, task)).toContain(Object.values(files)[0]?.split('\n').at(-1))
  })

  it('is a wiki when its pages link each other like one', async () => {
    const machine = machineIn({ 'notes/a.md': '# A\n\n[[b]]', 'notes/b.md': '# B\n\n[[a]] costs 7 crowns' })
    const value = await startPackFrom(machine, { from: 'notes', name: 'shop' })
    expect(value.profile).toBe('wiki-first')
    expect(await ask(machine, 'what does b cost in crowns')).toContain('wiki/b.md')
  })

  it('of 10,000 mixed files is bounded, and of too many documents refused with nothing written', async () => {
    const machine = machineIn({})
    const make = (folder: string, count: number, ext: string) => {
      mkdirSync(join(machine.cwd, folder), { recursive: true })
      for (let at = 0; at < count; at++)
        writeFileSync(join(machine.cwd, folder, `n${at}.${ext}`), `# Note ${at}\n\nText`)
    }
    make('docs/a', 450, 'md')
    make('docs/b', 4_800, 'xlsx')
    make('docs/c', 4_800, 'png')
    const value = await startPackFrom(machine, { from: 'docs', name: 'shop' })
    expect(value).toMatchObject({ documents: 450, leftOut: [{ count: 4_800 }, { count: 4_800 }] })
    // Too many for one line per document.
    expect(text(machine, KNOWLEDGE)).toContain('- 450 documents, such as Note 0,')
    make('many', 25_001, 'md')
    await expect(startPackFrom(machine, { from: 'many' })).rejects.toThrow(/contains more than 25000 documents/)
    expect(readdirSync(join(machine.cwd, '.agents/knowledge'))).toEqual(['shop'])
  }, 60_000)
})

describe('pages of one pack', () => {
  const answerOf = async (files: Record<string, Content>, task: string) => {
    const machine = machineIn(Object.fromEntries(Object.entries(files).map(([name, text]) => [`docs/${name}`, text])))
    await startPackFrom(machine, { from: 'docs', name: 'shop', follow: true })
    const [active] = answerFromPacks(machine, { task, packs: ['shop'], isRecorded: false }).active
    return { text: active?.presented.wrapper ?? '', paths: active?.presented.choices.map(({ path }) => path) ?? [] }
  }
  const noise = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `n${at}.md`,
      `# Note ${at}\n\nThe ${at}th shelf has tins and team lists.\n`,
    ]),
  )
  const PAYMENTS = '# Payments\n\nPayments are taken by card. The team that looks after them is'
  const TEAM = '# Heron\n\nReach them at desk 12. They answer within four hours.\n'

  it.each<[string, Record<string, string>, string, string]>([
    [
      'a [[link]] by name',
      { 'p.md': `${PAYMENTS} [[Heron|them]].\n`, 'deep/Heron.md': TEAM },
      'Heron',
      'answer within four',
    ],
    [
      'a relative link',
      { 'a/p.md': `${PAYMENTS} [they](../b/h.md#top).\n`, 'b/h.md': TEAM },
      'h',
      'answer within four',
    ],
    ['a link from the root', { 'a/p.md': `${PAYMENTS} [they](/b/h.md).\n`, 'b/h.md': TEAM }, 'h', 'answer within four'],
    [
      'a link back',
      { 'pay.md': '# Payments\n\nPayments are taken by card.\n', 'h.md': `${TEAM}\nThey own [[pay]].\n` },
      'h',
      'answer within',
    ],
    [
      'links in circles and out of the folder',
      {
        'p.md': `${PAYMENTS} [[Heron]], [x](../../etc/passwd), [[p]].\n`,
        'Heron.md': `${TEAM}\n[[p]] [y](https://example.com/a.md)\n`,
      },
      'Heron',
      'answer within four',
    ],
  ])('%s brings the second page of a question', async (_, pages, second, says) => {
    const { text } = await answerOf({ ...noise, ...pages }, 'who looks after payments, and how fast do they answer')
    expect(text).toContain(`${second}.md`)
    expect(text).toContain(says)
    expect(text).not.toContain('root:')
  })

  it('that give different numbers for one thing are named, and no others', async () => {
    const page = (title: string, text: string) => `# ${title}\n\n${text}\n`
    const said = async (one: string, two: string, titles = ['Refunds', 'Questions']) => {
      const files = { [`${titles[0]}.md`]: page(titles[0]!, one), [`${titles[1]}.md`]: page(titles[1]!, two) }
      const { text } = await answerOf({ ...noise, ...files }, 'how many days may a customer return an article')
      return /claim\.disputed (.*)/.exec(text)?.[1] ?? ''
    }
    const RULE = 'A customer may return an article within 30 days of delivery.'
    expect(await said(RULE, RULE.replace('30', '14'))).toMatch(/14 days.* but .*\.md#L3 says .*30 days/)
    for (const other of [
      RULE,
      'A business may return an article within 14 days of delivery.',
      'A customer may return an opened, damaged article within 14 days.',
      'In version 2, a customer may return an article within 14 days of delivery.',
      '| A customer may return an article within 14 days of delivery. |',
    ]) {
      expect(await said(RULE, other)).toBe('')
    }
    expect(await said(RULE, RULE.replace('30', '60'), ['Basic plan', 'Gold plan'])).toBe('')
  })

  it('come before a view that says it in other words, which is marked', async () => {
    const machine = machineIn({
      'docs/pump.md': '# Pump\n\nThe check takes a minimum of 25 minutes.\n\nIt has 5 rounds.\n',
    })
    await startPackFrom(machine, { from: 'docs', name: 'shop', follow: true })
    mkdirSync(join(machine.cwd, '.agents/knowledge/shop/compiled'))
    const told = async (fact: string) => {
      const view = `# Facts\n\n- ${fact} [source: documents/pump.md#L3]\n`
      writeFileSync(join(machine.cwd, '.agents/knowledge/shop/compiled/facts.md'), view)
      const task = 'how many minutes does the check of the pump take'
      const [active] = answerFromPacks(machine, { task, packs: ['shop'], isRecorded: false }).active
      const { choices = [], wrapper = '' } = active?.presented ?? {}
      return [choices.find(({ text }) => text.includes('25 minutes'))?.path, wrapper.includes('word for word')]
    }
    expect(await told('The check takes a minimum of 25 minutes.')).toEqual(['compiled/facts.md', false])
    expect(await told('The check takes a maximum of 25 minutes.')).toEqual(['documents/pump.md', true])
  })
})

describe('made again', () => {
  it('changes nothing when nothing changed, and takes over what did', async () => {
    const machine = machineIn(DOCS)
    const request = { from: 'docs', name: 'shop', copy: true }
    await startPackFrom(machine, request)
    expect(await startPackFrom(machine, request)).toMatchObject({ written: [], kept: [], removed: [] })
    writeFileSync(join(machine.cwd, 'docs/refunds.md'), `${MARKDOWN}\n## Gift cards\n`)
    rmSync(join(machine.cwd, 'docs/guide/storage.adoc'))
    const value = await startPackFrom(machine, request)
    expect(value.written.sort()).toEqual(['KNOWLEDGE.md', 'documents/refunds.md'])
    expect(value.removed).toEqual(['documents/guide/storage.adoc'])
  })

  it('keeps what a person wrote, and says so', async () => {
    const machine = machineIn(DOCS)
    const request = { from: 'docs', name: 'shop', copy: true }
    await startPackFrom(machine, request)
    const mine = ['KNOWLEDGE.md', 'documents/refunds.md']
    for (const path of mine) writeFileSync(join(machine.cwd, '.agents/knowledge/shop', path), `mine: ${path}`)
    writeFileSync(join(machine.cwd, 'docs/refunds.md'), '# Other\n\nOther\n')
    const { value, findings } = await machine.collect((listening) => startPackFrom(listening, request))
    expect(value.kept).toEqual(['documents/refunds.md'])
    expect(findings.map(({ code }) => code)).toEqual(['LEFT_OUT'])
    for (const path of mine) expect(text(machine, `.agents/knowledge/shop/${path}`)).toBe(`mine: ${path}`)
  })

  it('brings the map and a proposed description up to date, and keeps what a person wrote in both', async () => {
    const machine = machineIn(DOCS)
    const request = { from: 'docs', name: 'shop' }
    await startPackFrom(machine, request)
    const edit = (change: (guide: string) => string) =>
      writeFileSync(join(machine.cwd, KNOWLEDGE), change(text(machine, KNOWLEDGE)))
    const added = '## Who to ask\n\n- Refunds: the desk.\n\n'
    edit((guide) =>
      guide
        .replace('## Context map', `${added}## Context map`)
        .replace(/^- .*`documents\/refunds\.md`$/m, '- Money back, my words: `documents/refunds.md`')
        .replace('version: 0.1.0', 'version: 2.0.0'),
    )
    writeFileSync(join(machine.cwd, 'docs/gifts.md'), '# Gift cards\n\nA gift card lasts 3 years.\n')
    rmSync(join(machine.cwd, 'docs/guide/storage.adoc'))
    expect(await startPackFrom(machine, request)).toMatchObject({ written: ['KNOWLEDGE.md'], kept: [] })
    const guide = text(machine, KNOWLEDGE)
    expect(guide).toContain(added)
    expect(guide).toContain('- Money back, my words: `documents/refunds.md`')
    expect(guide).toContain('version: 2.0.0')
    expect(guide).toMatch(/^- Gift cards.*`documents\/gifts\.md`$/m)
    expect(guide).toMatch(/^description: .*Gift cards/m)
    expect(guide).not.toContain('storage.adoc')
    edit((before) => before.replace(/^description: .*$/m, 'description: Money back and gift cards.'))
    writeFileSync(join(machine.cwd, 'docs/stamps.md'), '# Stamps\n\nStamps are blue.\n')
    await startPackFrom(machine, request)
    expect(text(machine, KNOWLEDGE)).toMatch(/^description: Money back and gift cards\.$/m)
    expect(text(machine, KNOWLEDGE)).toContain('`documents/stamps.md`')
  })

  it('never touches a folder that it did not make', async () => {
    const machine = machineIn({ ...DOCS, [KNOWLEDGE]: 'mine' })
    await expect(startPackFrom(machine, { from: 'docs', name: 'shop' })).rejects.toThrow(/was not made from documents/)
    expect(text(machine, KNOWLEDGE)).toBe('mine')
  })
})

describe('a KNOWLEDGE.md without frontmatter', () => {
  const BODY = '# Refunds\n\nAn article can be returned within 30 days.\n'

  it('becomes a pack where it lies, and keeps its text', async () => {
    const machine = machineIn({ [KNOWLEDGE]: BODY })
    const value = await startPackFrom(machine, { from: KNOWLEDGE })
    expect(value).toMatchObject({ name: 'shop', profile: 'wiki-first', documents: 0 })
    expect(text(machine, KNOWLEDGE)).toMatch(/^---\n[\s\S]+\n---\n# Refunds\n/)
    expect(text(machine, KNOWLEDGE).endsWith(BODY)).toBe(true)
    expect(await ask(machine, 'until when can an article be returned')).toContain('within 30 days')
    await expect(startPackFrom(machine, { from: KNOWLEDGE })).rejects.toThrow(/is a pack already/)
  })

  it('takes the documents beside it along', async () => {
    const machine = machineIn({
      [KNOWLEDGE]: BODY,
      '.agents/knowledge/shop/extra/cellar.md': '# Cellar\n\nIt holds 400 crates.\n',
    })
    const value = await startPackFrom(machine, { from: '.agents/knowledge/shop' })
    expect(value).toMatchObject({ profile: 'document-first', documents: 1 })
    expect(await ask(machine, 'how many crates does the cellar hold')).toContain('documents/extra/cellar.md')
  })

  it('elsewhere is a document of a new pack', async () => {
    const machine = machineIn({ 'KNOWLEDGE.md': BODY })
    await startPackFrom(machine, { from: 'KNOWLEDGE.md', name: 'shop' })
    expect(await ask(machine, 'until when can an article be returned')).toContain('documents/KNOWLEDGE.md')
    expect(text(machine, 'KNOWLEDGE.md')).toBe(BODY)
  })
})

describe('what a pack links', () => {
  const linking = (folder: string) =>
    `---\nname: shop\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: document-first\nmetadata:\n  documentsFrom: ${folder}\n---\n`

  it.each([
    ['../outside', /outside|refused/],
    ['.secrets', /hidden folders are not read/],
    ['out', /leads out of the project/],
    ['nowhere', /a missing folder/],
  ])('%s is refused', (folder, problem) => {
    const out = makeProject({ 'a.md': '# secret' })
    const machine = machineIn({ [KNOWLEDGE]: linking(folder), '.secrets/a.md': '# secret', out: aLinkTo(out) })
    const value = validatePackAt(machine, { path: '.agents/knowledge/shop' })
    expect(value.issues.map(({ message }) => message).join('\n')).toMatch(problem)
    expect(value.errors).toBeGreaterThan(0)
  })

  it('is refused in a home folder', () => {
    const home = makeProject({ [KNOWLEDGE]: linking('private'), 'private/a.md': '# secret' })
    const machine: Machine = new Machine({ cwd: makeFolder(), home, env: {}, now: () => new Date() })
    const value = answerFromPacks(machine, { task: 'secret', packs: ['shop'], isRecorded: false })
    expect(JSON.stringify(value.active[0]?.presented)).not.toContain('# secret')
    expect(value.active[0]?.presented.warnings.map(({ code }) => code)).toContain('PATH_ESCAPE')
  })

  it('asks again when a document changes, is added or is removed', async () => {
    const machine = machineIn(DOCS)
    await startPackFrom(machine, { from: 'docs', name: 'shop' })
    await approve(machine, { what: 'pack:shop' })
    const waits = () =>
      answerFromPacks(machine, { task: 'refunds', packs: ['shop'], isRecorded: false })
        .active.flatMap(({ presented }) => presented.warnings)
        .flatMap(({ message }) => /wait for approval: (.+)$/.exec(message)?.[1] ?? [])
    expect(waits()).toEqual([])
    writeFileSync(join(machine.cwd, 'docs/new.md'), '# New\n')
    expect(waits()).toEqual(['documents/new.md was added'])
    rmSync(join(machine.cwd, 'docs/new.md'))
    expect(waits()).toEqual([])
    rmSync(join(machine.cwd, 'docs/guide/storage.adoc'))
    writeFileSync(join(machine.cwd, 'docs/refunds.md'), '# Changed\n')
    expect(waits()).toEqual(['documents/guide/storage.adoc was removed, documents/refunds.md changed'])
  })

  it('is read with all later changes where that was asked for when it was made', async () => {
    const machine = machineIn(DOCS)
    const { next } = await startPackFrom(machine, { from: 'docs', name: 'shop', follow: true })
    expect(next.join()).not.toContain('approve')
    writeFileSync(join(machine.cwd, 'docs/new.md'), '# Gift cards\n\nA gift card lasts 3 years.\n')
    const { active } = answerFromPacks(machine, {
      task: 'how long does a gift card last',
      packs: ['shop'],
      isRecorded: false,
    })
    expect(active[0]?.presented.wrapper).toContain('lasts 3 years')
    expect(listPacks(machine, {}).packs).toContainEqual(expect.objectContaining({ name: 'shop', follows: true }))
  })
})

it.each([
  ['missing', {}, 'docs', /docs does not exist/],
  ['empty', { 'docs/.keep': '' }, 'docs', /none of its entries \(1\) can be read; hidden or ignored: 1/],
  ['a picture', { 'a.png': 'x' }, 'a.png', /not a document/],
  ['a name without letters', { '\u6587\u6863/a.md': '# A' }, '\u6587\u6863', /name of a pack cannot be derived/],
])('--from %s says what is wrong and writes nothing', async (_, files, from, problem) => {
  const machine = machineIn(files)
  await expect(startPackFrom(machine, { from })).rejects.toThrow(problem)
  expect(existsSync(join(machine.cwd, '.agents'))).toBe(false)
})
