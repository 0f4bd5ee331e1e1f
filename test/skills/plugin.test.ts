import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCommand } from '../../src/agents/rules/hook-settings/hook-command.ts'
import { expectCivil } from '../cli/civil.ts'
import { makeFolder, type Run } from '../cli/run.ts'
import { commitAll, loadout, makeWorld, readTree, skillFiles, type World, write } from './world.ts'

function makeSkills(): World {
  const everywhere = { name: 'beta', description: 'About beta.', tags: ['web'], targets: ['*'] }
  return makeWorld({
    alpha: { ...skillFiles('alpha'), 'scripts/run.sh': '#!/bin/sh\n' },
    beta: { 'skill.json': JSON.stringify(everywhere), 'SKILL.md': '# Beta\n' },
  })
}

async function build(world: World, ...args: string[]): Promise<Run> {
  const run = await loadout(world, ['plugin', 'build', ...args])
  expectCivil(run)
  return run
}

const json = (world: World, path: string) => JSON.parse(readFileSync(join(world.home, path), 'utf8'))

describe('plugin build', () => {
  it('writes for each agent what its plugin command reads', async () => {
    const world = makeSkills()
    const { code, stderr } = await build(world, '--all', '--name', 'kit', '--out', 'kit')
    expect(code).toBe(0)
    expect(stderr).toContain('the plugin for copilot is without alpha, which does not support it')
    const rows: [agent: string, list: string, manifest: string, hooks: string, servers: string][] = [
      ['claude', '.claude-plugin/marketplace.json', '.claude-plugin/plugin.json', 'hooks/hooks.json', '.mcp.json'],
      ['codex', '.agents/plugins/marketplace.json', '.codex-plugin/plugin.json', 'hooks.json', '.mcp.json'],
      ['copilot', '.github/plugin/marketplace.json', '.github/plugin/plugin.json', 'hooks.json', '.mcp.json'],
      ['cursor', '.cursor-plugin/marketplace.json', '.cursor-plugin/plugin.json', 'hooks/hooks.json', 'mcp.json'],
    ]
    for (const [agent, list, manifest, hooks, servers] of rows) {
      const [plugin] = json(world, `kit/${list}`).plugins
      expect(plugin.source.path ?? plugin.source).toBe(`./${agent}`)
      expect(json(world, `kit/${agent}/${manifest}`)).toMatchObject({ name: 'kit', author: { name: 'kit' } })
      expect(json(world, `kit/${agent}/${servers}`).mcpServers.loadout).toEqual({ command: 'loadout', args: ['mcp'] })
      const commands = [
        ...readFileSync(join(world.home, 'kit', agent, hooks), 'utf8').matchAll(/"(?:command|bash)": (".*")/g),
      ].map(([, command = '']) => readCommand(JSON.parse(command), agent)?.event)
      // Those of a session, and where the agent has them those of its subagents.
      expect(commands).toHaveLength({ claude: 5, codex: 5, copilot: 4 }[agent] ?? 3)
      expect(commands).not.toContain(undefined)
      expect(existsSync(join(world.home, 'kit', agent, 'skills/beta/SKILL.md'))).toBe(true)
      expect(existsSync(join(world.home, 'kit', agent, 'skills/beta/skill.json'))).toBe(false)
      expect(existsSync(join(world.home, 'kit', agent, 'skills/alpha/SKILL.md'))).toBe(!/^c[ou][pr]/.test(agent))
    }
    expect(readTree(join(world.home, 'kit'))?.['claude/skills/alpha/scripts/run.sh']).toBe('x #!/bin/sh\n')
  })

  it('writes one package for Gemini CLI and for every client of the Agent Plugins specification', async () => {
    const world = makeSkills()
    await build(world, '--all', '--name', 'kit', '--for', 'gemini,agents', '--out', 'kit')
    const { version, ...manifest } = json(world, 'kit/plugin.json')
    const about = { name: 'kit', description: 'Skills with Loadout: alpha, beta.' }
    const $schema = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json'
    expect(manifest).toEqual({ $schema, ...about, author: { name: 'kit' } })
    expect(json(world, 'kit/mcp.json')).toEqual({
      $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
      mcpServers: { loadout: { type: 'stdio', command: 'loadout', args: ['mcp'] } },
    })
    const servers = { loadout: { command: 'loadout', args: ['mcp'] } }
    expect(json(world, 'kit/gemini-extension.json')).toEqual({ ...about, version, mcpServers: servers })
    const paths = Object.keys(readTree(join(world.home, 'kit')) ?? {})
    expect(paths.filter((path) => /SKILL|hooks\.json/.test(path))).toEqual(['hooks/hooks.json', 'skills/beta/SKILL.md'])
  })

  it('gives the same bytes anywhere, and another version for another content', async () => {
    const [one, two] = [makeSkills(), makeSkills()]
    await build(one, 'alpha', 'beta', '--out', 'here')
    await build(two, '--all', '--out', join(makeFolder(), 'there', 'deep'))
    await build(two, 'beta', 'alpha', '--out', 'here')
    expect(readTree(join(two.home, 'here'))).toEqual(readTree(join(one.home, 'here')))
    const version = json(one, 'here/claude/.claude-plugin/plugin.json').version
    expect(version).toMatch(/^0\.1\.0-x[0-9a-f]{12}$/)
    write(join(one.library, 'skills/beta'), { 'SKILL.md': '# Beta, again\n' })
    await build(one, '--all', '--out', 'here')
    expect(json(one, 'here/claude/.claude-plugin/plugin.json').version).not.toBe(version)
    await build(one, '--all', '--out', 'here', '--release', '2.0.0')
    expect(json(one, 'here/claude/.claude-plugin/plugin.json').version).toBe('2.0.0')
  })

  it('chooses by tag and profile, for some agents, or no skill at all', async () => {
    const world = makeSkills()
    write(world.library, { 'profiles/mine.json': '{ "alpha": ["claude"] }' })
    commitAll(world, 'profile')
    const skillsIn = (out: string) =>
      Object.keys(readTree(join(world.home, out)) ?? {}).filter((path) => path.endsWith('SKILL.md'))
    await build(world, '--tag', 'web', '--for', 'claude-code', '--out', 'a')
    expect(skillsIn('a')).toEqual(['claude/skills/beta/SKILL.md'])
    await build(world, '--profile', 'mine', '--for', 'claude', '--out', 'b')
    expect(skillsIn('b')).toEqual(['claude/skills/alpha/SKILL.md'])
    await build(world, '--bare', '--out', 'c')
    expect(skillsIn('c')).toEqual([])
    expect(existsSync(join(world.home, 'c/cursor/hooks/hooks.json'))).toBe(true)
  })

  it('takes back what is no longer wanted, and leaves the rest of the folder alone', async () => {
    const world = makeSkills()
    write(world.home, { 'kit/README.md': 'Mine.\n', 'kit/claude/notes.md': 'Mine.\n' })
    await build(world, '--all', '--out', 'kit')
    await build(world, 'beta', '--out', 'kit')
    expect(existsSync(join(world.home, 'kit/claude/skills/alpha'))).toBe(false)
    const before = readTree(join(world.home, 'kit'))
    expect((await build(world, 'beta', '--out', 'kit')).stdout).toMatch(/is up to date/)
    expect(readTree(join(world.home, 'kit'))).toEqual(before)
    expect(before).toMatchObject({ 'README.md': '- Mine.\n', 'claude/notes.md': '- Mine.\n' })
  })

  const OTHERS: [what: string, make: (kit: string) => void][] = [
    ['changed by hand', (kit) => writeFileSync(join(kit, 'claude/hooks/hooks.json'), '{}')],
    ['changed by hand, and no longer wanted', (kit) => writeFileSync(join(kit, 'claude/skills/alpha/SKILL.md'), 'x')],
    ['of another program', (kit) => rmSync(join(kit, 'loadout-plugin.json'))],
    [
      'a link',
      (kit) => {
        rmSync(join(kit, 'INSTALL.md'))
        symlinkSync('/etc/hostname', join(kit, 'INSTALL.md'))
      },
    ],
  ]
  it.each(OTHERS)('does not touch a file that is %s', async (_, make) => {
    const world = makeSkills()
    await build(world, '--all', '--out', 'kit')
    make(join(world.home, 'kit'))
    write(join(world.library, 'skills/beta'), { 'SKILL.md': '# Beta, again\n' })
    const before = readTree(join(world.home, 'kit'))
    const { code, stderr } = await build(world, 'beta', '--out', 'kit')
    expect([code, /not written by Loadout, or changed since/.test(stderr)]).toEqual([2, true])
    expect(readTree(join(world.home, 'kit'))).toEqual(before)
  })

  it.each([
    [[], 'Missing argument: a skill'],
    [['gamma'], 'the library has no skill "gamma"'],
    [['--tag', 'none'], 'no skill has the tag none'],
    [['--all', '--name', 'My Kit'], '"My Kit" cannot be a plugin'],
    [['--all', '--release', 'v1'], '"v1" is not a version'],
    [['--all', '--for', 'qwen'], 'qwen has no plugin format that Loadout supports'],
    [['--profile', 'none'], 'there is no profile "none"'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await build(makeSkills(), ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
