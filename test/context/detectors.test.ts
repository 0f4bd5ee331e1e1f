import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeSamples } from './corpus.ts'
import { CLEAN_LINES, makeCleanTexts } from './corpus-clean.ts'
import { detectBoth, isFound } from './measure-detectors.ts'

it('at least 99 % of what must not be shown is found, in every class', async () => {
  const counts = new Map<string, { all: number; missed: number }>()
  const misses = new Map<string, number>()
  for (const sample of makeSamples(7, 5)) {
    const { ours, theirs } = await detectBoth(sample.text)
    const count = counts.get(sample.kind.contentClass) ?? { all: 0, missed: 0 }
    counts.set(sample.kind.contentClass, count)
    count.all++
    if (isFound(sample, [...ours, ...theirs])) continue
    count.missed++
    const place = `${sample.kind.kind}, ${sample.position}, ${sample.encoding}`
    misses.set(place, (misses.get(place) ?? 0) + 1)
  }
  if (misses.size > 0)
    console.log('missed:', [...misses].map(([place, times]) => `${place}: ${times}`).join('\n        '))
  for (const [name, { all, missed }] of counts) expect(missed / all, name).toBeLessThanOrEqual(0.01)
  expect(counts.size).toBe(5)
})

describe('clean text', () => {
  it('raises under 1 % of false alarms', async () => {
    const texts = makeCleanTexts(11, 100)
    const alarms: string[] = []
    for (const { sort, text } of texts) {
      const { ours, theirs } = await detectBoth(text)
      for (const { kind, start, end } of [...ours, ...theirs].slice(0, 1))
        alarms.push(`${sort}, ${kind}: ${text.slice(start, end)}`)
    }
    if (alarms.length > 0) console.log('false alarms:', alarms.join('\n              '))
    expect(alarms.length / texts.length).toBeLessThan(0.01)
  })

  it.each(CLEAN_LINES)('%j', async (line) => {
    const { ours, theirs } = await detectBoth(line)
    expect([...ours, ...theirs]).toEqual([])
  })

  it('the guides and the lock file of this repository raise none', async () => {
    const guides = readdirSync('docs').filter((name) => name.endsWith('.md'))
    for (const path of [
      'README.md',
      'ARCHITECTURE.md',
      'package-lock.json',
      ...guides.map((name) => join('docs', name)),
    ]) {
      const { ours, theirs } = await detectBoth(readFileSync(path, 'utf8'))
      // These guides show what Loadout does with instructions to a model.
      const isQuoted = ['packs.md', 'context.md', 'skills.md'].some((name) => path === join('docs', name))
      const found = [...ours, ...theirs].filter((each) => !isQuoted || each.contentClass !== 'prompt_injection')
      expect({ path, found }).toEqual({ path, found: [] })
    }
  })
})
