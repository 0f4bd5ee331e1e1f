import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FixPlan } from '../../src/loadout.ts'
import { makeMachine, skill } from '../cli/skills-machine.ts'

const SMALL = ['--model', 'claude-haiku-4-5'] as const

/** Each skill is described in 300 characters; the list of the small model has room for few of them. */
const equipped = (names: readonly string[], used: readonly string[] = []) => {
  const skills = Object.assign({}, ...names.map((name) => skill(name, { description: `${name} ${'why '.repeat(74)}` })))
  const machine = makeMachine({ skills })
  machine.run('equip', '--all')
  const usage = Object.fromEntries(used.map((name) => [name, { usageCount: 5, lastUsedAt: Date.now() }]))
  machine.write('.claude.json', JSON.stringify({ skillUsage: usage }))
  return machine
}
const names = Array.from({ length: 90 }, (_, at) => `s${String(at).padStart(2, '0')}`)

interface Fixed {
  plans: FixPlan[]
  state: string
}
type Machine = ReturnType<typeof equipped>
const planFor = (machine: Machine, ...args: string[]) => machine.json<Fixed>('see', ...args, '--fix', '--dry-run').plans
const fates = (machine: Machine, ...args: string[]) =>
  machine.json<{ skills: { name: string; fate: string }[] }>('see', ...args).skills

it('see --fix makes every skill usable in all agents after one yes, and takes that back byte for byte', () => {
  const machine = equipped(names, ['s88', 's89'])
  const settings = '{"model": "haiku",\n  "skillOverrides": { "s00": "on" }}'
  const config = 'model = "x"\n\n[[skills.config]]\nname = "s01"\nenabled = false\n'
  machine.write('.claude/settings.json', settings)
  machine.write('.codex/config.toml', config)
  const before = machine.tree().filter((path) => !/^\.(cache|local)/.test(path))

  const waiting = machine.run('see', '--fix', ...SMALL)
  expect([waiting.code, machine.read('.claude/settings.json')]).toEqual([3, settings])
  expect(waiting.stdout).toContain('use --yes to apply the plan')

  const [claude, codex] = planFor(machine, ...SMALL)
  expect(claude?.now).toMatchObject({ cut: 0, absent: 0 })
  expect(claude?.after.named).toBeGreaterThan(0)
  expect(claude?.after.described).toBeGreaterThanOrEqual(claude?.now.described ?? 0)
  expect(Object.keys(claude?.switches ?? {})).not.toContain('s00')
  expect(codex?.after.cut).toBe(0)
  for (const { kept, after, hook } of [claude, codex].flatMap((plan) => plan ?? [])) {
    expect(kept.used.length === 0 || kept.used.join() === 's88,s89').toBe(true)
    expect([hook, after.described + after.named + after.absent]).toEqual([
      'added',
      hook === 'added' && after.absent > 0 ? 89 : 90,
    ])
  }

  expect(machine.run('see', '--fix', '--yes', ...SMALL).stdout).toContain('Take it back: loadout see --fix --undo')
  const listed = fates(machine, 'claude', ...SMALL)
  expect(listed.filter(({ fate }) => fate === 'named')).toHaveLength(claude?.after.named ?? 0)
  expect(listed.every(({ fate }) => fate === 'visible' || fate === 'named')).toBe(true)
  expect(['s88', 's89'].every((name) => listed.some((each) => each.name === name && each.fate === 'visible'))).toBe(
    true,
  )
  expect(fates(machine, 'codex').some(({ fate }) => fate === 'cut' || fate === 'dropped')).toBe(false)
  expect(machine.json<Fixed>('see', '--fix', ...SMALL).state).toBe('nothing to do')

  expect(machine.run('see', '--fix', '--undo').code).toBe(0)
  expect([machine.read('.claude/settings.json'), machine.read('.codex/config.toml')]).toEqual([settings, config])
  expect(machine.tree().filter((path) => !/^\.(cache|local)/.test(path))).toEqual(before)
  expect(machine.run('see', '--fix', '--undo').stdout).toBe('There is nothing to take back.\n')
})

it('plans the same again after more skills came, without its own entries in the way', () => {
  const machine = equipped(names.slice(0, 40))
  machine.write('.claude/settings.json', '{}\n')
  machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  for (const name of ['later-a', 'later-b']) {
    machine.write(`.claude/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${'why '.repeat(80)}\n---\n`)
  }
  expect(fates(machine, 'claude', ...SMALL).some(({ fate }) => fate === 'dropped')).toBe(true)
  machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(fates(machine, 'claude', ...SMALL).some(({ fate }) => fate === 'dropped')).toBe(false)
  machine.run('see', 'claude', '--fix', '--undo')
  expect(machine.read('.claude/settings.json')).toBe('{}\n')
})

