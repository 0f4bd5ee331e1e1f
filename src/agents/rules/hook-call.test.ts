import { describe, expect, it } from 'vitest'
import { formatReply, type HookCall, isTask, readCall } from './hook-call.ts'
import { HOOK_HOSTS, type HookEvent, requireHost } from './hook-hosts.ts'

const EVENT = { session_id: 's', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'x', new_in_2030: {} }

function read(agent: string, event: string, json: object, env = {}): HookCall | undefined {
  return readCall(agent, event, JSON.stringify(json), env)
}

it('a hook reads known fields and ignores the rest', () => {
  expect(read('codex', 'UserPromptSubmit', EVENT)).toMatchObject({
    host: { agent: 'codex' },
    event: 'UserPromptSubmit',
    session: 's',
    cwd: '/p',
    prompt: 'x',
    source: undefined,
  })
})

describe('an event in the format of its agent', () => {
  const gemini = (prompt: string) => ({ ...EVENT, hook_event_name: 'BeforeAgent', prompt })
  const rows: [agent: string, event: string, json: object, expected: object][] = [
    ['gemini', 'BeforeAgent', gemini('fix it'), { event: 'UserPromptSubmit', prompt: 'fix it' }],
    ['gemini', 'BeforeAgent', gemini('<hook_context>a &lt;b&gt;\nc</hook_context>\n\nfix it'), { prompt: 'fix it' }],
    ['gemini', 'BeforeAgent', gemini('fix <hook_context>it'), { prompt: 'fix <hook_context>it' }],
    [
      'gemini',
      'BeforeAgent',
      gemini('<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n\nfix it'),
      { prompt: 'fix it' },
    ],
    [
      'copilot',
      'sessionStart',
      { sessionId: 's', cwd: '/p', source: 'new', initialPrompt: 'x' },
      { event: 'SessionStart', session: 's', source: 'startup' },
    ],
    [
      'copilot',
      'postToolUse',
      { sessionId: 's', cwd: '/p', toolName: 'view', toolArgs: '{"path":"/p/a.md"}' },
      { use: { file: '/p/a.md' } },
    ],
    [
      'cursor',
      'beforeSubmitPrompt',
      { conversation_id: 's', workspace_roots: ['/p', '/q'], hook_event_name: 'beforeSubmitPrompt', prompt: 'fix it' },
      { event: 'UserPromptSubmit', session: 's', cwd: '/p', prompt: 'fix it' },
    ],
    [
      'cursor',
      'postToolUse',
      { conversation_id: 's', workspace_roots: [], cwd: '/p', tool_name: 'Shell', tool_input: { command: 'cat a' } },
      { cwd: '/p', use: { command: 'cat a' } },
    ],
    ['opencode', 'PostToolUse', { ...EVENT, hook_event_name: 'PostToolUse', tool_name: 'toString' }, { use: {} }],
  ]
  it.each(rows)('%s %s %j', (agent, event, json, expected) => {
    expect(read(agent, event, json)).toMatchObject(expected)
  })

  it.each(HOOK_HOSTS.map(({ agent, events }) => [agent, events.UserPromptSubmit]))(
    '%s without a session',
    (agent, event) => {
      expect(() => read(agent, event, { cwd: '/p' })).toThrow('the event names no session')
      expect(() => readCall(agent, event, '[]', {})).toThrow('the event is not a JSON object')
      expect(() => read(agent, 'Stop', EVENT)).toThrow('the event is unknown')
    },
  )
})

describe("Claude Code's hook", () => {
  const rows: [who: string, json: object, env: Record<string, string>, isOurs: boolean][] = [
    ['Claude Code', { ...EVENT, transcript_path: '/t' }, {}, true],
    ['Claude Code in a shell of Copilot', { ...EVENT, transcript_path: '/t' }, { COPILOT_CLI: '1' }, true],
    ['Copilot CLI', EVENT, { COPILOT_CLI: '1' }, false],
    ['Cursor', { ...EVENT, cursor_version: '3.20.17' }, {}, false],
    ['Grok Build', { hookEventName: 'user_prompt_submit', sessionId: 's', cwd: '/p', prompt: 'x' }, {}, false],
  ]
  it.each(rows)('run by %s', (_, json, env, isOurs) => {
    expect(read('claude', 'UserPromptSubmit', json, env) !== undefined).toBe(isOurs)
  })
})

describe('isTask', () => {
  const rows: [prompt: string, source: string | undefined, expected: boolean][] = [
    ['fix it', undefined, true],
    ['fix it', 'user', true],
    ['fix it', 'sdk', true],
    ['fix it', 'system', false],
    ['', undefined, false],
    [' \n\t', undefined, false],
    ['/compact', undefined, false],
    ['/plugin:skill some words', undefined, false],
    ['  /clear', undefined, false],
    ['/etc/hosts is wrong', undefined, true],
    ['/ is full', undefined, true],
  ]
  it.each(rows)('%j from %s: %s', (prompt, source, expected) => {
    expect(isTask({ prompt, source })).toBe(expected)
  })
})

describe('a reply is one line in the format of its agent, or nothing', () => {
  const nested = (name: string) =>
    `{"hookSpecificOutput":{"hookEventName":"${name}","additionalContext":"a\\n\\"b\\""}}\n`
  const rows: [agent: string, event: HookEvent, reply: string][] = [
    ['claude', 'SessionStart', nested('SessionStart')],
    ['codex', 'UserPromptSubmit', nested('UserPromptSubmit')],
    ['gemini', 'UserPromptSubmit', nested('BeforeAgent')],
    ['copilot', 'UserPromptSubmit', '{"additionalContext":"a\\n\\"b\\""}\n'],
    ['cursor', 'SessionStart', '{"additional_context":"a\\n\\"b\\""}\n'],
    ['cursor', 'UserPromptSubmit', '{"continue":true,"additional_context":"a\\n\\"b\\""}\n'],
    ['opencode', 'SessionStart', '{"additionalContext":"a\\n\\"b\\""}\n'],
  ]
  it.each(rows)('%s %s', (agent, event, reply) => {
    const host = requireHost(agent)
    expect(formatReply({ host, event }, '')).toBe('')
    expect(formatReply({ host, event }, 'a\n"b"')).toBe(reply)
  })
})
