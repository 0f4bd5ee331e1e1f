import { expect, it } from 'vitest'
import { decideInstructions, type InstructionFile } from './agent-settings.ts'
import { recordedRules } from './recorded-rules.ts'

const file = (folder: string, name: string, bytes: number, more: Partial<InstructionFile> = {}): InstructionFile => ({
  path: `${folder}/${name}`,
  bytes,
  folder,
  isGlobal: false,
  ...more,
})

it('Codex reads one file in each folder, 32 KiB of the project together, and the user’s own file', () => {
  const rules = recordedRules('codex')?.rows.at(-1)?.rules.instructions
  if (rules === undefined) throw new Error('nothing is known')
  const files = [
    file('/own', 'AGENTS.md', 50_000, { isGlobal: true }),
    file('/p', 'AGENTS.md', 20_000),
    file('/p/a', 'AGENTS.override.md', 11),
    file('/p/a', 'AGENTS.md', 9),
    file('/p/a/b', 'AGENTS.md', 0, { problem: 'it is a folder' }),
    file('/p/a/b', 'TEAM.md', 20_000),
    file('/p/a/b/c', 'AGENTS.md', 5),
  ]
  const seen = decideInstructions(files, rules, 32_768)
  expect(seen.map(({ state, read }) => `${state} ${read}`)).toEqual([
    'whole 50000',
    'whole 20000',
    'whole 11',
    'replaced 0',
    'unreadable 0',
    'cut 12757',
    'cut 0',
  ])
  expect(seen.slice(1).reduce((total, { read }) => total + read, 0)).toBe(32_768)
})
