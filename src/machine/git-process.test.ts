import { type ChildProcess, spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { collect } from './git-process.ts'

const program = (line: string): ChildProcess => spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] })

/** As a process does that others keep from running. */
function standStill(milliseconds: number): void {
  for (const end = Date.now() + milliseconds; Date.now() < end; );
}

it('what a program said is heard, however late this process gets to it', async () => {
  const [early, talking, late] = [program('exit 0'), program('echo said; sleep 2'), program('sleep 0.8; echo said')]
  // The end of the first and the words of the second are seen together; while these are read, the third ends: its end
  // is then known before its words are.
  talking.stdout?.once('data', () => standStill(1000))
  const all = [early, talking, late].map((child) => collect(child, 'a program', {}))
  late.once('exit', () => standStill(700))
  standStill(400)
  expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(['', 'said\n', 'said\n'])
})
