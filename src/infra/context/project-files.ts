import { isUtf8 } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Finding } from '../../domain/shared/finding.ts'
import { compareText } from '../../domain/shared/order.ts'
import { printableLine } from '../../domain/shared/printable.ts'
import { codeOf } from '../files.ts'
import { staysInside } from '../inside.ts'
import { endsAt, enterFolder, type Glob, type Progress, patternProblem, readGlob, type Step, startOf } from './glob.ts'

export interface FindOptions {
  /** Folders that are looked into, for all patterns together. */
  mostFolders?: number
  /** Files that are given back. */
  mostFiles?: number
  /** Paths that are passed over in silence, such as the file that is about to be written. */
  exclude?: ReadonlySet<string>
}

export interface FoundFile {
  /** From the root, with slashes. Something other than a regular file may stand there: whoever reads it says so. */
  path: string
  /** The first pattern that names it. */
  pattern: string
}

export interface FoundFiles {
  files: FoundFile[]
  findings: Finding[]
}

const MOST_FOLDERS = 10_000
const MOST_FILES = 2000
const MOST_FINDINGS = 50

/** Folders of version control, of other people's code and of what is built: entered only when a pattern names them. */
const SKIPPED = new Set(
  '.git .hg .svn node_modules bower_components jspm_packages vendor dist build out target coverage __pycache__'.split(
    ' ',
  ),
)

/** The files of a project that patterns name: in the order of the patterns, then of their paths, each once. */
export function findFiles(root: string, patterns: readonly string[], options: FindOptions = {}): FoundFiles {
  return new FileSearch(root, options).run(patterns)
}

class FileSearch {
  private readonly findings: Finding[] = []
  private readonly files = new Map<string, FoundFile>()
  /** What patterns share is read once. */
  private readonly listings = new Map<string, readonly Dirent[]>()
  /** Names that are not UTF-8, by their folder. */
  private readonly lost = new Map<string, ReadonlySet<string>>()
  private unreported = 0
  private readonly root: string
  private readonly mostFolders: number
  private readonly mostFiles: number
  private readonly exclude: ReadonlySet<string>

  constructor(root: string, { mostFolders = MOST_FOLDERS, mostFiles = MOST_FILES, exclude = new Set() }: FindOptions) {
    this.root = root
    this.mostFolders = mostFolders
    this.mostFiles = mostFiles
    this.exclude = exclude
  }

  run(patterns: readonly string[]): FoundFiles {
    for (const pattern of new Set(patterns)) {
      const problem = patternProblem(pattern)
      if (problem !== undefined) {
        this.report('error', 'PATH_ESCAPE', pattern, `the pattern is refused: ${problem}`, 'name files of the project')
        continue
      }
      for (const path of this.search(readGlob(pattern)).sort()) {
        if (this.files.has(path) || this.exclude.has(path)) continue
        if (this.files.size >= this.mostFiles) {
          const message = `more than ${this.mostFiles} files match; the rest was not looked at`
          this.report('warning', 'discovery.limit', pattern, message, 'name fewer files')
          return this.result()
        }
        this.files.set(path, { path, pattern })
      }
    }
    return this.result()
  }

  private result(): FoundFiles {
    if (this.unreported > 0) {
      const message = `${this.unreported} more places could not be looked at`
      this.findings.push({ severity: 'warning', code: 'discovery.skipped', message })
    }
    return { files: [...this.files.values()], findings: this.findings }
  }

  private search(glob: Glob): string[] {
    const paths = glob.parts.length > 0 ? [...this.walk(glob)] : []
    // A path may look like a pattern: app/[id]/notes.md.
    if (this.isThere(glob.path)) paths.push(glob.path)
    return paths
  }

  /** Anything but a folder. */
  private isThere(path: string): boolean {
    try {
      const stat = lstatSync(join(this.root, path), { throwIfNoEntry: false })
      return stat !== undefined && !stat.isDirectory() && !path.endsWith('/') && !this.isLinkedFolder(path)
    } catch {
      return false
    }
  }

