import { describe, expect, it } from 'vitest'
import type { SelectionCase } from '../packs/rules/records.ts'
import { runCases, type Selection } from './eval-pack.ts'

const one = (id: string, expected: SelectionCase['expected'], warnings: string[] = []): SelectionCase => {
  return { id, prompt: id, expected, expectedWarnings: warnings }
}

const disputed = { code: 'claim.disputed', message: 'A figure is contested.' }

describe('running a suite', () => {
  it('case 149: results and summary of selected and rejected prompts', () => {
    const cases = [one('hit', 'select'), one('missed', 'select'), one('quiet', 'reject'), one('loud', 'reject')]
    const report = runCases('p', cases, (prompt) => ({
      isSelected: prompt === 'hit' || prompt === 'loud',
      warnings: [],
    }))
    expect(report.results).toEqual([
      { id: 'hit', expected: 'select', actual: 'select', passed: true },
      { id: 'missed', expected: 'select', actual: 'reject', passed: false },
      { id: 'quiet', expected: 'reject', actual: 'reject', passed: true },
      { id: 'loud', expected: 'reject', actual: 'select', passed: false },
    ])
    expect(report.summary).toEqual({
      passed: 2,
      failed: 2,
      precision: 0.5,
      recall: 0.5,
      falsePositives: 1,
      falseNegatives: 1,
      warningAccuracy: null,
    })
  })

  const rows: [wanted: string[], answer: Selection, passed: boolean][] = [
    [['disputed'], { isSelected: true, warnings: [disputed] }, true],
    [['CONTESTED'], { isSelected: true, warnings: [disputed] }, true],
    [['claim.disputed'], { isSelected: true, warnings: [disputed] }, true],
    [['disputed', 'stale'], { isSelected: true, warnings: [disputed] }, false],
    [['stale'], { isSelected: true, warnings: [disputed] }, false],
    [['disputed'], { isSelected: true, warnings: [] }, false],
    [['disputed'], { isSelected: false, warnings: [disputed] }, false],
    [[], { isSelected: true, warnings: [disputed] }, true],
    [[], { isSelected: true, warnings: [{ ...disputed, severity: 'info' }] }, false],
    [[], { isSelected: true, warnings: [] }, false],
  ]
  it.each(rows)('case 150: a warning %j with %j passes: %s', (wanted, answer, passed) => {
    const report = runCases('p', [one('a', 'warn', wanted)], () => answer)
    expect(report.results[0]?.passed).toBe(passed)
    expect(report.summary.warningAccuracy).toBe(passed ? 1 : 0)
    expect(report.summary.recall).toBe(answer.isSelected ? 1 : 0)
  })

  it('a pack that was selected with warnings was selected', () => {
    const report = runCases('p', [one('a', 'select')], () => ({
      isSelected: true,
      warnings: [disputed],
    }))
    expect(report.results[0]).toMatchObject({ actual: 'select', passed: true })
  })
})
