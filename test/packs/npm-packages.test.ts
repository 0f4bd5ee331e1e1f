import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { discoverIn, packText } from './machine.ts'

const NAME = '@acme/packs'
const PACK = 'knowledge/glue/KNOWLEDGE.md'
const GLUE = packText({ name: 'glue' })
const config = { organization: [{ kind: 'package' as const, name: NAME }] }

function found(workspace: string, place: Parameters<typeof discoverIn>[1] = {}) {
  const { packs, findings } = discoverIn(workspace, { config, ...place })
  return {
    packs: packs.map(({ manifest, scope }) => `${manifest.name} ${scope}`),
    codes: findings.map(({ code }) => code),
  }
}

function install(folder: string): void {
  const path = join(folder, PACK)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, GLUE)
}

describe('a package of the organization is found in a project', () => {
  it.each<[string, string, Record<string, string>]>([
    ['hoisted', 'node_modules/@acme/packs', {}],
    [
      'in a package of an npm workspace',
      'packages/app/node_modules/@acme/packs',
      { 'package.json': '{"workspaces":["packages/*"]}' },
    ],
    [
      'in one that is named',
      'tools/x/node_modules/@acme/packs',
      { 'package.json': '{"workspaces":{"packages":["./tools/x"]}}' },
    ],
    [
      'in a package of a pnpm workspace',
      'apps/web/node_modules/@acme/packs',
      { 'pnpm-workspace.yaml': "packages:\n  # ours\n  - 'apps/*'\n\nother: 1\n" },
    ],
    ['below another package', 'node_modules/tool/node_modules/@acme/packs', {}],
    ['below one with a scope', 'node_modules/@x/tool/node_modules/@acme/packs', {}],
    ['where pnpm keeps what packages need', 'node_modules/.pnpm/node_modules/@acme/packs', {}],
  ])('%s', (_, folder, files) => {
    const workspace = makeProject({ '.git/HEAD': '', ...files })
    install(join(workspace, folder))
    expect(found(workspace)).toEqual({ packs: ['glue workspace'], codes: [] })
  })

  it('through a link of pnpm inside the project, and from a folder deep in it', () => {
    const workspace = makeProject({ '.git/HEAD': '', 'apps/web/src/a.ts': '', 'apps/web/node_modules/@acme/.keep': '' })
    const store = join(workspace, 'node_modules/.pnpm/@acme+packs@1.0.0/node_modules/@acme/packs')
    install(store)
    symlinkSync(store, join(workspace, 'apps/web/node_modules/@acme/packs'))
    const { packs } = discoverIn(undefined, { config, cwd: join(workspace, 'apps/web/src') })
    expect(packs.map(({ scope }) => scope)).toEqual(['workspace'])
  })

  it('a pack behind a link out of a package is not found: it would be trusted like the organization', () => {
    const workspace = makeProject({ '.git/HEAD': '', 'node_modules/@acme/.keep': '' })
    const outside = makeFolder()
    install(outside)
    symlinkSync(outside, join(workspace, 'node_modules/@acme/packs'))
    expect(found(workspace)).toEqual({ packs: [], codes: ['discovery.skipped'] })
  })

  it.each(['{"workspaces":["../*","/etc/*",1]}', '{"workspaces":{"packages":"x"}}', '{'])(
    '%s names no package',
    (text) => {
      expect(found(makeProject({ '.git/HEAD': '', 'package.json': text }))).toEqual({
        packs: [],
        codes: ['discovery.skipped'],
      })
    },
  )
})

describe('a package of the organization is found where npm installs for all projects', () => {
  const workspace = () => makeProject({ '.git/HEAD': '' })

  it('beside the programs on the path', () => {
    const prefix = makeProject({ 'bin/npm': '' })
    install(join(prefix, 'lib/node_modules/@acme/packs'))
    expect(found(workspace(), { env: { PATH: `/nowhere:${prefix}/bin` } })).toMatchObject({
      packs: ['glue organization'],
    })
  })

  it('in the prefix of .npmrc or of the environment', () => {
    const home = makeProject({ '.npmrc': 'registry=x\nprefix = "~/.global"\n' })
    install(join(home, '.global/lib/node_modules/@acme/packs'))
    expect(found(workspace(), { home })).toMatchObject({ packs: ['glue organization'] })
    const prefix = makeFolder()
    install(join(prefix, 'lib/node_modules/@acme/packs'))
    expect(found(workspace(), { env: { npm_config_prefix: prefix } })).toMatchObject({ packs: ['glue organization'] })
  })
})
