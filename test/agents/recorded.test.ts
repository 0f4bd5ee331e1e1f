import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentsTable } from '../../scripts/agents-table.ts'
import { RECORDED_CLIENTS } from '../../scripts/record/clients.ts'
import { mergeSettings } from '../../src/agents/disk/client-home.ts'
import { requireAgent } from '../../src/agents/rules/agents.ts'
import { recordedRules } from '../../src/agents/rules/recorded-rules.ts'
import type { SeenSkill } from '../../src/agents/rules/visibility.ts'
import { type SeenByAgent, seeAgent } from '../../src/agents/see.ts'
import { Machine } from '../../src/machine/machine.ts'
import { makeProject } from '../cli/run.ts'
import { installAgent } from '../installed-agents.ts'
import {
  INSTRUCTION_WORLDS,
  librarySkills,
  libraryWorld,
  nameAt,
  PLACES,
  placesWorld,
  SIZES,
  type World,
} from './worlds.ts'

interface Recording {
  agent: string
  version: string
  recorded: string
  places: { read: string[]; twice: string[] }
  /** Of the smallest library, with settings that switch some of its skills. */
  switched?: (number | null)[]
  instructions: Record<string, [path: string, bytes: number][]>
  libraries: {
    size: number
    asked?: string
    model: string
    budget?: number
    characters: number
    own: [name: string, characters: number][]
    shown: (number | null)[]
  }[]
}

const FOLDER = join(import.meta.dirname, 'recorded')
const RECORDINGS = readdirSync(FOLDER).map((name): Recording => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))

const homeOf = (world: World) =>
  makeProject({ ...world, 'proj/sub/.keep': '', 'proj/.git/HEAD': 'ref: refs/heads/main\n' })

/** On a machine on which the recorded version is installed. */
function see({ agent, version }: Recording, home: string, model?: string): SeenByAgent {
  const program = recordedRules(agent)?.program
  if (program === undefined) throw new Error(`there are no rules of ${agent}`)
  const env = { PATH: installAgent(home, program, version) }
  const machine = new Machine({ cwd: home, home, env, now: () => new Date(0) })
  const value = seeAgent(machine, { agent, project: join(home, 'proj/sub'), model })
  expect(value).toMatchObject({ program: { version }, recordedFrom: { version } })
  return value
}

const LISTED = ['visible', 'undescribed', 'cut', 'dropped', 'ambiguous', 'shadowed']

/** Skills that Codex puts into its own folder when it first runs, as long as those that it listed. */
function ownWorld({ agent, libraries }: Recording): World {
  if (agent !== 'codex') return {}
  const own = libraries[0]?.own ?? []
  return Object.fromEntries(
    own.map(([name, characters]) => {
      const description = 'x'.repeat(characters - `- ${name}:  (file: r1/${name}/SKILL.md)\n`.length)
      return [`.codex/skills/.system/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\n`]
    }),
  )
}

const userFolder = (agent: string) => requireAgent(agent).userFolder ?? ''

