import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ContextBundle } from '../../src/answer/rules/bundle.ts'
import { type Content, makeProject, type Run } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const decision = (date: string) => `# Decision\n\n- Promoted at: ${date}\n\nWhat was decided on ${date || 'no day'}.\n`
const DECISIONS = '.cortex/artifacts/decisions'

/** A project that keeps its state in `.cortex/`. */
const LAYOUT: Record<string, string> = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.cortex/manifest_v0.json': JSON.stringify({ version: 'v0', status: 'active', phases: { one: {}, two: {} } }),
  '.cortex/reports/lifecycle_audit_v0.json': JSON.stringify({ status: 'pass', run_at: '2026-02-01T10:00:00Z' }),
  '.cortex/reports/audit_needed_v0.json': JSON.stringify({
    status: 'ok',
    audit_required: false,
    audit_recommended: true,
    dirty_file_count: 3,
  }),
  '.cortex/reports/decision_candidates_v0.json': JSON.stringify({ version: 'v0', entries: [{}, {}, {}, {}] }),
  // The order by name differs from the order by date.
  [`${DECISIONS}/decision_zebra_v9.md`]: decision('2024-05-01'),
  [`${DECISIONS}/decision_alpha_v1.md`]: decision('2026-01-31'),
  [`${DECISIONS}/decision_beta_v2.md`]: decision('2026-01-15'),
  [`${DECISIONS}/decision_beta_v10.md`]: decision('2026-01-15').replace('What', 'All that'),
  [`${DECISIONS}/decision_omega_v99.md`]: decision(''),
  '.cortex/artifacts/design_b.dsl': 'screen b\n',
  '.cortex/artifacts/design_a.dsl': 'screen a\n',
  '.cortex/artifacts/design_tokens.json': '{"blue": "#00f"}\n',
  '.cortex/artifacts/direction_2026.md': '# Where we go\n',
  '.cortex/artifacts/governance_review.md': '# Who reviews\n',
  '.cortex/artifacts/notes.md': '# Artifact notes\n',
  'policies/access.md': '# Who may enter\n',
  'policies/retention.md': '# How long we keep things\n',
  'specs/loader.md': '# Loader\n',
  'specs/archive.md': '# Archive\n',
  'templates/design_ontology_v1.json': '{"kinds": []}\n',
  'templates/other.json': '{"not": "asked for"}\n',
  'README.md': '# A project\n',
}

const CONTROL_PLANE = [
  '.cortex/manifest_v0.json',
  '.cortex/reports/lifecycle_audit_v0.json',
  '.cortex/reports/audit_needed_v0.json',
  '.cortex/reports/decision_candidates_v0.json',
  `${DECISIONS}/decision_alpha_v1.md`,
  `${DECISIONS}/decision_beta_v10.md`,
  `${DECISIONS}/decision_beta_v2.md`,
]

interface Answer extends Run {
  bundle: ContextBundle
}

function context(project: string, task: string, ...flags: string[]): Answer {
  const run = runWarm(['context', task, '--format', 'json', ...flags], { cwd: project })
  return { ...run, bundle: run.stdout === '' ? undefined : JSON.parse(run.stdout) }
}

/** Without the packs that come with the program. */
function pathsOf({ files }: ContextBundle, sourceClass: string): string[] {
  return files
    .filter(({ source_class, selected_by }) => source_class === sourceClass && selected_by !== 'pack')
    .map(({ path }) => path)
}

function without(...paths: string[]): string {
  const project = makeProject(LAYOUT)
  for (const path of paths) rmSync(join(project, path), { recursive: true })
  return project
}

const layout = makeProject(LAYOUT)

