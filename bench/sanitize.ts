import { scanForSecrets } from '../src/machine/secret-scanner.ts'
import { CONTENT_CLASSES, detectContent } from '../src/text/sensitive/detect.ts'
import { makeSamples } from '../test/context/corpus.ts'
import { makeCleanTexts } from '../test/context/corpus-clean.ts'
import { detectBoth, isFound } from '../test/context/measure-detectors.ts'
import { printTable } from './measure.ts'

/** What our detectors, secretlint's rules and both find of a made corpus, and how fast. */
export async function benchSanitize(): Promise<void> {
  const rows = CONTENT_CLASSES.map((name) => ({ name: name as string, all: 0, ours: 0, theirs: 0, both: 0 }))
  for (const sample of makeSamples(5, 5)) {
    const { ours, theirs } = await detectBoth(sample.text)
    const row = rows.find(({ name }) => name === sample.kind.contentClass)
    if (row === undefined) continue
    row.all++
    row.ours += Number(isFound(sample, ours))
    row.theirs += Number(isFound(sample, theirs))
    row.both += Number(isFound(sample, [...ours, ...theirs]))
  }
  const clean = { name: 'clean text', all: 0, ours: 0, theirs: 0, both: 0 }
  for (const { text } of makeCleanTexts(5, 500)) {
    const { ours, theirs } = await detectBoth(text)
    clean.all++
    clean.ours += Number(ours.length > 0)
    clean.theirs += Number(theirs.length > 0)
    clean.both += Number(ours.length + theirs.length > 0)
  }
  const share = (part: number, all: number) => `${((100 * part) / all).toFixed(2)} %`
  printTable('found, each class in every position and encoding', [
    ['', 'texts', 'ours', 'secretlint', 'both'],
    ...[...rows.filter(({ all }) => all > 0), clean].map(({ name, all, ours, theirs, both }) => [
      name,
      String(all),
      share(ours, all),
      share(theirs, all),
      share(both, all),
    ]),
  ])
  await printSpeed()
}

async function printSpeed(): Promise<void> {
  const text = makeCleanTexts(9, 400)
    .map((each) => each.text)
    .join('\n')
  const megabytes = text.length / 1e6
  const speed = async (scan: () => unknown) => {
    await scan()
    const start = performance.now()
    await scan()
    return `${((1000 * megabytes) / (performance.now() - start)).toFixed(1)} MB/s`
  }
  printTable('speed on clean text', [
    ['', ''],
    ['ours', await speed(() => detectContent(text))],
    ['secretlint', await speed(() => scanForSecrets(text))],
    ['both', await speed(() => detectBoth(text))],
  ])
}
