import { basename, join, resolve } from 'node:path'
import { Config } from '../agents/config.ts'
import { isFile, isFolder, readJson, readText } from '../machine/files.ts'
import { readInside, writeInside } from '../machine/inside.ts'
import { namesIn } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { importedDocument, installedDocument } from '../machine/skill-document.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { discoverSkills } from './disk/foreign-skill.ts'
import { changeLibrary, type LibraryChange } from './disk/library-transaction.ts'
import { buildFor, copyTree, hashFile, hashRows, listTree, readBuild, writeTreeFile } from './disk/tree.ts'
import { readLibrary } from './gate.ts'
import { Installs } from './installs.ts'
import { asWriter } from './observe.ts'
import { formatSkill, nameProblem, requireName, requireSkill, SKILL_FILE } from './rules/skill.ts'
import {
  findRegressions,
  formatResults,
  isAsExpected,
  parseResults,
  type Regression,
  type ResultRow,
  type SkillResults,
  withRow,
} from './rules/test-results.ts'

/** A skill that can be put before an agent, and its place. */
export interface TestedSkill {
  name: string
  description: string
  /** Where its own tests are. */
  folder: string
  /** Of its files, without results. */
  digest: string
  /** From another author, or from a folder that the library does not have: nothing of it runs unasked. */
  isOutside: boolean
  /** As the agent gets it, with this description instead of its own if there is one. */
  files(agent: string, description?: string): Readonly<Record<string, Uint8Array | string>>
}

const RESULTS_FOLDER = 'results'
const MOST_BYTES = 32 * 1024 * 1024

/** Named skills of the library, or all in a folder. Throws for one that is in quarantine: it reaches no model. */
export class TestedSkills {
  private readonly machine: Machine
  /** The library, or the named folder: `results/` lies there. */
  readonly root: string
  readonly isLibrary: boolean
  readonly skills: TestedSkill[]

  constructor(machine: Machine, named: readonly string[]) {
    this.machine = machine
    const [first = '.', second] = named
    const folder = resolve(machine.cwd, first)
    const { library } = new Config(machine)
    const isPath = nameProblem(first) !== undefined || library === undefined
    if (isPath && isFolder(folder) && second !== undefined) {
      throw failWith('USAGE/unexpected', { word: second, command: 'test' })
    }
    this.isLibrary = library !== undefined && (!isPath || !isFolder(folder) || folder === library)
    this.root = this.isLibrary ? library! : folder
    if (!this.isLibrary) {
      if (!isPath || !isFolder(folder)) throw failWith('NOT_A_FOLDER/tested', { folder })
      this.skills = skillsIn(folder)
      return
    }
    const registry = readLibrary(new Repository(machine, this.root))
    const isAll = isPath && folder === library
    const wanted = isAll ? registry.skills : named.map((name) => requireSkill(registry, requireName(name)))
    this.skills = wanted.map(({ skill, folder: inside, sourceHash }): TestedSkill => {
      const at = join(this.root, inside)
      const { name, description } = skill
      const files: TestedSkill['files'] = (agent, described = description) =>
        readBuild(buildFor(at, { ...skill, description: described }, agent))
      const digest = sourceHash.slice(0, 12)
      return { name, description, folder: at, digest, isOutside: skill.source !== undefined, files }
    })
  }

  /** Keeps results, and commits exactly these files in a library. Returns their paths below the root. */
  async keepResults(fresh: ReadonlyMap<string, readonly ResultRow[]>): Promise<string[]> {
    const rows = resultTexts(this.root, fresh)
    if (rows.length === 0) return []
    const whose = rows.length === 1 ? [...fresh.keys()][0] : `${rows.length} skills`
    const changes = rows.map(([path, text]) => {
      return { path, write: (stage: string) => void writeTreeFile(stage, text, false) }
    })
    if (this.isLibrary) await this.commit(changes, `Keep results of ${whose}`)
    else for (const [path, text] of rows) writeInside(this.root, path, text)
    return rows.map(([path]) => path)
  }

  /** Gives the one skill a new description, and commits that in a library. Returns the path of the changed file. */
  async keepDescription(description: string): Promise<string> {
    const [{ name, folder }] = this.skills as [TestedSkill]
    if (!this.isLibrary) {
      const text = installedDocument({ name, description }, {}, readText(join(folder, DOCUMENT_FILE)))
      return this.replaceFile(folder, DOCUMENT_FILE, text, '')
    }
    const { skill } = requireSkill(readLibrary(new Repository(this.machine, this.root)), name)
    return this.replaceFile(folder, SKILL_FILE, formatSkill({ ...skill, description }), `Describe ${name} better`)
  }

