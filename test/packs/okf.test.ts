import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approve } from '../../src/answer/approve.ts'
import { answerFromPacks } from '../../src/answer/packs.ts'
import type { Machine } from '../../src/machine/machine.ts'
import { exportPack } from '../../src/packs/export.ts'
import { listPacks } from '../../src/packs/show.ts'
import { validatePackAt } from '../../src/packs/validate.ts'
import { treeOf } from '../cli/civil.ts'
import { makeProject } from '../cli/run.ts'
import { machineOf } from './machine.ts'

const page = (fields: string, text: string) => `---\ntype: Metric\n${fields}---\n\n${text}\n`
const BUNDLE = {
  'index.md': '# Subdirectories\n\n* [metrics](metrics/index.md) - Definitions of the numbers of the shop.\n',
  'log.md': '# Log\n\n## 2026-01-02\n\nThe margin is 99 percent.\n',
  'metrics/index.md': '# Metrics\n\n* [margin](margin.md)\n',
  'metrics/margin.md': page('title: Margin\nnot: [a, b]\n', 'The gross margin is revenue minus all costs.'),
  'metrics/margin-old.md': page('status: deprecated\n', 'The gross margin is revenue minus product cost only.'),
  'metrics/returns.md': page('stale_after: 2026-12-31T00:00:00Z\n', 'The return rate counts parcels that came back.'),
  'attesters/check.py': 'print(1)\n',
}

function machineWith(place: string, files: Record<string, string> = BUNDLE, date = '2026-11-18'): Machine {
  const rows = Object.entries(files).map(([path, text]) => [`.agents/knowledge/${place}/${path}`, text])
  const workspace = makeProject({ '.git/HEAD': '', ...Object.fromEntries(rows) })
  const { machine } = machineOf({ workspace })
  return Object.assign(machine, { now: () => new Date(`${date}T12:00:00Z`) })
}

function ask(machine: Machine, task: string) {
  const value = answerFromPacks(machine, { task, packs: ['shop-numbers'], isRecorded: false })
  const [active] = value.active
  const warned = active?.presented.warnings.map(({ path, message }) => `${path}: ${message}`) ?? []
  return { refused: value.refused, text: active?.presented.wrapper ?? '', warned }
}

