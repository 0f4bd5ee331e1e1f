import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { mayHoldSecret } from './matching.ts'

const matchAll = String.prototype.matchAll
afterEach(() => {
  String.prototype.matchAll = matchAll
})

/** The patterns that a rule looks for in a text. */
async function patternsOf(rule: (typeof rules)[number]): Promise<RegExp[]> {
  const content = 'a text without anything'
  const patterns: RegExp[] = []
  String.prototype.matchAll = function (pattern: RegExp) {
    if (String(this) === content) patterns.push(pattern)
    return matchAll.call(this, pattern)
  }
  await lintSource({
    source: { content, filePath: 'text', ext: '', contentType: 'text' },
    options: { config: { rules: [{ id: rule.meta.id, rule }] }, noPhysicFilePath: true },
  })
  String.prototype.matchAll = matchAll
  return patterns
}

/** What stands around a secret does not change what it looks like. */
function bare({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replace(/\(\?<?!(?:\\p\{L\}|[^)]*)\)|\\b/g, ''), flags.replace('i', ''))
}

/** It looks at the name of a file, and texts have none. */
const WITHOUT_PATTERN = ['@secretlint/secretlint-rule-gcp']
/** It is switched off: see the scanner. */
const OFF = '@secretlint/secretlint-rule-filter-comments'

describe('texts that secretlint finds something in', () => {
  it.each(rules.filter(({ meta }) => meta.id !== OFF).map((rule) => [rule.meta.id, rule] as const))(
    'hold what %s needs',
    async (id, rule) => {
      const patterns = await patternsOf(rule)
      expect(patterns.length > 0).toBe(!WITHOUT_PATTERN.includes(id))
      for (const pattern of patterns) {
        const secret = fc.stringMatching(bare(pattern), { size: '-1' })
        fc.assert(
          fc.property(secret, (text) => mayHoldSecret(`x ${pattern.ignoreCase ? text.toUpperCase() : text} y`)),
          { numRuns: 50 },
        )
      }
    },
  )
})

it('the scanner is not asked about other texts', () => {
  expect(mayHoldSecret('const message = msg.text // see https://example.org/@scope/name')).toBe(false)
})
