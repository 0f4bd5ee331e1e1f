import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOOK_EVENTS } from '../../src/agents/rules/hook-hosts.ts'
import { logOf, makeHookWorld, recorded, recordedEvents, runHook, usageOf } from './hook-world.ts'

// UPDATE_GOLDEN=1 writes the replies anew; look at the difference before committing it.
const isUpdating = process.env.UPDATE_GOLDEN === '1'

/** Words of the recorded prompts are keywords here. */
const PAYLOADS = {
  rules: { priority: 'core' as const, text: '\n# Rules\n\nRun the tests.\n' },
  greeting: { keywords: ['interactive', 'typed'], text: '\n# Greeting\n\nAnswer in one line.\n' },
  counting: { keywords: ['third', 'resumed'], text: '\n# Counting\n\nStart at one.\n' },
  atlas: { priority: 'manual' as const, text: '\n# Atlas\n\nMaps.\n' },
}

/** What an agent sent in this order within one session, and what it was told. */
const SESSIONS: [agent: string, events: string[]][] = [
  ['claude', ['SessionStart-startup', 'UserPromptSubmit-typed', 'SessionStart-compact']],
  ['claude', ['SessionStart-clear', 'UserPromptSubmit-slash']],
  ['claude', ['SessionStart-resume', 'UserPromptSubmit-print']],
  ['codex', ['SessionStart-startup', 'UserPromptSubmit-typed', 'SessionStart-compact']],
  ['codex', ['SessionStart-clear']],
  ['codex', ['SessionStart-resume', 'UserPromptSubmit-exec']],
  ['codex', ['SessionStart-fork']],
]

describe('a recorded session is answered with exactly these bytes', () => {
  it.each(SESSIONS)('%s %j', (agent, events) => {
    const world = makeHookWorld(PAYLOADS, { 'AGENTS.md': '# Agents\n' })
    for (const name of events) {
      const event = name.split('-')[0] ?? ''
      const { code, stdout, stderr } = runHook(world, event, recorded(world, `${agent}/${name}`), { agent })
      expect([code, stderr]).toEqual([0, ''])
      const shown = stdout.replaceAll(world.project, '/home/user/project')
      const path = join(import.meta.dirname, 'golden', agent, `${name}.reply`)
      if (isUpdating) writeFileSync(path, shown)
      expect(shown).toBe(readFileSync(path, 'utf8'))
    }
    expect(logOf(world)).toEqual([])
  })
})

it('every recorded event ends well, and those that are not ours are not answered', () => {
  const world = makeHookWorld(PAYLOADS)
  for (const name of recordedEvents()) {
    const [agent = '', file = ''] = name.split('/')
    const event = file.split('-')[0] ?? ''
    const { code, stdout } = runHook(world, event, recorded(world, name), { agent })
    expect(code).toBe(0)
    if (!HOOK_EVENTS.some((each) => each === event)) expect(stdout).toBe('')
  }
})

const USES: [name: string, used: object][] = [
  ['claude/PostToolUse-Skill', { entryId: 'demo-skill', kind: 'skill', via: 'claude' }],
  ['claude/PostToolUse-Read', { entryId: 'readme', via: 'claude', sourceLayer: 'project' }],
  ['codex/PostToolUse-Bash', { entryId: 'readme', via: 'codex', sourceLayer: 'project' }],
]

it.each(USES)('%s is noted as used, and not answered', (name, used) => {
  const readme = '---\nid: readme\nkeywords: [readme]\n---\n# Project\n'
  const settings = '{ "payloads": ["README.md"] }\n'
  const world = makeHookWorld({}, { 'README.md': readme, 'loadout.json': settings })
  const event = recorded(world, name)
  const { code, stdout, stderr } = runHook(world, 'PostToolUse', event, { agent: name.split('/')[0] ?? '' })
  expect([code, stdout, stderr]).toEqual([0, '', ''])
  expect(usageOf(world)).toEqual([
    expect.objectContaining({ ...used, stage: 'used', session: JSON.parse(event).session_id }),
  ])
})
