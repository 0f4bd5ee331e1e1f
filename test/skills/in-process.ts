import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createLoadout, type Loadout } from '../../src/loadout.ts'
import { envOf, makeWorld, skillFiles, type World } from './world.ts'

/** A world with the program's calls, made in this process: starting it for each row would be most of the time. */
export interface Person extends World {
  calls: Loadout
  read(...parts: string[]): string
  has(...parts: string[]): boolean
  put(path: string, text: string | Uint8Array): void
  add(path: string, text: string): void
}

export function personIn(world: World): Person {
  const now = () => new Date('2026-01-02T03:04:05Z')
  const calls = createLoadout({ persist: true, home: world.home, cwd: world.home, env: envOf(world), now })
  const path = (...parts: string[]) => join(world.home, ...parts)
  return {
    ...world,
    calls,
    read: (...parts) => readFileSync(path(...parts), 'utf8'),
    has: (...parts) => existsSync(path(...parts)),
    put(file, text) {
      mkdirSync(dirname(path(file)), { recursive: true })
      writeFileSync(path(file), text)
    },
    add: (file, text) => appendFileSync(path(file), text),
  }
}

/** A person with one skill, equipped for both agents. */
export async function makePerson(files: Record<string, string>): Promise<Person> {
  const person = personIn(makeWorld({ alpha: { ...skillFiles('alpha'), ...files } }))
  await person.calls.skills.equip({ names: ['alpha'] })
  return person
}
