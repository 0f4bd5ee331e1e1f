import { basename, dirname, join } from 'node:path'
import { exists, readText } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import { parseForeignJson } from '../text/json.ts'
import { asFinding, type Finding, LoadoutError, type Report, report } from '../text/trouble.ts'
import { getDeep, isRecord } from '../text/values.ts'
import {
  joined,
  judge,
  leastOf,
  type ProjectFacts,
  recipesOf,
  type Statement,
  statementsIn,
  targetsOf,
} from './rules/statements.ts'

interface StatementsRequest {
  project?: string
  /** Only these files, relative to the project. */
  files?: readonly string[]
  /** Only what was true at this commit. */
  since?: string
}

interface CheckedStatements {
  files: string[]
  statements: number
}

/** What agents read about a project: instruction files, rules, payloads, skills, guides of packs. */
const READ_BY_AGENTS =
  /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI|QWEN)(?:\.local)?\.md$|(?:^|\/)(?:\.github\/copilot-instructions|[^/]+\.instructions)\.md$|(?:^|\/)\.(?:cursor|clinerules|windsurf)\/(?:rules\/)?[^/]+\.mdc?$|(?:^|\/)\.claude\/(?:loadout|rules|commands|agents)\/.*\.md$|(?:^|\/)(?:skills\/[^/]+\/SKILL|KNOWLEDGE)\.md$/
/** Copies of other projects, and texts for tests. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|testdata|__tests__|templates?|examples?|samples?)\//
const MOST_LOOKUPS = 60
const MOST_WORDS = 1_000
const CODE_FILES = ['--', '.', ':(exclude,glob)**/*.md', ':(exclude,glob)**/*.mdc']
const CODE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|scala|sh|vue|svelte|exs?)$/m
const PATIENCE = { timeoutMs: 20_000, okCodes: [0, 1, 128] }

/** Compares what these texts say about the project with the project. Reports only what can be known. */
export async function checkStatements(
  machine: Machine,
  request: StatementsRequest,
): Promise<Report<CheckedStatements>> {
  const project = machine.openProject(request.project)
  const check = new StatementCheck(
    new Repository(machine, project.repository ?? project.root),
    project.repository !== undefined,
  )
  return check.run(request)
}

class StatementCheck {
  private readonly repository: Repository
  private readonly hasHistory: boolean
  private lookups = 0

  constructor(repository: Repository, hasHistory: boolean) {
    this.repository = repository
    this.hasHistory = hasHistory
  }

  async run({ files: named, since }: StatementsRequest): Promise<Report<CheckedStatements>> {
    const { path: root } = this.repository
    const now = await this.factsNow()
    const before = since === undefined ? undefined : await this.factsAt(await this.repository.commitOf(since))
    // What a skill says is for its author to mend, not for each project that has a copy.
    const copies = [...now.files].flatMap((path) => (basename(path) === '.loadout' ? [`${dirname(path)}/`] : []))
    const isOwn = (path: string) => !FOREIGN.test(path) && !copies.some((folder) => path.startsWith(folder))
    const texts = named ?? [...now.files].filter((path) => READ_BY_AGENTS.test(path) && isOwn(path))
    const findings: Finding[] = []
    const files = texts.toSorted()
    // Of a file and the links to it, the file: named first, because it is its own real path.
    const reals = files.map((path) => realOrSame(join(root, path)))
    const once = files.filter((_, at) => {
      const own = reals.findIndex((real, other) => real === reals[at] && join(root, files[other]!) === real)
      return (own < 0 ? reals.indexOf(reals[at]!) : own) === at
    })
    const found = once.flatMap((path) => {
      const text = this.read(join(root, path), findings)
      return text === undefined ? [] : [{ path, said: statementsIn(text) }]
    })
    await this.findWords(
      found.flatMap(({ said }) => said.flatMap(({ kind, name }) => (kind === 'symbol' ? [name] : []))),
    )
    let statements = 0
    for (const { path, said } of found) {
      const folder = dirname(path) === '.' ? '' : `${dirname(path)}/`
      const reported = new Set<string>()
      const symbols: Statement[] = []
      for (const statement of said) {
        statements++
        const key = `${statement.kind} ${statement.name} ${statement.line}`
        if (reported.has(key)) continue
        reported.add(key)
        if (statement.kind === 'symbol') {
          symbols.push(statement)
          continue
        }
        if (judge(statement, now, folder) !== 'false') continue
        if (before !== undefined && judge(statement, before, folder) !== 'true') continue
        const finding = await this.describe(statement, now, path, folder)
        if (finding !== undefined) findings.push(finding)
      }
      findings.push(...(await this.goneSymbols(symbols, path, since)))
    }
    findings.sort((a, b) => (a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : 0))
    return { value: { files, statements }, findings }
  }