it('see --fix keeps what fits the project, and describes it there although the user’s list has only its name', () => {
  const texts = { 'terraform-modules': 'Write Terraform modules', 'django-views': 'Write Django views in Python' }
  const described = Object.entries(texts).map(([name, text]) =>
    skill(name, { description: `${text}. ${'It says when and why. '.repeat(16)}` }),
  )
  const others = names.slice(0, 40).map((name) => skill(name, { description: `${name} ${'why '.repeat(74)}` }))
  const machine = makeMachine({ skills: Object.assign({}, ...described, ...others) })
  machine.run('equip', '--all', '--agent', 'claude')
  machine.run('see', 'claude', '--fix', '--yes', ...SMALL)
  expect(fates(machine, 'claude', ...SMALL).find(({ name }) => name === 'django-views')?.fate).toBe('named')

  machine.write('app/.git/HEAD', 'ref: refs/heads/main\n')
  machine.write('app/requirements.txt', 'django==5.0\n')
  machine.write('app/manage.py', '')
  const place = ['--project', `${machine.home}/app`]
  const [plan] = planFor(machine, 'claude', ...SMALL, ...place)
  expect(plan?.kept.fits).toContain('django-views')
  expect(plan?.switches['django-views']).toBe('on')
  machine.run('see', 'claude', '--fix', '--yes', ...SMALL, ...place)
  const inside = fates(machine, 'claude', ...SMALL, ...place)
  expect(inside.find(({ name }) => name === 'django-views')?.fate).toBe('visible')
  expect(inside.some(({ fate }) => fate === 'dropped')).toBe(false)
  machine.run('see', 'claude', '--fix', '--undo', ...place)
  expect(machine.tree()).not.toContain('app/.claude/settings.local.json')
})

it.each([
  ['claude', '.claude/settings.json', '{} // mine', 'has comments, and the agent ignores a file with comments'],
  ['claude', '.claude/settings.json', '{"skillOverrides": []}', 'is a list, not an object'],
  ['codex', '.codex/config.toml', 'model = ', 'is not valid TOML'],
  ['codex', '.codex/config.toml', 'skills = { config = [] }\n', 'is not valid TOML, or has another form'],
])('changes nothing in settings of %s that it cannot edit: %s with %s', (agent, path, text, message) => {
  const machine = equipped(names)
  machine.write(path, text)
  const { code, stderr } = machine.run('see', agent, '--fix', '--yes', ...(agent === 'claude' ? SMALL : []))
  expect([code, machine.read(path)]).toEqual([2, text])
  expect(stderr).toContain(message)
})

it('see --fix is not needed for one long description, and status does not say that the list is full', () => {
  const machine = equipped(['a'])
  machine.write('.claude/skills/long/SKILL.md', `---\nname: long\ndescription: ${'why '.repeat(480)}\n---\n`)
  expect(machine.run('see', 'claude', '--fix').stdout).toContain('cut off')
  const { stdout } = machine.run('status')
  expect(stdout).not.toContain('full')
  expect(machine.json<Fixed>('see', 'claude', '--fix').state).toBe('nothing to do')
})

it('changes the settings of no agent if those of one are read-only, or if the record of its changes is damaged', () => {
  const machine = equipped(names)
  machine.write('.claude/settings.json', '{}\n')
  machine.write('.codex/config.toml', 'model = "x"\n')
  chmodSync(join(machine.home, '.codex/config.toml'), 0o444)
  const before = machine.tree().filter((path) => !/^\.(cache|local)/.test(path))
  expect(machine.run('see', '--fix', '--yes', ...SMALL).stderr).toContain('is read-only')
  expect(machine.tree().filter((path) => !/^\.(cache|local)/.test(path))).toEqual(before)

  chmodSync(join(machine.home, '.codex/config.toml'), 0o644)
  expect(machine.run('see', '--fix', '--yes', ...SMALL).code).toBe(0)
  const fixed = machine.tree().filter((path) => !/^\.(cache|local)/.test(path))
  machine.write('.local/state/loadout/list-switches.json', '{')
  expect(machine.run('see', '--fix', '--undo').stderr).toContain('list-switches.json should say how to undo')
  expect(machine.tree().filter((path) => !/^\.(cache|local)/.test(path))).toEqual(fixed)
})
