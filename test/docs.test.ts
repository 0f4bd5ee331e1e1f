import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { agentFolders } from '../scripts/agent-folders.ts'
import { unknownKeys } from '../src/machine/rules/settings-shape.ts'
import { aLinkTo, makeFolder, makeProject } from './cli/run.ts'
import { rerunGuide } from './guide.ts'

const ROOT = join(import.meta.dirname, '..')

// All guides run at the same time; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 300_000 })

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const namesIn = (folder: string) => readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })

/** The pages of a user: those at the root, and all of `docs/`. */
const PAGES = [...readdirSync(ROOT), ...namesIn('docs').map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
)

/** The other pages of the repository: what a folder is, and what was measured. */
const FOLDER_PAGES = ['src', 'bench', 'test'].flatMap((folder) =>
  namesIn(folder)
    .filter((name) => basename(name) === 'README.md')
    .map((name) => `${folder}/${name}`),
)

const CODE_BLOCK = /^```.*?^```$/gms

const GUIDES = PAGES.filter((name) => /^```console$/m.test(read(name)))

// `npx vitest run test/docs.test.ts --update` writes what the commands print now into the guides.
describe.concurrent('guides show what the program prints', () => {
  it.for(GUIDES)('%s', async (name, { expect }) => {
    await expect(await rerunGuide(read(name), scriptsOf(name))).toMatchFileSnapshot(join(ROOT, name))
  })
})

it.each(GUIDES)('%s shows something of what each command printed', (name) => {
  expect(read(name)).not.toMatch(/^\w*\$ .*\n…\n(?=\w*\$ |```)/m)
})

it('every script of a guide is run by a guide', () => {
  const scripts = namesIn('test/docs').filter((path) => path.endsWith('.sh'))
  const run = GUIDES.flatMap((guide) =>
    [...read(guide).matchAll(/^<!-- run (?:\w+\$ )?([\w-]+)/gm)].map(([, name]) =>
      join(scriptsOf(guide), `${name}.sh`),
    ),
  )
  expect(scripts.filter((path) => !run.includes(join(import.meta.dirname, 'docs', path)))).toEqual([])
})

describe('documents', () => {
  it.each([...PAGES, ...FOLDER_PAGES])('%s: every link leads somewhere', (name) => {
    const prose = read(name).replace(CODE_BLOCK, '')
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? name : join(dirname(name), path)
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && !anchorsIn(read(target)).includes(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('docs/README.md leads to every page', () => {
    const pages = PAGES.filter((name) => name.startsWith('docs/') && name !== 'docs/README.md')
    expect(pages.filter((name) => !read('docs/README.md').includes(`(${name.slice('docs/'.length)})`))).toEqual([])
  })

  it('docs/agent-folders.md has every agent with its folders', () => {
    expect(read('docs/agent-folders.md')).toBe(agentFolders())
  })

  it('docs/settings.md has every key of loadout.json', () => {
    const keysIn = (schema: Schema): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [key, ...keysIn(inner)])
    const keysOf = (schema: Schema): string[] => [
      ...keysIn(schema),
      ...[schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]
        .filter((each) => typeof each === 'object')
        .flatMap(keysOf),
    ]
    const [, section = ''] = /^## loadout\.json\n(.*?)^## /ms.exec(read('docs/settings.md')) ?? []
    const missing = keysOf(JSON.parse(read('schema/loadout.schema.json'))).filter(
      (key) => !new RegExp(`["\`.]${key.replace('$', '\\$')}["\`.[]`).test(section),
    )
    expect([...new Set(missing)]).toEqual([])
  })

  it('docs/settings.md names no key of config.json that Loadout does not know', () => {
    const [, section = ''] = /^## config\.json\n(.*?)^## /ms.exec(read('docs/settings.md')) ?? []
    const rows = [...section.matchAll(/^\| `([\w.<>]+)`/gm)].map(([, key = '']) => key)
    expect(rows.length).toBeGreaterThan(10)
    const nest = (keys: string[]): unknown => (keys[0] === undefined ? true : { [keys[0]]: nest(keys.slice(1)) })
    expect(rows.flatMap((key) => unknownKeys(nest(key.split('.')), 'config.json'))).toEqual([])
  })

  it('no page is longer than a reader has time for', () => {
    const most = (name: string) => {
      if (name.startsWith('docs/how-to/')) return 800
      return { 'README.md': 1100, 'ARCHITECTURE.md': 900 }[name] ?? 2500
    }
    const pages = PAGES.filter((name) => !isReference(name))
    expect(pages.filter((name) => countWords(read(name)) > most(name))).toEqual([])
    const prose = pages.map((name) => read(name).replace(CODE_BLOCK, '')).join('\n')
    expect(countWords(prose)).toBeLessThanOrEqual(26_000)
  })
})

describe('docs/api.md', () => {
  const page = read('docs/api.md')
  const [opening = '', ...examples] = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code)

  it('has every method of the library', async () => {
    const { createLoadout } = (await import(join(ROOT, 'dist/api.js'))) as typeof import('../src/api.ts')
    const shown = page.split(/^## loadout\.(?=\w)/m).slice(1)
    const groups = shown.map((text) => [
      /^\w+/.exec(text)?.[0],
      [...text.matchAll(/^\| `(\w+)` \| \S/gm)].map(([, name]) => name),
    ])
    expect(groups).toEqual(Object.entries(createLoadout()).map(([group, methods]) => [group, Object.keys(methods)]))
  })

  it.each(examples)('runs the example %#', (example) => {
    const cwd = makeProject({
      'program.mjs': opening + example,
      'AGENTS.md': '# Rules\n\nTag a release.\n',
      'node_modules/loadout': aLinkTo(ROOT),
    })
    const home = makeFolder()
    const { status, stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, GIT_CONFIG_COUNT: '0' },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trim()).not.toBe('')
  })
})

it('test/packs/README.md names for each promise tests that have its cases', () => {
  const casesIn = (name: string) => {
    const path = [`test/packs/${name}.test.ts`, `src/packs/${name}.test.ts`].find((each) =>
      existsSync(join(ROOT, each)),
    )
    const text = path === undefined ? '' : read(path)
    return [...text.matchAll(/case (\d+(?:, \d+)*)/g)].flatMap(([, numbers = '']) => numbers.split(', '))
  }
  const rows = [...read('test/packs/README.md').matchAll(/^\| (\d+) \|.*\| ([a-z/., -]+) \| ([\d, ]+) \|$/gm)]
  expect(rows.length).toBe(28)
  const loose = rows.flatMap(([, row, tests = '', cases = '']) => {
    const held = tests.split(', ').flatMap(casesIn)
    return cases
      .split(', ')
      .flatMap((number) => (held.includes(number) ? [] : [`${row}: ${tests} has no case ${number}`]))
  })
  expect(loose).toEqual([])
})

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
}

/** Pages to look something up in, which a program writes or which have one line for each change. */
function isReference(name: string): boolean {
  return /^CHANGELOG\.md$|^docs\/(?:commands|errors|api|agent-folders|agents\/recorded)\.md$/.test(name)
}

function countWords(text: string): number {
  return [...text.matchAll(/\S+/g)].length
}

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
