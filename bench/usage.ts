import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { printTable } from './measure.ts'

const SIZE = 2 ** 30

/** A log of one gigabyte in which nearly every event is a task of its own: the worst case for memory. */
export function benchUsage(): void {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const path = join(folder, 'usage.jsonl')
  const events = writeLog(path)
  // The program itself, and beside its answer what it took. Its own high-water mark, because maxRSS starts with its parent's.
  const source = `process.on('exit', () => { const { userCPUTime, systemCPUTime } = process.resourceUsage()
    const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status', 'utf8'))
    process.stderr.write(JSON.stringify({ megabytes: kilobytes / 1024, seconds: (userCPUTime + systemCPUTime) / 1e6 })) })
    process.argv = [process.argv[0], 'loadout', 'usage', ${JSON.stringify(path)}]
    require(${JSON.stringify(resolve('dist/cli.cjs'))})`
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', source], { encoding: 'utf8' })
  const { megabytes, seconds } = JSON.parse(stderr)
  printTable('A usage log of 1 GB', [
    ['events', 'largest memory', 'processor time', 'summary'],
    [String(events), `${Math.round(megabytes)} MB`, `${seconds.toFixed(1)} s`, stdout.split('\n').at(0) ?? ''],
  ])
  rmSync(folder, { recursive: true })
}

function writeLog(path: string): number {
  const file = openSync(path, 'w')
  let events = 0
  for (let written = 0; written < SIZE; ) {
    let chunk = ''
    for (let n = 0; n < 10_000; n++, events++) {
      const taskHash = (events * 2654435761).toString(16).padStart(16, '0').slice(-16)
      chunk += `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', taskHash, entryId: `entry-${events % 500}`, trigger: 'release', mode: 'lazy', tokensEst: 300, sourceLayer: 'project' })}\n`
    }
    written += writeSync(file, chunk)
  }
  closeSync(file)
  return events
}
