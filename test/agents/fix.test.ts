import { expect, it } from 'vitest'
import type { FixPlan } from '../../src/loadout.ts'
import { makeMachine, skill } from '../cli/skills-machine.ts'

const SMALL = ['--model', 'claude-haiku-4-5'] as const

/** Each skill is described in 300 characters; the list of the small model has room for few of them. */
const equipped = (names: readonly string[], used: readonly string[]) => {
  const skills = Object.assign({}, ...names.map((name) => skill(name, { description: `${name} ${'why '.repeat(74)}` })))
  const machine = makeMachine({ skills })
  machine.run('equip', '--all', '--target', 'claude')
  const usage = Object.fromEntries(used.map((name) => [name, { usageCount: 5, lastUsedAt: Date.now() }]))
  machine.write('.claude.json', JSON.stringify({ skillUsage: usage }))
  return machine
}
const names = Array.from({ length: 10 }, (_, at) => `s${at}`)

interface Fixed {
  plan: FixPlan
  state: string
}

it('removes the fewest copies without use, after a yes, and then all others are seen', () => {
  const machine = equipped(names, ['s0', 's1', 's2'])
  const { plan, state } = machine.json<Fixed>('see', 'claude', '--fix', '--dry-run', ...SMALL)
  expect(state).toBe('planned')
  expect(plan.shorten).toEqual([])
  expect(plan.left).toBe(0)
  expect(plan.unequip.length).toBeGreaterThan(0)
  expect(plan.unequip.some((name) => ['s0', 's1', 's2'].includes(name))).toBe(false)
  const one = plan.unequip.slice(1)
  const less = machine.json<{ skills: { fate: string }[] }>('see', 'claude', '--without', one.join(','), ...SMALL)
  expect(less.skills.some(({ fate }) => fate === 'dropped')).toBe(true)

  const waiting = machine.run('see', 'claude', '--fix', ...SMALL)
  expect(waiting.code).toBe(3)
  expect(waiting.stdout).toContain('use --yes to apply the plan')
  expect(machine.json<Fixed>('see', 'claude', '--fix', '--dry-run', ...SMALL).plan).toEqual(plan)

  const done = machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(done.code).toBe(0)
  expect(done.stdout).toContain(`${plan.unequip.length} copies removed`)
  const after = machine.json<{ skills: { name: string; fate: string }[] }>('see', 'claude', ...SMALL)
  expect(after.skills.map(({ name, fate }) => `${name} ${fate}`)).toEqual(
    names.filter((name) => !plan.unequip.includes(name)).map((name) => `${name} visible`),
  )
  expect(machine.run('see', 'claude', '--fix', ...SMALL).stdout).toBe(
    'Claude Code lists every skill that it can read.\n',
  )
})

it('lists unused skills of others only by name, and takes that back byte for byte', () => {
  const machine = equipped(names.slice(0, 2), ['s0', 's1', 'theirs-0'])
  const theirs = Array.from({ length: 9 }, (_, at) => `theirs-${at}`)
  for (const name of theirs) {
    machine.write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${'why '.repeat(74)}\n---\n`)
  }
  const settings = '{"model": "haiku",\n  "skillOverrides": { "theirs-8": "on" }}'
  machine.write('.claude/settings.json', settings)
  const { plan } = machine.json<Fixed>('see', 'claude', '--fix', '--dry-run', ...SMALL)
  expect([plan.unequip, plan.shorten, plan.left]).toEqual([[], [], 0])
  expect(plan.nameOnly.length).toBeGreaterThan(0)
  expect(plan.nameOnly.some((name) => ['theirs-0', 'theirs-8'].includes(name))).toBe(false)
  const fates = (...more: string[]) =>
    machine.json<{ skills: { name: string; fate: string }[] }>('see', 'claude', ...SMALL, ...more).skills
  const fewer = plan.nameOnly.slice(1).join(',')
  expect(fates('--name-only', fewer).some(({ fate }) => fate === 'dropped')).toBe(true)

  const done = machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(done.stdout).toContain('To undo: loadout see claude --fix --undo')
  const shown = fates()
  expect(shown.filter(({ fate }) => fate === 'hidden').map(({ name }) => name)).toEqual([...plan.nameOnly].sort())
  expect(shown.every(({ fate }) => fate === 'visible' || fate === 'hidden')).toBe(true)

  machine.run('hooks', 'install', 'claude')
  machine.run('hooks', 'remove', 'claude')
  machine.run('see', 'claude', '--fix', '--undo')
  expect(machine.read('.claude/settings.json')).toBe(settings)
  expect(machine.run('see', 'claude', '--fix', '--undo').stdout).toBe('There is nothing to take back.\n')
})

it('says that settings with comments would be passed over, and changes nothing', () => {
  const machine = equipped(names.slice(0, 1), ['s0'])
  for (const at of names.keys()) {
    machine.write(`.claude/skills/o${at}/SKILL.md`, `---\nname: o${at}\ndescription: ${'why '.repeat(99)}\n---\n`)
  }
  machine.write('.claude/settings.json', '{} // mine')
  const { code, stderr } = machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(code).toBe(2)
  expect(stderr).toContain('comments are not allowed in it')
  expect(machine.read('.claude/settings.json')).toBe('{} // mine')
})

it('names descriptions to shorten where every skill is used', () => {
  const machine = equipped(names, names)
  const { plan, state } = machine.json<Fixed>('see', 'claude', '--fix', ...SMALL)
  expect([state, plan.unequip, plan.left]).toEqual(['planned', [], 0])
  const to = plan.shorten[0]?.to ?? 0
  const lengths = (length: number) => plan.shorten.map(({ name }) => `${name}=${length}`).join(',')
  const fatesOf = (length: number) =>
    machine.json<{ skills: { fate: string }[] }>('see', 'claude', '--shorten', lengths(length), ...SMALL).skills
  expect(fatesOf(to).every(({ fate }) => fate === 'visible')).toBe(true)
  expect(fatesOf(to + 1).every(({ fate }) => fate === 'visible')).toBe(false)
})

it('removes nothing where no use is known, and says when nothing is enough', () => {
  const machine = equipped(
    Array.from({ length: 300 }, (_, at) => `skill-${at}`),
    [],
  )
  const { stdout, code } = machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(code).toBe(0)
  expect(stdout).toMatch(/Loadout removes no copy: nothing has recorded which skills are used/)
  expect(stdout).toMatch(/Even then \d+ skills would not fit/)
  expect(machine.tree().filter((path) => /\.claude\/skills\/[^/]+\/SKILL\.md/.test(path))).toHaveLength(300)
})
