import { copyFileSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { parse } from 'jsonc-parser'
import { isFile, readText, writeAtomically } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { findRepository } from '../../machine/open-project.ts'
import { readToml, writeToml } from '../../machine/toml.ts'
import { parseYaml, readValue } from '../../machine/yaml.ts'
import { parseForeignJson } from '../../text/json.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { attempt, getDeep, isRecord } from '../../text/values.ts'
import type { Agent } from '../rules/agents.ts'
import type { Client, ModelPlace, OwnModel } from '../rules/clients.ts'
import type { Rules } from '../rules/reading-rules.ts'
import { AgentFiles } from './agent-files.ts'
import { listFolder } from './found-skills.ts'

/** What a client reads, copied below another root. Beginnings of paths and what stands for them there, the longest first. */
export interface ClientHome {
  home: string
  cwd: string
  moved: readonly (readonly [from: string, to: string])[]
}

/**
 * Copies what decides an agent's list and its instructions: skills without their scripts, instruction files, and of the
 * settings only the keys that Loadout knows. So nothing in the copy can act: no hook, no MCP server, no credential.
 */
export function copyForClient(
  machine: Machine,
  about: { agent: Agent; client: Client; cwd: string | undefined; rules: Rules; root: string; place: ModelPlace },
): ClientHome {
  const { agent, client, rules, root } = about
  const files = new AgentFiles(machine, agent, about.cwd)
  const home = join(root, machine.home)
  const cwd = about.cwd === undefined ? join(home, 'empty') : join(root, about.cwd)
  const moved = (
    [
      [files.ownFolder(), join(home, files.usualFolder)],
      [machine.xdgConfigHome, join(home, '.config')],
      [machine.home, home],
      ...(about.cwd === undefined ? [] : [[findRepository(about.cwd) ?? about.cwd, ''] as const]),
    ] as const
  )
    .map(([from, to]) => [from, to || join(root, from)] as const)
    .sort(([a], [b]) => b.length - a.length)
  const copyOf = (path: string) => {
    const found = moved.find(([from]) => path === from || path.startsWith(`${from}/`))
    return found === undefined ? join(root, path) : found[1] + path.slice(found[0].length)
  }
  const inCopy = (text: string) => moved.reduce((now, [from, to]) => now.replaceAll(`"${from}/`, `"${to}/`), text)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true })
  const repository = about.cwd && findRepository(about.cwd)
  if (repository) {
    write(join(copyOf(repository), '.git/HEAD'), 'ref: refs/heads/main\n')
    for (const part of ['objects', 'refs']) mkdirSync(join(copyOf(repository), '.git', part))
  }

  const settings = files.settings(rules.settings)
  const places = [...files.places(rules.reading), ...files.plugins(rules.reading, settings)]
  const copied = places.filter(({ state, scope }) => state === 'read' && scope !== 'machine')
  let left = 50_000
  const copyFolder = (from: string, to: string, wanted: RegExp, deep = 0): void => {
    mkdirSync(to, { recursive: true })
    for (const entry of listFolder(from)) {
      if (left-- <= 0 || entry.name === '.git' || entry.name === 'node_modules') continue
      const [source, target] = [join(from, entry.name), join(to, entry.name)]
      try {
        if (entry.isSymbolicLink()) {
          const linked = resolve(from, readlinkSync(source))
          // Two names of one skill stay one skill.
          const isCopied = copied.some(({ path }) => linked.startsWith(`${path}/`))
          symlinkSync(isCopied ? copyOf(linked) : linked, target)
        } else if (entry.isDirectory()) {
          if (deep < 8) copyFolder(source, target, wanted, deep + 1)
        } else if (wanted.test(entry.name)) copyFileSync(source, target)
      } catch {
        // What this user cannot read, the client cannot read either; two places may share a folder.
      }
    }
  }
  for (const place of copied) {
    copyFolder(place.path, copyOf(place.path), place.isWorkflows ? /\.js$/ : /\.(md|ya?ml)$/i)
    if (place.plugin !== undefined) copyManifest(place.path, copyOf)
  }
  if (rules.reading.plugins !== undefined) {
    const installed = join(files.ownFolder(), rules.reading.plugins.installed)
    for (const path of [installed, join(dirname(installed), 'known_marketplaces.json')]) {
      if (isFile(path)) write(copyOf(path), inCopy(readText(path)))
    }
  }
  for (const { path, problem } of rules.instructions ? files.instructions(rules.instructions, settings) : []) {
    if (problem !== undefined) continue
    mkdirSync(dirname(copyOf(path)), { recursive: true })
    copyFileSync(path, copyOf(path))
  }

  const values = new Map<string, Record<string, unknown>>()
  const known = rules.settings && { format: rules.settings.format, files: files.knownSettings(rules.settings) }
  for (const { path, value } of known?.files ?? []) values.set(copyOf(path), JSON.parse(inCopy(JSON.stringify(value))))
  if (client.settings !== undefined) {
    const path = join(home, client.settings.file)
    values.set(path, merge(values.get(path) ?? {}, client.settings.values(about.place)))
  }
  for (const [path, value] of values) write(path, formatSettings(path, value))
  const used = rules.settings && files.usage(rules.settings)
  if (used !== undefined) write(join(home, used.file), JSON.stringify({ skillUsage: used.skills }))
  return { home, cwd, moved }
}

