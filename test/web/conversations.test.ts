import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, runLoadout } from '../cli/run.ts'
import { fillHome, git, write } from '../tui/machine.ts'
import { send, startWeb, type WebServer } from './web-world.ts'

const home = makeFolder()
const project = join(home, 'shop')
const rule = join(project, '.claude/loadout/refunds.md')
const transcript = join(home, 'transcripts/talk.jsonl')
const loadout = (...words: string[]) => runLoadout(words, { cwd: project, home })
const SECRET = ['ghp', '0123456789abcdefghijABCDEFGHIJ012345'].join('_')

/** What a hook gives to the agent. */
function hook(event: string, fields: object): string {
  const input = { session_id: 'talk', cwd: project, hook_event_name: event, transcript_path: transcript, ...fields }
  const { stdout } = runLoadout(['hook', 'claude', event], { cwd: project, home, stdin: JSON.stringify(input) })
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

let server: WebServer
const given: string[] = []
beforeAll(async () => {
  fillHome(home)
  write(rule, '---\nid: refunds\nkeywords: [refund]\n---\n# Refunds\n\nA refund needs the number of its ticket.\n')
  write(
    join(project, '.claude/loadout/house.md'),
    '---\nid: house\npriority: core\nkeywords: [house]\n---\n# House\n\nBe brief.\n',
  )
  git(project, 'init', '-q')
  for (const words of [
    ['index', 'build'],
    ['usage', '--keep-tasks', 'on'],
  ])
    expect(loadout(...words).code).toBe(0)
  given.push(
    hook('SessionStart', { source: 'startup' }),
    hook('UserPromptSubmit', { prompt: 'a refund of a cancelled order fails' }),
  )
  hook('PostToolUse', { tool_name: 'Skill', tool_input: { skill: 'release-notes' } })
  hook('SubagentStart', { agent_id: 'sub' })
  server = await startWeb(home, project)
})

const ask = async (path: string) => JSON.parse((await send(server.origin, path, server)).text)
const change = async (name: string, body: object) => {
  const post = async (more: object) => {
    const headers = { ...server.headers, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ ...body, ...more }) }
    return JSON.parse((await send(server.origin, `/api/change/${name}`, sent)).text)
  }
  const planned = await post({ dryRun: true })
  return { planned, done: await post({ plan: planned.plan }) }
}
type Turn = { task?: string; text?: string; given: { id: string; state: string; text?: string }[] }
type Item = { what: string; name: string; text: string }

describe('a conversation that hooks recorded', () => {
  it('is titled by its first prompt, and shows at each turn the very bytes that its hook gave', async () => {
    const { conversations } = await ask('/api/sessions')
    expect(conversations.map(({ title, parent }: { title?: string; parent?: string }) => [title, parent])).toEqual([
      [undefined, 'talk'],
      ['a refund of a cancelled order fails', undefined],
    ])
    const { turns, branches } = await ask('/api/sessions/claude/talk')
    expect(given.every((text) => text.length > 100)).toBe(true)
    expect(turns.slice(0, 2).map(({ text }: Turn) => text)).toEqual(given)
    expect(turns[1].task).toBe('a refund of a cancelled order fails')
    expect(branches.map(({ session }: { session: string }) => session)).toEqual(['talk/sub'])
    const { turns: inside } = await ask(`/api/sessions/claude/${encodeURIComponent('talk/sub')}`)
    expect(inside[0].text).toContain('Be brief.')
  })

  it('says that a text has changed since, and does not show another one for it', async () => {
    const house = join(project, '.claude/loadout/house.md')
    const before = readFileSync(house, 'utf8')
    writeFileSync(house, before.replace('brief', 'long'))
    const { turns } = await ask('/api/sessions/claude/talk')
    expect(turns[0].text).toBeUndefined()
    expect(turns[0].given[0]).toMatchObject({ id: 'house', state: 'changed' })
    expect(turns[0].given[0].text).toBeUndefined()
    writeFileSync(house, before)
  })

  it('a rule gets another priority after the kept tasks were asked again, and that is undone', async () => {
    const before = readFileSync(rule, 'utf8')
    const { planned, done } = await change('tune', { project, id: 'refunds', priority: 'manual' })
    expect(planned).toMatchObject({ tasks: 1, changes: [{ lost: ['refunds'], gained: [] }] })
    expect(done.diff).toContain('priority: manual')
    expect(JSON.parse(loadout('plan', 'a refund fails', '--json').stdout).onDemand).toEqual([])
    await change('tune', { project, id: 'refunds', priority: 'domain' })
    expect(readFileSync(rule, 'utf8')).toBe(before.replace('\n---\n#', '\npriority: domain\n---\n#'))
  })
})

