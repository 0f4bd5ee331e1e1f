import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { parse as parseCommented } from 'jsonc-parser'
import { isFile, isFolder, readJson, readText } from '../../../machine/files.ts'
import { hookLogPath } from '../../../machine/hook-log.ts'
import type { Machine } from '../../../machine/machine.ts'
import { type Project, realOrSame } from '../../../machine/open-project.ts'
import { packageFolder } from '../../../machine/package-folder.ts'
import { readToml } from '../../../machine/toml.ts'
import { failWith } from '../../../text/trouble.ts'
import { attempt, getDeep, isRecord } from '../../../text/values.ts'
import { findAgent, requireAgent, type Scope } from '../../rules/agents.ts'
import {
  codexRuns,
  HOOK_HOSTS,
  type HookHost,
  requireHost,
  SETTINGS_HOSTS,
  type SettingsHost,
} from '../../rules/hook-hosts.ts'
import type { ProgramCall } from '../../rules/hook-settings/hook-command.ts'
import type { FoundHook } from '../../rules/hook-settings/hook-settings.ts'
import type { McpPlace } from '../../rules/mcp-server.ts'

/** A settings file from which an agent reads its hooks. */
export interface HookPlace {
  host: HookHost
  label: string
  scope: Scope
  path: string
  /** Set for the hooks of a project. */
  project: string | undefined
  /** The folder with the user's settings of the agent. */
  folder: string
}

/** Undefined if the agent reads no hooks in projects. */
export function hookPlace(machine: Machine, host: HookHost, project: string | undefined): HookPlace | undefined {
  const { label } = requireAgent(host.agent)
  const folder = hostFolder(machine, host)
  const path = project === undefined ? join(folder, host.userFile) : host.projectFile && join(project, host.projectFile)
  return path === undefined
    ? undefined
    : { host, label, scope: project === undefined ? 'user' : 'project', path, project, folder }
}

/** The file in which an agent names the MCP servers of its user. */
export function serverFile(machine: Machine, { agent }: SettingsHost, { file, isBeside }: McpPlace): string {
  const { home } = requireAgent(agent)
  const folder = hostFolder(machine, SETTINGS_HOSTS.find((each) => each.agent === agent)!)
  if (isBeside && folder === join(machine.home, home?.folder ?? '')) return join(machine.home, file)
  const path = join(folder, file)
  // OpenCode and Kilo Code also read a file with comments.
  return /^(?:opencode|kilo)\.json$/.test(file) && isFile(`${path}c`) ? `${path}c` : path
}

/** The host of a named agent, by any of its names. */
export function hostNamed(name: string): HookHost {
  const id = findAgent(name)?.id
  return HOOK_HOSTS.find(({ agent }) => agent === id) ?? requireHost(name)
}

/** The folder with the user's settings of an agent. */
function hostFolder(machine: Machine, { agent, home }: SettingsHost): string {
  const { variable, folder } = { folder: '', variable: undefined, ...(home ?? requireAgent(agent).home) }
  const moved = variable && machine.env[variable]
  if (moved && isAbsolute(moved)) return resolve(moved)
  const inConfig = /^\.config\/(.*)/.exec(folder)?.[1]
  return inConfig === undefined ? join(machine.home, folder) : join(machine.xdgConfigHome, inConfig)
}

/** Whether an agent seems to be used on this machine. */
export function isPresent(machine: Machine, host: SettingsHost): boolean {
  return isFolder(hostFolder(machine, host))
}

/** The repository, unless it is the home folder, which has the user's own settings. */
export function findHookProject(machine: Machine, { repository }: Project): string | undefined {
  return repository === machine.home ? undefined : repository
}

export function requireHookProject(machine: Machine, named: string): string {
  const opened = machine.openProject(named)
  const project = findHookProject(machine, opened)
  if (project !== undefined) return project
  throw failWith('NO_PROJECT/hook-project', { place: opened.place })
}

/** The last answer and the last problem of an agent's hooks. */
export interface HookTraces {
  /** The time of the last answer in any session. */
  lastAnswer?: string
  /** The last line about the agent in the log. */
  lastTrouble?: string
}

/** Empty where the sessions or the log cannot be read. */
export function findTraces(machine: Machine, agent: string): HookTraces {
  const traces: HookTraces = {}
  try {
    const folder = machine.sessions.folder
    const names = readdirSync(folder).filter((name) => name.startsWith(`${agent}.`))
    const times = names.map((name) => statSync(join(folder, name)).mtimeMs)
    if (times.length > 0) traces.lastAnswer = new Date(Math.max(...times)).toISOString()
  } catch {}
  try {
    const lines = readText(hookLogPath(machine)).split('\n')
    traces.lastTrouble = lines.findLast((line) => line.split(' ')[1] === agent)
  } catch {}
  return traces
}

/** How to start Loadout from anywhere: by its name if that is on the PATH, else by its path. */
export function ownCall(machine: Machine): ProgramCall {
  const script = join(packageFolder(), 'dist', 'cli.cjs')
  const found = findProgram(machine.env, 'loadout')
  const isThis = found !== undefined && realOrSame(found) === realOrSame(script)
  return isThis ? 'named' : { node: process.execPath, script }
}

/** Searches the PATH, without the folders that npm adds while it runs a script: agents do not have them. */
export function findProgram(env: Machine['env'], name: string): string | undefined {
  const folders = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  return attempt(() => {
    accessSync(path, constants.X_OK)
    return isFile(path)
  }, false)
}

/** Why an agent does not run the hooks in its settings. */
export interface Obstacle {
  message: string
  hint: string
}

/** Finds settings of the agent that turn hooks off. */
export function findObstacles(place: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const find = FINDERS[place.host.agent]
  return find === undefined ? [] : find(place, hooks)
}

