import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Verification } from '../../src/loadout.ts'
import { aLinkTo, makeProject, runLoadout } from '../cli/run.ts'

const canClose =
  spawnSync('unshare', ['--map-root-user', '--net', '--mount', 'ip', 'link', 'set', 'lo', 'up']).status === 0

const PACKAGE = 'lib/node_modules/@anthropic-ai/claude-code'
const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\nText\n`

/** Asks its model as Claude Code does, with this list of skills. */
const asking = (list: string, first = '') => `#!/usr/bin/env node
const { homedir } = require('node:os')
const fs = require('node:fs')
${first}
const text = 'The following skills are available for use with the Skill tool:\\n\\n' + ${JSON.stringify(list)}
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] })
fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body }).then((r) => r.text())
`

function home(client: string): string {
  const at = makeProject({
    [`${PACKAGE}/package.json`]: JSON.stringify({ name: '@anthropic-ai/claude-code', version: '9.9.9' }),
    [`${PACKAGE}/cli.js`]: client,
    'bin/claude': aLinkTo(`../${PACKAGE}/cli.js`),
    '.claude/skills/tide/SKILL.md': skill('tide', 'Reads tide tables.'),
    '.claude/skills/weir/SKILL.md': skill('weir', 'Opens a weir.'),
    '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [] }, skillOverrides: { weir: 'name-only' } }),
    '.claude/.credentials.json': '{"key":"canary-key"}',
    'kept.txt': 'kept',
  })
  chmodSync(join(at, PACKAGE, 'cli.js'), 0o755)
  return at
}

function verify(at: string, ...more: string[]) {
  const { PATH = '' } = process.env
  const env = { PATH: `${join(at, 'bin')}:${PATH}` }
  return runLoadout(['see', 'claude', '--verify', '--json', ...more], { home: at, env })
}

describe.runIf(canClose)('see --verify', () => {
  it('says that see is right, and later uses what was measured with this version', () => {
    const at = home(asking('- tide: Reads tide tables.\n- weir\n- own-one: Comes with it.\n'))
    const { code, stdout } = verify(at)
    const verified: Verification = JSON.parse(stdout)
    expect(verified.differences).toEqual([])
    expect(verified.measured?.own.map(({ name }) => name)).toEqual(['own-one'])
    expect(code).toBe(0)
    const seen = runLoadout(['see', 'claude'], { home: at, env: { PATH: join(at, 'bin') } }).stdout.replaceAll(
      /\s+/g,
      ' ',
    )
    expect(seen).toContain('Your 9.9.9 was run on')
    expect(seen).toContain('they were right about 2 of 2 skills')
    expect(seen).toContain('its own 1 skill')
  })

  it('names what was sent otherwise, and exits with 1', () => {
    const at = home(asking('- tide\n'))
    const { code, stdout } = verify(at)
    expect(JSON.parse(stdout).differences).toEqual([
      { name: 'tide', seen: '18 characters of its description', sent: 'only its name' },
      { name: 'weir', seen: 'only its name', sent: 'not listed' },
    ])
    expect(code).toBe(1)
  })

  it('lets the client write only its copy, reach only the model, and read neither hooks nor credentials', () => {
    const look = `
const said = []
const attempt = (name, run) => { try { said.push(name + ' ' + run()) } catch (error) { said.push(name + ' ' + error.code) } }
const real = require('node:path').resolve(__filename, '../../../../..')
attempt('home', () => fs.writeFileSync(real + '/kept.txt', 'gone'))
attempt('update', () => fs.writeFileSync(__filename, 'newer'))
attempt('own', () => fs.writeFileSync(homedir() + '/mine', ''))
attempt('key', () => fs.readFileSync(homedir() + '/.claude/.credentials.json'))
attempt('hooks', () => fs.readFileSync(homedir() + '/.claude/settings.json', 'utf8').includes('hooks'))
attempt('networks', () => Object.keys(require('node:os').networkInterfaces()))
console.error(said.join('; '))
process.exit(3)`
    const at = home(asking('', look))
    const before = readFileSync(join(at, PACKAGE, 'cli.js'), 'utf8')
    const { code, stderr } = verify(at)
    expect(stderr).toContain('home EROFS; update EROFS; own undefined; key ENOENT; hooks false; networks lo')
    expect(code).toBe(2)
    expect(readFileSync(join(at, 'kept.txt'), 'utf8')).toBe('kept')
    expect(readFileSync(join(at, PACKAGE, 'cli.js'), 'utf8')).toBe(before)
  })

  it('stops a client that hangs, with everything that it started', () => {
    const at = home(
      asking(
        '',
        "require('node:child_process').spawn('sleep', ['61'], { detached: true }); setInterval(() => {}, 1000); return",
      ),
    )
    const { code, stderr } = verify(at, '--seconds', '2')
    expect(stderr).toContain('was stopped after 2 seconds without a request to its model')
    expect(code).toBe(2)
    const commands = readdirSync('/proc').flatMap((id) =>
      /^\d+$/.test(id) && existsSync(`/proc/${id}/cmdline`) ? [readFileSync(`/proc/${id}/cmdline`, 'utf8')] : [],
    )
    expect(commands).not.toContain('sleep\u000061\u0000')
  })

  it('says what a client said that ended without asking its model', () => {
    const at = home('#!/bin/sh\necho "Please run /login" >&2\nexit 1\n')
    const { code, stderr } = verify(at)
    expect(stderr).toContain('ended without a request to its model: Please run /login')
    expect(code).toBe(2)
  })
})
