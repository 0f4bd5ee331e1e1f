import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { AUTHOR, connect, equip, makeLibrary, type SampleSkill } from './machine.ts'
import { Session, type StartOptions } from './pty.ts'

/** Opens the interface, and closes it after the test. */
export function open(options: StartOptions): Session {
  const session = new Session({ ...options, env: { ...AUTHOR, ...options.env } })
  onTestFinished(() => session.dispose())
  return session
}

export interface Person {
  home: string
  library: string
}

/** A user with a library and these equipped skills: `name` or `name agent`. */
export function makePerson(equipped: readonly string[] = [], skills?: Record<string, SampleSkill>): Person {
  const home = makeFolder()
  const library = makeLibrary(join(home, 'skills'), skills)
  connect(home, library)
  for (const each of equipped) {
    const [name = '', agent = 'all'] = each.split(' ')
    equip(home, name, agent)
  }
  return { home, library }
}

/** Whether an agent's folder has a skill. */
export function has(place: string, agent: 'claude' | 'codex', name: string): boolean {
  return existsSync(join(place, `.${agent}`, 'skills', name, 'SKILL.md'))
}

export function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8')
}

export const ESC = '\u001b'
export const CTRL_C = '\u0003'
export const ENTER = '\r'
