import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { ask, askForPostgres, makeDatabase, withClient } from './postgres.ts'
import { makeMachine, runAside, startProxy, startTeam } from './server.ts'

/** In prompts, paths, code, names of projects and people. */
const CANARIES = ['zanzibar', 'quetzalcoatl', 'mnemosyne', 'xylotomous', 'borborygmus']
const [PROMPT, FOLDER, CODE, PERSON, SESSION] = CANARIES as [string, string, string, string, string]

async function everythingIn(url: string): Promise<string> {
  const tables = await ask(
    url,
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'loadout_team'::regnamespace`,
  )
  return withClient(url, async (client) => {
    const rows = []
    for (const { relname } of tables) rows.push(JSON.stringify((await client.query(`SELECT * FROM ${relname}`)).rows))
    return rows.join('\n')
  })
}

it('prompts, paths, code, projects and people never reach the wire, the database, logs or traces', async () => {
  const traces: string[] = []
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) traces.push(String(chunk))
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => collector.once('listening', listening))
  const otlp = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))), { otlp })
  const wire = await startProxy(team.url)

  const home = makeFolder()
  writeFileSync(join(home, '.gitconfig'), `[user]\nname = ${PERSON}\nemail = ${PERSON}@example.com\n`)
  const project = join(makeFolder(), FOLDER)
  mkdirSync(join(project, '.claude/loadout'), { recursive: true })
  mkdirSync(join(project, '.git'))
  writeFileSync(join(project, `${CODE}.ts`), `export const ${CODE} = '${CODE}'\n`)
  writeFileSync(
    join(project, '.claude/loadout/steps.md'),
    `---\nid: steps\nkeywords: [release, ${PROMPT}]\n---\n\nTag it, ${CODE}.\n`,
  )
  const run = async (args: string[], stdin = '') => {
    const done = await runAside(args, { home, cwd: project, stdin })
    expect([done.code, done.stderr]).toEqual([0, ''])
    return done.stdout
  }
  await run(['index', 'build'])
  await run(['usage', '--keep-tasks', 'on'])
  await run(['team', 'join', wire.url, '--token', await team.token('admin')])
  const hook = (event: string, more: object) =>
    run(
      ['hook', 'claude', event],
      JSON.stringify({ session_id: SESSION, cwd: project, hook_event_name: event, ...more }),
    )
  await hook('SessionStart', { source: 'startup' })
  await hook('UserPromptSubmit', { prompt: `cut a release for ${PROMPT} in ${FOLDER}/${CODE}.ts` })
  await hook('PostToolUse', { tool_name: 'Skill', tool_input: { skill: 'release-notes' } })
  await hook('PostToolUse', { tool_name: 'Skill', tool_input: { skill: `${PROMPT} words of a person` } })
  await run(['plan', `release ${PROMPT}`, '--load'])
  await run(['context', `release ${PROMPT} ${CODE}`])
  await run(['team', 'push'])
  const report = await run(['team', 'report', '--json'])
  await run(['team', 'status'])
  // The metrics and the last traces go out when an instance stops.
  const logs = () => team.logs()
  const stored = await everythingIn(team.databaseUrl)
  await team.stop()
  wire.close()
  collector.close()

  const local = readFileSync(join(home, '.local/state/loadout/usage.jsonl'), 'utf8')
  for (const word of [PROMPT, SESSION]) expect(local).toContain(word)
  const places = { wire: JSON.stringify(wire.seen), stored, logs: logs(), traces: traces.join(''), report }
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(200)
    for (const word of CANARIES) expect(text.toLowerCase().includes(word), `${word} in ${place}`).toBe(false)
  }
  expect(places.wire).toContain('release-notes')
  expect(places.traces).toContain('/v1/batches')
})

it('a project is named only when its loadout.json says so', async () => {
  const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  const [home, project] = [makeFolder(), makeFolder()]
  mkdirSync(join(project, '.claude/loadout'), { recursive: true })
  writeFileSync(join(project, '.claude/loadout/steps.md'), '---\nid: steps\nkeywords: [release]\n---\n\nTag it.\n')
  const run = async (...args: string[]) => (await runAside(args, { home, cwd: project })).stdout
  await run('index', 'build')
  await run('team', 'join', team.url, '--token', await team.token())
  await run('plan', 'cut a release')
  expect(await run('team', 'push', '--dry-run')).not.toContain('"project"')
  writeFileSync(join(project, 'loadout.json'), '{"team":{"project":"Web Shop"}}')
  await run('plan', 'cut a release')
  expect(await run('team', 'push', '--dry-run')).toContain('"project":"Web Shop"')
  await team.stop()
})

it('a hook starts the sending in the background when it is due, and not at a prompt', async () => {
  const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  const [home, project] = [makeFolder(), makeFolder()]
  const run = (args: string[], stdin = '') => runAside(args, { home, cwd: project, stdin })
  const hook = (event: string, more: object) =>
    run(['hook', 'claude', event], JSON.stringify({ session_id: 's', cwd: project, hook_event_name: event, ...more }))
  expect((await run(['team', 'join', team.url, '--token', await team.token()])).code).toBe(0)
  const due = join(home, '.local/state/loadout/team/due')
  const past = new Date(Date.now() - 60_000)
  utimesSync(due, past, past)
  await hook('UserPromptSubmit', { prompt: 'cut a release' })
  const sent = join(home, '.local/state/loadout/team/sent')
  expect(existsSync(sent)).toBe(false)
  await hook('PostToolUse', { tool_name: 'Skill', tool_input: { skill: 'release-notes' } })
  await expect.poll(() => existsSync(sent) && readdirSync(sent).length).toBe(1)
  expect(await ask(team.databaseUrl, 'SELECT count(*) AS batches FROM batch')).toEqual([{ batches: 1 }])
  await team.stop()
})

it('usage goes to a collector as metrics with the names of the conventions', async () => {
  const bodies: { path: string; body: string }[] = []
  const collector = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push({ path: request.url ?? '', body })
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => collector.once('listening', listening))
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const machine = makeMachine()
  machine.use({}, {}, { kind: 'pack', entryId: 'prices', stage: 'planned' })
  expect((await machine.loadout.knowledge.exportUsage({ endpoint })).value).toEqual({
    address: `${endpoint}/v1/metrics`,
    series: 2,
    events: 3,
  })
  const { path, body } = bodies[0]!
  const metrics = JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics
  const attributes = (point: { attributes: { key: string; value: { stringValue: string } }[] }) =>
    Object.fromEntries(point.attributes.map(({ key, value }) => [key, value.stringValue]))
  const [first] = metrics[0].sum.dataPoints
  expect([path, metrics.map(({ name }: { name: string }) => name), first.asInt, attributes(first)]).toEqual([
    '/v1/metrics',
    ['loadout.entry.events', 'loadout.entry.tokens'],
    '2',
    {
      'gen_ai.agent.name': 'claude',
      'loadout.entry.kind': 'skill',
      'loadout.entry.id': 'release-notes',
      'skill.name': 'release-notes',
      'loadout.stage': 'used',
    },
  ])
  expect(attributes(metrics[1].sum.dataPoints[0])['gen_ai.token.type']).toBe('input')
  collector.close()
  await expect(machine.loadout.knowledge.exportUsage({ endpoint: 'localhost:4318' })).rejects.toMatchObject({
    code: 'USAGE',
  })
})
