import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMarketplace, parsePlugin, pluginFor } from './plugins.ts'

const MARKETPLACE = {
  plugins: [
    { name: 'docs', source: './', skills: ['./skills/pdf', './skills/xlsx/'] },
    { name: 'git-tools', source: './plugins/git' },
    { name: 'far', source: { source: 'github', repo: 'o/r' } },
    { name: 'out', source: '../../etc' },
    { source: './nameless' },
    7,
  ],
}

describe('a marketplace of plugins', () => {
  const { plugins, elsewhere } = parseMarketplace(MARKETPLACE, '')
  it('says which plugin a skill belongs to', () => {
    expect(elsewhere).toEqual(['far (o/r)'])
    const own = [...plugins, parsePlugin({ name: 'inner' }, 'plugins/git/more')!]
    const rows = ['skills/pdf', 'skills/xlsx', 'skills/other', 'plugins/git/skills/a', 'plugins/git/more/b', 'etc/x']
    expect(rows.map((folder) => pluginFor(own, folder))).toEqual([
      'docs',
      'docs',
      undefined,
      'git-tools',
      'inner',
      'out',
    ])
  })

  it('never throws for any JSON, and never leads out of the source', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('', 'a/b'), (json, folder) => {
        const read = parseMarketplace({ plugins: [json, { name: 'x', source: json, skills: json }] }, folder)
        for (const plugin of read.plugins) expect(plugin.folder).not.toMatch(/(?:^|\/)\.\.(?:\/|$)/)
      }),
    )
  })
})
