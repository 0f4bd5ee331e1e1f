import { describe, expect, it } from 'vitest'
import { formatWarnings } from '../doctor.ts'
import { skillOf } from './placement.fixture.ts'
import type { Skill } from './skill.ts'

describe('the public format', () => {
  const rows: [what: string, skill: Partial<Skill>, document: string, problems: string[]][] = [
    ['is kept', {}, 'text\n', []],
    ['allows a description of 1024 characters', { description: 'x'.repeat(1024) }, '', []],
    [
      'allows no longer one',
      { description: 'x'.repeat(1025) },
      '',
      ['its description has 1025 characters; the format allows 1024'],
    ],
    [
      'allows no two hyphens',
      { name: 'a--b' },
      '',
      ['its name has two hyphens in a row, which the format does not allow'],
    ],
    ['allows 500 lines', {}, 'x\n'.repeat(499), []],
    [
      'advises against more',
      {},
      'x\n'.repeat(500),
      ['its text has 501 lines; beyond 500 they belong in files beside it'],
    ],
    [
      'allows metadata of texts',
      { metadata: { claude: { metadata: { a: 'b' }, compatibility: 'x'.repeat(500) } } },
      '',
      [],
    ],
    [
      'allows no long compatibility',
      { metadata: { claude: { compatibility: 'x'.repeat(501) } } },
      '',
      ['"compatibility" for claude has 501 characters; the format allows 500'],
    ],
    [
      'allows no numbers in metadata',
      { metadata: { codex: { metadata: { a: 1 } } } },
      '',
      ['"metadata" for codex should map texts to texts'],
    ],
    [
      'allows no other metadata',
      { metadata: { codex: { metadata: ['a'] } } },
      '',
      ['"metadata" for codex should map texts to texts'],
    ],
  ]
  it.each(rows)('%s', (_, changes, document, problems) => {
    const skill = skillOf(changes)
    const found = formatWarnings(skill, document)
    expect(found.map(({ message }) => message)).toEqual(problems.map((problem) => `${skill.name}: ${problem}`))
    for (const each of found) expect(each).toMatchObject({ severity: 'warning', code: 'INVALID_SKILL' })
  })
})
