import { execFile } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLI, makeFolder } from '../cli/run.ts'
import { environmentOf, type HttpServer, makeMcpWorld, startHttp } from './mcp-world.ts'

const MODULES = join(import.meta.dirname, '../../node_modules')
const INSPECTOR = placeInspector()
const world = makeMcpWorld()
let http: HttpServer
beforeAll(async () => {
  http = await startHttp(world)
})
afterAll(() => {
  http.child.kill()
})

/** Its command-line part reads the version of the whole Inspector from the folder around it, so it gets one. */
function placeInspector(): string {
  const folder = makeFolder()
  cpSync(join(MODULES, '@modelcontextprotocol/inspector-cli/build'), join(folder, 'cli/build'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"inspector","version":"1.0.3","type":"module"}')
  symlinkSync(MODULES, join(folder, 'node_modules'))
  return join(folder, 'cli/build/cli.js')
}

const run = promisify(execFile)
const WAYS = ['stdio', 'HTTP']

/** One request with the Inspector, the way its documentation writes it. */
async function inspect(way: string, words: readonly string[]): Promise<string> {
  const target =
    way === 'stdio'
      ? [process.execPath, CLI, 'mcp']
      : [http.url, '--transport', 'http', '--header', `Authorization: Bearer ${http.token}`]
  const options = { cwd: world.project, env: environmentOf(world), timeout: 60_000 }
  return (await run(process.execPath, [INSPECTOR, '--cli', ...target, ...words], options)).stdout
}

const tool = (name: string, ...args: string[]) => ['--method', 'tools/call', '--tool-name', name, '--tool-arg', ...args]
const read = (uri: string) => ['--method', 'resources/read', '--uri', uri]

// The Inspector cannot complete or call the methods of the skills extension; it reads its resources.
const REQUESTS: [words: string[], answer: string][] = [
  [['--method', 'tools/list'], '"name": "activate_pack"'],
  [tool('load_context', 'task=read the flood gauge'), 'The body of flood.'],
  [tool('plan_context', 'task=read the flood gauge'), 'payload:flood'],
  [tool('search_knowledge', 'query=flood gauge', 'limit=5'), '\\"id\\":\\"flood\\"'],
  [tool('read_entry', 'id=flood'), 'The body of flood.'],
  [tool('activate_pack', 'pack=water'), 'knowledge_pack_guide'],
  [tool('activate_pack', 'pack=closed'), 'APPROVAL_NEEDED'],
  [['--method', 'resources/list'], 'skill://gauge-reading/SKILL.md'],
  [['--method', 'resources/templates/list'], 'loadout://pack/{name}/{+path}'],
  [read('loadout://pack/water/wiki/high%20tide.md'), 'Twice a day.'],
  [read('skill://gauge-reading/SKILL.md'), 'Look at the water.'],
  [['--method', 'prompts/list'], '"name": "load-context"'],
  [['--method', 'prompts/get', '--prompt-name', 'load-context', '--prompt-args', 'task=flood'], 'The body of flood.'],
]

// Requests alternate between the two transports; other tests show that both answer alike.
const ROWS = REQUESTS.map(([words, answer], at): [string, string[], string] => [WAYS[at % 2] ?? '', words, answer])

it.concurrent.each(ROWS)('the Inspector over %s: %j', async (way, words, answer) => {
  expect(await inspect(way, words)).toContain(answer)
})
