import { isUtf8 } from 'node:buffer'
import { accessSync, constants } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { brokenTail, codeOf, exists, isFolder, isLink, READING, readUpTo, withFile } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { findRepository, upwards } from '../../machine/open-project.ts'
import { readToml } from '../../machine/toml.ts'
import { attempt, getDeep, getOwn, isRecord, isTextList } from '../../text/values.ts'
import { type AgentSettings, type InstructionFile, NO_SETTINGS, usageScore } from '../rules/agent-settings.ts'
import type { Agent } from '../rules/agents.ts'
import type { InstructionRules, ReadingRules, SettingsRules, SkillPlace } from '../rules/reading-rules.ts'

/** A folder in which an agent looks for skills on this machine. */
export interface FoundPlace {
  path: string
  scope: SkillPlace['scope']
  isCommands: boolean
  isWorkflows?: boolean
  /** The plugin, whose name goes before the names of its skills. */
  plugin?: string
  state: 'read' | 'missing' | 'unreadable'
  why?: string
}

/** The folders and settings files of an agent on this machine. Without `cwd`: no folders of a project. */
export class AgentFiles {
  private readonly machine: Machine
  private readonly agent: Agent
  private readonly cwd: string | undefined

  constructor(machine: Machine, agent: Agent, cwd: string | undefined) {
    this.machine = machine
    this.agent = agent
    this.cwd = cwd
  }

  /** All folders in which an agent looks for skills, in its order. Without `cwd`: no folders of a project. */
  places(rules: ReadingRules): FoundPlace[] {
    const seen = new Set<string>()
    return rules.places.flatMap((place) =>
      this.pathsOf(rules, place).flatMap((path) => {
        if (seen.has(path)) return []
        seen.add(path)
        const { scope, isCommands = false, isWorkflows } = place
        return [{ path, scope, isCommands, isWorkflows, ...stateOf(path) }]
      }),
    )
  }

  private pathsOf(rules: ReadingRules, { from, path, isOutermostFirst }: SkillPlace): string[] {
    if (from === 'machine') return [path]
    if (from === 'own') return [join(this.ownFolder(), path)]
    if (from === 'home') return [this.homePath(path)]
    if (this.cwd === undefined) return []
    if (from === 'working') return [join(this.cwd, path)]
    const folders = this.projectFolders(this.cwd, rules.climbsWithoutRepository)
    if (from === 'root') return folders.slice(-1).map((folder) => join(folder, path))
    return (isOutermostFirst ? folders.reverse() : folders).map((folder) => join(folder, path))
  }

  /** The agent's own folder, which an environment variable may move. */
  ownFolder(): string {
    const { home } = this.agent
    const moved = home && this.machine.env[home.variable]
    return moved && isAbsolute(moved) ? moved : this.homePath(this.usualFolder)
  }

  /** The agent's own folder below the home folder, if nothing moves it. */
  get usualFolder(): string {
    const { home, userFolder, projectFolder } = this.agent
    return home?.folder ?? dirname(userFolder ?? projectFolder)
  }

  private homePath(path: string): string {
    return path.startsWith('.config/')
      ? join(this.machine.xdgConfigHome, path.slice('.config/'.length))
      : join(this.machine.home, path)
  }

  /** The folders from `cwd` up to the root of its repository. Stops at the home folder, which is not a project. */
  private projectFolders(cwd: string, climbs: boolean): string[] {
    const repository = findRepository(cwd)
    const folders: string[] = []
    for (let folder = cwd; folder !== this.machine.home; folder = dirname(folder)) {
      folders.push(folder)
      if (folder === repository || dirname(folder) === folder || (repository === undefined && !climbs)) break
    }
    return folders
  }

  /** Folders of installed and enabled plugins: the first kind of folder of all plugins, then the next kind. */
  plugins({ plugins }: ReadingRules, settings: AgentSettings): FoundPlace[] {
    if (plugins === undefined || settings.plugins.length === 0) return []
    const installed = readInstalled(join(this.ownFolder(), plugins.installed), settings.plugins, this.cwd)
    const places = plugins.folders.flatMap(({ path, isCommands = false, isWorkflows }) =>
      installed.map(({ name, folder }): FoundPlace => {
        const at = join(folder, path)
        return { path: at, scope: 'plugin', isCommands, isWorkflows, plugin: name, ...stateOf(at) }
      }),
    )
    // A plugin may lack some kinds of folders.
    return places.filter(({ state }) => state !== 'missing')
  }

