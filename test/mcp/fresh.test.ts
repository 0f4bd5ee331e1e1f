import { execFileSync } from 'node:child_process'
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeContextWorld } from '../context/context-world.ts'
import { connect, textOf } from './mcp-world.ts'

const TASK = 'close the flood gate when the gauge is high'

const world = makeContextWorld({
  'src/gate.ts': 'export function closeGate() {\n  return 1\n}\n',
  'src/gate.test.ts': "it('closes the gate', () => {})\n",
  'src/gauge.ts': 'export const gauge = 3\n',
  'docs/flood.md': '# Flood\n\nThe gauge is high.\n',
})
const at = (path: string) => join(world.project, path)

function git(...words: string[]): void {
  const me = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  const env = { PATH: process.env.PATH, HOME: world.home }
  execFileSync('git', ['-C', world.project, ...me, ...words], { env, stdio: 'ignore' })
}

const CHANGES: readonly (readonly [what: string, change: () => void])[] = [
  ['nothing', () => {}],
  ['an edit', () => appendFileSync(at('src/gate.ts'), '// the gate closes slowly in a flood\n')],
  ['an edit of the same size', () => writeFileSync(at('src/gauge.ts'), 'export const gauge = 4\n')],
  ['a new file', () => writeFileSync(at('src/flood-gate.ts'), 'export const floodGate = 1\n')],
  ['another name', () => renameSync(at('src/flood-gate.ts'), at('src/high-gate.ts'))],
  ['a removal', () => rmSync(at('docs/flood.md'))],
  ['an ignored file', () => writeFileSync(at('.gitignore'), 'src/high-gate.ts\n')],
  ['a commit', () => [git('add', '-A'), git('commit', '-qm', 'Close the gauge')]],
  ['another branch', () => git('checkout', '-q', 'start')],
]

it('a running server answers from the files as they are now', async () => {
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'Start')
  git('branch', 'start')
  const client = await connect(world, { mode: 'auto' })
  const ask = async (more = {}) => {
    return textOf(await client.callTool({ name: 'load_context', arguments: { task: TASK, ...more } }))
  }
  let before = ''
  for (const [what, change] of CHANGES) {
    change()
    const answer = await ask()
    // Like a new process.
    expect({ what, text: answer }).toEqual({ what, text: world.run(['context', TASK, '--format', 'markdown']).stdout })
    expect(await ask()).toBe(answer)
    expect(answer === before, what).toBe(false)
    before = answer
  }
  const tested = await ask({ with: 'tests' })
  expect(tested).toBe(world.run(['context', TASK, '--with', 'tests', '--format', 'markdown']).stdout)
  expect(tested).toContain("it('closes the gate'")
  expect(before).not.toContain("it('closes the gate'")
}, 60_000)
