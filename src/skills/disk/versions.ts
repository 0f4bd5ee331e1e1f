import { basename, dirname, join } from 'node:path'
import { exists, isFolder, removeFolder } from '../../machine/files.ts'
import { staysInside } from '../../machine/inside.ts'
import { withScratch } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { realOrSame } from '../../machine/open-project.ts'
import type { RecordFile } from '../../machine/records.ts'
import { type Finding, failWith, LoadoutError, report, retell } from '../../text/trouble.ts'
import { groupBy, isRecord, isTextList, sha256 } from '../../text/values.ts'
import type { ForeignSkill } from '../rules/candidates.ts'
import { type Locked, type TextKind, versionKey } from '../rules/lock.ts'
import { type SkillSource, withoutSource } from '../rules/skill.ts'
import { contentOf, readForeignSkill, writeSkillFolder } from './foreign-skill.ts'
import { checkOutSnapshot } from './library-git.ts'
import { keepVersion, versionPlace } from './registry.ts'
import { fetchSourceRepo } from './source-repo.ts'
import { copyPath, hashPath, listTree, treeProblem } from './tree.ts'

/** What the lock of a project pins, in the cache: skills in their form for a library, packs and rules as they are. */
export class Versions {
  private readonly machine: Machine
  private readonly project: string

  constructor(machine: Machine, project: string) {
    this.machine = machine
    this.project = project
  }

  placeOf(row: Locked, kind?: TextKind): string {
    return versionPlace(this.machine, keyOf(row, kind), row.name)
  }

  /** Keeps a skill with a record of its source that is the same on every machine. */
  keepSkill(row: Locked, found: ForeignSkill): void {
    const content = contentOf({ ...found, skill: { ...withoutSource(found.skill), name: row.name } })
    const { url, folder, ref, commit, digest, at } = row
    const place = url === undefined ? { path: `./${folder}` } : { url }
    const source: SkillSource = { ...place, folder, ref, commit, treeHash: digest, importedAt: at, others: {} }
    keepVersion(this.machine, versionKey(row), row.name, (stage) =>
      writeSkillFolder({ ...content, skill: { ...content.skill, source } }, stage),
    )
  }

  /** Keeps a pack (a folder) or a rule (a file). */
  keepText(kind: TextKind, row: Locked, from: string): void {
    if (exists(this.placeOf(row, kind))) return
    const problem = isFolder(from) ? treeProblem(listTree(from).files) : undefined
    if (problem !== undefined) {
      throw retell(problem, { message: `the ${kind} ${row.name} cannot be installed: ${problem.message}` })
    }
    keepVersion(this.machine, keyOf(row, kind), row.name, (stage) => copyPath(from, stage))
  }

  /** Removes a version, so that it is made again. */
  forget(row: Locked): void {
    removeFolder(dirname(this.placeOf(row)))
  }

  /** Makes sure that the files of all these rows are there, as `open`. `fetched`: from the sources. */
  async restore(
    rows: readonly Locked[],
    { signal, kind }: { signal?: AbortSignal; kind?: TextKind } = {},
  ): Promise<{ fetched: string[]; findings: Finding[] }> {
    const absent = rows.filter((row) => !exists(this.placeOf(row, kind)))
    const told: Finding[] = []
    await withScratch(async (scratch) => {
      for await (const { row, place, findings } of this.open(absent, scratch, signal)) {
        told.push(...findings)
        if (kind !== undefined) {
          this.keepText(kind, row, place)
          continue
        }
        let skill: ForeignSkill
        try {
          skill = readForeignSkill(place, { agents: [] })
        } catch (error) {
          if (!(error instanceof LoadoutError)) throw error
          throw retell(error, { message: error.message.replaceAll(place, basename(place)) })
        }
        this.keepSkill(row, skill)
      }
    })
    return { fetched: absent.map(({ name }) => name), findings: told }
  }

