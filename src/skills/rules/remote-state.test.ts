import { describe, expect, it } from 'vitest'
import { ago, describeRemote, type RemoteState } from './sync-decision.ts'

const NOW = new Date('2026-01-02T12:00:00Z')
const standing = (more: Partial<RemoteState>): RemoteState => ({
  branch: 'main',
  remote: 'origin',
  dirty: 0,
  ahead: 0,
  behind: 0,
  ...more,
})

describe('describeRemote', () => {
  it.each([
    [{ dirty: 0, ahead: 0, behind: 0 }, 'no remote: this machine only'],
    [standing({}), 'main follows origin; origin was not asked for news yet'],
    [standing({ upstream: 'none' }), 'main follows no branch of origin; loadout sync says what to do'],
    [standing({ upstream: 'missing' }), 'main follows origin; origin was not asked for news yet'],
    [
      standing({ upstream: 'missing', askedAt: '2026-01-02T11:00:00Z' }),
      'main follows origin, which did not have that branch 1 hour ago',
    ],
    [standing({ askedAt: '2026-01-02T09:30:00Z' }), 'main follows origin, and had all of its commits 2 hours ago'],
    [
      standing({ askedAt: '2026-01-01T12:00:00Z', behind: 1 }),
      'main follows origin, and was 1 commit behind 1 day ago',
    ],
    [
      standing({ askedAt: '2026-01-02T11:59:30Z', behind: 2 }),
      'main follows origin, and was 2 commits behind less than a minute ago',
    ],
  ])('%j', (given, text) => expect(describeRemote(given, NOW)).toBe(text))
})

describe('ago', () => {
  it.each([
    ['2026-01-02T12:00:30Z', 'less than a minute ago'],
    ['2026-01-02T11:59:00Z', '1 minute ago'],
    ['2026-01-02T11:00:01Z', '59 minutes ago'],
    ['2025-12-30T12:00:00Z', '3 days ago'],
  ])('%s', (then, text) => expect(ago(new Date(then), NOW)).toBe(text))
})
