import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, inject, it } from 'vitest'
import { ask, askForPostgres, makeDatabase } from './postgres.ts'
import { makeMachine, startInstance, startTeam } from './server.ts'

const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

it('a webhook hears of every change in order, signed, again after failures, and of nothing from before or that was read', async () => {
  const calls: { body: string; isSigned: boolean; id: string }[] = []
  let answers: (number | 'hang')[] = []
  const receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const expected = `sha256=${createHmac('sha256', 'a secret').update(body).digest('hex')}`
    const isSigned = request.headers['x-loadout-signature'] === expected
    calls.push({ body, isSigned, id: String(request.headers['x-loadout-delivery']) })
    const answer = answers.shift() ?? 200
    if (answer === 'hang') request.socket.destroy()
    else response.writeHead(answer).end()
  })
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
  stops.push(() => receiver.close())
  const webhook = { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`, secret: 'a secret' }

  const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  stops.push(team.stop)
  const { loadout } = makeMachine()
  await loadout.team.join({ url: team.url, token: await team.token('admin') })
  await loadout.team.invite({ role: 'member', group: 'before' })
  for (let each = 0; each < 2; each++) stops.push((await startInstance(team.databaseUrl, { webhook })).stop)
  await expect.poll(() => ask(team.databaseUrl, 'SELECT sent FROM webhook')).toHaveLength(1)

  // The waits between two tries grow; here they are over at once.
  const hurry = () =>
    ask(team.databaseUrl, "UPDATE webhook SET due = now() WHERE tries > 0 AND due < now() + interval '50 s'")
  answers = [500, 'hang', 302]
  const groups = ['one', 'two', 'three']
  for (const group of groups) await loadout.team.invite({ role: 'member', group })
  await loadout.team.report({})
  await expect
    .poll(async () => {
      await hurry()
      return calls.length
    })
    .toBe(6)
  expect(calls.map(({ body }) => JSON.parse(body).about.group)).toEqual(['one', 'one', 'one', ...groups])
  expect(calls.every(({ isSigned }) => isSigned)).toBe(true)
  expect(new Set(calls.slice(0, 4).map(({ id }) => id)).size).toBe(1)
})
