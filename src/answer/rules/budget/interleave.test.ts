import { expect, it } from 'vitest'
import { candidateOf } from '../candidate.fixture.ts'
import { interleave } from './fit.ts'

const listed = (names: string) => [...names].map((name) => candidateOf(name, name))

const rows: [core: string, files: string, matched: string, packs: string, order: string][] = [
  ['', '', '', '', ''],
  ['ab', '', '', '', 'ab'],
  ['', 'fgh', '', '', 'fgh'],
  ['', 'fgh', 'mno', 'xyz', 'fmxgnyhoz'],
  ['ab', 'f', 'mno', 'xy', 'abfmxnyo'],
  ['a', '', 'm', 'xyz', 'amxyz'],
  ['', 'fgh', '', 'x', 'fxgh'],
]
it.each(rows)('core "%s", files "%s", matched "%s", packs "%s": "%s"', (core, files, matched, packs, order) => {
  const sources = { core: listed(core), files: listed(files), matched: listed(matched), packs: listed(packs) }
  const paths = interleave(sources).map(({ path }) => path)
  expect(paths.join('')).toBe(order)
})
