// What the ranking of project files is trained on and measured with: past commits and issues of public repositories.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PastTrees } from '../src/lab/disk/past-trees.ts'
import { localMachine } from '../src/machine/machine.ts'
import { documentOf, PROJECT_TUNING } from '../src/project/rules/file-document.ts'
import { LOG_FORMAT, NO_HISTORY, readLog } from '../src/project/rules/history.ts'
import { collectEvidence } from '../src/project/rules/signals.ts'
import { Weigher } from '../src/search/analyze.ts'
import type { TermPostings } from '../src/search/saved-library.ts'
import { readTask } from '../src/search/task.ts'

/** One task, and what the ranking knows about each file that may be needed. */
export interface TaskRow {
  repo: string
  base: string
  commit: string | undefined
  task: string
  /** The words of the task and their weights. */
  terms: { term: string; word: string; weight: number }[]
  hasHistory: boolean
  /** Files that were needed, and tests; undefined if nothing is known about tests. */
  files: string[]
  tests: string[] | undefined
  /** Files of the project that were considered at all. */
  count: number
  paths: string[]
  signals: number[][]
}

interface PublicTask {
  repo: string
  base: string
  commit?: string
  task: string
  files: string[]
  tests: string[] | undefined
}

/** `{ repo, base, task, files, tests }`, or a row of SWE-bench. */
export function readPublicTasks(file: string): PublicTask[] {
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  return rows.map((line) => {
    const row = JSON.parse(line)
    return row.problem_statement === undefined
      ? row
      : { repo: row.repo, base: row.base_commit, task: row.problem_statement, files: row.gold, tests: undefined }
  })
}

type Postings = Map<string, readonly [packed: number, pieces: number]>
const COMMITS = 2000

/**
 * Writes one line per task. `mirrors` has a git directory for each repository in `<owner>+<name>/repo`. Checks nothing
 * out. A run goes on where the last one stopped.
 */
export async function writeTaskRows(tasks: readonly PublicTask[], mirrors: string, out: string): Promise<void> {
  const done = existsSync(out) ? readFileSync(out, 'utf8').trimEnd().split('\n').length >> 1 : 0
  if (done === 0) writeFileSync(out, '')
  const ordered = [...tasks].sort((a, b) => (a.repo < b.repo ? -1 : a.repo > b.repo ? 1 : 0)).slice(done)
  for (const repo of new Set(ordered.map((each) => each.repo))) {
    const own = ordered.filter((each) => each.repo === repo)
    const folder = join(mirrors, repo.replace('/', '+'), 'repo')
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8', maxBuffer: 1 << 30 })
    const log = ['log', '--no-merges', '--no-renames', '--name-only', '-z', LOG_FORMAT]
    const bases = own.map(({ base }) => base)
    const commits = new Map<string, string>()
    const wantedCommits = new Map(
      bases.map((base) => [base, git('rev-list', '--no-merges', '-n', String(COMMITS), base).trim().split('\n')]),
    )
    const all = [...new Set([...wantedCommits.values()].flat())]
    const text = execFileSync('git', ['-C', folder, ...log, '--no-walk=unsorted', '--stdin'], {
      input: `${all.join('\n')}\n`,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    })
    for (const block of text.split('\x01').slice(1)) commits.set(block.slice(0, 40), `\x01${block}`)
    const trees = new PastTrees(localMachine(), folder, '')
    const wanted = new Set<string>()
    for (const { task } of own) {
      const note = (term: string) => void wanted.add(term)
      collectEvidence(readTask(task), { paths: [], find: note }, { history: NO_HISTORY })
    }
    const known = new Map<string, Postings>()
    for (const { base, commit, task, files: needed, tests } of own) {
      const files = await trees.files(base)
      const postings = files.map((file) => {
        const key = `${file.blob} ${file.path}`
        const before = known.get(key)
        if (before !== undefined) return before
        const made: Postings = new Map()
        const weigher = new Weigher(PROJECT_TUNING)
        weigher.visit(documentOf(file.path, trees.textOf(file)), 1, (number, packed, pieces) => {
          const term = weigher.lexicon.textOf(number)
          if (wanted.has(term)) made.set(term, [packed, pieces])
        })
        known.set(key, made)
        return made
      })
      const lists = new Map<string, TermPostings | undefined>()
      const collect = (term: string): TermPostings | undefined => {
        const [list, pieces]: [number[], number[]] = [[], []]
        postings.forEach((terms, slot) => {
          const found = terms.get(term)
          if (found === undefined) return
          list.push(slot, found[0])
          pieces.push(found[1])
        })
        return list.length === 0 ? undefined : { list: Uint32Array.from(list), pieces: Uint32Array.from(pieces) }
      }
      const find = (term: string) => {
        if (!lists.has(term)) lists.set(term, collect(term))
        return lists.get(term)
      }
      const history = readLog(
        wantedCommits
          .get(base)!
          .map((id) => commits.get(id) ?? '')
          .join(''),
        '',
        false,
      )
      const paths = files.map(({ path }) => path)
      for (const hasHistory of [true, false]) {
        const read = readTask(task)
        const found = collectEvidence(read, { paths, find }, { history: hasHistory ? history : NO_HISTORY })
        const row: TaskRow = {
          repo,
          base,
          commit,
          terms: found.terms.map(({ term, word, weight }) => ({ term, word, weight: Number(weight.toFixed(3)) })),
          task: task.slice(0, 200),
          hasHistory,
          files: needed,
          tests,
          count: found.files.length,
          paths: found.signals.map((_, at) => found.files[at]!.path),
          signals: found.signals.map((signals) => Array.from(signals, (value) => Number(value.toFixed(4)))),
        }
        appendFileSync(out, `${JSON.stringify(row)}\n`)
      }
    }
    console.log(`${repo}: ${own.length} tasks`)
  }
}
