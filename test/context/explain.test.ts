import { describe, expect, it } from 'vitest'
import { makeFolder, makeProject } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

const status = { path: 'status.json', summary: ['state', 'password'] }
const leak = 'Tr0ub4dor-and-3-x'

describe('the summary of the control plane', () => {
  it.each(['mask', 'drop'])('never shows what is to be kept out (%s)', (sanitize) => {
    const cwd = makeProject({
      'loadout.json': JSON.stringify({ controlPlane: [status], sanitize }),
      'status.json': JSON.stringify({ state: 'green', password: leak }),
    })
    for (const how of ['--json', '--explain', '--format=text']) {
      const { code, stdout, stderr } = runWarm(['context', 'cut a release', how], { cwd })
      expect({ code, isLeaked: (stdout + stderr).includes(leak) }).toEqual({ code: 0, isLeaked: false })
      if (sanitize === 'mask') expect(stdout).toContain('green')
    }
  })
})

describe('context --explain', () => {
  it('fits eighty columns, whatever the names are, and ends with the next command', () => {
    const deep = `docs/${'a-folder-with-a-long-name/'.repeat(4)}release-notes-of-everything.md`
    const cwd = makeProject({ 'AGENTS.md': 'Ask first.\n', [deep]: 'Steps.\n', 'docs/release-\u001b[31m.md': 'Red.\n' })
    const { stdout } = runWarm(['context', 'cut a release', '--explain'], { cwd })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(stdout).not.toContain('\u001b')
    expect(lines.at(-1)).toMatch(/^digest {4}[0-9a-f]{16} {3}loadout replay [0-9a-f]{16}$/)
  })

  it('is quiet about a generic project that lacks nothing it needs', () => {
    const cwd = makeProject({ 'AGENTS.md': 'Ask first.\n' })
    const { stdout } = runWarm(['context', 'rename a variable', '--explain'], { cwd, home: makeFolder() })
    expect(stdout).not.toMatch(/missing|warnings|left out|fallback/)
  })
})