  /** Undefined for a file that is too large or cannot be read, with a warning where that is asked for. */
  private read(path: string, findings?: Finding[]): string | undefined {
    try {
      return readText(path, 512 * 1024)
    } catch (error) {
      findings?.push(asFinding(error))
      if (error instanceof LoadoutError) return undefined
      throw error
    }
  }

  private async factsNow(): Promise<ProjectFacts> {
    const { path: root } = this.repository
    const listed = await this.git('ls-files', '-z', '-c', '-o', '--exclude-standard')
    const files = listed.split('\0').filter((path) => path !== '' && exists(join(root, path)))
    return factsOf(files, (path) => this.read(join(root, path)))
  }

  private async factsAt(commit: string): Promise<ProjectFacts> {
    const files = (await this.git('ls-tree', '-r', '-z', '--name-only', commit))
      .split('\0')
      .filter((path) => path !== '')
    const texts = new Map<string, string>()
    for (const path of files.filter((each) => FACTS.test(each)).slice(0, 200)) {
      texts.set(path, await this.git('show', `${commit}:${path}`))
    }
    return factsOf(files, (path) => texts.get(path))
  }

  private async git(...words: string[]): Promise<string> {
    const { stdout, code } = await this.tryGit(...words)
    return code === 0 ? stdout : ''
  }

  private async tryGit(...words: string[]): Promise<{ stdout: string; code: number }> {
    try {
      return await this.repository.git(words, PATIENCE)
    } catch (error) {
      if (error instanceof LoadoutError) return { stdout: '', code: -1 }
      throw error
    }
  }

  /** The finding about a false statement; undefined if it may be about something that was never meant to be there. */
  private async describe(
    statement: Statement,
    now: ProjectFacts,
    path: string,
    folder: string,
  ): Promise<Finding | undefined> {
    const { kind, name, line, version = '', isHedged } = statement
    const about = { path, line }
    if (kind === 'script') {
      const was = await this.lastCommit(['-S', `"${name}"`, '--', 'package.json', '**/package.json'])
      return isHedged && was === undefined
        ? undefined
        : report('STATEMENT_FALSE/script', { name, instead: nearest(name, now.scripts), was: was ?? '' }, about)
    }
    if (kind === 'target' || kind === 'recipe') {
      const was = await this.lastCommit(['-G', `^${escaped(name)}\\b`, '--', ...FILES_OF[kind]])
      const known = kind === 'target' ? now.targets : now.recipes
      return isHedged && was === undefined
        ? undefined
        : report(`STATEMENT_FALSE/${kind}`, { name, instead: nearest(name, known), was: was ?? '' }, about)
    }
    if (kind === 'version') {
      const least = now.least[name]
      return (
        least && report('STATEMENT_FALSE/version', { name, version, least: least.version, from: least.from }, about)
      )
    }
    const places = [joined(folder, name), joined('', name)].filter((each) => each !== '')
    // Behind a link, or ignored: there, or there on another machine.
    if (places.length === 0 || places.some((each) => exists(join(this.repository.path, each)))) return undefined
    if (await this.isIgnored(places)) return undefined
    const gone = await this.goneAt(name, places)
    if (statement.mayBeAbsent && gone?.renamed === undefined) return undefined
    if (gone !== undefined) {
      const instead = gone.renamed ?? sameName(name, now)
      return report(
        `STATEMENT_FALSE/${kind}`,
        { name, instead: instead === undefined ? '' : `; there is ${instead}`, was: gone.commit },
        about,
      )
    }
    if (kind === 'link') {
      return report('STATEMENT_FALSE/link', { name, instead: insteadOf(sameName(name, now)), was: '' }, about)
    }
    // Never there: only a plain sentence about a file in a folder that is there.
    const isAnchored = places.some((each) => now.folders.has(`${dirname(each.replace(/\/$/, ''))}/`))
    if (isHedged || !isAnchored || name.endsWith('/')) return undefined
    return report('STATEMENT_FALSE/path', { name, instead: insteadOf(sameName(name, now)), was: '' }, about)
  }

