import { requireAgent } from '../../agents/rules/agents.ts'
import { hooksFile, requireHost } from '../../agents/rules/hook-hosts.ts'
import { compareText, isRecord, isTextList, sha256 } from '../../text/values.ts'

/** A plugin: skills, hooks and the MCP server under one name. */
export interface PluginDescription {
  name: string
  description: string
  author: string
  /** The version. Default: derived from the content, so that new content gets a new version. */
  release?: string
}

/** A file below the root of the repository that agents install from. */
export interface PluginFile {
  path: string
  bytes: Uint8Array
  isExecutable: boolean
}

/** One agent with plugins, and where its files are. */
interface PluginForm {
  /** `agents`: the package of the Agent Plugins specification, which has no hooks. */
  agent: string
  /** Its files lie in the root itself, not in a folder of their own. */
  isRoot?: true
  /** The list of plugins, below the root. */
  marketplace?: string
  /** Below the folder of the plugin. Absent: the manifest has them, or there are none. */
  manifest: string
  hooks?: string
  servers?: string
  /** Whether the manifest has to name the other files. */
  namesParts: boolean
  /** The install commands, with `REPOSITORY` for its address. */
  install: readonly string[]
}

export const PLUGIN_FORMS: readonly PluginForm[] = [
  {
    agent: 'claude',
    marketplace: '.claude-plugin/marketplace.json',
    manifest: '.claude-plugin/plugin.json',
    hooks: 'hooks/hooks.json',
    servers: '.mcp.json',
    namesParts: false,
    install: ['claude plugin marketplace add REPOSITORY', 'claude plugin install NAME@NAME'],
  },
  {
    agent: 'codex',
    marketplace: '.agents/plugins/marketplace.json',
    manifest: '.codex-plugin/plugin.json',
    hooks: 'hooks.json',
    servers: '.mcp.json',
    namesParts: true,
    install: ['codex plugin marketplace add REPOSITORY', 'codex plugin add NAME@NAME'],
  },
  {
    agent: 'copilot',
    marketplace: '.github/plugin/marketplace.json',
    manifest: '.github/plugin/plugin.json',
    hooks: 'hooks.json',
    servers: '.mcp.json',
    namesParts: true,
    install: ['copilot plugin marketplace add REPOSITORY', 'copilot plugin install NAME@NAME'],
  },
  {
    agent: 'cursor',
    marketplace: '.cursor-plugin/marketplace.json',
    manifest: '.cursor-plugin/plugin.json',
    hooks: 'hooks/hooks.json',
    servers: 'mcp.json',
    namesParts: false,
    install: [],
  },
  {
    agent: 'gemini',
    isRoot: true,
    manifest: 'gemini-extension.json',
    hooks: 'hooks/hooks.json',
    namesParts: false,
    install: ['gemini extensions install REPOSITORY'],
  },
  { agent: 'agents', isRoot: true, manifest: 'plugin.json', servers: 'mcp.json', namesParts: false, install: [] },
]

const SERVERS = { mcpServers: { loadout: { command: 'loadout', args: ['mcp'] } } }
const SPECIFIED = 'https://agent-plugins.org/schemas/1.0.0'

/** All files of a plugin repository, sorted by path: a folder for each agent, and its marketplace file. */
export function pluginFiles(
  about: PluginDescription,
  forms: readonly PluginForm[],
  skillsFor: (agent: string) => readonly PluginFile[],
): PluginFile[] {
  const placeOf = (form: PluginForm, path: string) => (form.isRoot ? path : `${form.agent}/${path}`)
  const files = forms.flatMap((form) => [
    ...(form.hooks === undefined ? [] : [text(placeOf(form, form.hooks), hooksFile(requireHost(form.agent)))]),
    ...(form.servers === undefined ? [] : [json(placeOf(form, form.servers), serversOf(form))]),
    ...skillsFor(form.agent).map((file) => ({ ...file, path: placeOf(form, `skills/${file.path}`) })),
  ])
  // What lies in the root serves all who read it: the last build of a skill counts.
  const parts = [...new Map(files.map((file) => [file.path, file])).values()]
  const version = about.release ?? `0.1.0-x${digestOf(parts)}`
  const named = forms.flatMap((form) => [
    json(placeOf(form, form.manifest), manifestOf(about, version, form)),
    ...(form.marketplace === undefined ? [] : [json(form.marketplace, marketplaceOf(about, version, form))]),
  ])
  const { name, description } = about
  const ways = forms.map(({ agent, install }) => {
    if (agent === 'agents')
      return '## Other clients that read [Agent Plugins](https://agent-plugins.org)\n\nInstall this repository.\n'
    const { label } = requireAgent(agent)
    const commands = install.map((line) => line.replaceAll('NAME', name).replace('REPOSITORY', '<this repository>'))
    if (commands.length === 0)
      return `## ${label}\n\nCopy \`${agent}/\` to \`~/.cursor/plugins/local/${name}\`, or publish it.\n`
    return `## ${label}\n\n\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`
  })
  const needs =
    'The hooks and the MCP server call `loadout`, which has to be on the path. Without it they stay silent, and the skills still work.'
  const all = [
    text('INSTALL.md', [`# ${name}`, '', description, '', needs, '', ...ways].join('\n')),
    ...named,
    ...parts,
  ]
  return all.sort((a, b) => compareText(a.path, b.path))
}

