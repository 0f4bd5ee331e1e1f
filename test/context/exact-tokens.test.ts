import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type BundleInput, buildBundle } from '../../src/answer/rules/build-bundle.ts'
import { RENDERINGS, renderBundle } from '../../src/answer/rules/render.ts'
import { openTokenCounter } from '../../src/machine/token-counter.ts'
import { anyInput } from './bundle-input.ts'

// LOADOUT_RUNS=2000 tries more inputs.
const numRuns = Math.ceil(Number(process.env.LOADOUT_RUNS ?? 60) / 2)

it.each(['o200k_base', 'cl100k_base'])('no bundle has more tokens of %s than were asked for', async (name) => {
  const tokenizer = await openTokenCounter(name)
  fc.assert(
    fc.property(anyInput, fc.nat(6_000), (given, total) => {
      const limits = { ...given.limits, total }
      const input: BundleInput = { ...given, limits, unit: 'tokens', measure: tokenizer.count, tokenizer }
      const { bundle, marks } = buildBundle(input)
      if (bundle.estimate.chars === 0) return
      expect(bundle.estimate.tokens).toBeLessThanOrEqual(total)
      for (const each of RENDERINGS) {
        expect(tokenizer.count(renderBundle(bundle, each, marks))).toBeLessThanOrEqual(total)
      }
    }),
    { numRuns, endOnFailure: true },
  )
})