/** A skill as it is installed: its files by their paths in its folder. */
export interface TrialSkill {
  name: string
  files: Readonly<Record<string, Uint8Array | string>>
}

/** A home folder with nothing but some skills and what the client needs to ask its user's model. */
export interface TrialHome {
  home: string
  /** An empty repository, with the files of the task. */
  cwd: string
  env: Record<string, string | undefined>
  /** Skill → the end of its folder, by which a call that reads it is known. */
  places: Map<string, readonly string[]>
  /** The computer as a program in this home sees it. */
  there: Machine
  /** Puts back a login that the client renewed meanwhile, as it would have done itself: the old one may no longer count. */
  keepLogin(): void
}

const ALWAYS = /^(https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i

/** Makes such a home. Of the user's own it copies the login and the keys of settings that choose the model, nothing else. */
export function makeTrialHome(
  machine: Machine,
  about: {
    agent: Agent
    client: { own: OwnModel }
    root: string
    skills: readonly TrialSkill[]
    files: Readonly<Record<string, Uint8Array>>
  },
): TrialHome {
  const { agent, root } = about
  const { login, settings: quiet, env: set } = about.client.own
  const [home, cwd] = [join(root, 'home'), join(root, 'work')]
  const files = new AgentFiles(machine, agent, undefined)
  const usual = files.usualFolder
  const put = (folder: string, path: string, content: Uint8Array | string, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, path), content, { mode })
  }
  const places = new Map<string, readonly string[]>()
  for (const skill of about.skills) {
    const folder = join(agent.userFolder ?? agent.projectFolder, skill.name)
    places.set(skill.name, [`skills/${skill.name}/${DOCUMENT_FILE}`])
    for (const [path, content] of Object.entries(skill.files)) put(join(home, folder), path, content, 0o755)
  }
  put(cwd, '.git/HEAD', 'ref: refs/heads/main\n')
  for (const part of ['objects', 'refs']) mkdirSync(join(cwd, '.git', part))
  for (const [path, content] of Object.entries(about.files)) put(cwd, path, content)

  // Where the user has a file of the client, and where this home has it.
  const ownPath = (path: string): [string, string] => {
    if (path.startsWith('~/')) return [join(machine.home, path.slice(2)), join(home, path.slice(2))]
    return [join(files.ownFolder(), path), join(home, usual, path)]
  }
  const logins = login.files.map(ownPath).flatMap(([from, to]) => {
    if (!isFile(from)) return []
    const before = readFileSync(from)
    put(dirname(to), basename(to), before, 0o600)
    return [{ from, to, before }]
  })
  const named = new Set<string>()
  if (quiet !== undefined) {
    const inOwn = quiet.file.startsWith(`${usual}/`) ? quiet.file.slice(usual.length + 1) : undefined
    const [from, to] = inOwn === undefined ? [userPath(machine, quiet.file), join(home, quiet.file)] : ownPath(inOwn)
    const all = isFile(from) ? readSettings(from, readText(from)) : {}
    const kept = login.settings.reduce((sum, key) => {
      const value = getDeep(all, ...key.split('.'))
      const isTable = key === 'env' && isRecord(value)
      const chosen = isTable
        ? Object.fromEntries(Object.entries(value).filter(([name]) => login.variables.test(name)))
        : value
      return value === undefined
        ? sum
        : merge(
            sum,
            key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), chosen) as Record<
              string,
              unknown
            >,
          )
    }, {})
    // Providers may name the variable that has their key.
    for (const name of JSON.stringify(kept).matchAll(/"env_key":"(\w+)"|\{env:(\w+)\}/g))
      named.add(name[1] ?? name[2] ?? '')
    put(dirname(to), basename(to), formatSettings(to, merge(kept, quiet.values ?? {})), 0o600)
  }
  const passed = Object.entries(machine.env).filter(
    ([name]) => login.variables.test(name) || ALWAYS.test(name) || named.has(name),
  )
  const keepLogin = () => {
    for (const { from, to, before } of logins) {
      const after = isFile(to) ? readFileSync(to) : before
      const isUntouched = isFile(from) && readFileSync(from).equals(before)
      if (!after.equals(before) && isUntouched) writeAtomically(from, [after], 0o600)
    }
  }
  const there: Machine = Object.create(machine.quiet(), {
    home: { value: home },
    cwd: { value: cwd },
    env: { value: { PATH: machine.env.PATH } },
  })
  return { home, cwd, env: { ...Object.fromEntries(passed), ...set }, places, there, keepLogin }
}

