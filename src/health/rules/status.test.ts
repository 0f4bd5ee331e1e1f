import { describe, expect, it } from 'vitest'
import { type LibraryStatus, nextSteps } from './status.ts'

const LIBRARY = {
  library: '/l',
  skills: 3,
  equipped: ['a', 'b'],
  stands: 'no remote: this machine only',
  dirty: 0,
  ahead: 0,
  behind: 0,
  drift: 0,
  edited: [],
  merges: [],
  waiting: [],
}
const EDITED = { skill: 'a', path: '/c/a', edit: 'kept', reason: 'the edit stays' } as const
const CLAUDE = { agent: 'claude', label: 'Claude Code', skills: 4 }
const ROO = { agent: 'roo', label: 'Roo Code', skills: 1 }

type Known = Parameters<typeof nextSteps>[0]

const commandsFor = (
  library: LibraryStatus | undefined,
  agents: Parameters<typeof nextSteps>[0]['agents'] = [CLAUDE],
  hooks = ['claude'],
  {
    project,
    packs = [],
    starts = 30,
    regressed = [],
  }: Partial<Pick<Known, 'packs' | 'regressed'>> & { project?: string; starts?: number } = {},
) => nextSteps({ library, agents, hooks, packs, regressed, usage: { starts } }, project).map(({ command }) => command)

describe('the next steps', () => {
  it.each<[what: string, LibraryStatus | undefined, string[]]>([
    ['nothing to do', LIBRARY, ['loadout context "<task>"']],
    ['no library, some skills', undefined, ['loadout import --all --adopt', 'loadout context "<task>"']],
    [
      'skills that wait',
      { ...LIBRARY, waiting: ['a', 'b'] },
      ['loadout approve --waiting', 'loadout context "<task>"'],
    ],
    ['behind', { ...LIBRARY, behind: 4, drift: 1 }, ['loadout sync --dry-run', 'loadout context "<task>"']],
    ['copies drift', { ...LIBRARY, drift: 1 }, ['loadout sync --dry-run', 'loadout context "<task>"']],
    ['an edit stays in a copy', { ...LIBRARY, edited: [EDITED] }, ['loadout adopt a', 'loadout context "<task>"']],
    [
      'an edit is merged by the next sync',
      { ...LIBRARY, drift: 1, edited: [{ ...EDITED, edit: 'merged' }] },
      ['loadout sync --dry-run', 'loadout context "<task>"'],
    ],
    ['not committed', { ...LIBRARY, dirty: 2 }, ['loadout doctor', 'loadout context "<task>"']],
    ['not shared', { ...LIBRARY, ahead: 1 }, ['loadout sync', 'loadout context "<task>"']],
    ['a merge waits', { ...LIBRARY, merges: ['a'] }, ['loadout merge', 'loadout context "<task>"']],
    [
      'unused',
      { ...LIBRARY, unused: ['a'] },
      ['loadout remove --copies --unused --dry-run', 'loadout context "<task>"'],
    ],
    ['broken', { problem: 'gone' }, ['loadout doctor', 'loadout context "<task>"']],
  ])('%s', (_, library, expected) => expect(commandsFor(library)).toEqual(expected))

  it('are three at most, what is urgent first', () => {
    const library = { ...LIBRARY, merges: ['a'], behind: 2, unused: ['b'] }
    expect(commandsFor(library, [{ ...CLAUDE, crowded: 9 }], [])).toEqual([
      'loadout merge',
      'loadout sync --dry-run',
      'loadout see claude --fix',
    ])
  })

  it('propose no removal of unused skills after a few sessions', () => {
    const library = { ...LIBRARY, unused: ['b'] }
    expect(commandsFor(library, [CLAUDE], ['claude'], { starts: 2 })).toEqual(['loadout context "<task>"'])
  })

  it('name packs that wait, and one command for several full lists', () => {
    expect(commandsFor(LIBRARY, [CLAUDE], ['claude'], { packs: ['prices'] })[0]).toBe('loadout approve pack:prices')
    expect(commandsFor(LIBRARY, [CLAUDE], ['claude'], { packs: ['a', 'b'] })[0]).toBe('loadout packs list')
    const since = { version: '2', isOtherSkill: false }
    const outcome = { prompt: 'p', expects: 'fires', fired: 0, of: 1 } as const
    const regressed = [{ ...outcome, skill: 'tide', agent: 'claude', since, before: '1' }]
    expect(commandsFor(LIBRARY, [CLAUDE], ['claude'], { regressed })[0]).toBe('loadout test tide')
    const full = [
      { ...CLAUDE, crowded: 3 },
      { agent: 'codex', label: 'Codex', crowded: 1 },
    ]
    expect(commandsFor(LIBRARY, full)[0]).toBe('loadout see --fix')
  })

  it('offer hooks only where there are some, and name the project', () => {
    expect(commandsFor(LIBRARY, [ROO], [])).toEqual(['loadout context "<task>"'])
    expect(commandsFor(LIBRARY, [CLAUDE], [])).toEqual(['loadout connect claude', 'loadout context "<task>"'])
    const crowded = [{ ...CLAUDE, crowded: 1 }]
    expect(commandsFor(LIBRARY, crowded, ['claude'], { project: '/p' })[0]).toBe('loadout see claude --fix --project .')
  })
})