  private async isIgnored(paths: readonly string[]): Promise<boolean> {
    return this.hasHistory && (await this.git('check-ignore', '--no-index', ...paths)) !== ''
  }

  /** The commit that removed a path, and where it went. */
  private async goneAt(
    name: string,
    places: readonly string[],
  ): Promise<{ commit: string; renamed?: string } | undefined> {
    if (!this.hasHistory || this.lookups++ > MOST_LOOKUPS) return undefined
    const plain = name.replace(/\/$/, '').replace(/^(?:\.\.?\/)+/, '')
    const specs = [
      ...places.map((place) => `:(literal)${place}`),
      `:(glob)**/${plain}${name.endsWith('/') ? '/**' : ''}`,
    ]
    const commit = await this.git(
      'log',
      '-1',
      '--no-renames',
      '--diff-filter=D',
      '--format=%H%x09%h %s',
      '--',
      ...specs,
    )
    const [hash = '', short = ''] = commit.trim().split('\t')
    if (hash === '') return undefined
    const changes = await this.git('show', '-M', '-m', '--first-parent', '--name-status', '--format=', '-l2000', hash)
    const renames = changes.split('\n').flatMap((row): [string, string][] => {
      const [state = '', from = '', to = ''] = row.split('\t')
      return state.startsWith('R') ? [[from, to]] : []
    })
    const renamed = renames.find(([from]) => places.includes(from) || `/${from}`.endsWith(`/${plain}`))?.[1]
    return { commit: ` (${short.slice(0, 100)})`, renamed }
  }

  private async lastCommit(words: readonly string[]): Promise<string | undefined> {
    if (!this.hasHistory || this.lookups++ > MOST_LOOKUPS) return undefined
    const said = (await this.git('log', '-1', '--format=%h %s', ...words)).trim()
    return said === '' ? undefined : ` (${said.slice(0, 100)})`
  }

  /** Words that the code has, found with one look for all. */
  private words: ReadonlySet<string> = new Set()

  private async findWords(names: readonly string[]): Promise<void> {
    const asked = [...new Set(names)].slice(0, MOST_WORDS).flatMap((name) => ['-e', name])
    if (!this.hasHistory || asked.length === 0) return
    this.words = new Set((await this.git('grep', '-owhF', '--untracked', ...asked, ...CODE_FILES)).split('\n'))
  }

  /** Symbols that the code had when the sentence was written, and that no file has now. */
  private async goneSymbols(
    symbols: readonly Statement[],
    path: string,
    since: string | undefined,
  ): Promise<Finding[]> {
    if (!this.hasHistory || symbols.length === 0) return []
    const findings: Finding[] = []
    const seen = new Map<string, boolean>()
    for (const { name, line } of symbols) {
      if (this.words.has(name)) continue
      if (seen.size < 60 && !seen.has(name)) {
        // A word may stand only inside of longer ones that were asked for too.
        const { code } = await this.tryGit('grep', '-qwF', '--untracked', '-e', name, ...CODE_FILES)
        seen.set(name, code === 1)
      }
      if (seen.get(name) !== true) continue
      const blame = since ?? (await this.git('blame', '-l', '-L', `${line},${line}`, '--', path))
      const written = since ?? /^\^?([0-9a-f]{7,40})/.exec(blame)?.[1]
      if (written === undefined || /^0+$/.test(written)) continue
      const had = await this.git('grep', '-lwF', '-e', name, written, ...CODE_FILES)
      // In a file of code: a word of a log or a lock file proves nothing.
      if (!CODE.test(had)) continue
      const was = await this.lastCommit(['-S', name, `${written}..HEAD`, ...CODE_FILES])
      if (was !== undefined) findings.push(report('STATEMENT_FALSE/symbol', { name, was }, { path, line }))
    }
    return findings
  }
}