/** A path below the home folder, where `.config` may lie elsewhere. */
function userPath(machine: Machine, path: string): string {
  return path.startsWith('.config/')
    ? join(machine.xdgConfigHome, path.slice('.config/'.length))
    : join(machine.home, path)
}

function readSettings(path: string, text: string): Record<string, unknown> {
  const value = attempt((): unknown => {
    if (path.endsWith('.toml')) return readToml(text)
    if (!path.endsWith('.yaml')) return parse(text, [], { allowTrailingComma: true })
    const { document, lines } = parseYaml(text)
    return readValue(document, lines)
  }, {})
  return isRecord(value) ? value : {}
}

/** Settings as a file of this name has them. */
function formatSettings(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.endsWith('.toml') ? writeToml(values) : `${JSON.stringify(values, null, 2)}\n`
}

/** Adds values to a settings file that stands for one of a client. */
export function mergeSettings(path: string, text: string, more: Readonly<Record<string, unknown>>): string {
  const { value } = path.endsWith('.toml') ? { value: readToml(text) } : parseForeignJson(text || '{}')
  return formatSettings(path, merge(isRecord(value) ? value : {}, more))
}

/** The second table wins, key by key. */
function merge(
  first: Readonly<Record<string, unknown>>,
  second: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const both = Object.entries(second).map(([key, value]) => {
    const before = first[key]
    return [key, isRecord(before) && isRecord(value) ? merge(before, value) : value]
  })
  return { ...first, ...Object.fromEntries(both) }
}

/** A plugin is known by its manifest, which may also name hooks and servers: those stay behind. */
function copyManifest(folder: string, copyOf: (path: string) => string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const path = join(at, '.claude-plugin/plugin.json')
    if (!isFile(path)) continue
    const { value } = parseForeignJson(readText(path))
    const { name = basename(at), version, description } = isRecord(value) ? value : {}
    mkdirSync(dirname(copyOf(path)), { recursive: true })
    writeFileSync(copyOf(path), JSON.stringify({ name, version, description }))
    return
  }
}
