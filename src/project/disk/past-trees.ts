import { isUtf8 } from 'node:buffer'
import { runGit } from '../../machine/git.ts'
import type { Machine } from '../../machine/machine.ts'
import { normalizeText } from '../../text/lines.ts'
import { LARGEST_FILE, leftOutByPath, leftOutByText } from '../rules/candidates.ts'
import { PAST_FORMAT, type PastTask, readChangedLines, readPastTasks } from '../rules/past-tasks.ts'
import { limitTo } from './listed-paths.ts'

export interface PastFile {
  path: string
  /** Of its content. */
  blob: string
}

const GIT_MS = 60_000
// Never fetches.
const env = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
const QUIET = ['--no-show-signature', '--no-ext-diff', '--no-textconv', '--no-color', '--no-notes', '--no-renames']

/** Past trees of a repository, read without a checkout. */
export class PastTrees {
  private readonly machine: Machine
  private readonly repository: string
  private readonly prefix: string
  private readonly texts = new Map<string, string | undefined>()

  constructor(machine: Machine, repository: string, prefix: string) {
    this.machine = machine
    this.repository = repository
    this.prefix = prefix
  }

  /** The last commits that are usable as tasks, newest first. */
  async tasks(most: number, among: number): Promise<PastTask[]> {
    const words = ['log', '-n', String(among), '--no-merges', '--name-status', '-z', PAST_FORMAT, ...QUIET, 'HEAD']
    return readPastTasks(await this.git([...words, ...limitTo(this.prefix)]), this.prefix).slice(0, most)
  }

  /** Candidates of a tree, by path. Reads texts that are not known yet. */
  async files(commit: string): Promise<PastFile[]> {
    const list = await this.git(['ls-tree', '-r', '-l', '-z', commit, ...limitTree(this.prefix)])
    const found: (PastFile & { size: number })[] = []
    for (const row of list.split('\0')) {
      const [, type, blob = '', size = '', path = ''] = /^\d+ (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(row) ?? []
      if (type !== 'blob' || Number(size) > LARGEST_FILE || !path.startsWith(this.prefix)) continue
      const inside = path.slice(this.prefix.length)
      if (leftOutByPath(inside) === undefined) found.push({ path: inside, blob, size: Number(size) })
    }
    await this.readTexts(found.filter(({ blob }) => !this.texts.has(blob)))
    return found.filter(({ path, blob }) => {
      const text = this.texts.get(blob)
      return text !== undefined && leftOutByText(path, text) === undefined
    })
  }

  textOf({ blob }: PastFile): string {
    return this.texts.get(blob) ?? ''
  }

  async changedLines({ base, commit, files }: PastTask): Promise<Map<string, number[]>> {
    const quiet = QUIET.filter((word) => !['--no-show-signature', '--no-notes'].includes(word))
    const paths = files.map((path) => `:(literal)${this.prefix}${path}`)
    return readChangedLines(await this.git(['diff', '-U0', ...quiet, base, commit, '--', ...paths]), this.prefix)
  }

  private async git(words: readonly string[]): Promise<string> {
    return (await runGit(this.machine, this.repository, words, { timeoutMs: GIT_MS, env })).stdout
  }

  /** In batches: the output of git is limited. */
  private async readTexts(files: readonly (PastFile & { size: number })[]): Promise<void> {
    let batch: string[] = []
    let bytes = 0
    const wanted = new Map(files.map(({ blob, size }) => [blob, size]))
    for (const [blob, size] of wanted) {
      if (bytes + size > BATCH_BYTES) {
        await this.readBatch(batch)
        batch = []
        bytes = 0
      }
      batch.push(blob)
      bytes += size
    }
    if (batch.length > 0) await this.readBatch(batch)
  }

  private async readBatch(blobs: readonly string[]): Promise<void> {
    const options = { timeoutMs: GIT_MS, env, input: `${blobs.join('\n')}\n`, isBinary: true }
    const { stdout } = await runGit(this.machine, this.repository, ['cat-file', '--batch'], options)
    let at = 0
    for (const blob of blobs) {
      const end = stdout.indexOf('\n', at)
      const size = Number(/ blob (\d+)$/.exec(stdout.slice(at, end))?.[1] ?? Number.NaN)
      if (Number.isNaN(size)) {
        this.texts.set(blob, undefined)
        at = end + 1
        continue
      }
      const bytes = Buffer.from(stdout.slice(end + 1, end + 1 + size), 'latin1')
      this.texts.set(blob, bytes.includes(0) || !isUtf8(bytes) ? undefined : normalizeText(bytes.toString('utf8')))
      at = end + 2 + size
    }
  }
}

const BATCH_BYTES = 16 * 1024 * 1024

function limitTree(prefix: string): string[] {
  return prefix === '' ? [] : ['--', prefix]
}
