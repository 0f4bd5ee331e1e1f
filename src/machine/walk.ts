import { isUtf8 } from 'node:buffer'
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'
import { type IgnoreRule, isIgnoredBy, readIgnoreFile } from '../text/glob.ts'
import { attempt, compareText } from '../text/values.ts'
import { isFile, readText } from './files.ts'

// The only folder walk. It enters only what its caller says: it follows no link by itself, opens no file (except
// .gitignore), and lists everything that it skipped in `leftOut`.

/** Folders that contain nothing of the project's own, by kind. Each walk says which kinds it ignores. */
const IGNORED = {
  versions: ['.git', '.hg', '.svn', 'CVS', '_darcs'],
  dependencies: ['node_modules', 'bower_components', 'jspm_packages'],
  // People also use these names for their own folders.
  built: ['vendor', 'dist', 'build', 'out', 'target', 'coverage', '__pycache__'],
  'pack indexes': ['indexes'],
} as const

type IgnoredKind = keyof typeof IGNORED

export interface WalkOptions {
  /** Default: none. */
  ignore?: readonly IgnoredKind[]
  /** Whether to ignore names that begin with a dot. */
  ignoreHidden?: boolean
  /** Whether to apply the .gitignore files of the root and of its folders. */
  useGitignore?: boolean
  /** Maximum number of listed folders, for all walks from this root together. */
  mostFolders?: number
  /** Levels below the start. */
  mostDepth?: number
  /** Called before each folder: true ends the walk. */
  isLate?: () => boolean
}

export interface WalkEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Ignored by its name or by a .gitignore. It can be entered nevertheless. */
  isIgnored: boolean
  /** False: the name is not UTF-8, so that no path leads there. */
  isNameable: boolean
}

export interface WalkFolder {
  /** The path by which it was reached, with the separators of the system. */
  path: string
  /** Relative to the root, with slashes; empty for the root. */
  inside: string
  depth: number
  /** By name, in code units. */
  entries: readonly WalkEntry[]
  /** Schedules a subfolder, after all folders that are less deep. */
  enter(name: string): void
  /** Schedules a folder elsewhere: one that a link leads to. */
  enterPath(path: string): void
}

export interface LeftOut {
  /** Folders that were known but not listed when a limit was reached. */
  count: number
  /** Folders with subfolders that are too deep. */
  tooDeep: string[]
  unreadable: { path: string; inside: string; error: unknown }[]
}

interface Place {
  path: string
  inside: string
  depth: number
  rules: readonly IgnoreRule[]
}

/** Lists folders below a root level by level, so that a limit keeps what is near the start. */
export class Walk {
  readonly leftOut: LeftOut = { count: 0, tooDeep: [], unreadable: [] }
  private readonly root: string
  private readonly options: WalkOptions
  private readonly ignored: ReadonlySet<string>
  /** Folders that several walks share are listed once. */
  private readonly listings = new Map<string, readonly WalkEntry[]>()

  constructor(root: string, options: WalkOptions = {}) {
    this.root = root
    this.options = options
    this.ignored = new Set((options.ignore ?? []).flatMap((kind): readonly string[] => IGNORED[kind]))
  }

  *folders(from = ''): Generator<WalkFolder> {
    const { mostFolders = Number.POSITIVE_INFINITY, mostDepth = Number.POSITIVE_INFINITY, isLate } = this.options
    const queue = [this.start(from)]
    for (let at = 0; at < queue.length; at++) {
      const place = queue[at] as Place
      if (isLate?.() || (this.listings.size >= mostFolders && !this.listings.has(place.path))) {
        this.leftOut.count += queue.length - at
        return
      }
      const entries = this.list(place)
      const rules = this.rulesIn(place, entries)
      const { path, inside, depth } = place
      const isDeepest = depth >= mostDepth
      const enterPath = (next: string, insideNext = next) => {
        if (!isDeepest) queue.push({ path: next, inside: insideNext, depth: depth + 1, rules })
        else if (this.leftOut.tooDeep.at(-1) !== path) this.leftOut.tooDeep.push(path)
      }
      yield {
        path,
        inside,
        depth,
        entries: rules.length === 0 ? entries : entries.map((entry) => withRules(rules, inside, entry)),
        enter: (name) => enterPath(joined(path, name), inside === '' ? name : `${inside}/${name}`),
        enterPath,
      }
    }
  }

  /** By its name alone. */
  isIgnored(name: string): boolean {
    return this.ignored.has(name) || (this.options.ignoreHidden === true && name.startsWith('.'))
  }

  /** Of the folders above the start only the .gitignore files count. */
  private start(from: string): Place {
    let place: Place = { path: this.root, inside: '', depth: 0, rules: [] }
    for (const name of from.split('/').filter((part) => part !== '')) {
      const { path, inside } = place
      const rules = this.options.useGitignore ? [...place.rules, ...readRules(path, inside)] : place.rules
      place = { path: joined(path, name), inside: inside === '' ? name : `${inside}/${name}`, depth: 0, rules }
    }
    return place
  }

  private list({ path, inside }: Place): readonly WalkEntry[] {
    const known = this.listings.get(path)
    if (known !== undefined) return known
    let entries: WalkEntry[] = []
    try {
      entries = this.readEntries(path)
    } catch (error) {
      this.leftOut.unreadable.push({ path, inside, error })
    }
    this.listings.set(path, entries)
    return entries
  }

  private readEntries(path: string): WalkEntry[] {
    const found = readdirSync(path, { withFileTypes: true })
    const lost = found.some(({ name }) => name.includes('\ufffd')) ? lostNames(path) : undefined
    const entries = found.map((entry): WalkEntry => {
      const { name } = entry
      return { name, kind: kindOf(entry), isIgnored: this.isIgnored(name), isNameable: lost?.has(name) !== true }
    })
    // The order on the disk must not decide what a limit leaves out.
    return entries.sort((a, b) => compareText(a.name, b.name))
  }

  private rulesIn({ path, inside, rules }: Place, entries: readonly WalkEntry[]): readonly IgnoreRule[] {
    if (!this.options.useGitignore || !entries.some(({ name }) => name === GITIGNORE)) return rules
    return [...rules, ...readRules(path, inside)]
  }
}

const GITIGNORE = '.gitignore'
function readRules(path: string, inside: string): IgnoreRule[] {
  return attempt(() => {
    const file = joined(path, GITIGNORE)
    return isFile(file) ? readIgnoreFile(readText(file, 256 * 1024), inside) : []
  }, [])
}

function withRules(rules: readonly IgnoreRule[], inside: string, entry: WalkEntry): WalkEntry {
  const path = inside === '' ? entry.name : `${inside}/${entry.name}`
  return { ...entry, isIgnored: entry.isIgnored || isIgnoredBy(rules, path, entry.kind === 'folder') }
}

function kindOf(entry: Dirent): WalkEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

/** A name that is not UTF-8 arrives with replacement characters; a valid name may also contain them. */
function lostNames(path: string): ReadonlySet<string> {
  const names = readdirSync(path, { encoding: 'buffer' })
  return new Set(names.filter((name) => !isUtf8(name)).map((name) => name.toString('utf8')))
}

/**
 * The real path of the folder that a link leads to; undefined if its target is not a folder. Throws for a broken link.
 */
export function folderBehind(link: string): string | undefined {
  const target = realpathSync(link)
  return statSync(target).isDirectory() ? target : undefined
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function joined(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}
