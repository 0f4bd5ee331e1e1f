import { join } from 'node:path'
import { Config } from '../agents/config.ts'
import { libraryFile, textWith } from '../examples/examples.ts'
import type { Example } from '../examples/rules/example.ts'
import { staysInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { estimateTokens } from '../text/tokens.ts'
import type { Finding } from '../text/trouble.ts'
import { recordUsage } from '../usage/record.ts'
import { type Build, buildFor, readBuild, readBuildFile } from './disk/build.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { writeTreeFile } from './disk/tree.ts'
import { readLibrary } from './gate.ts'
import { Installs } from './installs.ts'
import { asWriter } from './observe.ts'
import { nameProblem } from './rules/skill.ts'

export interface LibrarySkill {
  name: string
  description: string
}

/** The usable skills of the library, by name. Empty without a library. */
export function listLibrarySkills(machine: Machine, _: object): LibrarySkill[] {
  const library = new Config(machine).library
  if (library === undefined) return []
  const { skills, findings } = readLibrary(new Repository(machine, library))
  machine.report(...findings)
  return skills.map(({ skill: { name, description } }) => ({ name, description }))
}

/** All files of one skill by path, in the general form for agents; undefined if the skill does not exist. */
export function openLibrarySkill(machine: Machine, { name }: { name: string }): Record<string, Uint8Array> | undefined {
  const build = buildSkill(machine, name)
  return build && readBuild(build)
}

/** One file of a skill; undefined if it does not exist. Reading its text counts as a use. */
export function readLibraryFile(
  machine: Machine,
  { name, path }: { name: string; path: string },
): Uint8Array | undefined {
  const build = buildSkill(machine, name)
  const value = build && readBuildFile(build, path)
  machine.report(...(path === DOCUMENT_FILE && value !== undefined ? recordRead(machine, name, value) : []))
  return value
}

function recordRead(machine: Machine, name: string, document: Uint8Array): Finding[] {
  const tokens = estimateTokens(Buffer.from(document).toString())
  const entry = { id: name, kind: 'skill', trigger: 'lookup', mode: 'manual', tokens } as const
  return recordUsage(machine, { task: `skill ${name}`, stage: 'used', entries: [entry] })
}

function buildSkill(machine: Machine, name: string): Build | undefined {
  const library = new Config(machine).library
  if (library === undefined || nameProblem(name) !== undefined) return undefined
  const { skills, withheld } = readLibrary(new Repository(machine, library))
  const refusal = withheld.get(name)
  if (refusal !== undefined) throw refusal
  const found = skills.find(({ skill }) => skill.name === name)
  if (found === undefined || !staysInside(library, found.folder)) return undefined
  return buildFor(join(library, found.folder), found.skill, 'agents')
}

/** Writes examples beside the skills of the library, and commits exactly these files. Returns the commit. */
export async function teachLibrary(
  machine: Machine,
  fresh: ReadonlyMap<string, readonly Example[]>,
  wantsCommit: boolean,
): Promise<string | undefined> {
  const installs = new Installs(machine, {})
  await installs.repo.require()
  const { library, repo } = installs
  const skills = [...fresh.keys()]
  const run = async (): Promise<string | undefined> => {
    const changes = [...fresh].map(([skill, examples]) => {
      const file = libraryFile(library, skill)
      const text = textWith(file, examples)
      return { path: file.path, write: (stage: string) => void writeTreeFile(stage, text, false) }
    })
    const whose = skills.length === 1 ? skills[0] : `${skills.length} skills`
    const message = wantsCommit ? `Teach examples of ${whose}` : undefined
    return changeLibrary(repo, { changes, message })
  }
  return asWriter(installs, [], 'teach', run)
}