  /** Writes prompts as tests beside the one skill: `evals/eval_queries.json`, the form that public repositories use. */
  async addCases(prompts: readonly string[], not: boolean): Promise<{ path: string; cases: number }> {
    const [skill, second] = this.skills
    if (skill === undefined || second !== undefined) throw failWith('USAGE/one-skill')
    const { folder, name } = skill
    const path = 'evals/eval_queries.json'
    const before = isFile(join(folder, path)) ? readJson(join(folder, path)) : []
    if (!Array.isArray(before))
      throw failWith('BAD_SUITE/form', { path: join(folder, path), problem: 'it is not a list' })
    const known = new Set(before.map((each: unknown) => (isRecord(each) ? each.query : undefined)))
    const fresh = prompts.filter((prompt) => !known.has(prompt)).map((query) => ({ query, should_trigger: !not }))
    const text = `[\n${[...before, ...fresh].map((each) => `  ${JSON.stringify(each)}`).join(',\n')}\n]\n`
    return {
      path: await this.replaceFile(folder, path, text, `Add tests of ${name}`),
      cases: before.length + fresh.length,
    }
  }

  /** Writes one file of a skill, and commits that in a library. Returns its path below the root. */
  private async replaceFile(folder: string, path: string, text: string, message: string): Promise<string> {
    const inside = folder.slice(this.root.length + 1)
    const write = (stage: string) => {
      copyTree(folder, stage, [path])
      writeTreeFile(join(stage, path), text, false)
    }
    if (this.isLibrary) await this.commit([{ path: inside, write }], message)
    else writeInside(this.root, join(inside, path), text)
    return join(inside, path)
  }

  private async commit(changes: LibraryChange['changes'], message: string): Promise<void> {
    const installs = new Installs(this.machine, {})
    await installs.repo.require()
    await asWriter(installs, [], 'test', () => changeLibrary(installs.repo, { changes, message }))
  }
}

/** A use case on the skills that its request names. */
function withTested<Request extends { what: readonly string[] }, Result>(
  run: (tested: TestedSkills, request: Request) => Promise<Result>,
): (machine: Machine, request: Request) => Promise<Result> {
  return async (machine, request) => run(new TestedSkills(machine, request.what), request)
}

export const keepDescription = withTested((tested, request: { what: readonly string[]; description: string }) =>
  tested.keepDescription(request.description),
)

export const addCases = withTested(
  (tested, { prompts, not = false }: { what: readonly string[]; prompts: readonly string[]; not?: boolean }) =>
    tested.addCases(prompts, not),
)

function skillsIn(root: string): TestedSkill[] {
  return discoverSkills(root).skills.map(({ path, folder }) => {
    const text = readText(join(path, DOCUMENT_FILE))
    const { name: said, description = '' } = importedDocument(text)
    const name = said !== undefined && nameProblem(said) === undefined ? said : basename(path)
    const files = listTree(path).files.filter((file) => folder !== '' || !file.path.startsWith(`${RESULTS_FOLDER}/`))
    const rows = files.map((file) => [file.path, file.isExecutable, hashFile(path, file)] as const)
    return {
      name,
      description,
      folder: path,
      digest: hashRows(rows).slice(0, 12),
      isOutside: true,
      files: (_, described) => {
        const plain = files.filter(({ kind }) => kind === 'file')
        if (plain.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) {
          throw failWith('FILE_TOO_LARGE/client', { folder: path, mostFiles: plain.length })
        }
        const found = Object.fromEntries(
          plain.flatMap((file) => {
            const { bytes } = readInside(path, file.path, { most: MOST_BYTES })
            return bytes === undefined ? [] : [[file.path, bytes] as const]
          }),
        )
        if (described === undefined) return found
        return { ...found, [DOCUMENT_FILE]: installedDocument({ name, description: described }, {}, text) }
      },
    }
  })
}

/** The files of results with new rows: their paths below the root, and texts. */
export function resultTexts(root: string, fresh: ReadonlyMap<string, readonly ResultRow[]>): [string, string][] {
  return [...fresh].map(([skill, rows]) => {
    const text = formatResults(rows.reduce(withRow, readResults(root, skill)))
    return [`${RESULTS_FOLDER}/${skill}.json`, text]
  })
}

export function readResults(root: string, skill: string): SkillResults {
  const path = join(root, RESULTS_FOLDER, `${skill}.json`)
  return isFile(path) ? parseResults(readText(path), skill) : { skill, rows: [] }
}

export interface TestResults {
  skills: SkillResults[]
  /** How many prompts did as expected in the last test with each agent. */
  latest: { skill: string; agent: string; version: string; good: number; of: number }[]
  regressed: Regression[]
}

/** The results that the library keeps, of all skills or of one, and what by them no longer works. */
export function testResults(machine: Machine, { skill }: { skill?: string } = {}): TestResults {
  const { library } = new Config(machine)
  if (library === undefined) return { skills: [], latest: [], regressed: [] }
  const all = namesIn(join(library, RESULTS_FOLDER)).filter((name) => name.endsWith('.json'))
  const names = skill === undefined ? all.sort() : [`${requireName(skill)}.json`]
  const skills = names.map((name) => readResults(library, name.slice(0, -'.json'.length)))
  const latest = skills.flatMap(({ skill: name, rows }) =>
    // The rows of an agent stand in the order in which they were measured.
    [...new Map(rows.map((row) => [row.agent, row])).values()].map(({ agent, version, cases }) => {
      return { skill: name, agent, version, good: cases.filter(isAsExpected).length, of: cases.length }
    }),
  )
  return { skills, latest, regressed: skills.flatMap(findRegressions) }
}
