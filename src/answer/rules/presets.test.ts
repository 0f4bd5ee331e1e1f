import { describe, expect, it } from 'vitest'
import { CORTEX, choosePreset, DEFAULT_BUDGET, GENERIC, PRESETS } from './presets.ts'

describe('presets', () => {
  it('are chosen by what a project has', () => {
    expect(choosePreset((path) => path === '.cortex/manifest_v0.json')).toBe(CORTEX)
    expect(choosePreset((path) => path === 'AGENTS.md')).toBe(GENERIC)
    expect(choosePreset(() => false)).toBe(GENERIC)
  })

  it('have a default intent, and it is the last', () => {
    for (const { intents } of PRESETS) {
      expect(intents.map(({ key }) => key).indexOf('default')).toBe(intents.length - 1)
      expect(intents.every(({ include }) => include.length > 0)).toBe(true)
    }
  })

  it('cortex names its control plane and its intents in the order of precedence', () => {
    expect(CORTEX.controlPlane.map(({ pattern }) => pattern)).toEqual([
      '.cortex/manifest_v0.json',
      '.cortex/reports/lifecycle_audit_v0.json',
      '.cortex/reports/audit_needed_v0.json',
      '.cortex/reports/decision_candidates_v0.json',
      '.cortex/artifacts/decisions/decision_*_v*.md',
    ])
    expect(CORTEX.controlPlane.at(-1)).toMatchObject({ take: 3, order: 'latest', isRequired: false })
    expect(CORTEX.intents.map(({ key }) => key)).toEqual(['design', 'governance', 'direction', 'spec', 'default'])
  })

  it('share a budget whose parts make the whole', () => {
    const { maxFiles, maxCharsPerFile, maxChars, partitions } = DEFAULT_BUDGET
    expect([maxFiles, maxCharsPerFile, maxChars]).toEqual([12, 2500, 30_000])
    expect(Object.values(partitions).reduce((sum, part) => sum + part, 0)).toBe(100)
  })
})
