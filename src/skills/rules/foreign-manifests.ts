import { findAgent } from '../../agents/rules/agents.ts'
import { addressProblem } from '../../machine/rules/settings-shape.ts'
import { listed } from '../../text/count.ts'
import { compareText, isRecord, isTextList } from '../../text/values.ts'
import type { Lock, LockedSkill } from './lock.ts'
import { ALL, addressOf, namedBy, type Wanted, withProfile } from './manifest.ts'
import { below } from './plugins.ts'

/** What another manager's file asks for, in the form of loadout.json, and what that form cannot say. */
export interface TakenOver {
  wanted: Record<string, string[]>
  agents: string[]
  losses: string[]
  /** What `npx skills` pins, by source and name: `owner/repo name`. */
  hashes: Record<string, string>
}

/** The files of other managers that can be taken over, by their names. */
export const FOREIGN_FILES = [
  'skills-lock.json',
  'apm.yml',
  'apm.lock.yaml',
  'marketplace.json',
  'plugin.json',
] as const

/** Those that can be written. */
export const WRITTEN_FILES = ['apm.yml', 'skills-lock.json', 'marketplace.json'] as const

/**
 * Reads a file of another manager. Never throws: what cannot be used is a loss. `base`: the folder of the project that its
 * paths start from.
 */
export function takeOverManifest(file: (typeof FOREIGN_FILES)[number], value: unknown, base = ''): TakenOver {
  const taken: TakenOver = { wanted: {}, agents: [], losses: [], hashes: {} }
  if (!isRecord(value)) return { ...taken, losses: ['it has another form'] }
  const refused = new Map<string, string[]>()
  const add = (written: string, name: string) => {
    const isHere = written.startsWith('./') && !written.split('/').includes('..')
    const key = isHere ? `./${below(base, written)}` : written
    const problem = addressProblem(key)
    if (problem !== undefined) refused.set(problem, [...(refused.get(problem) ?? []), written.slice(0, 200)])
    else taken.wanted[key] = [...new Set([...(taken.wanted[key] ?? []), name])].sort(compareText)
    return key
  }
  if (file === 'skills-lock.json') readSkillsLock(value, add, taken)
  else if (file === 'apm.yml') readApm(value, add, taken)
  else if (file === 'apm.lock.yaml') readApmLock(value, add, taken)
  else readPlugins(value, add, taken)
  for (const [problem, keys] of refused) taken.losses.push(`${listed([...new Set(keys)], 8)} left out: ${problem}`)
  return taken
}

type Add = (key: string, name: string) => string

const withRef = (address: string, ref: unknown) =>
  typeof ref === 'string' && ref !== '' ? `${address}#${ref}` : address

const isAddress = (text: string) => /^[\w+.-]+:\/\/|^[\w.-]+@[\w.-]+:/.test(text)

function readSkillsLock({ skills }: Record<string, unknown>, add: Add, { losses, hashes }: TakenOver): void {
  for (const [name, row] of Object.entries(isRecord(skills) ? skills : {})) {
    const { source, sourceType, sourceUrl, ref, skillPath, computedHash, ...rest } = isRecord(row) ? row : {}
    const address = typeof sourceUrl === 'string' ? sourceUrl : source
    const isElsewhere = sourceType === 'well-known' || sourceType === 'node_modules'
    if (typeof address !== 'string' || address === '' || isElsewhere) {
      losses.push(`${name}: git cannot fetch a source of the kind ${String(sourceType ?? 'unknown')}`)
      continue
    }
    const others = Object.keys(rest).filter((key) => !['installedAt', 'updatedAt', 'skillFolderHash'].includes(key))
    if (others.length > 0) losses.push(`${name}: ${others.join(', ')}`)
    if (sourceType === 'local' && !isAddress(address)) {
      add(/^(?:[./~]|[a-z]:)/i.test(address) ? address : `./${address}`, name)
      continue
    }
    const folder = typeof skillPath === 'string' ? skillPath.replace(/\\/g, '/').replace(/\/?SKILL\.md$/, '') : ''
    const place = sourceType === 'gitlab' && !isAddress(address) ? `https://gitlab.com/${address}` : address
    const word = folder || name
    const key = add(withRef(place, ref), word)
    if (typeof computedHash === 'string' && computedHash !== '') hashes[`${key} ${word}`] = computedHash
  }
}