type Finder = (place: HookPlace, hooks: readonly FoundHook[]) => Obstacle[]

const FINDERS: Readonly<Record<string, Finder>> = {
  claude: findForClaude,
  codex: findForCodex,
  gemini: findForGemini,
  copilot: findForCopilot,
  droid: ({ path }) => {
    const other = join(dirname(path), 'hooks.json')
    if (!isFile(other)) return []
    return [{ message: `Droid reads ${other} instead`, hint: `move the hooks from ${path} there: /hooks in droid` }]
  },
}

const ADMINISTRATED_IN: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
}
const ADMINISTRATED = ADMINISTRATED_IN[process.platform] ?? '/etc/claude-code'
const ASK_ADMINISTRATOR = 'only an administrator can change that'

function findForClaude({ host, project, path, folder }: HookPlace): Obstacle[] {
  const managed = [
    join(ADMINISTRATED, 'managed-settings.json'),
    ...filesIn(join(ADMINISTRATED, 'managed-settings.d'), '.json'),
  ]
  const own = [join(folder, host.userFile)]
  if (project !== undefined) own.push(path, join(project, '.claude/settings.local.json'))
  return [
    ...managed
      .filter((path) => isSet(path, 'disableAllHooks') || isSet(path, 'allowManagedHooksOnly'))
      .map((path) => ({ message: `${path} allows only its own hooks`, hint: ASK_ADMINISTRATOR })),
    ...own
      .filter((path) => isSet(path, 'disableAllHooks'))
      .map((path) => ({ message: `"disableAllHooks" is set in ${path}`, hint: 'remove it from there' })),
  ]
}

/** Reads the settings of the machine, the user and the project, which may have comments. */
function findForGemini({ host, project, path, folder }: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const files = ['/etc/gemini-cli/settings.json', join(folder, host.userFile)]
  if (project !== undefined) files.push(path)
  return files.flatMap((path) => {
    const json = commentedOf(path)
    const value = json.hooksConfig
    const { enabled, disabled } = isRecord(value) ? value : {}
    const off = hooks.filter(({ commands }) => Array.isArray(disabled) && disabled.includes(commands.command))
    return [
      ...(enabled === false
        ? [{ message: `"hooksConfig.enabled" is off in ${path}`, hint: 'remove it from there' }]
        : []),
      ...(off.length > 0
        ? [
            {
              message: `they are switched off in ${path}: ${off.map(({ event }) => event).join(', ')}`,
              hint: 'type /hooks enable-all in gemini',
            },
          ]
        : []),
    ]
  })
}

function findForCopilot({ path, project, folder }: HookPlace): Obstacle[] {
  const off = [join(folder, 'settings.json'), path].filter((each) => commentedOf(each).disableAllHooks === true)
  const { trustedFolders } = commentedOf(join(folder, 'config.json'))
  const isTrusted = Array.isArray(trustedFolders) && trustedFolders.some((each) => each === project)
  return [
    ...off.map((each) => ({ message: `"disableAllHooks" is set in ${each}`, hint: 'remove it from there' })),
    ...(project === undefined || isTrusted
      ? []
      : [{ message: `Copilot CLI does not trust ${project} yet`, hint: 'start copilot there and trust it' }]),
  ]
}

/** Reads JSON with comments. Empty if it cannot be read; then the agent cannot read it either. */
function commentedOf(path: string): Record<string, unknown> {
  return attempt(() => {
    const json: unknown = isFile(path) ? parseCommented(readText(path)) : undefined
    return isRecord(json) ? json : {}
  }, {})
}

function isSet(path: string, key: string): boolean {
  // The agent cannot read it either.
  return attempt(() => {
    const json = isFile(path) ? readJson(path) : undefined
    return isRecord(json) && json[key] === true
  }, false)
}

function filesIn(folder: string, extension: string): string[] {
  return attempt(() => {
    const names = readdirSync(folder).filter((name) => name.endsWith(extension) && !name.startsWith('.'))
    return names.map((name) => join(folder, name))
  }, [])
}

const TRUST = 'start codex and choose to trust them, or type /hooks in it'

function findForCodex({ path, project, folder }: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const configPath = join(folder, 'config.toml')
  const config = tomlOf(configPath)
  const required = '/etc/codex/requirements.toml'
  if (tomlOf(required).allow_managed_hooks_only === true) {
    return [{ message: `${required} allows only its own hooks`, hint: ASK_ADMINISTRATOR }]
  }
  const off = ['hooks', 'codex_hooks'].find((name) => getDeep(config, 'features', name) === false)
  if (off !== undefined) {
    return [{ message: `"features.${off}" is off in ${configPath}`, hint: 'remove it from there' }]
  }
  if (project !== undefined && !isTrusted(config, project)) {
    return [
      {
        message: `Codex does not trust ${project}, so it reads no hooks there`,
        hint: 'start codex there and trust it',
      },
    ]
  }
  const states = hooks.map((hook) => codexRuns(config, [path, realOrSame(path)], hook))
  const events = (state: string) => hooks.filter((_, at) => states[at] === state).map(({ event }) => event)
  return [
    ...(states.includes('off')
      ? [{ message: `they are switched off in Codex: ${events('off').join(', ')}`, hint: 'type /hooks in codex' }]
      : []),
    ...(states.includes('untrusted')
      ? [{ message: `Codex does not trust the hooks for ${events('untrusted').join(', ')}`, hint: TRUST }]
      : []),
  ]
}

function isTrusted(config: unknown, project: string): boolean {
  return [project, realOrSame(project)].some((path) => getDeep(config, 'projects', path, 'trust_level') === 'trusted')
}

function tomlOf(path: string): Record<string, unknown> {
  return attempt(() => readToml(isFile(path) ? readText(path) : ''), {})
}