  /** The existing instruction files, in the order in which an agent reads them. */
  instructions(rules: InstructionRules, settings: Pick<AgentSettings, 'names' | 'moreNames'>): InstructionFile[] {
    const global = rules.global.flatMap(({ from, names }) => {
      // Of each list one file counts; two lists may name files of one folder.
      if (from === 'home') return names.flatMap((name) => filesIn(names.join(), [this.homePath(name)], true))
      return filesIn(from === 'own' ? this.ownFolder() : '/', names, true)
    })
    const { cwd } = this
    if (cwd === undefined) return global
    // Only file names; names with a path are ignored.
    const inFolders = (names: readonly string[]) =>
      foldersDownTo(cwd, rules)
        .flatMap((folder) => filesIn(folder, names, false))
        .filter(({ path }) => !global.some((file) => file.path === path))
    const plain = (names: readonly string[] = []) => names.filter((name) => name === basename(name))
    const found = inFolders([
      ...(settings.names === undefined ? rules.names : plain(settings.names)),
      ...plain(settings.moreNames),
    ])
    const local = found.length === 0 && rules.otherwise !== undefined ? inFolders(rules.otherwise) : found
    return [...global, ...local]
  }

  /** Reads the settings of an agent on this machine. Ignores files that cannot be read. */
  settings(rules: SettingsRules | undefined): AgentSettings {
    if (rules === undefined) return NO_SETTINGS
    const readAll = this.settingsReader(rules)
    const read: Reader = (key) => readAll(key)[0]
    const { keys, variables } = rules
    const number = (key: string | undefined) => positive(read(key))
    const model = textOf(variables.model && this.machine.env[variables.model]) ?? textOf(read(keys.model))
    const budget = positive(Number(variables.budget && this.machine.env[variables.budget]))
    const moreNames = read(keys.moreNames)
    const names = read(keys.names)
    // A single word instead of a table applies to every skill.
    const values = readAll(keys.permissions)
    const tables = values.map((value) => (typeof value === 'string' ? { '*': value } : value))
    return {
      ...present({
        share: number(keys.share),
        perSkill: number(keys.perSkill),
        window: number(keys.window),
        mostBytes: number(keys.mostBytes),
        model,
        budget,
        names: isTextList(names) ? names : textOf(names) === undefined ? undefined : [String(names)],
      }),
      overrides: Object.fromEntries(
        Object.entries(merged(readAll(keys.overrides))).flatMap(([key, value]) =>
          typeof value === 'string' ? [[key, value]] : [],
        ),
      ),
      withoutOwn: read(keys.withoutOwn) === true,
      plugins: Object.entries(merged(readAll(keys.plugins))).flatMap(([name, isOn]) => (isOn === true ? [name] : [])),
      moreNames: isTextList(moreNames) ? moreNames : [],
      off: [
        ...switchedOff(read(keys.switches)),
        ...readAll(keys.disabled)
          .flatMap((list) => (isTextList(list) ? list : []))
          .map((name) => ({ name })),
      ],
      permissions: Object.entries(merged(tables)).map(([pattern, word]) => ({ pattern, isOff: word === 'deny' })),
      usage: this.readUsage(rules),
    }
  }

  /** Of each settings file of this user, the values of the keys that change the list or the instructions. */
  knownSettings({ files, format, keys }: SettingsRules): { path: string; value: Record<string, unknown> }[] {
    return this.settingsFiles(files.filter(({ from }) => from !== 'machine')).map((path) => {
      const read = READERS[format](path)
      const value: Record<string, unknown> = {}
      for (const key of Object.values(keys)) {
        const found = read(key)
        const folders = (key ?? '').split('.')
        const last = folders.pop()!
        if (found === undefined) continue
        let table = value
        for (const name of folders) {
          table[name] ??= {}
          table = table[name] as typeof value
        }
        table[last] = found
      }
      return { path, value }
    })
  }

