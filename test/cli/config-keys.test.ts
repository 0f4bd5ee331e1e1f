import { describe, expect, it } from 'vitest'
import { makeMachine } from './skills-machine.ts'

const MISSPELT = {
  pakcs: { maxDepth: 1 },
  targts: { claude: { enabled: false } },
  packs: { maxDeph: 1 },
}
const NAMED = ['did you mean "packs"?', 'did you mean "targets"?', 'did you mean "packs.maxDepth"?']

describe('keys of config.json that nothing reads', () => {
  const machine = makeMachine({ config: MISSPELT })

  it.each([
    ['inventory'],
    ['plan', 'x'],
    ['context', 'x'],
    ['packs', 'list'],
    ['search', 'x'],
    ['doctor'],
    ['agents'],
    ['agents', 'enable', 'cursor'],
  ])('%s %s names them and goes on', (...args) => {
    const run = machine.run(...args)
    expect(run.code).toBe(1)
    for (const named of NAMED) expect(run.stdout + run.stderr).toContain(named)
    for (const named of NAMED) expect((run.stdout + run.stderr).split(named)).toHaveLength(2)
  })

  it('stay when the file is written', () => {
    expect(JSON.parse(machine.read('.config/loadout/config.json'))).toMatchObject(MISSPELT)
  })

  it('a bad value costs only what it configures', () => {
    const other = makeMachine({ config: { packs: { maxDepth: 'deep' } } })
    expect(other.run('inventory').code).toBe(0)
    expect(other.run('plan', 'x').code).toBe(0)
    expect(other.run('packs', 'list')).toMatchObject({ code: 2, stderr: expect.stringContaining('packs.maxDepth') })
    const context = other.run('context', 'x')
    expect(context).toMatchObject({ code: 1, stderr: expect.stringContaining('packs.maxDepth') })
    expect(other.run('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining('packs.maxDepth') })
  })
})
