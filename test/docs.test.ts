import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { withAgentFolders } from '../scripts/agent-folders.ts'
import { CODES } from '../src/text/trouble.ts'
import { rerunGuide } from './guide.ts'

const ROOT = join(import.meta.dirname, '..')

// All guides run at the same time; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 300_000 })

const GUIDES = [
  'README.md',
  'docs/first-library.md',
  'docs/several-machines.md',
  'docs/team-projects.md',
  'docs/moving-over.md',
  'docs/keeping-current.md',
  'docs/packs.md',
  'docs/context.md',
  'docs/privacy.md',
  'docs/usage.md',
  'docs/plugins.md',
  'docs/teaching.md',
  'docs/team.md',
  ...readdirSync(join(ROOT, 'docs/agents')).map((name) => `docs/agents/${name}`),
]

// `npx vitest run test/docs.test.ts --update` writes what the commands print now into the guides.
describe.concurrent('guides show what the program prints', () => {
  it.for(GUIDES)('%s', async (name, { expect }) => {
    const path = join(ROOT, name)
    const guide = readFileSync(path, 'utf8')
    await expect(await rerunGuide(guide, scriptsOf(name))).toMatchFileSnapshot(path)
  })
})

it('every script of a guide is run by a guide', () => {
  const scripts = readdirSync(join(import.meta.dirname, 'docs'), { recursive: true, encoding: 'utf8' })
  const run = GUIDES.flatMap((guide) => {
    const names = readFileSync(join(ROOT, guide), 'utf8').matchAll(/^<!-- run (?:\w+\$ )?([\w-]+)/gm)
    return [...names].map(([, name]) => join(scriptsOf(guide), `${name}.sh`))
  })
  const unused = scripts.filter(
    (path) => path.endsWith('.sh') && !run.includes(join(import.meta.dirname, 'docs', path)),
  )
  expect(unused).toEqual([])
})

describe('documents', () => {
  const names = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...['docs', 'docs/agents'].flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name}`),
    ),
  ]
  const texts = new Map(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]))

  it.each(names)('%s: every link leads somewhere', (name) => {
    const text = texts.get(name) ?? ''
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? name : join(dirname(name), path)
      if (anchor === undefined) return !existsSync(join(ROOT, target))
      return !anchorsIn(texts.get(target) ?? '').includes(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('docs/README.md leads to every page', () => {
    const index = texts.get('docs/README.md') ?? ''
    const pages = names.filter((name) => name.startsWith('docs/') && name !== 'docs/README.md')
    expect(pages.filter((name) => !index.includes(`(${name.slice('docs/'.length)})`))).toEqual([])
  })

  it('docs/skills.md has every agent with its folders', () => {
    const page = texts.get('docs/skills.md') ?? ''
    expect(withAgentFolders(page)).toBe(page)
  })
})

it('docs/packs-conformance.md names for each promise tests that have its cases', () => {
  const casesIn = (name: string) => {
    const path = [`test/packs/${name}.test.ts`, `src/packs/${name}.test.ts`].find((each) =>
      existsSync(join(ROOT, each)),
    )
    const text = path === undefined ? '' : readFileSync(join(ROOT, path), 'utf8')
    return [...text.matchAll(/case (\d+(?:, \d+)*)/g)].flatMap(([, numbers = '']) => numbers.split(', '))
  }
  const page = readFileSync(join(ROOT, 'docs/packs-conformance.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (\d+) \|.*\| ([a-z/., -]+) \| ([\d, ]+) \|$/gm)]
  expect(rows.length).toBe(28)
  const loose = rows.flatMap(([, row, tests = '', cases = '']) => {
    const held = tests.split(', ').flatMap(casesIn)
    return cases
      .split(', ')
      .flatMap((number) => (held.includes(number) ? [] : [`${row}: ${tests} has no case ${number}`]))
  })
  expect(loose).toEqual([])
})

it('docs/packs.md has every warning about packs, and no other', () => {
  const rows = readFileSync(join(ROOT, 'docs/packs.md'), 'utf8').matchAll(
    /^\| `([a-z-]+\.[a-z.-]+)` \| [^|]+ \| [^|]+ \|$/gm,
  )
  const known = CODES.filter((code) => /^[a-z-]+\./.test(code))
  expect(
    [...rows]
      .map(([, code = '']) => code)
      .filter((code) => !code.startsWith('metadata') && !code.startsWith('runtime'))
      .sort(),
  ).toEqual([...known].sort())
})

/** Where the scripts of a guide are. The guides about agents share theirs. */
function scriptsOf(guide: string): string {
  const name = guide.startsWith('docs/agents/') ? 'agents' : basename(guide, '.md').toLowerCase()
  return join(import.meta.dirname, 'docs', name)
}

/** The way a heading becomes the end of an address. */
function anchorsIn(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, title = '']) => title)
  return headings.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
