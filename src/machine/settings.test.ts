import { describe, expect, it } from 'vitest'
import { makeFolder, makeProject } from '../../test/cli/run.ts'
import type { Finding } from '../text/trouble.ts'
import { Machine } from './machine.ts'
import { readSettingsFile, requireParts } from './settings.ts'

function open(loadoutJson: string, configJson = '{}') {
  const reported: Finding[] = []
  const root = makeProject({ 'loadout.json': loadoutJson })
  const report = (...findings: Finding[]) => void reported.push(...findings)
  const machine = new Machine({
    cwd: root,
    home: makeProject({ '.config/loadout/config.json': configJson }),
    env: {},
    now: () => new Date(),
    report,
  })
  return { root, reported, project: machine.projectAt(root) }
}

describe('the settings of a project', () => {
  it('are the defaults without a file', () => {
    const machine = new Machine({ cwd: '/', home: '/', env: {}, now: () => new Date() })
    const { payloads, routing, findings } = machine.projectAt(makeFolder()).settings
    expect({ payloads, routing, findings }).toEqual({
      payloads: ['.claude/loadout/**/*.md', '.claude/rules/**/*.md'],
      routing: { strategy: 'ranked' },
      findings: [],
    })
  })

  it('lose a part with a mistake, and report it once', () => {
    const { root, reported, project } = open(
      '{"adapters": [{"id": "a"}], "routing": {"strategy": "ranked"}, "budgt": {}}',
    )
    expect([project.settings.routing.strategy, project.settings.adapters]).toEqual(['ranked', undefined])
    expect(project.settings.findings).toBe(project.settings.findings)
    expect(reported).toEqual([
      {
        severity: 'error',
        code: 'BAD_SETTINGS',
        message: `${root}/loadout.json: "adapters[0]" needs one of "file" and "command"`,
        subject: 'adapters[0]',
        hint: 'correct it; until then "adapters" is not set',
      },
      expect.objectContaining({
        message: expect.stringContaining('unknown setting "budgt"; did you mean "budget"?'),
      }),
    ])
    expect(() => requireParts(project.settings, 'payloads', 'sanitize')).not.toThrow()
    expect(() => requireParts(project.settings, 'sanitize', 'budget')).toThrow(/"budgt"/)
    expect(() => requireParts(project.settings, 'adapters')).toThrow(/adapters\[0\]/)
  })

  it.each([
    ['{', 'BAD_JSON', /loadout\.json is not valid JSON: see line 1, column 2$/],
    ['[]', 'BAD_SETTINGS', /loadout\.json: it must be a JSON object, but is a list$/],
    ['['.repeat(100), 'BAD_JSON', /nested deeper/],
    [`"${'x'.repeat(2 << 20)}"`, 'FILE_TOO_LARGE', /loadout\.json has 2097154 bytes/],
  ])('that are no settings are an error: %.10s', (text, code, message) => {
    const { project } = open(text)
    expect(() => project.settings).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }))
  })

  it.each(['{', '[]'])('name a broken config.json as well: %s', (text) => {
    const { project } = open(text, text)
    expect(() => project.settings).toThrow(/loadout\.json.*; .*config\.json/)
  })

  it('with very many mistakes, or an endless name, are reported in bounds', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]))
    const { root } = open(JSON.stringify({ ...many, budget: 1 }))
    const { findings, badParts } = readSettingsFile(`${root}/loadout.json`)
    expect([findings.length, findings.at(-1)?.message]).toEqual([51, expect.stringContaining('there are 951 more')])
    expect(badParts.has('budget')).toBe(true)
    const long = 'x'.repeat(900_000)
    for (const json of [{ [long]: 1 }, { intents: { [long]: 1 } }, { sanitize: long }]) {
      const { reported, project } = open(JSON.stringify(json))
      expect(project.settings.findings).toHaveLength(1)
      expect(JSON.stringify(reported).length).toBeLessThan(600)
    }
  })
})