  /** The agent's own record of its skills, and the file below the home folder that has it. */
  usage(rules: SettingsRules): { file: string; skills: unknown } | undefined {
    const skills = this.stateReader(rules)('skillUsage')
    return rules.usageFile === undefined || skills === undefined ? undefined : { file: rules.usageFile, skills }
  }

  /** The settings file for personal choices: the user's own or, in a project, the last one that the agent reads. */
  personalFile({ files }: SettingsRules): string | undefined {
    const last = files.findLast(({ from }) => from === (this.cwd === undefined ? 'own' : 'project'))
    return last && this.settingsFiles([last])[0]
  }

  /** The folders in which the agent worked, according to its settings and its own record. */
  workedIn(rules: SettingsRules | undefined): string[] {
    if (rules === undefined) return []
    const tables = [...this.settingsReader(rules)('projects'), this.stateReader(rules)('projects')]
    return Object.keys(merged(tables)).filter((path) => isAbsolute(path) && isFolder(path))
  }

  private settingsFiles(files: SettingsRules['files']): string[] {
    const { cwd } = this
    return files.flatMap(({ from, path }) => {
      if (from === 'machine') return [path]
      if (from === 'own') return [join(this.ownFolder(), path)]
      if (from === 'home') return [this.homePath(path)]
      if (cwd === undefined) return []
      const folders = from === 'project' ? [cwd] : upwards(cwd, findRepository(cwd) ?? cwd).reverse()
      return folders.map((folder) => join(folder, path))
    })
  }

  /** The values of a key in all files, the one with the highest priority first. */
  private settingsReader(rules: SettingsRules) {
    const files = this.settingsFiles(rules.files)
    const readers = files.map((file) => READERS[rules.format](file)).reverse()
    return (key: string | undefined): unknown[] =>
      key === undefined ? [] : readers.map((read) => read(key)).filter((value) => value !== undefined)
  }

  /** Reads the agent's own record, if it keeps one. */
  private stateReader({ usageFile }: SettingsRules): Reader {
    if (usageFile === undefined) return () => undefined
    const isMoved = this.agent.home !== undefined && this.machine.env[this.agent.home.variable]
    return jsonReader(join(isMoved ? this.ownFolder() : this.machine.home, usageFile), 64 * 1024 * 1024)
  }

  private readUsage(rules: SettingsRules): Record<string, number> {
    const usage = this.stateReader(rules)('skillUsage')
    if (!isRecord(usage)) return {}
    const now = this.machine.now().getTime()
    return Object.fromEntries(
      Object.entries(usage).flatMap(([name, use]) => {
        if (!isRecord(use) || typeof use.usageCount !== 'number' || typeof use.lastUsedAt !== 'number') return []
        return [[name, usageScore(use.usageCount, use.lastUsedAt, now)]]
      }),
    )
  }
}

function stateOf(path: string): Pick<FoundPlace, 'state' | 'why'> {
  return attempt(
    () => {
      if (!isFolder(path)) {
        if (!exists(path)) return { state: 'missing' }
        return { state: 'unreadable', why: isLink(path) ? 'it is a broken link' : 'it is not a folder' }
      }
      accessSync(path, constants.R_OK | constants.X_OK)
      return { state: 'read' }
    },
    { state: 'unreadable', why: 'it is not readable' },
  )
}

function readInstalled(
  file: string,
  isOn: readonly string[],
  cwd: string | undefined,
): { name: string; folder: string }[] {
  const head = readHead(file, 4 * 1024 * 1024)
  if ('problem' in head) return []
  return attempt(() => {
    const json: unknown = JSON.parse(head.text)
    const plugins = isRecord(json) && isRecord(json.plugins) ? json.plugins : {}
    return isOn.flatMap((id) => {
      const [name = id] = id.split('@')
      const installs: unknown = getOwn(plugins, id)
      const install = (Array.isArray(installs) ? installs : [installs]).find((each) => isInstalledFor(each, cwd))
      return isRecord(install) && typeof install.installPath === 'string' ? [{ name, folder: install.installPath }] : []
    })
  }, [])
}

/** Whether a plugin is installed for the user, or for the project that the agent works in. */
function isInstalledFor(install: unknown, cwd: string | undefined): boolean {
  if (!isRecord(install) || typeof install.installPath !== 'string' || !isAbsolute(install.installPath)) return false
  const { projectPath } = install
  return typeof projectPath !== 'string' || (cwd !== undefined && `${cwd}/`.startsWith(`${projectPath}/`))
}

