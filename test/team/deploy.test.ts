import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { atEnd, CLI, CODE_CACHE, makeFolder } from '../cli/run.ts'
import { ask, askForPostgres, makeDatabase } from './postgres.ts'

const FOLDER = join(import.meta.dirname, '../../deploy')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const compose = parse(read('compose.yaml'))
const kubernetes = parseAllDocuments(read('kubernetes.yaml')).map((each) => each.toJS())
const [container] = kubernetes[0].spec.template.spec.containers

let address: string
beforeAll(async () => {
  address = await makeDatabase(await askForPostgres(inject('postgres')))
})

/** Starts the server with nothing but these variables, as a container or a unit does. */
async function serve(env: Record<string, string>): Promise<{ said: () => string; call: Call }> {
  const child = spawn(process.execPath, [CLI, 'team', 'serve'], {
    cwd: makeFolder(),
    env: { PATH: process.env.PATH, ...CODE_CACHE, ...env, LOADOUT_TEAM_PORT: '0' },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  atEnd(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'close')
  })
  await expect.poll(() => said + child.exitCode).toMatch(/serving http|\d$/)
  const [, port] = /serving http:\/\/[\d.]+:(\d+)/.exec(said) ?? []
  return { said: () => said, call: (path, host) => call(Number(port), path, host) }
}

type Call = (path: string, host?: string) => Promise<number | undefined>

function call(port: number, path: string, host = '10.0.0.7:8418'): Promise<number | undefined> {
  return new Promise((answered, fail) =>
    request({ port, path, headers: { host } }, (reply) => answered(reply.resume().statusCode))
      .on('error', fail)
      .end(),
  )
}

/** A file with a secret, as the orchestrator mounts it. */
function secretFile(text: string): string {
  const path = join(makeFolder(), 'secret')
  writeFileSync(path, `${text}\n`)
  return path
}

const variablesOf = (text: string) => [...new Set(text.match(/LOADOUT_TEAM_[A-Z_]+/g))]

describe('the files of deploy/', () => {
  it('set only variables that the program reads', () => {
    const known = readFileSync(join(FOLDER, '../src/team/serve.ts'), 'utf8')
    const names = ['Containerfile', 'compose.yaml', 'Caddyfile', 'loadout-team.service', 'kubernetes.yaml']
    for (const variable of names.flatMap((name) => variablesOf(read(name)))) {
      const name = variable.replace('LOADOUT_TEAM_', '').replace(/^(DATABASE)_FILE$/, '$1')
      expect(known, variable).toContain(`('${name}')`)
    }
  })

  it('agree about the port, and expose nothing but the proxy', () => {
    expect(read('Containerfile')).toContain('EXPOSE 8418')
    expect(read('Caddyfile')).toContain('reverse_proxy server:8418')
    expect(container.ports).toEqual([{ containerPort: 8418 }])
    expect(kubernetes[1].spec.ports).toEqual([{ port: 80, targetPort: 8418 }])
    const open = Object.entries<{ ports?: unknown }>(compose.services).filter(([, { ports }]) => ports !== undefined)
    expect(open.map(([name]) => name)).toEqual(['proxy'])
  })

  it('keep no secret in a variable', () => {
    for (const { environment } of Object.values<{ environment: Record<string, string> }>(compose.services)) {
      expect(Object.keys(environment).filter((name) => /PASSWORD$|DATABASE$|TOKEN$/.test(name))).toEqual([])
    }
    expect(container.env.map(({ name }: { name: string }) => name)).not.toContain('LOADOUT_TEAM_DATABASE')
  })

  it('start as the compose file and the pod say: probes and metrics answer by address, all else only by its name', async () => {
    const { call: ask } = await serve({
      HOME: '/nonexistent',
      LOADOUT_TEAM_LISTEN: '0.0.0.0',
      LOADOUT_TEAM_HOST: 'team.example.com',
      LOADOUT_TEAM_DATABASE_FILE: secretFile(address),
    })
    const { livenessProbe, readinessProbe } = container
    for (const path of [livenessProbe.httpGet.path, readinessProbe.httpGet.path, '/metrics']) {
      expect(await ask(path)).toBe(200)
    }
    expect([await ask('/v1/report'), await ask('/v1/report', 'team.example.com')]).toEqual([403, 401])
  })

  it('start as the systemd unit says: the first token goes to a file of the service, once', async () => {
    const unit = read('loadout-team.service')
    const state = makeFolder()
    mkdirSync(join(state, 'loadout-team'))
    const given = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace('%S', state).replace('%d/database', secretFile(address)),
    ])
    await ask(address, 'DROP SCHEMA IF EXISTS loadout_team CASCADE')
    const first = await serve(Object.fromEntries(given))
    const file = join(state, 'loadout-team/first-token')
    expect(readFileSync(file, 'utf8')).toMatch(/^ldt_\S+\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first.said()).not.toContain('ldt_')
    // A restart changes nothing.
    expect((await serve(Object.fromEntries(given))).said()).toContain('serving')
  })

  it('make a password once, with an address that agrees', () => {
    const folder = makeFolder()
    cpSync(join(FOLDER, 'secrets.sh'), join(folder, 'secrets.sh'))
    const make = () => {
      expect(spawnSync('sh', [join(folder, 'secrets.sh')]).status).toBe(0)
      return ['database_password', 'database_address'].map((name) =>
        readFileSync(join(folder, 'secrets', name), 'utf8'),
      )
    }
    const [password, place] = make()
    expect(password).toMatch(/^[0-9a-f]{48}$/)
    expect(place).toBe(`postgres://loadout:${password}@database:5432/loadout`)
    expect(make()).toEqual([password, place])
    expect(statSync(join(folder, 'secrets/database_password')).mode & 0o077).toBe(0)
  })

  it('name a dashboard whose every query runs on the documented views', async () => {
    await (await serve({ HOME: makeFolder(), LOADOUT_TEAM_DATABASE: address })).call('/live')
    const { panels } = JSON.parse(read('grafana.json'))
    expect(panels.length).toBeGreaterThan(4)
    for (const { targets } of panels) await ask(address, targets[0].rawSql)
  })
})

describe('a variable that is wrong is named, and nothing is served', () => {
  const rows: [variables: Record<string, string>, said: RegExp][] = [
    [{ LOADOUT_TEAM_KEEP_DAYS: 'many' }, /LOADOUT_TEAM_KEEP_DAYS is not a number: many/],
    [
      { LOADOUT_TEAM_DATABASE_FILE: '/no/such/file' },
      /LOADOUT_TEAM_DATABASE_FILE names cannot be read: \/no\/such\/file/,
    ],
    [{ LOADOUT_TEAM_DATABASE: 'mysql://x@y/z' }, /postgres:\/\//],
    [{ LOADOUT_TEAM_DATABASE: 'postgres://x@127.0.0.1:1/x', LOADOUT_TEAM_LISTEN: '0.0.0.0' }, /--host/],
    [{}, /LOADOUT_TEAM_DATABASE/],
  ]
  it.each(rows)('%j', (env, said) => {
    const run = spawnSync(process.execPath, [CLI, 'team', 'serve'], {
      env: { HOME: makeFolder(), ...CODE_CACHE, ...env },
    })
    expect([run.status, String(run.stderr)]).toEqual([2, expect.stringMatching(said)])
  })
})
