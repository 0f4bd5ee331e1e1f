import { lstatSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type Facts, type IssueName, wordIssue } from '../text/issues.ts'
import { printableLine } from '../text/printable.ts'
import { type Finding, report } from '../text/trouble.ts'
import { attempt } from '../text/values.ts'
import { codeOf, isFolder } from './files.ts'
import { endsAt, enterFolder, type Glob, patternProblem, readGlob, type Step, startOf } from './glob.ts'
import { staysInside } from './inside.ts'
import { Walk, type WalkEntry } from './walk.ts'

export interface FindOptions {
  /** Maximum number of folders to search, for all patterns together. */
  mostFolders?: number
  /** Maximum number of files to return. */
  mostFiles?: number
  /** Paths to skip silently, such as the file that is about to be written. */
  exclude?: ReadonlySet<string>
}

export interface FoundFile {
  /** Relative to the root, with slashes. It may not be a regular file: its reader reports that. */
  path: string
  /** The first pattern that matches it. */
  pattern: string
}

export interface FoundFiles {
  files: FoundFile[]
  findings: Finding[]
}

/** The files of a project that match patterns: in the order of the patterns, then of their paths, each once. */
export function findFiles(root: string, patterns: readonly string[], options: FindOptions = {}): FoundFiles {
  return new FileSearch(root, options).run(patterns)
}

class FileSearch {
  private readonly findings: Finding[] = []
  private readonly files = new Map<string, FoundFile>()
  /** Folders with names that are not UTF-8. */
  private readonly lost = new Set<string>()
  private unreported = 0
  private readonly walk: Walk
  private readonly root: string
  private readonly mostFolders: number
  private readonly mostFiles: number
  private readonly exclude: ReadonlySet<string>

  constructor(root: string, { mostFolders = 10_000, mostFiles = 2000, exclude = new Set() }: FindOptions) {
    this.root = root
    // Folders of these kinds are entered only when a pattern names them.
    this.walk = new Walk(root, { ignore: ['versions', 'dependencies', 'built'], mostFolders })
    this.mostFolders = mostFolders
    this.mostFiles = mostFiles
    this.exclude = exclude
  }

  run(patterns: readonly string[]): FoundFiles {
    for (const pattern of new Set(patterns)) {
      const problem = patternProblem(pattern)
      if (problem !== undefined) {
        this.note('PATH_ESCAPE/pattern', pattern, { problem })
        continue
      }
      for (const path of this.search(readGlob(pattern)).sort()) {
        if (this.files.has(path) || this.exclude.has(path)) continue
        if (this.files.size >= this.mostFiles) {
          this.note('discovery.skipped/many-files', pattern, { most: this.mostFiles })
          return this.result()
        }
        this.files.set(path, { path, pattern })
      }
    }
    return this.result()
  }

  private result(): FoundFiles {
    if (this.unreported > 0) {
      this.findings.push(report('discovery.skipped/more-places', { unreported: this.unreported }))
    }
    return { files: [...this.files.values()], findings: this.findings }
  }

  private search(glob: Glob): string[] {
    const paths = glob.parts.length > 0 ? [...this.matches(glob)] : []
    // A path may look like a pattern: app/[id]/notes.md.
    if (this.isThere(glob.path)) paths.push(glob.path)
    return paths
  }

  /** Anything but a folder. */
  private isThere(path: string): boolean {
    return attempt(() => {
      const stat = lstatSync(join(this.root, path), { throwIfNoEntry: false })
      return stat !== undefined && !stat.isDirectory() && !path.endsWith('/') && !isFolder(join(this.root, path))
    }, false)
  }

  private *matches(glob: Glob): Generator<string> {
    if (!staysInside(this.root, glob.base)) return this.refuseLink(glob.base)
    const { leftOut } = this.walk
    const [unreadable, count] = [leftOut.unreadable.length, leftOut.count]
    const reached = new Map([[glob.base, startOf(glob)]])
    for (const { inside: folder, entries, enter } of this.walk.folders(glob.base)) {
      const progress = reached.get(folder) ?? startOf(glob)
      for (const entry of entries) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (entry.kind === 'folder' || (entry.kind === 'link' && isFolder(join(this.root, path)))) {
          const step = enterFolder(glob, progress, entry.name)
          if (step === undefined || this.isLost(folder, entry) || !this.mayEnter(path, entry, step)) continue
          reached.set(path, step.progress)
          enter(entry.name)
        } else if (endsAt(glob, progress, entry.name) && glob.accepts(path) && !this.isLost(folder, entry)) yield path
      }
    }
    for (const { inside, error } of leftOut.unreadable.slice(unreadable)) this.reportUnreadable(inside, codeOf(error))
    if (leftOut.count > count) {
      this.note('discovery.skipped/many-folders', glob.pattern, { most: this.mostFolders })
    }
  }

  /** `**` enters no link, so circular links end with the pattern. */
  private mayEnter(path: string, { kind, isIgnored }: WalkEntry, step: Step): boolean {
    if (isIgnored && !step.isNamed) return false
    if (kind !== 'link') return true
    if (!step.isDirect) return false
    if (!staysInside(this.root, path)) {
      this.refuseLink(path)
      return false
    }
    const target = relative(realpathSync(this.root), realpathSync(join(this.root, path)))
    return step.isNamed || !target.split(sep).some((name) => this.walk.isIgnored(name))
  }

  private reportUnreadable(folder: string, code: string): void {
    if (code === 'ENOENT' || code === 'ENOTDIR') return
    this.note('discovery.skipped/folder', folder || '.', { reason: code || 'unknown reason' })
  }

  private isLost(folder: string, { isNameable }: WalkEntry): boolean {
    if (!isNameable && !this.lost.has(folder)) {
      this.lost.add(folder)
      this.note('discovery.skipped/not-utf8', folder || '.')
    }
    return !isNameable
  }

  private refuseLink(path: string): void {
    if (this.findings.some(({ subject, code }) => subject === path && code === 'PATH_ESCAPE')) return
    this.note('PATH_ESCAPE/folder', path)
  }

  private note(row: IssueName, subject: string, facts: Facts = {}): void {
    const finding = { ...wordIssue(row, { ...facts, shown: printableLine(subject) }), subject }
    if (this.findings.length < 50) this.findings.push(finding)
    else this.unreported++
  }
}