describe("the agent's own file", () => {
  const rows = [
    { type: 'attachment', attachment: { type: 'skill_listing', content: '- pdf: Reads PDF files.' } },
    { type: 'user', message: { role: 'user', content: `mend it with ${SECRET} \u001b[31mred` } },
    { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'mcp__loadout__load_context' }] } },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'the bundle' }] } },
    { type: 'api-request-blob', message: { content: 'a copy of the request' } },
  ].map((row) => `${JSON.stringify({ ...row, timestamp: new Date().toISOString() })}\n`)

  it('is not read before a person allows it', async () => {
    mkdirSync(join(home, 'transcripts'))
    writeFileSync(transcript, rows.join(''))
    expect((await ask('/api/sessions/claude/talk')).transcript).toEqual({ path: transcript, isAllowed: false })
    const { done } = await change('settings', { readsTranscripts: true })
    expect(done.after.readsTranscripts).toBe(true)
  })

  it('says what the model had, without secrets, also while it is written', async () => {
    appendFileSync(transcript, '{"type":"user","mess')
    const { transcript: read } = await ask('/api/sessions/claude/talk')
    expect(read).toMatchObject({ junkLines: 1, isCut: false })
    expect(read.items.map(({ what, name }: Item) => `${what} ${name}`.trim())).toEqual([
      'skills list of skills',
      'prompt',
      'mcp mcp__loadout__load_context',
    ])
    expect(read.items[1].text).toContain('mend it with')
    expect(JSON.stringify(read)).not.toContain(SECRET)
  })

  it('of another format, or of 200 MB, or gone, costs no more than itself', async () => {
    writeFileSync(transcript, 'no JSON\n{"other":1}\n')
    expect((await ask('/api/sessions/claude/talk')).transcript).toMatchObject({ items: [], junkLines: 1 })
    writeFileSync(transcript, '')
    truncateSync(transcript, 200 * 1024 * 1024)
    appendFileSync(transcript, `\n${rows.join('')}`)
    const { transcript: read, turns } = await ask('/api/sessions/claude/talk')
    expect(read).toMatchObject({ isCut: true })
    expect(read.items).toHaveLength(3)
    expect(turns.map(({ task }: Turn) => task)).toContain('a refund of a cancelled order fails')
    truncateSync(transcript, 0)
    const other = await ask('/api/sessions/claude/nothing')
    expect(other.error.code).toBe('ENTRY_NOT_FOUND')
  })
})

it('prices are taken over, changed, and show what a conversation cost', async () => {
  const { shipped } = await ask('/api/settings')
  expect(Object.keys(shipped.models).length).toBeGreaterThan(5)
  expect(shipped.as_of).toMatch(/^20\d\d-\d\d-\d\d$/)
  const bad = await change('settings', { prices: { currency: 'USD', models: { x: -1 } } })
  expect(bad.planned.error.message).toContain('prices.models.x')
  const { done } = await change('settings', { prices: { currency: 'EUR', agents: { claude: 1_000_000 } } })
  expect(done.after.prices).toMatchObject({ currency: 'EUR' })
  const { cost } = await ask('/api/sessions/claude/talk')
  expect(cost.money).toMatchObject({ currency: 'EUR', amount: cost.listing + cost.opened + cost.delivered })
  await change('settings', { prices: null })
  expect((await ask('/api/settings')).prices).toMatchObject({ shipped: true, models: {} })
})
