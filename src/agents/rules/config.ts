import { asRecord, asSwitch, badConfig } from '../../machine/rules/settings-shape.ts'
import { getOwn, isRecord, isTextList, setOwn } from '../../text/values.ts'
import { AGENTS, isAgent } from './agents.ts'

type Json = Record<string, unknown>

/** For each skill, the agents that have it. */
export type Profile = Record<string, string[]>

/** The settings of the library and the agents in `config.json`. */
export interface ConfigValues {
  /** The library as written, perhaps with `~` or relative. Undefined until `loadout init`. */
  repoPath: string | undefined
  /** By agent id; a missing agent has the defaults of its row. */
  targets: Record<string, { isEnabled: boolean; path?: string }>
  /** The agents that are on this machine: enabled unless `targets` says otherwise. */
  found: readonly string[]
  commitsImports: boolean
  commitsDeletes: boolean
  pushesOnSync: boolean
  profiles: Record<string, Profile>
}

export const NO_CONFIG: ConfigValues = parseConfig({}, '')

export function parseConfig(json: unknown, path: string): ConfigValues {
  const file = asRecord(json, path, 'the file')
  const actions = asRecord(file.repo_actions ?? {}, path, '"repo_actions"')
  return {
    repoPath: asOptionalText(file.repo_path, path, '"repo_path"'),
    targets: parseTargets(asRecord(file.targets ?? {}, path, '"targets"'), path),
    found: [],
    commitsImports: asSwitch(actions.import_auto_commit, true, path, '"repo_actions.import_auto_commit"'),
    commitsDeletes: asSwitch(actions.delete_auto_commit, true, path, '"repo_actions.delete_auto_commit"'),
    pushesOnSync: asSwitch(actions.sync_push, false, path, '"repo_actions.sync_push"'),
    profiles: parseProfiles(asRecord(file.profiles ?? {}, path, '"profiles"'), path),
  }
}

function parseTargets(json: Record<string, unknown>, path: string): ConfigValues['targets'] {
  const targets: ConfigValues['targets'] = {}
  for (const [id, value] of Object.entries(json)) {
    // Another version of Loadout may know more agents: keep them unchecked.
    if (!isAgent(id)) continue
    const what = `"targets.${id}"`
    if (typeof value === 'string') {
      targets[id] = { isEnabled: true, path: value }
      continue
    }
    const target = asRecord(value, path, what)
    const own = asOptionalText(target.path, path, `"targets.${id}.path"`)
    const isEnabled = asSwitch(target.enabled, true, path, `"targets.${id}.enabled"`)
    targets[id] = own === undefined ? { isEnabled } : { isEnabled, path: own }
  }
  return targets
}

function parseProfiles(json: Record<string, unknown>, path: string): ConfigValues['profiles'] {
  const profiles: ConfigValues['profiles'] = {}
  for (const [name, value] of Object.entries(json)) {
    const profile: Profile = {}
    for (const [skill, agents] of Object.entries(asRecord(value, path, `"profiles.${name}"`))) {
      if (!isTextList(agents)) throw badConfig(path, `"profiles.${name}.${skill}" must be a list of agents`)
      setOwn(profile, skill, agents)
    }
    setOwn(profiles, name, profile)
  }
  return profiles
}

export function isEnabled(config: ConfigValues, id: string): boolean {
  const isDefault = () => AGENTS.some((agent) => agent.id === id && agent.isEnabledByDefault)
  return config.targets[id]?.isEnabled ?? (config.found.includes(id) || isDefault())
}

export function withRepoPath(json: Json, path: string): Json {
  return { ...json, repo_path: path }
}

/** Enables or disables one agent, and keeps its folder. */
export function withTarget(json: Json, id: string, enabled: boolean): Json {
  const targets = isRecord(json.targets) ? json.targets : {}
  const before = getOwn(targets, id)
  const kept = typeof before === 'string' ? { path: before } : isRecord(before) ? before : {}
  return { ...json, targets: { ...targets, [id]: { ...kept, enabled } } }
}

/** Sets the folder of one agent; an empty path restores the default. */
export function withTargetPath(json: Json, id: string, path: string, enabled: boolean): Json {
  const targets = isRecord(json.targets) ? json.targets : {}
  const before = getOwn(targets, id)
  const { path: _, ...kept } = isRecord(before) ? before : {}
  return { ...json, targets: { ...targets, [id]: { ...kept, enabled, ...(path !== '' && { path }) } } }
}

/** Writes the defaults of agents, folders and automatic commits into the file. Keeps existing values. */
export function withDefaults(json: Json, agents: readonly { id: string; enabled: boolean; path?: string }[]): Json {
  const targets = { ...(isRecord(json.targets) ? json.targets : {}) }
  for (const { id, ...defaults } of agents) {
    const own = getOwn(targets, id)
    if (typeof own !== 'string') setOwn(targets, id, { ...defaults, ...(isRecord(own) ? own : {}) })
  }
  const actions = isRecord(json.repo_actions) ? json.repo_actions : {}
  return { ...json, targets, repo_actions: { import_auto_commit: true, delete_auto_commit: true, ...actions } }
}

/** Turns one of the `repo_actions` on or off. */
export function withAction(json: Json, name: string, isOn: boolean): Json {
  const actions = isRecord(json.repo_actions) ? json.repo_actions : {}
  return { ...json, repo_actions: { ...actions, [name]: isOn } }
}

function asOptionalText(value: unknown, path: string, what: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '' && !value.includes('\0'))) return value
  throw badConfig(path, `${what} must be a path`)
}
