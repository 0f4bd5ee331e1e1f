import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Who may import whom. `package` is any npm package, `node` any built-in module. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: ['domain'],
  infra: ['domain', 'infra', 'package', 'node'],
  app: ['app', 'domain', 'infra', 'node:path'],
  cli: ['cli', 'app', 'domain', 'tui', 'mcp', 'hooks', 'web', 'node'],
  tui: ['tui', 'app', 'domain', 'package', 'node'],
  mcp: ['mcp', 'app', 'domain', 'package', 'node'],
  hooks: ['hooks', 'app', 'domain', 'node'],
  web: ['web', 'app', 'domain', 'package', 'node'],
  start: ['infra', 'cli', 'node'],
  index: ['app', 'domain'],
  api: ['app', 'domain'],
}

/** Which subjects of the domain know each other; all know `shared` and themselves. */
const SUBJECTS: Record<string, readonly string[]> = {
  shared: [],
  routing: [],
  skills: [],
  packs: ['routing'],
  context: ['routing', 'packs'],
  usage: ['routing'],
  delivery: ['routing', 'skills', 'packs', 'context', 'usage'],
}

interface Import {
  file: string
  line: number
  target: string
}

function violations(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((each) => !isAllowed(each))
      .map(({ line, target }) => `${file}:${line} may not import ${target}`),
  )
}

function importsOf(file: string, text: string): Import[] {
  return text.split('\n').flatMap((source, at) => {
    const target = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*'([^']+)'/.exec(source)?.[1]
    if (target === undefined || source.trimStart().startsWith('*') || source.trimStart().startsWith('//')) return []
    return [{ file, line: at + 1, target: target.startsWith('.') ? join(file, '..', target) : target }]
  })
}

function isAllowed({ file, target }: Import): boolean {
  const from = layerOf(file)
  const allowed = MAY_IMPORT[from] ?? []
  if (target.startsWith('node:')) {
    return allowed.includes('node') || allowed.includes(target) || (from === 'domain' && target === 'node:crypto')
  }
  if (!target.startsWith('src/')) return allowed.includes('package')
  if (from === 'domain') return isKnownSubject(file, target)
  return allowed.includes(layerOf(target))
}

function isKnownSubject(file: string, target: string): boolean {
  if (layerOf(target) !== 'domain') return false
  const [own = '', other = ''] = [file, target].map((path) => path.split('/')[2])
  return own === other || other === 'shared' || (SUBJECTS[own] ?? []).includes(other)
}

function layerOf(file: string): string {
  return (file.split('/')[1] ?? '').replace('.ts', '')
}

function sources(folder = 'src'): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names
    .map((name) => join(folder, name))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|fixture)\./.test(path))
  return new Map(files.map((path) => [path, readFileSync(path, 'utf8')]))
}

describe('imports', () => {
  it('go only where the folder table allows', () => {
    expect(violations(sources())).toEqual([])
  })

  it('every folder has a rule', () => {
    const folders = new Set([...sources().keys()].map(layerOf))
    expect([...folders].filter((folder) => MAY_IMPORT[folder] === undefined)).toEqual([])
  })

  const planted: [file: string, source: string][] = [
    ['src/domain/routing/x.ts', "import { readFileSync } from 'node:fs'"],
    ['src/domain/routing/x.ts', "import picomatch from 'picomatch'"],
    ['src/domain/routing/x.ts', "import { isFile } from '../../infra/files.ts'"],
    ['src/domain/routing/x.ts', "import { readEvent } from '../usage/usage-event.ts'"],
    ['src/domain/skills/x.ts', "export { rank } from '../routing/rank.ts'"],
    ['src/infra/x.ts', "import { planTask } from '../app/routing/plan.ts'"],
    ['src/app/routing/x.ts', "import { readFileSync } from 'node:fs'"],
    ['src/app/routing/x.ts', "const chunk = await import('../../cli/main.ts')"],
    ['src/cli/commands/x.ts', "import { isFile } from '../../infra/files.ts'"],
    ['src/tui/x.ts', "import { main } from '../cli/main.ts'"],
    ['src/index.ts', "export { isFile } from './infra/files.ts'"],
  ]
  it.each(planted)('a violation is found: %s %s', (file, source) => {
    expect(violations(new Map([[file, `// one line above\n${source}\n`]]))).toEqual([
      expect.stringMatching(new RegExp(`^${file.replaceAll('.', '\\.')}:2 may not import `)),
    ])
  })
})

it('every path that ARCHITECTURE.md names exists', () => {
  const named = [
    ...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/`((?:src|test|docs|bench|scripts|sample)\/[^`*<>]*)`/g),
  ]
  const paths = named.map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})