describe('at the default budget', () => {
  const intents: [key: string, task: string, files: string[]][] = [
    [
      'design',
      'Refresh the visual language of the frontend',
      [
        '.cortex/artifacts/design_a.dsl',
        '.cortex/artifacts/design_b.dsl',
        '.cortex/artifacts/design_tokens.json',
        'templates/design_ontology_v1.json',
      ],
    ],
    [
      'governance',
      'Check the retention policy before the audit',
      ['.cortex/artifacts/governance_review.md', 'policies/access.md', 'policies/retention.md'],
    ],
    [
      'direction',
      'Is this still our north star?',
      ['.cortex/artifacts/direction_2026.md', 'policies/access.md', 'policies/retention.md'],
    ],
    [
      'spec',
      'Tighten the contract of the loader',
      [
        'specs/archive.md',
        'specs/loader.md',
        '.cortex/artifacts/direction_2026.md',
        '.cortex/artifacts/governance_review.md',
        '.cortex/artifacts/notes.md',
      ],
    ],
    [
      'default',
      'Tidy up',
      [
        '.cortex/artifacts/direction_2026.md',
        '.cortex/artifacts/governance_review.md',
        '.cortex/artifacts/notes.md',
        'specs/archive.md',
        'specs/loader.md',
      ],
    ],
  ]
  it.each(intents)('%s', (key, task, files) => {
    const { bundle, code } = context(layout, task)
    expect(code).toBe(0)
    expect(bundle).toMatchObject({ preset: 'cortex', intent: { key, overridden: false }, warnings: [] })
    expect(bundle.budget.limits).toEqual({ max_files: 12, max_chars_per_file: 2500, total: 30_000 })
    expect(bundle.files.slice(0, 7).map(({ path }) => path)).toEqual(CONTROL_PLANE)
    expect(bundle.control_plane.status).toBe('complete')
    expect(pathsOf(bundle, 'control_plane')).toEqual(CONTROL_PLANE)
    expect(pathsOf(bundle, 'task')).toEqual(files)
    expect(bundle.files.map(({ rank }) => rank)).toEqual(bundle.files.map((_, at) => at + 1))
    const chosen = bundle.files.filter(({ path }) => files.includes(path))
    expect(new Set(chosen.map(({ selected_by }) => selected_by))).toEqual(new Set([`intent:${key}`]))
  })

  it('holds the text of every file', () => {
    const { bundle } = context(layout, 'Tidy up')
    for (const { path, excerpt, truncated } of bundle.files.filter(({ fenced }) => !fenced)) {
      expect({ excerpt, truncated }).toEqual({ excerpt: LAYOUT[path], truncated: false })
    }
  })

  it('has twelve files: of more, the first by pattern and path', () => {
    const many = Array.from({ length: 20 }, (_, at) => [`specs/part-${at + 10}.md`, `# Part ${at}\n`])
    const { bundle } = context(makeProject({ ...LAYOUT, ...Object.fromEntries(many) }), 'Extend the schema')
    expect(bundle.files).toHaveLength(12)
    expect(bundle.files.slice(7).map(({ path }) => path)).toEqual([
      'specs/archive.md',
      'specs/loader.md',
      'specs/part-10.md',
      'specs/part-11.md',
      'specs/part-12.md',
    ])
    const left = bundle.omitted.filter(({ path }) => path.startsWith('specs/'))
    expect(left.map(({ path, reason }) => [path, reason])).toEqual(
      Array.from({ length: 17 }, (_, at) => [`specs/part-${at + 13}.md`, 'budget']),
    )
  })

  it('cuts a long file at 2,500 characters, and shortens the control plane rather than dropping a part', () => {
    const long = 'x'.repeat(9_999)
    const decisions = Object.fromEntries(
      CONTROL_PLANE.slice(4).map((path) => [path, `Date: 2026-03-01\n${path}${long}`]),
    )
    const report = { '.cortex/reports/lifecycle_audit_v0.json': JSON.stringify({ long, status: 'fail' }) }
    const needed = { '.cortex/reports/audit_needed_v0.json': JSON.stringify({ long, status: 'due' }) }
    const { bundle } = context(makeProject({ ...LAYOUT, ...decisions, ...report, ...needed }), 'Tidy up')
    expect(pathsOf(bundle, 'control_plane').slice(0, 4)).toEqual(CONTROL_PLANE.slice(0, 4))
    expect(pathsOf(bundle, 'control_plane')).toHaveLength(7)
    const lengths = bundle.files.filter(({ truncated }) => truncated).map(({ chars_emitted }) => chars_emitted)
    expect(lengths).toHaveLength(5)
    expect(new Set(lengths).size).toBe(1)
    expect(lengths[0]).toBeGreaterThan(1_000)
    expect(lengths[0]).toBeLessThan(2_500)
    expect(bundle.warnings).toContainEqual(expect.stringMatching(/^the control plane did not fit/))
    // From the whole file, not only from the shown part.
    expect(bundle.control_plane.items[1]?.summary).toMatchObject({ status: 'fail' })
    expect(bundle.files.length).toBeGreaterThan(7)
  })
})

