import { resolve } from 'node:path'
import * as peer from '@mcptoolshop/ai-loadout'
import { inFreshProcess, median, medianTime, ms, printTable, ratio } from './measure.ts'
import { sampleIndex, TASK } from './sample-index.ts'

const ours = (await import(resolve('dist/index.js'))) as typeof peer

export function benchMatch(): void {
  const rows = [['entries', 'hits', 'theirs ms', 'ours ms', 'faster', 'first call theirs', 'ours', 'faster']]
  for (const share of ['5 %', '50'] as const) {
    for (const size of [100, 1000, 10_000, 100_000])
      rows.push(measure(size, share === '50' ? Math.min(50, size / 20) : size / 20))
  }
  printTable('matchLoadout, warm, and a first call in a fresh process (compilation included)', rows)
}

function measure(size: number, hits: number): string[] {
  const index = sampleIndex(size, hits)
  const found = ours.matchLoadout(TASK, index)
  if (JSON.stringify(found) !== JSON.stringify(peer.matchLoadout(TASK, index))) throw new Error('the results differ')
  const theirs = medianTime(() => peer.matchLoadout(TASK, index))
  const mine = medianTime(() => ours.matchLoadout(TASK, index))
  const first = firstCalls(size, hits)
  return [
    String(size),
    String(found.length),
    ms(theirs),
    ms(mine),
    ratio(theirs, mine),
    ms(first.theirs),
    ms(first.mine),
    ratio(first.theirs, first.mine),
  ]
}

function firstCalls(size: number, hits: number): { theirs: number; mine: number } {
  const time = (library: string) =>
    median(
      Array.from({ length: 5 }, () => {
        const source = `import { matchLoadout } from ${JSON.stringify(library)}
          const { sampleIndex, TASK } = await import(${JSON.stringify(resolve('bench/sample-index.bundle.js'))})
          const index = sampleIndex(${size}, ${hits})
          const start = performance.now()
          matchLoadout(TASK, index)
          console.log(JSON.stringify({ time: performance.now() - start }))`
        return inFreshProcess(source).time ?? Number.NaN
      }),
    )
  return {
    theirs: time(resolve('node_modules/@mcptoolshop/ai-loadout/dist/index.js')),
    mine: time(resolve('dist/index.js')),
  }
}
