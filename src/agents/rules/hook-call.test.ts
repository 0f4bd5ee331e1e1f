import { describe, expect, it } from 'vitest'
import { formatReply, isTask, readCall } from './hook-call.ts'

const EVENT = { session_id: 's', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'x', new_in_2030: {} }

it('reads what it knows and passes over the rest', () => {
  expect(readCall('codex', 'UserPromptSubmit', JSON.stringify(EVENT))).toMatchObject({
    host: { agent: 'codex' },
    event: 'UserPromptSubmit',
    session: 's',
    cwd: '/p',
    prompt: 'x',
    source: undefined,
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

it('a reply is one line in the shape that every host takes, or nothing', () => {
  expect(formatReply('SessionStart', '')).toBe('')
  expect(formatReply('SessionStart', 'a\n"b"')).toBe(
    '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\\n\\"b\\""}}\n',
  )
})