describe('a bundle of the Open Knowledge Format', () => {
  it('is found beside packs, described by its index, and closed until it is approved', async () => {
    const machine = machineWith('shop_numbers')
    const listed = listPacks(machine, {}).packs.find(({ name }) => name === 'shop-numbers')
    expect(listed).toMatchObject({ scope: 'workspace', effectiveTrust: 'unapproved', profile: 'wiki-first' })
    expect(listed?.description).toContain('Definitions of the numbers of the shop')
    expect(ask(machine, 'gross margin').refused).toMatchObject([{ reason: 'approval-needed' }])
    await approve(machine, { what: 'pack:shop-numbers' })
    expect(ask(machine, 'gross margin').text).toContain('revenue minus all costs')
    writeFileSync(join(machine.cwd, '.agents/knowledge/shop_numbers/metrics/margin.md'), page('', 'Changed.'))
    expect(ask(machine, 'gross margin').text).not.toContain('Changed.')
  })

  it('that has the name of another one is told, and only one of them is used', () => {
    const machine = machineWith('shop_numbers', BUNDLE)
    for (const [path, text] of Object.entries(BUNDLE)) {
      mkdirSync(dirname(join(machine.cwd, '.agents/knowledge/shop-numbers', path)), { recursive: true })
      writeFileSync(join(machine.cwd, '.agents/knowledge/shop-numbers', path), text)
    }
    const { packs, collisions, waiting } = listPacks(machine, { all: true })
    expect(packs.filter(({ name }) => name === 'shop-numbers').map(({ isShadowed }) => isShadowed)).toEqual([
      false,
      true,
    ])
    expect(collisions).toMatchObject([{ name: 'shop-numbers', shadowed: [{ scope: 'workspace' }] }])
    expect(waiting.filter(({ wouldShadow }) => !wouldShadow)).toHaveLength(1)
  })

  it('gives a current page before a deprecated one, and names the old one', async () => {
    const machine = machineWith('shop_numbers')
    await approve(machine, { what: 'pack:shop-numbers' })
    const { text, warned } = ask(machine, 'how is the gross margin defined')
    expect(text.indexOf('all costs')).toBeGreaterThan(0)
    expect(text.indexOf('product cost only') === -1 || text.indexOf('all costs') < text.indexOf('product cost')).toBe(
      true,
    )
    expect(warned).toContain('wiki/metrics/margin-old.md: this page is old: it says that it is deprecated')
    expect(text).not.toContain('99 percent')
  })

  it.each([
    ['2026-12-30', []],
    ['2026-12-31', ['wiki/metrics/returns.md: this page is old: it was to be reviewed by 2026-12-31']],
  ])('on %s names overdue pages', async (date, expected) => {
    const machine = machineWith('shop_numbers', BUNDLE, date)
    await approve(machine, { what: 'pack:shop-numbers' })
    const { warned } = ask(machine, 'what does the return rate count')
    expect(warned.filter((each) => each.includes('old'))).toEqual(expected)
  })

  it.each([
    ['a page without a type', { ...BUNDLE, 'metrics/a.md': '# A\n' }, false],
    ['a pack inside', { ...BUNDLE, 'in/KNOWLEDGE.md': page('name: in\ndescription: d\nstatus: ready\n', 'x') }, false],
    ['a version in its index', { 'index.md': '---\nokf_version: "0.2"\n---\n', 'a.md': '# A\n' }, true],
  ])('with %s', (_, files, isFound) => {
    const names = listPacks(machineWith('shop_numbers', files), {}).packs.map(({ name }) => name)
    expect(names.includes('shop-numbers')).toBe(isFound)
  })

  it('is valid by the rules of the format, which name a page without a type', () => {
    const files = { 'index.md': '---\nokf_version: "0.2"\n---\n', 'a.md': '# A\n', 'b.md': '---\ntitle: B\n---\nB\n' }
    const machine = machineWith('shop_numbers', files)
    const { issues } = validatePackAt(machine, { path: '.agents/knowledge/shop_numbers' })
    const wrong = issues.filter(({ code }) => code === 'pack.field').map(({ path, message }) => `${path}: ${message}`)
    expect(wrong).toEqual([
      'wiki/a.md: this page has no frontmatter',
      'wiki/b.md: the frontmatter of this page has no type',
    ])
    const fine = validatePackAt(machineWith('shop_numbers'), { path: '.agents/knowledge/shop_numbers' })
    expect(fine.errors).toBe(0)
  })
})

describe('packs export --okf', () => {
  it('gives a bundle back byte for byte', async () => {
    const machine = machineWith('shop_numbers')
    await approve(machine, { what: 'pack:shop-numbers' })
    const value = await exportPack(machine, { pack: 'shop-numbers', out: 'out' })
    expect(value).toMatchObject({ pages: 3, others: 4 })
    expect(treeOf(join(machine.cwd, 'out'))).toEqual(treeOf(join(machine.cwd, '.agents/knowledge/shop_numbers')))
    await expect(exportPack(machine, { pack: 'shop-numbers', out: 'out' })).rejects.toThrow(/already exists/)
  })

  it('gives a pack that is a bundle and still the same pack', async () => {
    const guide = `---\nname: shop-numbers\ndescription: Numbers.\ntype: domain-reference\nstatus: ready\nprofile: wiki-first\n---\n\n# Guide\n`
    const files = {
      'KNOWLEDGE.md': guide,
      'wiki/a.md': '# A\n\nA costs 7.\n',
      'wiki/b.md': '---\nmine: 1\n---\n\n# B\n',
    }
    const machine = machineWith('shop-numbers', files)
    await approve(machine, { what: 'pack:shop-numbers' })
    await exportPack(machine, { pack: 'shop-numbers', out: 'out' })
    const text = (path: string) => readFileSync(join(machine.cwd, 'out', path), 'utf8')
    expect(text('KNOWLEDGE.md')).toBe(guide)
    expect(text('wiki/a.md')).toBe('---\ntype: Reference\n---\n\n# A\n\nA costs 7.\n')
    expect(text('wiki/b.md')).toBe('---\ntype: Reference\nmine: 1\n---\n\n# B\n')
    expect(text('index.md')).toContain('okf_version: "0.2"')
    expect(validatePackAt(machine, { path: 'out' })).toMatchObject({ name: 'shop-numbers', errors: 0 })
  })
})