const APM_TARGETS: Readonly<Record<string, string>> = { vscode: 'copilot', 'agent-skills': 'agents', all: '' }

function readApm(apm: Record<string, unknown>, add: Add, { agents, losses }: TakenOver): void {
  const { name, version, description, author, license, dependencies, target, targets = target, ...rest } = apm
  const { apm: skills, ...others } = isRecord(dependencies) ? dependencies : {}
  const files: string[] = []
  for (const each of Array.isArray(skills) ? skills : []) readApmNeed(each, add, losses, files)
  if (files.length > 0) losses.push(`single files of another kind than a skill: ${listed(files, 8)}`)
  const named = typeof targets === 'string' ? targets.split(',') : isTextList(targets) ? targets : []
  for (const id of named.map((each) => each.trim())) {
    const agent = findAgent(APM_TARGETS[id] ?? id)
    if (agent !== undefined) agents.push(agent.id)
    else if (APM_TARGETS[id] === undefined) losses.push(`the target ${id}`)
  }
  // What is empty, or is what APM does anyway, says nothing.
  const isSaid = (value: unknown) =>
    value !== undefined && value !== null && value !== 'auto' && !(typeof value === 'object' && isEmpty(value))
  const kept = Object.entries({ ...others, ...rest, name, version, description, author, license }).filter(([, value]) =>
    isSaid(value),
  )
  const keys = kept.map(([key, value]) => (Array.isArray(value) ? `${key} (${value.length} entries)` : key))
  if (keys.length > 0) losses.push(`only its skills are taken, not ${keys.join(', ')}`)
}

const isEmpty = (value: object) => Object.keys(value).length === 0