function filesIn(folder: string, names: readonly string[], isGlobal: boolean): InstructionFile[] {
  return names.flatMap((name) => {
    const path = isAbsolute(name) ? name : join(folder, name)
    const head = readHead(path, 0)
    if (!('problem' in head)) return [{ path, bytes: head.size, isGlobal, folder }]
    const isThere = head.problem !== 'does not exist' || isLink(path)
    return isThere ? [{ path, bytes: 0, isGlobal, folder, problem: `it ${head.problem}` }] : []
  })
}

function foldersDownTo(cwd: string, { startsAt, isInnermostFirst }: InstructionRules): string[] {
  const first = startsAt === 'machine' ? undefined : startsAt === 'working' ? cwd : (findRepository(cwd) ?? cwd)
  const folders = upwards(cwd, first)
  return isInnermostFirst ? folders : folders.reverse()
}

type Reader = (key: string | undefined) => unknown

function jsonReader(file: string, largest = HEAD_BYTES): Reader {
  const head = readHead(file, largest)
  if ('problem' in head) return () => undefined
  try {
    const json: unknown = JSON.parse(head.text)
    return (key = '') => getDeep(json, ...key.split('.'))
  } catch {
    return () => undefined
  }
}

function commentedReader(file: string): Reader {
  const head = readHead(file)
  if ('problem' in head) return () => undefined
  const errors: ParseError[] = []
  const json: unknown = parse(head.text, errors, { allowTrailingComma: true })
  return (key = '') => (errors.length > 0 ? undefined : getDeep(json, ...key.split('.')))
}

function tomlReader(file: string): Reader {
  const head = readHead(file)
  if ('problem' in head) return () => undefined
  const toml = readToml(head.text)
  return (key = '') => getDeep(toml, ...key.split('.'))
}

const READERS = {
  json: (file: string) => jsonReader(file),
  'json with comments': commentedReader,
  toml: tomlReader,
}

/** Merges tables; for each key, the first table wins. */
function merged(values: readonly unknown[]): Record<string, unknown> {
  return Object.assign({}, ...values.filter(isRecord).reverse())
}

function switchedOff(value: unknown): AgentSettings['off'] {
  if (!Array.isArray(value)) return []
  return value.flatMap((table: unknown) => {
    if (!isRecord(table) || table.enabled !== false) return []
    return [present({ path: textOf(table.path), name: textOf(table.name) })]
  })
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}

export interface Head {
  /** The beginning of the file; bytes that are not UTF-8 are replaced. */
  text: string
  /** The size of the whole file, in bytes. */
  size: number
  isUtf8: boolean
}

/** Enough for frontmatter and a first line. */
const HEAD_BYTES = 256 * 1024

/** The beginning of a regular file, or why it cannot be read. Follows links, as agents do. Never throws. */
export function readHead(path: string, most = HEAD_BYTES): Head | { problem: string } {
  try {
    // Most files that an agent may have are missing, and wording an error takes longer than this look.
    if (!exists(path)) return { problem: describe('ENOENT', path) }
    return withFile(path, path, READING, (file, stat) => {
      if (stat.isDirectory()) return { problem: 'is a folder' }
      if (!stat.isFile()) return { problem: 'is not a regular file' }
      const bytes = readUpTo(file, Math.min(stat.size, most))
      const whole = bytes.length === stat.size ? bytes : bytes.subarray(0, bytes.length - brokenTail(bytes))
      return { text: whole.toString('utf8'), size: stat.size, isUtf8: isUtf8(whole) }
    })
  } catch (error) {
    return { problem: describe(codeOf(error instanceof Error ? error.cause : error), path) }
  }
}

function describe(code: string | undefined, path: string): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return isLink(path) ? 'is a broken link' : 'does not exist'
  if (code === 'ELOOP') return 'is a link to itself'
  if (code === 'EACCES' || code === 'EPERM') return 'is not readable'
  if (code === 'ENXIO') return 'is not a regular file'
  return `cannot be read${code === undefined ? '' : ` (${code})`}`
}
