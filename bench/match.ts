import { resolve } from 'node:path'
import * as peer from '@mcptoolshop/ai-loadout'
import { inFreshProcess, median, ms, printTable, processorTime, ratio } from './measure.ts'
import { sampleIndex, sampleTask } from './sample-index.ts'

const ours = (await import(resolve('dist/index.js'))) as typeof peer

const HEAD = ['entries', 'hits', 'theirs ms', 'ours ms', 'faster', 'repeated', 'first call theirs', 'ours', 'faster']

export function benchMatch(): void {
  const rows = [HEAD]
  for (const share of ['5 %', '50'] as const) {
    for (const size of [100, 1000, 10_000, 100_000])
      rows.push(measure(size, share === '50' ? Math.min(50, size / 20) : size / 20))
  }
  printTable(
    'matchLoadout with a new task each time, with the same task again, and a first call in a fresh process: processor time',
    rows,
  )
}

function measure(size: number, hits: number): string[] {
  const index = sampleIndex(size, hits)
  for (let n = 0; n < 40; n++) {
    const [mine, theirs] = [ours.matchLoadout(sampleTask(n), index), peer.matchLoadout(sampleTask(n), index)]
    if (JSON.stringify(mine) !== JSON.stringify(theirs)) throw new Error('the results differ')
  }
  const theirs = newTasks(peer.matchLoadout, sampleIndex(size, hits))
  const mine = newTasks(ours.matchLoadout, sampleIndex(size, hits))
  const repeated = processorTime(() => ours.matchLoadout(sampleTask(0), index))
  const first = firstCalls(size, hits)
  return [
    String(size),
    String(ours.matchLoadout(sampleTask(0), index).length),
    ms(theirs),
    ms(mine),
    ratio(theirs, mine),
    ms(repeated),
    ms(first.theirs),
    ms(first.mine),
    ratio(first.theirs, first.mine),
  ]
}

/** The median over tasks whose words no earlier task had, on an index that was asked twice about something else. */
function newTasks(match: typeof peer.matchLoadout, index: peer.LoadoutIndex): number {
  for (const task of ['something else', 'another matter']) match(task, index)
  let n = 0
  return processorTime(() => match(sampleTask(n++), index))
}

function firstCalls(size: number, hits: number): { theirs: number; mine: number } {
  const time = (library: string) =>
    median(
      Array.from({ length: 5 }, () => {
        const source = `import { matchLoadout } from ${JSON.stringify(library)}
          const { sampleIndex, TASK } = await import(${JSON.stringify(resolve('bench/sample-index.bundle.js'))})
          const index = sampleIndex(${size}, ${hits})
          const start = process.cpuUsage()
          matchLoadout(TASK, index)
          const { user, system } = process.cpuUsage(start)
          console.log(JSON.stringify({ time: (user + system) / 1000 }))`
        return inFreshProcess(source).time ?? Number.NaN
      }),
    )
  return {
    theirs: time(resolve('node_modules/@mcptoolshop/ai-loadout/dist/index.js')),
    mine: time(resolve('dist/index.js')),
  }
}
