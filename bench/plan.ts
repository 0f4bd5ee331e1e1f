import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as peer from '@mcptoolshop/ai-loadout'
import { inFreshProcess, median, medianTime, ms, printTable, ratio } from './measure.ts'
import { sampleIndex, TASK } from './sample-index.ts'

const ours = (await import(resolve('dist/index.js'))) as typeof peer

/** A project folder with an index of a given size. */
export function sampleProject(folder: string, size: number, hits: number): string {
  const project = join(folder, `project-${size}`)
  mkdirSync(join(project, '.claude', 'loadout'), { recursive: true })
  writeFileSync(join(project, '.claude', 'loadout', 'index.json'), JSON.stringify(sampleIndex(size, hits), null, 2))
  return project
}

export async function benchPlan(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loadout-bench-'))
  const projectRoot = sampleProject(folder, 10_000, 50)
  const options = { projectRoot, globalDir: '', orgPath: '', sessionPath: '' }
  // A fresh file could change again within its time stamp; only a settled one is remembered.
  await new Promise((done) => setTimeout(done, 300))
  const theirs = medianTime(() => peer.planLoad(TASK, options))
  const mine = medianTime(() => ours.planLoad(TASK, options))
  const cold = (library: string) =>
    median(
      Array.from({ length: 5 }, () => {
        const source = `import { planLoad } from ${JSON.stringify(library)}
          const start = performance.now()
          planLoad(${JSON.stringify(TASK)}, ${JSON.stringify(options)})
          console.log(JSON.stringify({ time: performance.now() - start }))`
        return inFreshProcess(source).time ?? Number.NaN
      }),
    )
  const coldTheirs = cold(resolve('node_modules/@mcptoolshop/ai-loadout/dist/index.js'))
  const coldMine = cold(resolve('dist/index.js'))
  printTable('planLoad on an index of 10,000 entries', [
    ['', 'theirs ms', 'ours ms', 'faster'],
    ['warm', ms(theirs), ms(mine), ratio(theirs, mine)],
    ['cold', ms(coldTheirs), ms(coldMine), ratio(coldTheirs, coldMine)],
  ])
  rmSync(folder, { recursive: true })
}
