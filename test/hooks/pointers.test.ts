import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runWarm } from '../cli/warm.ts'
import { type HookWorld, makeHookWorld, prompt, runHook, start, usageOf } from './hook-world.ts'

const RULES = { priority: 'core' as const, text: '# Rules\n\nRun the tests.\n' }

describe('packs and skills', () => {
  const guide = (name: string) =>
    `---\nname: ${name}\ndescription: Prices and discounts of the kestrel radio\ntype: domain-reference\nstatus: ready\n---\n# Prices\n`
  const PRICES = 'what discounts on prices does the kestrel radio have'

  function withPack(): HookWorld {
    return makeHookWorld({ rules: RULES }, { '.agents/knowledge/prices/KNOWLEDGE.md': guide('prices') })
  }

  it('of a pack that waits for an approval only that is said, once', () => {
    const here = withPack()
    expect(start(here, 'startup')).not.toContain('prices')
    expect(prompt(here, PRICES)).toContain('a person has to approve it first')
    expect(prompt(here, PRICES)).toBe('')
  })

  it('points to a pack that is open, and no more when the approval is taken back', () => {
    const here = withPack()
    const pack = join(here.project, '.agents/knowledge/prices')
    const packs = (...words: string[]) => runWarm(['packs', ...words], { cwd: here.project, home: here.home })
    expect(packs('approve', pack).code).toBe(0)
    const first = start(here, 'startup')
    expect(first).toContain('`loadout packs resolve "the question" --pack prices`')
    expect(prompt(here, PRICES)).toContain('pack prices: Prices and discounts')
    expect(packs('revoke', pack).code).toBe(0)
    expect(start(here, 'compact')).not.toContain('prices')
  })

  it('points to a skill that the agent has, not to one that only people call', () => {
    const here = withPack()
    const skill = (name: string, more = '') => {
      const folder = join(here.home, '.claude/skills', name)
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        join(folder, 'SKILL.md'),
        `---\nname: ${name}\ndescription: Tunes the antenna of a ferry\n${more}---\n`,
      )
    }
    skill('antenna')
    skill('antenna-hidden', 'disable-model-invocation: true\n')
    start(here, 'startup')
    const reply = prompt(here, 'please tune the antenna of the ferry')
    expect(reply).toContain('skill antenna: Tunes the antenna of a ferry -> `Skill tool: antenna`')
    expect(reply).not.toContain('hidden')
    runHook(here, 'PostToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: join(here.home, '.claude/skills/antenna/SKILL.md') },
    })
    expect(
      usageOf(here)
        .map(({ stage, entryId, kind }) => [stage, entryId, kind])
        .slice(-2),
    ).toEqual([
      ['planned', 'antenna', 'skill'],
      ['used', 'antenna', 'skill'],
    ])
    expect(prompt(here, 'what is the weather')).toBe('')
  })

  it('cost the tokens of their text when a conversation first opens them, and nothing when it does so again', () => {
    const here = makeHookWorld({})
    const file_path = join(here.home, '.claude/skills/antenna/SKILL.md')
    mkdirSync(join(file_path, '..'), { recursive: true })
    writeFileSync(file_path, `---\nname: antenna\ndescription: Aligns.\n---\n\n${'Turn it. '.repeat(100)}`)
    const call = (session_id: string, skill: string) =>
      runHook(here, 'PostToolUse', { session_id, tool_name: 'Skill', tool_input: { skill } })
    call('one', 'antenna')
    call('one', 'antenna')
    runHook(here, 'PostToolUse', { session_id: 'one', tool_name: 'Read', tool_input: { file_path } })
    call('two', 'antenna')
    call('two', 'not-here')
    expect(usageOf(here).map(({ entryId, stage, tokensEst }) => [entryId, stage, tokensEst])).toEqual([
      ['antenna', 'used', 225],
      ['antenna', 'used', 0],
      ['antenna', 'used', 0],
      ['antenna', 'used', 225],
      ['not-here', 'used', 0],
    ])
  })

  it('cost their line in the list of each new session, as see counts it, and in what a prompt points to', () => {
    const here = makeHookWorld({ rules: RULES, parcels: { keywords: ['parcel'], text: '# Parcels\n\nOne label.\n' } })
    const skills: [root: string, name: string, description: string][] = [
      [here.home, 'antenna', 'Tunes the antenna of a ferry'],
      [here.project, 'menu', 'Prints what the kitchen cooks'],
    ]
    for (const [root, name, description] of skills) {
      mkdirSync(join(root, '.claude/skills', name), { recursive: true })
      const text = `---\nname: ${name}\ndescription: ${description}\n---\n`
      writeFileSync(join(root, '.claude/skills', name, 'SKILL.md'), text)
    }
    for (const source of ['startup', 'resume', 'compact']) start(here, source, { model: 'opus' })
    start(here, 'clear', { session_id: 'two' })
    prompt(here, 'please tune the antenna of the ferry', { session_id: 'two' })
    const see = runWarm(['see', 'claude', '--project', '.', '--json'], { cwd: here.project, home: here.home })
    const seen = JSON.parse(see.stdout)
    const own = Object.fromEntries(
      seen.skills.map(({ name, tokens }: { name: string; tokens: number }) => [`skill:${name}`, tokens]),
    )
    expect(Object.keys(own)).toHaveLength(2)
    const parcels = { 'payload:parcels': expect.any(Number) }
    const told: Record<string, unknown>[] = usageOf(here).filter(({ listed }) => listed !== undefined)
    expect(told.map(({ session, isStart, model, listed }) => [session, isStart, model, listed])).toEqual([
      ['one', true, 'opus', { ...own, ...parcels }],
      ['one', undefined, 'opus', parcels],
      ['one', undefined, 'opus', parcels],
      ['two', true, undefined, { ...own, ...parcels }],
      ['two', undefined, undefined, { 'skill:antenna': expect.any(Number) }],
    ])
  })

  it('are counted at starts without any payload, too', () => {
    const here = makeHookWorld({})
    expect(start(here, 'startup')).toBe('')
    expect(usageOf(here).map(({ entryId, isStart, listed }) => [entryId, isStart, listed])).toEqual([['', true, {}]])
  })
})

