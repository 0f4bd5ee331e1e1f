import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requireHost } from '../../src/agents/rules/hook-hosts.ts'
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
  ['gemini', ['SessionStart-startup', 'BeforeAgent-print', 'SessionStart-resume', 'BeforeAgent-resumed']],
  ['copilot', ['sessionStart-new', 'userPromptSubmitted-print', 'sessionStart-resume', 'userPromptSubmitted-resumed']],
  ['gemini', ['SessionStart-clear', 'BeforeAgent-typed']],
  ['copilot', ['sessionStart-typed', 'userPromptSubmitted-typed']],
  ['droid', ['SessionStart-startup', 'UserPromptSubmit-typed']],
  // Its start is not answered: the first prompt gets both.
  ['kimi', ['UserPromptSubmit-typed']],
  ['opencode', ['SessionStart-served', 'UserPromptSubmit-served', 'SessionStart-compact']],
  ['opencode', ['SessionStart-first', 'UserPromptSubmit-run', 'SessionStart-again', 'UserPromptSubmit-again']],
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
    if (!Object.values(requireHost(agent).events).includes(event)) expect(stdout).toBe('')
  }
})

/** Events around a subagent with the task "find how a release is cut", and what each of them gives to it. */
const SUBAGENTS: [agent: string, events: [name: string, given: string[]][]][] = [
  [
    'claude',
    [
      ['PreToolUse-Agent', ['releasing']],
      ['SubagentStart-first', ['rules']],
      ['SubagentStart-first', []],
    ],
  ],
  [
    'codex',
    [
      ['PreToolUse-spawn_agent', []],
      ['SubagentStart-first', ['releasing']],
      ['SubagentStart-first', []],
    ],
  ],
  [
    'copilot',
    [
      ['subagentStart-first', ['rules']],
      ['userPromptSubmitted-subagent', ['releasing']],
    ],
  ],
  ['gemini', [['BeforeTool-invoke_agent', ['rules', 'releasing']]]],
]

describe('a subagent gets the core and what its own task needs, once', () => {
  it.each(SUBAGENTS)('%s', (agent, events) => {
    const releasing = { keywords: ['release', 'cut'], text: '\n# How a release is cut\n\nTag it.\n' }
    const world = makeHookWorld({ ...PAYLOADS, releasing })
    // What the parent received: a Codex subagent continues its conversation, so it has the core.
    if (agent === 'codex') {
      const input = JSON.parse(recorded(world, 'codex/SubagentStart-first'))
      runHook(world, 'SessionStart', { session_id: input.session_id, source: 'startup' }, { agent })
    }
    for (const [name, given] of events) {
      const input = recorded(world, `${agent}/${name}`)
      const { stdout } = runHook(world, name.split('-')[0] ?? '', input, { agent })
      expect(stdout).not.toMatch(/permission|decision/i)
      expect([...stdout.matchAll(/<loadout_payload id=\\+"(\w+)/g)].map(([, id]) => id)).toEqual(given)
      // The rest of the tool's input stays as it was.
      const { updatedInput, tool_input } = stdout === '' ? {} : (JSON.parse(stdout).hookSpecificOutput ?? {})
      const changed = updatedInput ?? tool_input
      if (changed) {
        const { tool_input: asked } = JSON.parse(input)
        expect(changed).toEqual({ ...asked, prompt: expect.stringMatching(/^find how a release is cut\n\n</) })
      }
    }
    const subagents = usageOf(world).filter(({ entryId }) => entryId === 'releasing')
    expect(new Set(subagents.map(({ session }) => session)).size).toBe(1)
    expect(subagents.every(({ parent, session }) => parent !== undefined && parent !== session)).toBe(true)
    expect(logOf(world)).toEqual([])
  })
})

const USES: [name: string, used: object][] = [
  ['claude/PostToolUse-Skill', { entryId: 'demo-skill', kind: 'skill' }],
  ['claude/PostToolUse-Read', { entryId: 'readme', sourceLayer: 'project' }],
  ['codex/PostToolUse-Bash', { entryId: 'readme', sourceLayer: 'project' }],
  ['gemini/AfterTool-activate_skill', { entryId: 'demo-skill', kind: 'skill' }],
  ['gemini/AfterTool-read_file', { entryId: 'readme', sourceLayer: 'project' }],
  ['copilot/postToolUse-skill', { entryId: 'demo-skill', kind: 'skill' }],
  ['copilot/postToolUse-view', { entryId: 'readme', sourceLayer: 'project' }],
  ['opencode/PostToolUse-bash', { entryId: 'readme', sourceLayer: 'project' }],
  ['opencode/PostToolUse-read', { entryId: 'readme', sourceLayer: 'project' }],
]

it.each(USES)('%s is noted as used, and not answered', (name, used) => {
  const readme = '---\nid: readme\nkeywords: [readme]\n---\n# Project\n'
  const settings = '{ "payloads": ["README.md"] }\n'
  const world = makeHookWorld({}, { 'README.md': readme, 'loadout.json': settings })
  const input = recorded(world, name)
  const [agent = '', event = ''] = name.split(/[/-]/)
  const { code, stdout, stderr } = runHook(world, event, input, { agent })
  expect([code, stdout, stderr]).toEqual([0, '', ''])
  const { session_id: session, sessionId } = JSON.parse(input)
  expect(usageOf(world)).toEqual([
    expect.objectContaining({ ...used, stage: 'used', via: agent, session: session ?? sessionId }),
  ])
})
