import { isUtf8 } from 'node:buffer'
import type { Machine } from '../../machine/machine.ts'
import { runGit } from '../../machine/repository.ts'
import { LARGEST_FILE, leftOutByPath, leftOutByText, roleOf } from '../../project/rules/candidates.ts'
import { normalizeText } from '../../text/lines.ts'

/** A past commit as a task with a known answer. */
export interface PastCommit {
  commit: string
  /** The commit before it: the tree in which the task starts. */
  base: string
  task: string
  /** The changed files that existed before, without tests, changelogs and files that are never shown. */
  files: readonly string[]
}

export interface PastFile {
  path: string
  /** Of its content. */
  blob: string
}

const QUIET = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames']
const LOG = ['--no-merges', '--name-status', '-z', '--format=%x01%H%x02%P%x02%<(300,trunc)%s%x03']

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
  async commits(most: number, among: number): Promise<PastCommit[]> {
    const words = ['log', '-n', String(among), ...LOG, ...QUIET, '--no-show-signature', '--no-notes', 'HEAD']
    const log = await this.git([...words, ...this.limits()])
    const blocks = log.split('\x01').slice(1)
    return blocks.flatMap((block) => readCommit(block, this.prefix)).slice(0, most)
  }

  /** Candidates of a tree, by path. Reads texts that are not known yet. */
  async files(commit: string): Promise<PastFile[]> {
    const list = await this.git(['ls-tree', '-r', '-l', '-z', commit, ...this.limits()])
    const found: (PastFile & { size: number })[] = []
    for (const row of list.split('\0')) {
      const [, type, blob = '', size = '', path = ''] = /^\d+ (\w+) ([0-9a-f]+) +(\S+)\t(.*)$/s.exec(row) ?? []
      if (type !== 'blob' || Number(size) > LARGEST_FILE || !path.startsWith(this.prefix)) continue
      const inside = path.slice(this.prefix.length)
      if (leftOutByPath(inside) === undefined) found.push({ path: inside, blob, size: Number(size) })
    }
    await this.readTexts(new Map(found.map(({ blob, size }) => [blob, size])))
    return found.filter(({ path, blob }) => {
      const text = this.texts.get(blob)
      return text !== undefined && leftOutByText(path, text) === undefined
    })
  }

  textOf({ blob }: PastFile): string {
    return this.texts.get(blob) ?? ''
  }

  /** The old lines that a commit changed, by file; for a pure insertion the line above it. */
  async changedLines({ base, commit, files }: PastCommit): Promise<Map<string, number[]>> {
    const paths = files.map((path) => `:(literal)${this.prefix}${path}`)
    const diff = await this.git(['diff', '-U0', ...QUIET, base, commit, '--', ...paths])
    const lines = new Map<string, number[]>()
    let file = ''
    for (const line of diff.split('\n')) {
      if (line.startsWith('--- a/')) file = line.slice(6 + this.prefix.length)
      const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
      if (hunk === null || file === '') continue
      const changed = Array.from({ length: Number(hunk[2] ?? 1) || 1 }, (_, at) => Number(hunk[1]) + at)
      lines.set(file, [...(lines.get(file) ?? []), ...changed])
    }
    return lines
  }

  private limits(): string[] {
    return this.prefix === '' ? [] : ['--', `:(literal)${this.prefix}`]
  }

  private async git(words: readonly string[], input?: string): Promise<string> {
    // Never fetches.
    const env = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' }
    const options = { timeoutMs: 60_000, env, input, isBinary: input !== undefined }
    return (await runGit(this.machine, this.repository, words, options)).stdout
  }

  /** In batches: the output of git is limited. */
  private async readTexts(sizes: ReadonlyMap<string, number>): Promise<void> {
    const unread = [...sizes].filter(([blob]) => !this.texts.has(blob))
    for (let at = 0; at < unread.length; ) {
      const batch: string[] = []
      for (let bytes = 0; at < unread.length; at++) {
        const [blob, size] = unread[at]!
        bytes += size
        if (batch.length > 0 && bytes > 16 * 1024 * 1024) break
        batch.push(blob)
      }
      this.keepTexts(batch, await this.git(['cat-file', '--batch'], `${batch.join('\n')}\n`))
    }
  }

  private keepTexts(blobs: readonly string[], output: string): void {
    let at = 0
    for (const blob of blobs) {
      const end = output.indexOf('\n', at)
      const size = Number(/ blob (\d+)$/.exec(output.slice(at, end))?.[1] ?? Number.NaN)
      const bytes = Buffer.from(output.slice(end + 1, end + 1 + (size || 0)), 'latin1')
      const isText = !Number.isNaN(size) && !bytes.includes(0) && isUtf8(bytes)
      this.texts.set(blob, isText ? normalizeText(bytes.toString('utf8')) : undefined)
      at = Number.isNaN(size) ? end + 1 : end + 2 + size
    }
  }
}

const ROUTINE =
  /^(?:merge|revert|release|bump|v?\d+\.\d+|update dependenc|(?:chore|build|fix)\(deps|deps:|style|fmt|typo|lint|prepare|version packages|\[?pre-commit)|dependabot|renovate|changelog/i
/** Reads one commit of the log, unless it is not usable as a task. */
function readCommit(block: string, prefix: string): PastCommit[] {
  const [head = '', list = ''] = block.split('\x03')
  const [commit = '', parents = '', subject = ''] = head.split('\x02')
  const base = parents.split(' ')[0] ?? ''
  const task = subject.trim().replace(/\s*\(?#\d+\)?$/, '')
  const isShort = task.length < 18 || task.split(/\s+/).length < 4
  // A status, then a path.
  const fields = list.split('\0').flatMap((field) => field.replace(/^\n/, '') || [])
  // A change of more than twelve files, or of more than five that count, is not one task.
  if (base === '' || isShort || ROUTINE.test(task) || fields.length > 2 * 12 + 1) return []
  const files = fields.flatMap((path, at) => {
    if (at % 2 === 0 || fields[at - 1] !== 'M' || !path.startsWith(prefix)) return []
    const { isTest, isLog } = roleOf(path)
    return isTest || isLog || leftOutByPath(path) !== undefined ? [] : [path.slice(prefix.length)]
  })
  return files.length === 0 || files.length > 5 ? [] : [{ commit, base, task, files }]
}
