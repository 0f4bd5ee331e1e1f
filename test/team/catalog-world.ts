import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { askForPostgres, makeDatabase, withClient } from './postgres.ts'
import { makeMachine, startTeam, type TestMachine, type TestServer } from './server.ts'

export interface Member extends TestMachine {
  library: string
  /** The text of an installed skill; undefined when it is not installed. */
  installed(name: string): string | undefined
}

interface Joining {
  role?: 'admin' | 'maintainer' | 'member'
  group?: string
  /** A file of signers to pin. */
  signers?: string
  now?: () => Date
}

/** A team, the library that all its machines clone, and an administrator who may sign. */
export interface CatalogWorld {
  team: TestServer
  author: Member
  joinAs(joining?: Joining): Promise<Member>
  writeSkill(name: string, text: string): void
  /** Commits the author's library and pushes it. */
  publishLibrary(message?: string): void
  /** Publishes and approves the committed version of a skill. */
  approve(name: string, version: string, groups?: string[]): Promise<void>
  /** Writes a skill, commits it, publishes it and approves it. */
  release(name: string, version: string, text: string, groups?: string[]): Promise<void>
  /** Replaces the list of signers in the library. */
  allow(signers: string): void
  /** Changes the database behind the server's back. */
  change(sql: string, values?: unknown[]): Promise<unknown>
}

export async function startCatalog(): Promise<CatalogWorld> {
  const team = await startTeam(await makeDatabase(await askForPostgres(inject('postgres'))))
  const origin = join(makeFolder(), 'library.git')
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin])
  const joinAs = async ({ role = 'member', group = 'web', signers, now }: Joining = {}): Promise<Member> => {
    const machine = makeMachine(now && { now })
    const library = join(machine.home, 'library')
    git(machine.home, 'clone', '--quiet', origin, library)
    if (!existsSync(join(library, '.git/refs/heads/main'))) git(library, 'checkout', '--quiet', '-B', 'main')
    mkdirSync(join(machine.home, '.claude/skills'), { recursive: true })
    await machine.loadout.skills.initialize({ repo: library })
    await machine.loadout.team.join({ url: team.url, token: await team.token(role, group), signers })
    const installed = (name: string) => {
      const path = join(machine.home, '.claude/skills', name, 'SKILL.md')
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    }
    return { ...machine, library, installed }
  }
  const author = await joinAs({ role: 'admin' })
  const world: CatalogWorld = {
    team,
    author,
    joinAs,
    writeSkill: (name, text) => {
      const folder = join(author.library, 'skills', name)
      mkdirSync(folder, { recursive: true })
      const description = `Checks ${name}.`
      writeFileSync(join(folder, 'skill.json'), JSON.stringify({ name, description, targets: ['claude'] }))
      writeFileSync(join(folder, 'SKILL.md'), `# ${name}\n\n${text}\n`)
    },
    publishLibrary: (message = 'Change the library') => {
      git(author.library, 'add', '--all')
      git(author.library, 'commit', '--quiet', '--message', message)
      git(author.library, 'push', '--quiet', 'origin', 'HEAD:main')
      git(author.library, 'branch', '--quiet', '--set-upstream-to=origin/main')
    },
    approve: async (name, version, groups) => {
      await author.loadout.team.publish({ name, version })
      await author.loadout.team.approve({ name, version, groups })
    },
    release: async (name, version, text, groups) => {
      world.writeSkill(name, text)
      world.publishLibrary()
      await world.approve(name, version, groups)
    },
    allow: (signers) => {
      mkdirSync(join(author.library, 'catalog'), { recursive: true })
      writeFileSync(join(author.library, 'catalog/allowed_signers'), signers)
      world.publishLibrary('Change who may approve')
    },
    change: (sql, values = []) => withClient(team.databaseUrl, (client) => client.query(sql, values)),
  }
  world.allow(`admin@example.com ${makeKey(author, 'id_ed25519')}\n`)
  return world
}

export function git(folder: string, ...words: string[]): string {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
    encoding: 'utf8',
    env,
  }).trim()
}

/** Makes an SSH key for a person and returns the public key. */
export function makeKey({ home }: TestMachine, name: string): string {
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 })
  const path = join(home, '.ssh', name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path])
  return readFileSync(`${path}.pub`, 'utf8').trim()
}

/** The codes of the findings of a command. */
export async function codesOf(run: Promise<{ findings: { code: string }[] }>): Promise<string[]> {
  return (await run).findings.map(({ code }) => code)
}

/** The messages of the findings of a command, in one text. */
export async function saidBy(run: Promise<{ findings: { message: string }[] }>): Promise<string> {
  return (await run).findings.map(({ message }) => message).join('\n')
}