function readApmNeed(value: unknown, add: Add, losses: string[], files: string[]): void {
  if (isRecord(value)) {
    const { git, path, ref, skills, ...rest } = value
    if (typeof git !== 'string' || rest.marketplace !== undefined) {
      losses.push(`a dependency without a git address: ${String(rest.name ?? rest.id ?? '?')}`)
      return
    }
    const part = typeof path === 'string' ? path : ''
    const names = isTextList(skills) ? skills : [part || ALL]
    for (const name of names) add(withRef(git, ref), name)
    const dropped = Object.keys(rest)
    if (dropped.length > 0) losses.push(`${git}: ${dropped.join(', ')}`)
    return
  }
  if (typeof value !== 'string') return
  if (/\.(?:prompt|instructions|chatmode|agent)\.md(?:#|$)/.test(value)) {
    files.push(value)
    return
  }
  const [, host, repository, folder, ref] =
    /^(?:(?:https:\/\/)?((?:[\w-]+\.)+[a-z]{2,})\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/([^#]+?))?\/?(?:#(.+))?$/.exec(
      value,
    ) ?? []
  if (repository === undefined || /^\.{0,2}\//.test(value)) {
    add(value, ALL)
    return
  }
  const address = host === undefined || host === 'github.com' ? repository : `https://${host}/${repository}`
  add(withRef(address, ref), folder ?? ALL)
}

function readApmLock(
  { dependencies, mcp_servers: servers }: Record<string, unknown>,
  add: Add,
  taken: TakenOver,
): void {
  const { losses } = taken
  let files = 0
  for (const row of Array.isArray(dependencies) ? dependencies : []) {
    const {
      repo_url: url,
      host,
      resolved_commit: commit,
      virtual_path: path,
      depth,
      ...rest
    } = isRecord(row) ? row : {}
    if (typeof url !== 'string') continue
    const { skill_subset: subset, deployed_files: deployed, package_type: kind = 'skill', source } = rest
    files += Array.isArray(deployed) ? deployed.length : 0
    if (source === 'local' || url.startsWith('_local/')) {
      losses.push(`${url.replace('_local/', '')}: a folder of the project, which apm.yml names`)
      continue
    }
    const isGitHub = host === undefined || host === 'github.com' || host === null
    const isWhole = isGitHub || isAddress(url)
    const address = isWhole ? url.replace(/^https:\/\/github\.com\//, '') : `https://${String(host)}/${url}`
    if (typeof commit !== 'string') losses.push(`${url} has no commit`)
    if (depth !== undefined && Number(depth) > 1) losses.push(`${url}: that another package needs it`)
    if (!/skill|marketplace|plugin|hybrid/.test(String(kind))) {
      losses.push(`${url}: a package of the kind ${String(kind)}, of which only skills are taken`)
    }
    const names = isTextList(subset) && subset.length > 0 ? subset : [typeof path === 'string' ? path : ALL]
    for (const name of names) add(withRef(address, commit), name)
  }
  if (files > 0)
    losses.push(`the hashes of ${files} installed files, which loadout.lock replaces by digests of each folder`)
  if (Array.isArray(servers) && servers.length > 0) losses.push(`mcp_servers (${servers.length} entries)`)
}

/** A plugin, or a marketplace of them. The skills of a plugin are those that it lists, else those in its folder. */
function readPlugins(json: Record<string, unknown>, add: Add, { losses }: TakenOver): void {
  const isMarketplace = Array.isArray(json.plugins)
  const rows: unknown[] = Array.isArray(json.plugins) ? json.plugins : [{ ...json, source: './' }]
  const root = isMarketplace && isRecord(json.metadata) ? json.metadata.pluginRoot : undefined
  for (const row of rows) {
    const { source, name, skills } = isRecord(row) ? row : {}
    const list = typeof skills === 'string' ? [skills] : isTextList(skills) ? skills : undefined
    if (typeof source === 'string') {
      const folder = below(typeof root === 'string' ? root : '', source)
      // A source is a part of the project, not all of it.
      for (const part of list ?? [folder === '' ? 'skills' : '']) {
        add(`./${part.split('/').includes('..') ? part : below(folder, part)}`, ALL)
      }
    } else if (isRecord(source)) {
      const { repo, url, ref, sha, path = '' } = source
      const address = typeof repo === 'string' ? repo : typeof url === 'string' ? url : undefined
      if (address === undefined) {
        losses.push(`the plugin ${String(name)}: it has no git address`)
        continue
      }
      const key = withRef(address.replace(/^https:\/\/github\.com\/(.+?)(?:\.git)?$/, '$1'), sha ?? ref)
      for (const part of list ?? ['']) add(key, below(String(path), part) || ALL)
    } else losses.push(`the plugin ${String(name)}: it has no source`)
  }
  losses.push('commands, agents, hooks and MCP servers of the plugins: only skills are taken')
}

const ofGitHub = (url: string) => /^https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1]

export interface ProjectContent {
  name: string
  agents: readonly string[]
  wanted: Wanted
  lock: Lock
}

/** A manifest as a file of another manager, with what that cannot say. `hashes`: as `npx skills` computes them, by name. */
export function asForeign(
  file: (typeof WRITTEN_FILES)[number],
  { name, agents, wanted, lock }: ProjectContent,
  hashes: ReadonlyMap<string, string>,
): { text: string; losses: string[] } {
  const { skills } = lock
  const losses = ['the digest of each skill', 'what people agreed that a skill may do, and who they are']
  if (lock.packs.length + lock.rules.length > 0) losses.push('packs and rules')
  const asJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`
  if (file === 'marketplace.json') {
    const pinned = new Map<string, LockedSkill[]>()
    for (const row of skills) {
      const key = `${row.url ?? ''} ${row.commit ?? ''}`
      pinned.set(key, [...(pinned.get(key) ?? []), row])
    }
    const plugins = [...pinned.values()].map((rows, at) => {
      const [{ url, ref, commit } = {} as Partial<LockedSkill>] = rows
      const repo = url === undefined ? undefined : ofGitHub(url)
      const place = repo === undefined ? { source: 'url', url } : { source: 'github', repo }
      const source = url === undefined ? './' : { ...place, ref: isBranch(ref, commit) ? ref : undefined, sha: commit }
      const word = (repo ?? url ?? name).toLowerCase().replace(/^.*:\/\/|\.git$/g, '')
      const slug = word.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
      const isTwice = skills.some((other) => other.url === url && other.commit !== commit)
      const list = rows.map(({ folder }) => (folder === '' ? './' : `./${folder}`))
      return { name: isTwice ? `${slug}-${at + 1}` : slug, source, strict: false, skills: list }
    })
    const owner = name.replace(/[^\w-]+/g, '-').toLowerCase()
    return {
      text: asJson({ name: owner, description: `Skills of ${name}`, owner: { name }, plugins }),
      losses: [...losses, 'the agents', 'which skill needs which'],
    }
  }
  if (file === 'skills-lock.json') {
    const rows = skills.map(({ name: skill, url, folder, ref, commit }) => {
      const short = url === undefined ? undefined : ofGitHub(url)
      const sourceType =
        url === undefined ? 'local' : short ? 'github' : /^https:\/\/gitlab\.com\//.test(url) ? 'gitlab' : 'git'
      const row = {
        source: url === undefined ? folder : (short ?? url),
        sourceUrl: sourceType === 'git' ? url : undefined,
        ref: isBranch(ref, commit) ? ref : undefined,
        sourceType,
        skillPath: url === undefined ? undefined : [folder, 'SKILL.md'].filter(Boolean).join('/'),
        computedHash: hashes.get(skill),
      }
      return [skill, row] as const
    })
    return {
      text: asJson({ version: 1, skills: Object.fromEntries(rows) }),
      losses: [
        ...losses,
        'the agents',
        'which skill needs which',
        'the commit of each skill: it follows a branch or tag',
      ],
    }
  }
  const lines = Object.entries(withProfile(wanted, lock.profile)).flatMap(([key, words]) => {
    const { url, ref, folder } = addressOf(key)
    const own = skills.filter(({ from }) => from === key)
    const named = (word: string) => namedBy(word, own)
    if (url === undefined) {
      const folders = words.includes(ALL) ? [folder] : words.flatMap((word) => named(word).map((row) => row.folder))
      return folders.map((each) => `    - ${JSON.stringify(`./${each}`)}`)
    }
    const short = ofGitHub(url)
    const whole = (path: string): string[] => {
      if (short !== undefined) return [`    - ${JSON.stringify(withRef([short, path].filter(Boolean).join('/'), ref))}`]
      const fields = Object.entries({ git: url, path: path || undefined, ref })
      return fields.flatMap(([field, value], at) =>
        value === undefined ? [] : [`    ${at === 0 ? '-' : ' '} ${field}: ${JSON.stringify(value)}`],
      )
    }
    if (words.includes(ALL)) return whole(folder)
    const isPath = (word: string) => word.includes('/') || own.some((row) => row.folder.startsWith(`${word}/`))
    const paths = words.filter(isPath)
    const names = words.flatMap((word) => (isPath(word) ? [] : named(word).map((row) => row.name)))
    const fields = { git: short ?? url, path: folder || undefined, ref }
    const head = Object.entries(fields).flatMap(([field, value], at) =>
      value === undefined ? [] : [`    ${at === 0 ? '-' : ' '} ${field}: ${JSON.stringify(value)}`],
    )
    const list = [...new Set(names)].map((each) => `        - ${JSON.stringify(each)}`)
    return [...paths.flatMap(whole), ...(names.length === 0 ? [] : [...head, '      skills:', ...list])]
  })
  const targets = agents.map((id) => `  - ${JSON.stringify(id === 'agents' ? 'agent-skills' : id)}\n`).join('')
  const needs = lines.length === 0 ? '  apm: []' : `  apm:\n${lines.join('\n')}`
  const text = `name: ${JSON.stringify(name)}\nversion: "1.0.0"\ntargets:\n${targets}dependencies:\n${needs}\n`
  return { text, losses: [...losses, 'the commit of each skill: apm install locks them anew'] }
}

/** Other programs take only names where Loadout also takes a commit. */
function isBranch(ref: string | undefined, commit = ''): boolean {
  return ref !== undefined && !commit.startsWith(ref)
}