  /** Level by level, so that a limit keeps what is near the root. */
  private *walk(glob: Glob): Generator<string> {
    if (!staysInside(this.root, glob.base)) return this.refuseLink(glob.base)
    const queue: { folder: string; progress: Progress }[] = [{ folder: glob.base, progress: startOf(glob) }]
    for (const { folder, progress } of queue) {
      if (!this.listings.has(folder) && this.listings.size >= this.mostFolders) {
        const message = `more than ${this.mostFolders} folders had to be looked into; the rest was not`
        this.report('warning', 'discovery.limit', glob.pattern, message, 'begin the pattern with a folder')
        return
      }
      const inside: typeof queue = []
      for (const entry of this.list(folder)) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (this.isFolder(path, entry)) {
          const step = enterFolder(glob, progress, entry.name)
          if (step === undefined || this.isLost(folder, entry.name) || !this.mayEnter(path, entry, step)) continue
          inside.push({ folder: path, progress: step.progress })
        } else if (endsAt(glob, progress, entry.name) && glob.accepts(path)) {
          if (!this.isLost(folder, entry.name)) yield path
        }
      }
      // The order on the disk must not decide what a limit leaves out, nor what is reported first.
      queue.push(...inside.sort((a, b) => compareText(a.folder, b.folder)))
    }
  }

  private isFolder(path: string, entry: Dirent): boolean {
    return entry.isDirectory() || (entry.isSymbolicLink() && this.isLinkedFolder(path))
  }

  /** As `**` enters no link, links that lead in circles end with the pattern. */
  private mayEnter(path: string, entry: Dirent, step: Step): boolean {
    if (SKIPPED.has(entry.name) && !step.isNamed) return false
    if (!entry.isSymbolicLink()) return true
    if (!step.isDirect) return false
    if (!staysInside(this.root, path)) {
      this.refuseLink(path)
      return false
    }
    const target = relative(realpathSync(this.root), realpathSync(join(this.root, path)))
    return step.isNamed || !target.split(sep).some((name) => SKIPPED.has(name))
  }

  private isLinkedFolder(path: string): boolean {
    try {
      return statSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() ?? false
    } catch {
      return false
    }
  }

  private list(folder: string): readonly Dirent[] {
    const known = this.listings.get(folder)
    if (known !== undefined) return known
    let entries: Dirent[] = []
    try {
      entries = readdirSync(join(this.root, folder), { withFileTypes: true })
    } catch (error) {
      const code = codeOf(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        const message = `the folder cannot be read (${code || 'unknown reason'})`
        this.report('warning', 'discovery.unreadable', folder || '.', message, 'check its permissions')
      }
    }
    this.listings.set(folder, entries)
    return entries
  }

  /** A name that is not UTF-8 arrives with replacement characters, and leads nowhere. */
  private isLost(folder: string, name: string): boolean {
    if (!name.includes('\ufffd')) return false
    let lost = this.lost.get(folder)
    if (lost === undefined) {
      const names = readdirSync(join(this.root, folder), { encoding: 'buffer' })
      lost = new Set(names.filter((each) => !isUtf8(each)).map((each) => each.toString('utf8')))
      this.lost.set(folder, lost)
      if (lost.size > 0) {
        const message = 'it holds names that are not UTF-8; they were passed over'
        this.report('warning', 'discovery.skipped', folder || '.', message, 'rename them')
      }
    }
    return lost.has(name)
  }

  private refuseLink(path: string): void {
    if (this.findings.some(({ subject, code }) => subject === path && code === 'PATH_ESCAPE')) return
    this.report('warning', 'PATH_ESCAPE', path, 'the folder is a link that leaves the project', 'it was not entered')
  }

  private report(severity: Finding['severity'], code: Finding['code'], subject: string, what: string, hint: string) {
    const finding = { severity, code, subject, message: `${printableLine(subject)}: ${what}`, hint }
    if (this.findings.length < MOST_FINDINGS) this.findings.push(finding)
    else this.unreported++
  }
}
