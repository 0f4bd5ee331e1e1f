import { expect, it } from 'vitest'
import { connect, makeMcpWorld, startHttp, textOf } from './mcp-world.ts'

const world = makeMcpWorld()
const TASKS = Array.from({ length: 50 }, (_, at) => `${['flood', 'gauge', 'house', 'unusual'][at % 4]} number ${at}`)

it.each(['stdio', 'HTTP'])('fifty calls at a time over %s get the answers they get one by one', async (way) => {
  const http = way === 'HTTP' ? await startHttp(world) : undefined
  const client = await connect(world, { mode: 'auto', http })
  const load = async (task: string) => textOf(await client.callTool({ name: 'load_context', arguments: { task } }))
  const together = await Promise.all(TASKS.map(load))
  const alone: string[] = []
  for (const task of TASKS) alone.push(await load(task))
  expect(together).toEqual(alone)
  expect(new Set(alone).size).toBe(TASKS.length)
  http?.child.kill()
})