  /**
   * The files of rows, as their sources have them, below `scratch`. Throws if one of them is not what the lock pins, or
   * cannot be had. Asks a source only about what the cache lacks.
   */
  async *open(
    rows: readonly Locked[],
    scratch: string,
    signal?: AbortSignal,
  ): AsyncGenerator<{ row: Locked; place: string; findings: Finding[] }> {
    const { machine, project } = this
    for (const [url, group] of groupBy(rows, (row) => row.url ?? '')) {
      signal?.throwIfAborted()
      const commits = [...new Set(group.flatMap(({ commit }) => commit ?? []))]
      const fetch = { ref: undefined, commits, isEnough: true, signal }
      const repo = url === '' ? undefined : await fetchSourceRepo(machine, url, fetch)
      for (const row of group) {
        const { name, folder, ref, from, digest, commit = '' } = row
        const at = `restored-${opened++}`
        const findings: Finding[] = []
        let place: string | undefined
        if (repo === undefined) {
          place = join(project, folder)
          const isThere = staysInside(project, folder) && exists(place)
          if (!isThere) throw failWith('MANIFEST/address', { key: from, problem: `${name} is not in it` })
        } else if (!repo.gone.has(commit)) {
          place = await checkOutSnapshot({ repo: repo.repo, commit, folder, isForeign: true }, scratch, at)
        }
        if (place === undefined) {
          // A source whose history was rewritten may still have the very files.
          const isBranch = ref === undefined || !commit.startsWith(ref)
          const now = await fetchSourceRepo(machine, url, { ref: isBranch ? ref : undefined, commits: [], signal })
          const newest = { repo: now.repo, commit: now.head, folder, isForeign: true }
          place = await checkOutSnapshot(newest, scratch, `${at}-now`)
          const facts = { name, source: url, commit: commit.slice(0, 12) }
          if (place === undefined || hashPath(place) !== digest) throw failWith('LOCK_MISMATCH/gone', facts)
          const found = now.head.slice(0, 12)
          findings.push(report('LOCK_MISMATCH/same-content', { ...facts, found }, { subject: name }))
        }
        if (hashPath(place) !== digest) {
          const source = repo === undefined ? `./${folder}` : url
          throw failWith('LOCK_MISMATCH/digest', { name, source, commit: commit.slice(0, 12) || 'none' })
        }
        yield { row, place, findings }
      }
    }
  }

  /** The digests of what Loadout has put at each path of the project. */
  texts(): TextRecords {
    return this.machine.records.read(TEXTS)[realOrSame(this.project)] ?? {}
  }

  async rememberTexts(placed: TextRecords): Promise<void> {
    const root = realOrSame(this.project)
    const rows = Object.entries(placed).filter(([, digests]) => digests.length > 0)
    const next = Object.fromEntries(rows.map(([path, digests]) => [path, [...new Set(digests)].slice(-MOST_DIGESTS)]))
    if (JSON.stringify(next) === JSON.stringify(this.texts())) return
    await this.machine.records.change(TEXTS, 'install', ({ [root]: _, ...others }) =>
      Object.keys(next).length === 0 ? others : { ...others, [root]: next },
    )
  }
}

let opened = 0

/** A folder may be a skill and a pack, and is kept in another form as a skill. */
function keyOf(row: Locked, kind: TextKind | undefined): string {
  return kind === undefined ? versionKey(row) : sha256(`${kind} ${versionKey(row)}`)
}

export type TextRecords = Record<string, readonly string[]>

const TEXTS: RecordFile<Record<string, TextRecords>> = {
  place: 'project-texts.json',
  empty: {},
  parse(json, path) {
    const isOfProject = (each: unknown): each is TextRecords => isRecord(each) && Object.values(each).every(isTextList)
    const isWhole = (each: unknown): each is Record<string, TextRecords> =>
      isRecord(each) && Object.values(each).every(isOfProject)
    if (isWhole(json)) return json
    throw failWith('BAD_JSON/file', { path, problem: 'does not list digests by path' })
  },
  format: (value) => `${JSON.stringify(value, null, 1)}\n`,
  broken: (_problem, cause) => cause,
}

// More versions of one text are not in use at a time.
const MOST_DIGESTS = 8
