import { describe, expect, it } from 'vitest'
import { largestFile } from '../../src/packs/rules/pack.ts'
import { aPipe, type Content, makeProject, runLoadout } from '../cli/run.ts'

const GUIDE = `---
name: quails
description: Weights of quail eggs. Use for questions about quails.
type: domain-reference
profile: wiki-first
status: ready
trust: official
---

# Quails
`

/** Resolves a user's own pack in which one view is not a short text. */
function resolveWith(view: Content) {
  const home = makeProject({
    '.agents/knowledge/quails/KNOWLEDGE.md': GUIDE,
    '.agents/knowledge/quails/compiled/briefing.md': 'A quail egg weighs nine grams.\n',
    '.agents/knowledge/quails/compiled/facts.md': view,
  })
  const call = ['packs', 'resolve', 'the weight of quail eggs', '--pack', 'quails', '--json']
  const { code, stdout } = runLoadout(call, { home })
  const { selected_files, compile_warnings } = JSON.parse(stdout)
  const warned = compile_warnings.map(({ severity, code: what, path }: Record<string, string>) => [
    severity,
    what,
    path,
  ])
  return { code, selected_files, warned }
}

describe('files of a pack', () => {
  it('case 128: a pipe as a view is refused without waiting for it', () => {
    expect(resolveWith(aPipe)).toMatchObject({
      code: 1,
      selected_files: ['compiled/briefing.md'],
      warned: expect.arrayContaining([['error', 'NOT_A_FILE', 'compiled/facts.md']]),
    })
  })

  it('case 129: a file above the limit is passed over with a warning', () => {
    expect(resolveWith('x'.repeat(largestFile('a.md') + 1))).toMatchObject({
      code: 0,
      selected_files: ['compiled/briefing.md'],
      warned: expect.arrayContaining([['warning', 'FILE_TOO_LARGE', 'compiled/facts.md']]),
    })
  })
})