describe('the control plane', () => {
  it('has summaries of its JSON files', () => {
    const { items } = context(layout, 'Tidy up').bundle.control_plane
    expect(items.map(({ path, present, summary }) => [path, present, summary])).toEqual([
      ['.cortex/manifest_v0.json', true, { version: 'v0', status: 'active', phases: 2 }],
      ['.cortex/reports/lifecycle_audit_v0.json', true, { status: 'pass', run_at: '2026-02-01T10:00:00Z' }],
      [
        '.cortex/reports/audit_needed_v0.json',
        true,
        { status: 'ok', audit_required: false, audit_recommended: true, dirty_file_count: 3 },
      ],
      ['.cortex/reports/decision_candidates_v0.json', true, { version: 'v0', entries: 4 }],
      ...CONTROL_PLANE.slice(4).map((path) => [path, true, {}]),
    ])
    for (const { sha256 } of items) expect(sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is partial when something is missing, and says what', () => {
    const project = without('.cortex/reports/audit_needed_v0.json', DECISIONS)
    const { bundle, code } = context(project, 'Tidy up', '--strict')
    expect(code).toBe(0)
    expect(bundle.control_plane.status).toBe('partial')
    expect(bundle.control_plane.items.filter(({ present }) => !present).map(({ path }) => path)).toEqual([
      '.cortex/reports/audit_needed_v0.json',
      `${DECISIONS}/decision_*_v*.md`,
    ])
    expect(bundle.warnings).toEqual([
      'the control plane lacks .cortex/reports/audit_needed_v0.json',
      `the control plane lacks ${DECISIONS}/decision_*_v*.md`,
    ])
    expect(pathsOf(bundle, 'control_plane')).toEqual([CONTROL_PLANE[0], CONTROL_PLANE[1], CONTROL_PLANE[3]])
  })

  it('does not fall for a broken JSON file', () => {
    const project = makeProject({ ...LAYOUT, '.cortex/reports/lifecycle_audit_v0.json': '{"status": ' })
    const { bundle } = context(project, 'Tidy up')
    expect(bundle.control_plane.items[1]).toMatchObject({ present: true, summary: {} })
    expect(pathsOf(bundle, 'control_plane')).toEqual(CONTROL_PLANE)
  })

  const ABSENT: [what: string, files: Record<string, Content>][] = [
    ['an empty project', { '.git/HEAD': '' }],
    [
      'a project whose control plane is named but missing',
      { 'loadout.json': '{"controlPlane": [{"path": "STATE.md"}]}' },
    ],
  ]
  it.each(ABSENT)('is absent in %s: 1 with --strict, 0 without', (_, files) => {
    const project = makeProject(files)
    const relaxed = context(project, 'Tidy up')
    expect(relaxed.code).toBe(0)
    expect(relaxed.bundle.control_plane.status).toBe('absent')
    const strict = context(project, 'Tidy up', '--strict')
    expect(strict.code).toBe(1)
    expect(strict.stderr).toContain('control plane')
    expect(strict.bundle.digest).toBe(relaxed.bundle.digest)
  })

  it('lacks a required file: 1 with --strict', () => {
    const settings = { controlPlane: [{ path: 'README.md' }, { path: 'STATE.md', required: true }] }
    const project = makeProject({ 'README.md': '# A\n', 'loadout.json': JSON.stringify(settings) })
    expect(context(project, 'Tidy up').code).toBe(0)
    const { code, stderr, bundle } = context(project, 'Tidy up', '--strict')
    expect(code).toBe(1)
    expect(stderr).toContain('STATE.md')
    expect(bundle.control_plane.status).toBe('partial')
  })

  it('ends with 2 in a folder that is not there', () => {
    expect(context(layout, 'Tidy up', '--project', './absent', '--strict').code).toBe(2)
  })
})

describe('the intent', () => {
  const words: [task: string, key: string, matched: string[]][] = [
    ['Rebuild the guide suite', 'default', []],
    ['Improve the UI', 'design', ['ui']],
    ['A policy for the frontend', 'design', ['frontend']],
    ['The policy and rules of the frontend', 'governance', ['policy', 'rules']],
    ['Designate an inspector, ungovernable', 'default', []],
    ['North of the star', 'default', []],
    ['SCHEMA', 'spec', ['schema']],
  ]
  it.each(words)('of "%s" is %s', (task, key, matched) => {
    expect(context(layout, task).bundle.intent).toMatchObject({ key, matched })
  })

  it('tells the score of every family', () => {
    const { intent } = context(layout, 'audit the design of the schema contract').bundle
    expect(intent).toEqual({
      key: 'spec',
      matched: ['schema', 'contract'],
      scores: { design: 1, governance: 1, direction: 0, spec: 2, default: 0 },
      overridden: false,
    })
  })

  it('is what the user asks for', () => {
    const { bundle } = context(layout, 'Improve the UI', '--intent', 'direction')
    expect(bundle.intent).toMatchObject({ key: 'direction', overridden: true, matched: [] })
    expect(pathsOf(bundle, 'task')[0]).toBe('.cortex/artifacts/direction_2026.md')
    const wrong = context(layout, 'Improve the UI', '--intent', 'desing')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('did you mean "design"?')
  })
})

describe('other projects', () => {
  it('take the generic preset', () => {
    const project = makeProject({
      '.git/HEAD': '',
      'README.md': '# Plain\n',
      'AGENTS.md': '# Agents\n',
      'docs/b.md': '# B\n',
      'docs/a.md': '# A\n',
      'docs/deep/c.md': '# C\n',
      'ARCHITECTURE.md': '# Parts\n',
    })
    const { bundle } = context(project, 'Tidy up')
    expect(bundle).toMatchObject({ preset: 'generic', warnings: [], control_plane: { status: 'partial' } })
    expect(pathsOf(bundle, 'control_plane')).toEqual(['AGENTS.md', 'README.md'])
    expect(pathsOf(bundle, 'task')).toEqual(['ARCHITECTURE.md', 'docs/a.md', 'docs/b.md', 'docs/deep/c.md'])
  })

  it('may say themselves what grounds an agent and what a task needs', () => {
    const settings = {
      controlPlane: [{ glob: 'log/*.md', take: 2, order: 'latest' }, { path: 'README.md' }],
      intents: {
        kiln: { keywords: ['glaze', 'kiln'], include: ['z.md', 'kiln/*.md'] },
        default: { include: ['a.md'] },
      },
    }
    const project = makeProject({
      '.git/HEAD': '',
      'loadout.json': JSON.stringify(settings),
      'README.md': '# Pots\n',
      'log/one.md': 'Date: 2026-01-01\none\n',
      'log/three.md': 'Date: 2026-01-03\nthree\n',
      'log/two.md': 'Date: 2026-01-02\ntwo\n',
      'kiln/heat.md': 'hot\n',
      'z.md': 'z\n',
      'a.md': 'a\n',
    })
    const { bundle } = context(project, 'Glaze the bowls')
    expect(bundle).toMatchObject({ preset: 'project', intent: { key: 'kiln', matched: ['glaze'] } })
    expect(pathsOf(bundle, 'control_plane')).toEqual(['log/three.md', 'log/two.md', 'README.md'])
    expect(pathsOf(bundle, 'task')).toEqual(['z.md', 'kiln/heat.md'])
    expect(pathsOf(context(project, 'Sweep').bundle, 'task')).toEqual(['a.md'])
  })
})
