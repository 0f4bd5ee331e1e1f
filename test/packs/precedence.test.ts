import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guide, makeWorld, own, SECRET } from './pack-world.ts'

const BOTH = {
  workspace: { handbook: guide({ trust: 'unreviewed' }) },
  user: { handbook: guide({ trust: 'official' }) },
}

describe('one name, several packs', () => {
  it('case 40: the trusted one is used until the other is approved', () => {
    const { workspace, home, run, json } = makeWorld(BOTH)
    const before = json(['list'])
    expect(own(before.packs)).toMatchObject([{ name: 'handbook', scope: 'user', effectiveTrust: 'trusted' }])
    expect(before.waiting).toMatchObject([{ name: 'handbook', scope: 'workspace', wouldShadow: true }])
    expect(json(['show', 'handbook']).packRoot).toBe(join(home, '.agents/knowledge/handbook'))
    const says = run(['why', '.agents/knowledge/handbook']).stdout.replace(/\s+/g, ' ')
    expect(says).toContain('is used until this one is approved')

    expect(run(['approve', 'handbook'])).toMatchObject({ code: 0, stderr: '' })
    const after = json(['list'])
    expect(own(after.packs)).toMatchObject([{ scope: 'workspace', effectiveTrust: 'approved' }])
    expect(after.waiting).toEqual([])
    expect(json(['show', 'handbook']).packRoot).toBe(join(workspace, '.agents/knowledge/handbook'))
  })

  it('case 39: after approval, less trust over more is reported', () => {
    const { run, json } = makeWorld(BOTH)
    run(['approve', 'handbook'])
    expect(json(['list']).findings).toMatchObject([{ code: 'catalog.collision', subject: 'handbook' }])
    expect(run(['list']).stdout).toContain('handbook: workspace is used; overridden: user, although one of them claims')
  })

  it('case 41: a collision names winner and losers with their scopes and paths', () => {
    const { workspace, home, run, json } = makeWorld(BOTH)
    run(['approve', 'handbook'])
    const [winner, loser] = [workspace, home].map((folder) => join(folder, '.agents/knowledge/handbook'))
    expect(json(['list']).collisions).toEqual([
      {
        name: 'handbook',
        winner: { scope: 'workspace', path: winner, trust: 'approved' },
        shadowed: [{ scope: 'user', path: loser, trust: 'trusted', status: 'ready' }],
        reason: 'scope',
        lowerTrustShadowsHigher: true,
      },
    ])
    const { stdout } = run(['why', 'handbook'])
    expect(stdout).toContain(winner)
    expect(stdout).toContain('~/.agents/knowledge/handbook')
  })

  it('case 37: a path names the other', () => {
    const { home, run, json } = makeWorld(BOTH)
    run(['approve', 'handbook'])
    for (const path of ['~/.agents/knowledge/handbook', join(home, '.agents/knowledge/handbook')]) {
      expect(json(['show', path])).toMatchObject({ scope: 'user', admission: 'admitted' })
    }
  })

  it('case 38: two of one scope are both logged', () => {
    const { json } = makeWorld({ user: { 'deep/handbook': guide(), handbook: guide(), another: guide() } })
    const { packs, collisions } = json(['list', '--all'])
    expect(
      own<{ scope: string; packRoot: string; isShadowed: boolean }>(packs).map(({ isShadowed }) => isShadowed),
    ).toEqual([false, true, true])
    expect(collisions[0].winner.path).toMatch(/another$/)
    expect(collisions[0].shadowed.map(({ path }: { path: string }) => path.replace(/.*knowledge/, ''))).toEqual([
      '/handbook',
      '/deep/handbook',
    ])
  })

  it('case 42: a workspace that is the home has each pack once, and trusts it', () => {
    const { home, run, json } = makeWorld({ user: { handbook: guide() } })
    const { packs, collisions, waiting } = JSON.parse(run(['list', '--json', '--all'], { cwd: home }).stdout)
    expect(own(packs)).toMatchObject([{ effectiveTrust: 'trusted' }])
    expect([collisions, waiting]).toEqual([[], []])
    expect(json(['list', `--project=${home}`]).collisions).toEqual([])
  })
})

describe('a list', () => {
  it('case 60: has what is archived only when everything is asked for', () => {
    const { run, json } = makeWorld({ user: { old: guide({ name: 'old', status: 'archived' }) } })
    expect(own(json(['list']).packs)).toEqual([])
    expect(json(['list']).hidden).toMatchObject({ archived: 1 })
    expect(own(json(['list', '--all']).packs)).toMatchObject([{ name: 'old', status: 'archived' }])
    expect(run(['why', 'old']).stdout).toContain('When a task fits: it is not used. When it is named: it is used.')
  })

  it('fits in 80 columns, whatever the packs say', () => {
    const long = { name: `a${'-very'.repeat(12)}`, description: '\u6280\u80fd'.repeat(200), status: 'needs-review' }
    const { run } = makeWorld({ workspace: { a: guide(long), b: guide() } })
    const { stdout, code } = run(['list'])
    const rows = stdout.split('\n').filter((line) => !line.includes('loadout approve'))
    expect(code).toBe(0)
    expect(rows.filter((row) => [...row].reduce((sum, each) => sum + (each > '\u2e80' ? 2 : 1), 0) > 80)).toEqual([])
  })

  it('case 17: is the same bytes every time, and shows no body', () => {
    const { run } = makeWorld(BOTH)
    for (const words of [
      ['list', '--all'],
      ['list', '--all', '--json'],
      ['show', 'handbook'],
      ['why', 'handbook'],
    ]) {
      const { stdout } = run(words)
      expect(run(words).stdout).toBe(stdout)
      expect(stdout).not.toContain(SECRET)
    }
  })

  it('a name that is nearly right gets a suggestion', () => {
    const { run } = makeWorld(BOTH)
    expect(run(['show', 'hanbdook'])).toMatchObject({ code: 2, stdout: '' })
    expect(run(['why', 'hanbdook']).stderr).toContain('did you mean handbook?')
    expect(run(['show', './handbook']).stderr).toContain('./handbook is not the folder of a known pack')
  })
})

describe('a task', () => {
  it.each([
    [true, 'where is the handbook of releases'],
    [false, 'bake rye bread'],
  ])('would choose the pack: %s (%s)', (isPassed, task) => {
    const { json } = makeWorld(BOTH)
    expect(json(['why', 'handbook', '--task', task]).steps.at(-1)).toMatchObject({ question: 'task', isPassed })
  })
})

describe('case 57: a stale pack', () => {
  it('says which newer one is used', () => {
    const stale = guide({ status: 'stale', version: '1.2.0', trust: 'user-confirmed' })
    const { run } = makeWorld({
      workspace: { handbook: stale },
      user: { handbook: guide({ version: '1.10.0', trust: 'official' }) },
    })
    run(['approve', 'handbook'])
    expect(run(['why', 'handbook']).stdout).toContain('- status  out of date; 1.10.0 is newer and is used instead')
    const { stderr } = run(['resolve', 'how we work', '--pack', 'handbook', '--format', 'prompt'])
    expect(stderr).toContain('of the workspace is stale; the newer one of the user is used instead [pack.substituted]')
  })

  it('case 58: is used when there is none', () => {
    const { run } = makeWorld({ user: { handbook: guide({ status: 'stale' }) } })
    expect(run(['why', 'handbook']).stdout).toContain('+ status  out of date, and there is no newer pack')
  })
})
