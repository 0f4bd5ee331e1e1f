import { findAgent } from '../../agents/rules/agents.ts'
import { addressProblem } from '../../machine/rules/settings-shape.ts'
import { compareText, isRecord, isTextList } from '../../text/values.ts'
import type { LockedSkill } from './lock.ts'
import { ALL } from './manifest.ts'

/** What another manager's file asks for, in the form of loadout.json, and what that form cannot say. */
export interface TakenOver {
  wanted: Record<string, string[]>
  agents: string[]
  losses: string[]
}

/** The files of other managers that can be taken over, by their names. */
export const FOREIGN_FILES = [
  'skills-lock.json',
  'apm.yml',
  'apm.lock.yaml',
  'marketplace.json',
  'plugin.json',
] as const
/** Reads a file of another manager. Never throws: what cannot be used is a loss. */
export function takeOverManifest(file: (typeof FOREIGN_FILES)[number], value: unknown): TakenOver {
  const taken: TakenOver = { wanted: {}, agents: [], losses: [] }
  const add = (key: string, name: string) => {
    const problem = addressProblem(key)
    if (problem !== undefined) taken.losses.push(`${key.slice(0, 200)} was left out: ${problem}`)
    else taken.wanted[key] = [...new Set([...(taken.wanted[key] ?? []), name])].sort(compareText)
  }
  if (!isRecord(value)) return { ...taken, losses: ['it has another form'] }
  if (file === 'skills-lock.json') {
    const { skills } = value
    const { losses } = taken
    let hashes = 0
    for (const [name, row] of Object.entries(isRecord(skills) ? skills : {})) {
      const { source, sourceType, sourceUrl, ref, skillPath, computedHash, ...rest } = isRecord(row) ? row : {}
      const folder = typeof skillPath === 'string' ? skillPath.replace(/\\/g, '/').replace(/\/?SKILL\.md$/, '') : ''
      const address =
        sourceType === 'github' && typeof source === 'string'
          ? source
          : sourceType === 'local' && typeof source === 'string'
            ? `./${source.replace(/^\.\//, '')}`
            : sourceUrl
      if (typeof address !== 'string' || (sourceType !== 'local' && /\/\.well-known\//.test(address))) {
        losses.push(`${name}: a source of the kind ${String(sourceType ?? 'unknown')} cannot be fetched by git`)
        continue
      }
      add(withRef(address, ref), sourceType === 'local' ? ALL : folder || name)
      if (computedHash !== undefined) hashes++
      const others = Object.keys(rest).filter((key) => !['installedAt', 'updatedAt', 'skillFolderHash'].includes(key))
      if (others.length > 0) losses.push(`${name}: ${others.join(', ')}`)
    }
    if (hashes > 0)
      losses.push(`${hashes} hashes of its own kind, which loadout.lock replaces by digests of each folder`)
  } else if (file === 'apm.yml') readApm(value, add, taken)
  else if (file === 'apm.lock.yaml') {
    const { dependencies, mcp_servers } = value
    const { losses } = taken
    let files = 0
    for (const row of Array.isArray(dependencies) ? dependencies : []) {
      const { repo_url, host, resolved_commit, virtual_path, skill_subset, deployed_files, depth, package_type } =
        isRecord(row) ? row : {}
      if (typeof repo_url !== 'string') continue
      const isGitHub = host === undefined || host === 'github.com' || host === null
      const address =
        isGitHub || /:\/\//.test(repo_url)
          ? repo_url.replace(/^https:\/\/github\.com\//, '')
          : `https://${String(host)}/${repo_url}`
      if (typeof resolved_commit !== 'string') losses.push(`${repo_url} has no commit`)
      if (depth !== undefined && Number(depth) > 1) losses.push(`${repo_url}: that another package needs it`)
      if (package_type !== undefined && !/skill|marketplace|plugin|hybrid/.test(String(package_type))) {
        losses.push(`${repo_url}: a package of the kind ${String(package_type)}, of which only skills are taken`)
      }
      const names =
        isTextList(skill_subset) && skill_subset.length > 0
          ? skill_subset
          : [typeof virtual_path === 'string' ? virtual_path : ALL]
      for (const name of names) add(withRef(address, resolved_commit), name)
      files += Array.isArray(deployed_files) ? deployed_files.length : 0
    }
    if (files > 0)
      losses.push(`the hashes of ${files} installed files, which loadout.lock replaces by digests of each folder`)
    if (Array.isArray(mcp_servers) && mcp_servers.length > 0) losses.push(`mcp_servers (${mcp_servers.length} entries)`)
  } else readPlugins(value, add, taken)
  return taken
}

type Add = (key: string, name: string) => void

const withRef = (address: string, ref: unknown) =>
  typeof ref === 'string' && ref !== '' ? `${address}#${ref}` : address

const APM_TARGETS: Readonly<Record<string, string>> = { vscode: 'copilot', agents: 'agents', all: '' }

function readApm(apm: Record<string, unknown>, add: Add, { agents, losses }: TakenOver): void {
  const { name, version, description, author, license, dependencies, target, targets = target, ...rest } = apm
  const { apm: skills, ...others } = isRecord(dependencies) ? dependencies : {}
  for (const each of Array.isArray(skills) ? skills : []) readApmNeed(each, add, losses)
  const named = typeof targets === 'string' ? targets.split(',') : isTextList(targets) ? targets : []
  for (const id of named.map((each) => each.trim())) {
    const agent = findAgent(APM_TARGETS[id] ?? id)
    if (agent !== undefined) agents.push(agent.id)
    else if (APM_TARGETS[id] === undefined) losses.push(`the target ${id}`)
  }
  const about = Object.entries({ name, version, description, author, license }).filter(
    ([, value]) => value !== undefined,
  )
  if (about.length > 0) losses.push(`about the project itself: ${about.map(([key]) => key).join(', ')}`)
  for (const [key, value] of [...Object.entries(others), ...Object.entries(rest)]) {
    losses.push(`${key}${Array.isArray(value) ? ` (${value.length} entries)` : ''}`)
  }
}

function readApmNeed(value: unknown, add: Add, losses: string[]): void {
  if (isRecord(value)) {
    const { git, path, ref, skills, ...rest } = value
    if (typeof git !== 'string' || rest.marketplace !== undefined) {
      losses.push(`a dependency without a git address: ${String(rest.name ?? rest.id ?? '?')}`)
      return
    }
    const names = isTextList(skills) ? skills : [typeof path === 'string' ? path : ALL]
    for (const name of names) add(withRef(git, ref), name)
    const dropped = Object.keys(rest)
    if (dropped.length > 0) losses.push(`${git}: ${dropped.join(', ')}`)
    return
  }
  if (typeof value !== 'string') return
  if (/^\.{0,2}\//.test(value)) {
    add(value, ALL)
    return
  }
  if (/\.(?:prompt|instructions|chatmode|agent)\.md(?:#|$)/.test(value)) {
    losses.push(`${value}: a single file of another kind than a skill`)
    return
  }
  const [, host, repository, folder, ref] =
    /^(?:(?:https:\/\/)?((?:[\w-]+\.)+[a-z]{2,})\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/([^#]+?))?\/?(?:#(.+))?$/.exec(
      value,
    ) ?? []
  if (repository === undefined) {
    add(value, ALL)
    return
  }
  const address = host === undefined || host === 'github.com' ? repository : `https://${host}/${repository}`
  add(withRef(address, ref), folder ?? ALL)
}

/** A marketplace: each plugin is a source. A plugin is the folder it lies in. */
function readPlugins({ plugins, name }: Record<string, unknown>, add: Add, { losses }: TakenOver): void {
  if (!Array.isArray(plugins)) {
    losses.push(`${String(name ?? 'the plugin')}: what it has beside skills (commands, agents, hooks, MCP servers)`)
    add('./skills', ALL)
    return
  }
  for (const plugin of plugins) {
    const { source, name: word } = isRecord(plugin) ? plugin : {}
    if (typeof source === 'string') add(source === './' || source === '.' ? './skills' : source, ALL)
    else if (isRecord(source)) {
      const { repo, url, ref, sha, path } = source
      const address = typeof repo === 'string' ? repo : typeof url === 'string' ? url : undefined
      if (address === undefined) losses.push(`the plugin ${String(word)}: it has no git address`)
      else add(withRef(address, sha ?? ref), typeof path === 'string' ? path : ALL)
    } else losses.push(`the plugin ${String(word)}: it has no source`)
  }
  losses.push('commands, agents, hooks and MCP servers of the plugins: only skills are taken')
}

const ofGitHub = (url: string) => /^https:\/\/github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(url)?.[1]

/** The lock as a file of another manager, with what that cannot say. */
export function asForeign(
  file: 'apm.yml' | 'skills-lock.json',
  { name, agents, skills }: { name: string; agents: readonly string[]; skills: readonly LockedSkill[] },
): { text: string; losses: string[] } {
  const losses = ['the digest of each skill', 'what people agreed that a skill may do, and who they are']
  if (file === 'skills-lock.json') {
    const rows = skills.map(({ name: skill, url, folder, ref, commit }) => {
      const source = url === undefined ? `./${folder}` : (ofGitHub(url) ?? url)
      const kind = url === undefined ? 'local' : ofGitHub(url) === undefined ? 'git' : 'github'
      const place = kind === 'git' ? { sourceUrl: url } : {}
      const path = url === undefined ? {} : { skillPath: [folder, 'SKILL.md'].filter(Boolean).join('/') }
      return [skill, { source, sourceType: kind, ...place, ref: ref ?? commit, ...path }] as const
    })
    const text = `${JSON.stringify({ version: 1, skills: Object.fromEntries(rows) }, null, 2)}\n`
    return {
      text,
      losses: [...losses, 'the agents', 'which skill needs which', 'computedHash, which its program writes'],
    }
  }
  const lines = skills.flatMap(({ url, folder, commit = '' }) => {
    if (url === undefined) return [`    - ${JSON.stringify(`./${folder}`)}`]
    const short = ofGitHub(url)
    if (short !== undefined)
      return [`    - ${JSON.stringify(`${[short, folder].filter(Boolean).join('/')}#${commit}`)}`]
    return [
      `    - git: ${JSON.stringify(url)}`,
      ...(folder ? [`      path: ${JSON.stringify(folder)}`] : []),
      `      ref: ${JSON.stringify(commit)}`,
    ]
  })
  const targets = agents.map((id) => `  - ${JSON.stringify(id)}\n`).join('')
  const text = `name: ${JSON.stringify(name)}\nversion: "1.0.0"\ntargets:\n${targets}dependencies:\n  apm:\n${lines.join('\n')}\n`
  return { text, losses: [...losses, 'branches and tags: every skill is named by its commit'] }
}
