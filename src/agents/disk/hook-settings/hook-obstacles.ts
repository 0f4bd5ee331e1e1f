import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse as parseCommented } from 'jsonc-parser'
import { isFile, readJson, readText } from '../../../machine/files.ts'
import type { Machine } from '../../../machine/machine.ts'
import { realOrSame } from '../../../machine/open-project.ts'
import { readToml } from '../../../machine/toml.ts'
import { getDeep, isRecord } from '../../../text/values.ts'
import { codexRuns } from '../../rules/hook-hosts.ts'
import type { FoundHook } from '../../rules/hook-settings/hook-settings.ts'
import { type HookPlace, hostFolder } from './hook-places.ts'

/** Why an agent does not run the hooks in its settings. */
export interface Obstacle {
  message: string
  hint: string
}

/** Finds settings of the agent that turn hooks off. */
export function findObstacles(machine: Machine, place: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const find = FINDERS[place.host.agent]
  return find === undefined ? [] : find(machine, place, hooks)
}

type Finder = (machine: Machine, place: HookPlace, hooks: readonly FoundHook[]) => Obstacle[]

const FINDERS: Readonly<Record<string, Finder>> = {
  claude: findForClaude,
  codex: findForCodex,
  gemini: findForGemini,
  copilot: findForCopilot,
}

const ADMINISTRATED_IN: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
}
const ADMINISTRATED = ADMINISTRATED_IN[process.platform] ?? '/etc/claude-code'
const ASK_ADMINISTRATOR = 'only an administrator can change that'

function findForClaude(machine: Machine, { host, project }: HookPlace): Obstacle[] {
  const managed = [
    join(ADMINISTRATED, 'managed-settings.json'),
    ...filesIn(join(ADMINISTRATED, 'managed-settings.d'), '.json'),
  ]
  const own = [join(hostFolder(machine, host), host.userFile)]
  if (project !== undefined) own.push(join(project, host.projectFile), join(project, '.claude/settings.local.json'))
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
function findForGemini(machine: Machine, { host, project }: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const files = ['/etc/gemini-cli/settings.json', join(hostFolder(machine, host), host.userFile)]
  if (project !== undefined) files.push(join(project, host.projectFile))
  return files.flatMap((path) => {
    const { enabled, disabled } = objectAt(commentedOf(path), 'hooksConfig')
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

function findForCopilot(machine: Machine, { host, path, project }: HookPlace): Obstacle[] {
  const folder = hostFolder(machine, host)
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
  try {
    const json: unknown = isFile(path) ? parseCommented(readText(path)) : undefined
    return isRecord(json) ? json : {}
  } catch {
    return {}
  }
}

function objectAt(json: Record<string, unknown>, key: string): Record<string, unknown> {
  const value = json[key]
  return isRecord(value) ? value : {}
}

function isSet(path: string, key: string): boolean {
  try {
    const json = isFile(path) ? readJson(path) : undefined
    return isRecord(json) && json[key] === true
  } catch {
    // The agent cannot read it either.
    return false
  }
}

function filesIn(folder: string, extension: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(extension) && !name.startsWith('.'))
    return names.map((name) => join(folder, name))
  } catch {
    return []
  }
}

const TRUST = 'start codex and choose to trust them, or type /hooks in it'

function findForCodex(machine: Machine, { host, path, project }: HookPlace, hooks: readonly FoundHook[]): Obstacle[] {
  const configPath = join(hostFolder(machine, host), 'config.toml')
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
  try {
    return readToml(isFile(path) ? readText(path) : '')
  } catch {
    return {}
  }
}