function serversOf({ agent }: PluginForm): object {
  if (agent !== 'agents') return SERVERS
  const { loadout } = SERVERS.mcpServers
  return { $schema: `${SPECIFIED}/mcp.schema.json`, mcpServers: { loadout: { type: 'stdio', ...loadout } } }
}

function manifestOf({ name, description, author }: PluginDescription, version: string, form: PluginForm): object {
  if (form.agent === 'gemini') return { name, version, description, ...SERVERS }
  if (form.agent === 'agents')
    return { $schema: `${SPECIFIED}/plugin.schema.json`, name, version, description, author: { name: author } }
  const parts = { skills: './skills/', hooks: `./${form.hooks}`, mcpServers: `./${form.servers}` }
  return { name, version, description, author: { name: author }, ...(form.namesParts ? parts : {}) }
}

function marketplaceOf(
  { name, description, author }: PluginDescription,
  version: string,
  { agent }: PluginForm,
): object {
  const source = `./${agent}`
  if (agent === 'codex') {
    const policy = { installation: 'AVAILABLE', authentication: 'ON_INSTALL' }
    const plugin = { name, source: { source: 'local', path: source }, policy, category: 'Productivity' }
    return { name, interface: { displayName: name }, plugins: [plugin] }
  }
  return { name, owner: { name: author }, metadata: { description }, plugins: [{ name, source, description, version }] }
}

function text(path: string, content: string): PluginFile {
  return { path, bytes: new TextEncoder().encode(content), isExecutable: false }
}

function json(path: string, content: object): PluginFile {
  return text(path, `${JSON.stringify(content, null, 2)}\n`)
}

function digestOf(files: readonly PluginFile[]): string {
  const rows = files.map(({ path, bytes, isExecutable }) => `${path} ${isExecutable} ${sha256(bytes)}\n`)
  return sha256(rows.sort(compareText).join('')).slice(0, 12)
}

/** A plugin in a source, from `.claude-plugin/marketplace.json` or `plugin.json`. */
export interface Plugin {
  name: string
  /** Relative to the source, with slashes; empty for the source itself. */
  folder: string
  /** The folders of its skills; undefined for all skills in its folder. */
  skills?: string[]
}

export interface Marketplace {
  plugins: Plugin[]
  /** Names of plugins in other repositories, with the repository. */
  elsewhere: string[]
}

/** Parses a marketplace in a folder of the source. Skips what it does not understand. */
export function parseMarketplace(json: unknown, folder: string): Marketplace {
  const marketplace: Marketplace = { plugins: [], elsewhere: [] }
  if (!isRecord(json) || !Array.isArray(json.plugins)) return marketplace
  const base = isRecord(json.metadata) && typeof json.metadata.pluginRoot === 'string' ? json.metadata.pluginRoot : ''
  for (const row of json.plugins) {
    if (!isRecord(row) || typeof row.name !== 'string') continue
    const { name, source = '.' } = row
    if (typeof source !== 'string') marketplace.elsewhere.push(`${name}${placeOf(source)}`)
    else marketplace.plugins.push(pluginOf(name, below(folder, `${base}/${source}`), row.skills))
  }
  return marketplace
}

export function parsePlugin(json: unknown, folder: string): Plugin | undefined {
  if (!isRecord(json) || typeof json.name !== 'string') return undefined
  return pluginOf(json.name, folder, json.skills)
}

function pluginOf(name: string, folder: string, skills: unknown): Plugin {
  const listed = typeof skills === 'string' ? [skills] : isTextList(skills) ? skills : undefined
  return { name, folder, skills: listed?.map((path) => below(folder, path)) }
}

function placeOf(source: unknown): string {
  if (!isRecord(source)) return ''
  const place = [source.repo, source.url, source.package].find((value) => typeof value === 'string')
  return place === undefined ? '' : ` (${place})`
}

/** `a` and `./b/` give `a/b`; `..` never leads out of the source. */
export function below(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** The plugin of a skill: one that lists it, else the nearest one around it without a list. */
export function pluginFor(plugins: readonly Plugin[], folder: string): string | undefined {
  const isIn = (place: string) => place === '' || folder === place || folder.startsWith(`${place}/`)
  const lists = plugins.find(({ skills }) => skills?.some((place) => place !== '' && isIn(place)))
  if (lists !== undefined) return lists.name
  const around = plugins.filter(({ folder: place, skills }) => skills === undefined && isIn(place))
  return around.sort((a, b) => b.folder.length - a.folder.length)[0]?.name
}