describe.each(RECORDINGS.map((recording) => [`${recording.agent} ${recording.version}`, recording] as const))(
  '%s',
  (_, recording) => {
    it.each(SIZES)('of %i skills, see shows what was sent', (size) => {
      const runs = recording.libraries.filter((run) => run.size === size)
      expect(runs.length).toBeGreaterThan(0)
      const home = homeOf({ ...libraryWorld(userFolder(recording.agent), size), ...ownWorld(recording) })
      for (const { asked, budget, shown, own, characters, model } of runs) {
        const sight = see(recording, home, asked)
        if (budget !== undefined) expect(sight.budget?.budget, model).toBe(budget)
        const listed = new Map(sight.skills.map((skill) => [skill.name, skill]))
        const seen = librarySkills(size).map(({ name }) => shownBy(listed.get(name)))
        expect(seen, `${model}, ${size}`).toEqual(shown)
        expect(sizeOf(sight, home), model).toBe(characters - own.reduce((sum, [, each]) => sum + each, 0))
        const agents = sight.skills.filter(({ scope, characters: { line } }) => scope === 'agent' && line > 0).length
        expect(sight.own.count + agents).toBe(own.length)
      }
    })

    it.runIf(recording.switched)('see knows which skills the settings switch', () => {
      const client = RECORDED_CLIENTS.find(({ agent }) => agent === recording.agent)
      const home = homeOf(libraryWorld(userFolder(recording.agent), SIZES[0]))
      for (const [path, values] of Object.entries(client?.switches?.(home) ?? {})) {
        mkdirSync(dirname(join(home, path)), { recursive: true })
        writeFileSync(join(home, path), mergeSettings(path, '', values))
      }
      const listed = new Map(see(recording, home).skills.map((skill) => [skill.name, skill]))
      expect(librarySkills(SIZES[0]).map(({ name }) => shownBy(listed.get(name)))).toEqual(recording.switched)
    })

    it('see reads the places that it reads', () => {
      const home = homeOf(placesWorld())
      const sight = see(recording, home)
      const placeOf = ({ path }: SeenSkill) => path.slice(home.length + 1).replace(/\/[^/]+\/SKILL\.md$/, '')
      const named = new Map(PLACES.map((place) => [nameAt(place), place]))
      const read = sight.skills.filter(({ name, fate }) => named.has(name) && LISTED.includes(fate)).map(placeOf)
      expect(read.sort()).toEqual([...recording.places.read].sort())
      const twice = sight.skills.filter(({ name, characters: { line } }) => name === 'twice' && line > 0)
      // Of which only one is listed, and it is not known which.
      if (twice.some(({ why }) => why.includes('not known'))) expect(recording.places.twice).toHaveLength(1)
      else expect(twice.map(placeOf).sort()).toEqual([...recording.places.twice].sort())
    })

    it.each(Object.keys(INSTRUCTION_WORLDS))('see reads the instructions that it reads: %s', (name) => {
      const home = homeOf(INSTRUCTION_WORLDS[name] ?? {})
      const read = see(recording, home).instructions.flatMap(({ path, read: bytes }): [string, number][] =>
        bytes > 0 ? [[path.slice(home.length + 1), bytes]] : [],
      )
      // Droid counts its own words between the files, which depend on their paths.
      const near = (bytes: number) => (recording.agent === 'droid' && bytes < 20_000 ? Math.round(bytes / 1000) : bytes)
      const rounded = (files: readonly (readonly [string, number])[]) =>
        Object.fromEntries(files.map(([path, bytes]) => [path, near(bytes)]))
      expect(rounded(read)).toEqual(rounded(recording.instructions[name] ?? []))
    })
  },
)

/** As recordings say it: characters of the description, 0 for a bare name, null for a skill that is not listed. */
function shownBy(skill: SeenSkill | undefined): number | null {
  if (skill === undefined || skill.characters.line === 0) return null
  return skill.characters.shown
}

/** Of all but the agent's own skills. Recordings write `~` for the home folder, and end each line. */
function sizeOf({ agent, skills }: SeenByAgent, home: string): number {
  const lines = skills.filter(({ scope, characters }) => scope !== 'agent' && characters.line > 0)
  const listing = recordedRules(agent)?.rows.at(-1)?.rules.listing
  const shortened = listing?.shows === 'path' ? home.length - 1 : 0
  // Names alone are separated by commas.
  const ends = listing?.overflow === 'drop' ? 1 : listing?.perSkill === 0 ? -1 : 0
  return lines.reduce((sum, { characters }) => sum + characters.line - shortened, ends)
}

it('rules name the day of their recording', () => {
  for (const { agent, version, recorded } of RECORDINGS) {
    const row = recordedRules(agent)?.rows.find((each) => each.version === version)
    expect(row?.recorded, `${agent} ${version}`).toBe(recorded)
  }
})

it('docs/agents/recorded.md is what the recordings say', () => {
  expect(readFileSync('docs/agents/recorded.md', 'utf8')).toBe(agentsTable())
})
