import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFrontmatter } from './frontmatter.ts'
import { adviseWhole, groupSections, type MigrationRules, pickKeywords, planMigration } from './migrate.ts'

const headings = (markdown: string, level?: number) => groupSections(markdown, level).map(({ title }) => title)

describe('sections', () => {
  const rows: [name: string, markdown: string, expected: string[]][] = [
    ['one title, then sections', '# T\nintro\n## A\na\n## B\nb\n', ['T', 'A', 'B']],
    ['several titles', '# A\na\n## A1\n# B\nb\n', ['A', 'B']],
    ['text before the first heading', 'intro\n## A\n## B\n', ['', 'A', 'B']],
    ['a deeper heading first', '### C\n## A\n## B\n', ['', 'A', 'B']],
    ['underlined titles', 'A\n===\na\n\nB\n===\nb\n', ['A', 'B']],
    ['no headings', 'just text', ['']],
    ['nothing', '', []],
  ]
  it.each(rows)('%s', (_, markdown, expected) => {
    expect(headings(markdown)).toEqual(expected)
  })

  it('cuts at a level that was asked for', () => {
    expect(headings('# A\n## B\n### C\n### D\n', 3)).toEqual(['A', 'B', 'C', 'D'])
  })

  it('loses nothing, whatever the text', () => {
    const piece = fc.constantFrom(
      '# a\n',
      '## b\n',
      '```\n',
      '~~~\n',
      '---\n',
      '<!--',
      '-->',
      'text\n',
      '\r\n',
      '\n',
      ' ',
      '#',
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const markdown = pieces.join('')
        expect(
          groupSections(markdown)
            .map(({ text }) => text)
            .join(''),
        ).toBe(markdown)
      }),
      { numRuns: 1000 },
    )
  })
})

const long = (word: string) => `${`${word} needs care and a longer explanation here. `.repeat(8)}\n`
const file = `# Project\n\nintro\n\n## Always\n\n${long('safety')}\n## Deployment\n\n${long('kubernetes')}\n## Tiny\n\nshort\n\n## Déjà vu\n\n${long('memory')}`
const rules: MigrationRules = { into: '.claude/loadout', existing: () => undefined, takenIds: new Set() }

describe('migration', () => {
  const migration = planMigration(file, rules)

  it('moves what is long and about one subject', () => {
    expect(migration.payloads.map(({ path }) => path)).toEqual([
      '.claude/loadout/deployment.md',
      '.claude/loadout/deja-vu.md',
    ])
    expect(migration.kept.map(({ heading, reason }) => `${heading}: ${reason}`)).toEqual([
      'Project: it is the introduction',
      'Always: its heading says "always"',
      'Tiny: it is as short as a pointer to it',
    ])
  })

  it('writes payloads that can be routed, with the section unchanged', () => {
    const payload = migration.payloads[0]!
    const { frontmatter, body } = parseFrontmatter(payload.text)
    expect(frontmatter).toMatchObject({ id: 'deployment', priority: 'domain' })
    expect(frontmatter?.keywords).toContain('kubernetes')
    expect(body).toBe(`\n## Deployment\n\n${long('kubernetes')}\n`)
  })

  it('keeps the rest inline and says where the moved sections are', () => {
    expect(migration.lean).toContain('## Always')
    expect(migration.lean).not.toContain('kubernetes needs care and a longer explanation here. kubernetes')
    expect(migration.lean).toContain('`.claude/loadout/deployment.md`')
    expect(migration.tokensAfter).toBeLessThan(migration.tokensBefore)
  })

  it('finds nothing to do in its own result, and continues its list', () => {
    expect(planMigration(migration.lean, rules).payloads).toEqual([])
    const more = planMigration(`${migration.lean}\n## Later\n\n${long('afterwards')}`, rules)
    expect(more.payloads.map(({ id }) => id)).toEqual(['later'])
    expect(more.lean.match(/^## Loaded on demand$/gm)).toHaveLength(1)
    for (const id of ['deployment', 'deja-vu', 'later']) expect(more.lean).toContain(`/${id}.md`)
  })

  it('keeps sections that were named', () => {
    expect(planMigration(file, { ...rules, keep: ['deployment'] }).payloads.map(({ id }) => id)).toEqual(['deja-vu'])
  })

  it('never takes a name that is in use, and finds its own files again', () => {
    const taken = planMigration(file, { ...rules, takenIds: new Set(['deployment']) })
    expect(taken.payloads[0]?.id).toBe('deployment-2')
    const other = planMigration(file, {
      ...rules,
      existing: (path) => (path.endsWith('deployment.md') ? 'mine' : undefined),
    })
    expect(other.payloads[0]?.id).toBe('deployment-2')
    const written = new Map(migration.payloads.map(({ path, text }) => [path, text]))
    const again = planMigration(file, {
      ...rules,
      existing: (path) => written.get(path),
      takenIds: new Set(['deployment', 'deja-vu']),
    })
    expect(again.payloads.map(({ id }) => id)).toEqual(['deployment', 'deja-vu'])
  })

  it('gives headings without letters a number, and equal headings different ids', () => {
    const twins = planMigration(
      `## 部署\n${long('a')}## 部署\n${long('b')}## Same\n${long('c')}## Same\n${long('d')}`,
      rules,
    )
    expect(twins.payloads.map(({ id }) => id)).toEqual(['section-1', 'section-2', 'same', 'same-2'])
  })
})

describe('keywords of sections', () => {
  const section = (title: string, text: string) => ({ title, text: `## ${title}\n${text}\n` })
  const sections = [
    section('Deploying', 'Run the skill file. Deploy to the cluster; the cluster is named in the file.'),
    section('Test data', 'Run the skill file. ### Fixtures\nFixtures for the skill are seeded. Seeded fixtures.'),
    section('Working with notes', 'Run the skill file: notes, notes, and the skill again. See https://example.com/x.'),
    section('Release', '### Changelog\nRun the skill file for the release. Changelog first.'),
  ]
  it('tell one section from the others, in the form that a task has', () => {
    expect(pickKeywords(sections)).toEqual([
      ['deploy', 'cluster'],
      ['data', 'test', 'fixtures', 'seeded'],
      ['notes'],
      ['release', 'changelog'],
    ])
  })

  it('are not empty for a section that says only what all say', () => {
    const same = Array.from({ length: 6 }, () => section('Skill', 'the skill'))
    expect(pickKeywords(same)).toEqual(same.map(() => ['skill']))
  })
})

describe('a file that is not worth splitting', () => {
  const rows: [name: string, text: string, advice: string][] = [
    ['style.mdc', '---\nglobs: "*.ts"\nalwaysApply: false\n---\nUse tabs.\n', 'copy it to .claude/rules/style.md'],
    ['Style Guide.mdc', '# Tabs\n\nIndent with tabs.\n', 'style-guide.md and begin it with the lines: --- / id: style-guide / keywords: [tabs'],
    ['CLAUDE.md', migrationOf(file).lean, 'it was split before'],
  ] // biome-ignore format: one row each
  it.each(rows)('%s', (name, text, advice) => {
    expect(adviseWhole(name, text)).toContain(advice)
  })
})

function migrationOf(text: string) {
  return planMigration(text, rules)
}