describe('files of the project', () => {
  const gate = `const limit = 3\n${'\n// a line\n'.repeat(20)}\nexport function openGate(origins: string[]) {\n  return origins.length < limit\n}\n`
  const fillers = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`src/part-${at}.ts`, `export const part${at} = ${at}\n`]),
  )
  const TASK = 'let openGate in gate.ts refuse origins beyond the limit'
  const search = ({ project, home }: HookWorld) => runWarm(['search', 'gate', '--kind', 'file'], { cwd: project, home })

  it('are pointed to when an index is there and the prompt is sure, once, and never by their text', () => {
    const here = makeHookWorld({ rules: RULES }, { ...fillers, 'src/gate.ts': gate })
    start(here, 'startup')
    expect(prompt(here, TASK)).toBe('')
    expect(search(here).code).toBe(0)
    const reply = prompt(here, TASK)
    expect(reply).toMatch(/^src\/gate\.ts:\d+-\d+ {2}openGate$/m)
    expect(reply).not.toContain('origins.length')
    expect(prompt(here, TASK)).toBe('')
    expect(prompt(here, 'thanks, that is what I meant')).toBe('')
  })

  it('are looked for by name when no index is there, and the line says so', () => {
    const here = makeHookWorld({ rules: RULES }, { ...fillers, 'src/gate.ts': gate })
    for (const words of [
      ['init', '-q'],
      ['add', '.'],
    ])
      execFileSync('git', ['-C', here.project, ...words])
    expect(prompt(here, 'refuse origins beyond the limit')).toBe('')
    const line = /^src\/gate\.ts:\d+-\d+ {2}openGate {2}\(first look: by name, without an index\)$/m
    expect(prompt(here, TASK)).toMatch(line)
    expect(prompt(here, TASK)).toBe('')
  })

  it('are looked at as they are now, without building the index again', () => {
    const here = makeHookWorld({ rules: RULES }, { ...fillers, 'src/gate.ts': gate })
    expect(search(here).code).toBe(0)
    writeFileSync(join(here.project, 'src/gate.ts'), gate.replace('openGate', 'shutGate'))
    expect(prompt(here, 'let shutGate in gate.ts refuse origins beyond the limit')).toContain('  shutGate')
    for (let at = 0; at < 40; at++) writeFileSync(join(here.project, `src/part-${at}.ts`), `${'x '.repeat(9000)}\n`)
    expect(prompt(here, TASK, { session_id: 'two' })).toBe('')
  })
})
