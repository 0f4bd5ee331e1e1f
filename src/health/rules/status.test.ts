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
}
const EDITED = { skill: 'a', path: '/c/a', edit: 'kept', reason: 'the edit stays' } as const
const CLAUDE = { agent: 'claude', label: 'Claude Code', skills: 4 }
const ROO = { agent: 'roo', label: 'Roo Code', skills: 1 }

const commandsFor = (library: LibraryStatus | undefined, agents = [CLAUDE], hooks = ['claude'], project?: string) =>
  nextSteps({ library, agents, hooks }, project).map(({ command }) => command)

describe('the next steps', () => {
  it.each<[what: string, LibraryStatus | undefined, string[]]>([
    ['nothing to do', LIBRARY, ['loadout context "<task>"']],
    ['no library, some skills', undefined, ['loadout init --new ~/skills', 'loadout context "<task>"']],
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
    ['unused', { ...LIBRARY, unused: ['a'] }, ['loadout unequip --unused --dry-run', 'loadout context "<task>"']],
    ['broken', { problem: 'gone' }, ['loadout doctor', 'loadout context "<task>"']],
  ])('%s', (_, library, expected) => expect(commandsFor(library)).toEqual(expected))

  it('are three at most, what is urgent first', () => {
    const library = { ...LIBRARY, merges: ['a'], behind: 2, unused: ['b'] }
    expect(commandsFor(library, [{ ...CLAUDE, dropped: 9 } as typeof CLAUDE], [])).toEqual([
      'loadout merge',
      'loadout sync --dry-run',
      'loadout unequip --unused --dry-run',
    ])
  })

  it('offer hooks only where there are some, and name the project', () => {
    expect(commandsFor(LIBRARY, [ROO], [])).toEqual(['loadout context "<task>"'])
    expect(commandsFor(LIBRARY, [CLAUDE], [])).toEqual(['loadout connect claude', 'loadout context "<task>"'])
    const crowded = [{ ...CLAUDE, cut: 1 } as typeof CLAUDE]
    expect(commandsFor(LIBRARY, crowded, ['claude'], '/p')[0]).toBe('loadout see claude --fix --project .')
  })
})