const FACTS = /(?:^|\/)(?:package\.json|(?:GNU)?[Mm]akefile|[^/]+\.mk|\.?[Jj]ustfile|pyproject\.toml|go\.mod|\.nvmrc)$/
const FILES_OF = {
  target: ['Makefile', 'makefile', 'GNUmakefile', ':(glob)**/Makefile', ':(glob)**/*.mk'],
  recipe: ['justfile', 'Justfile', '.justfile', ':(glob)**/justfile'],
}

function factsOf(files: readonly string[], read: (path: string) => string | undefined): ProjectFacts {
  const folders = new Set<string>(['./'])
  for (const file of files) {
    for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) folders.add(file.slice(0, at + 1))
  }
  const named = (pattern: RegExp) =>
    files.filter((path) => pattern.test(path) && !/(?:^|\/)node_modules\//.test(path)).slice(0, 300)
  const texts = (pattern: RegExp) => named(pattern).map((path) => read(path) ?? '')
  const packages = texts(/(?:^|\/)package\.json$/).map((text) => parseForeignJson(text).value)
  const scripts = packages.flatMap((json) =>
    isRecord(json) && isRecord(json.scripts) ? Object.keys(json.scripts) : [],
  )
  const least: Record<string, { version: string; from: string }> = {}
  const state = (program: string, range: unknown, from: string) => {
    const version = typeof range === 'string' ? leastOf(range) : undefined
    if (version !== undefined) least[program] ??= { version, from }
  }
  state(
    'node',
    getDeep(parseForeignJson(read('package.json') ?? '').value, 'engines', 'node'),
    'engines in package.json',
  )
  state('python', /^requires-python\s*=\s*["']([^"']+)["']/m.exec(read('pyproject.toml') ?? '')?.[1], 'pyproject.toml')
  state('go', /^go\s+(\d+\.\d+)/m.exec(read('go.mod') ?? '')?.[1], 'go.mod')
  return {
    files: new Set(files),
    folders,
    scripts: packages.some((json) => !isRecord(json)) || packages.length === 0 ? undefined : new Set(scripts),
    targets: allOf(texts(/(?:^|\/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk)$/).map(targetsOf)),
    recipes: allOf(texts(/(?:^|\/)\.?[Jj]ustfile$/).map(recipesOf)),
    least,
  }
}

/** Undefined if there is none, or one that cannot be known. */
function allOf(lists: readonly (readonly string[] | undefined)[]): ReadonlySet<string> | undefined {
  if (lists.length === 0 || lists.includes(undefined)) return undefined
  return new Set(lists.flatMap((list) => list ?? []))
}

function insteadOf(path: string | undefined): string {
  return path === undefined ? '' : `; there is ${path}`
}

/** The only file of the same name elsewhere. */
function sameName(name: string, { files }: ProjectFacts): string | undefined {
  const end = `/${name.replace(/\/$/, '').split('/').at(-1)}`
  const same = [...files].filter((path) => `/${path}`.endsWith(end))
  return same.length === 1 ? same[0] : undefined
}

function nearest(name: string, names: ReadonlySet<string> = new Set()): string {
  const parts = name.split(/[:-]/)
  const near = [...names].filter((each) => each.split(/[:-]/).some((part) => parts.includes(part))).slice(0, 3)
  return near.length === 0 ? '' : `; there is ${near.join(', ')}`
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
