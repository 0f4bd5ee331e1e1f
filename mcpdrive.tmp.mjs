import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { readFileSync } from 'node:fs'
const [cli, n0, n1, prof, par] = process.argv.slice(2)
const tasks = JSON.parse(readFileSync('/tmp/calls/gen-tasks.json'))
const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } })
const { NODE_EXTRA_CA_CERTS: _, ...e } = process.env
const env = { ...e, HOME: '/tmp/calls/h' }
const t = new StdioClientTransport({ command: process.execPath, args: [...(prof === 'prof' ? ['--cpu-prof', '--cpu-prof-dir=/tmp/calls/cpm'] : []), cli, 'mcp'], cwd: '/tmp/calls/gen1000', env, stderr: 'ignore' })
await client.connect(t)
const cpu = () => { const s = readFileSync(`/proc/${t.pid}/stat`, 'utf8'); const [u, y] = s.slice(s.lastIndexOf(')') + 2).split(' ').slice(11, 13); return (Number(u) + Number(y)) * 10 }
const call = task => client.callTool({ name: 'load_context', arguments: { task } })
for (const task of tasks.slice(0, Number(n0))) await call(task)
const c = cpu(), w = performance.now()
for (const task of tasks.slice(Number(n0), Number(n0) + Number(n1))) await call(task)
console.log('calls/s', (Number(n1) / ((performance.now() - w) / 1000)).toFixed(0), 'cpu ms', ((cpu() - c) / Number(n1)).toFixed(1))
await client.close()
