import { join } from 'node:path'
import type { Config } from '../agents/config.ts'
import { requireAgent } from '../agents/rules/agents.ts'
import { changeFiles } from '../change/edits.ts'
import { planOwnFiles } from '../change/own-files.ts'
import { exists } from '../machine/files.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { count, listed } from '../text/count.ts'
import { asFinding, type Finding, failWith, report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { type ArchiveEntry, writeArchive } from './disk/archive.ts'
import { type Build, buildFor, createBuilder, readBuild } from './disk/tree.ts'
import { type ClearedRegistry, heldKeyFindings, readLibrary } from './gate.ts'
import { Installs } from './installs.ts'
import { requireProfile } from './profiles.ts'
import { PLUGIN_FORMS, type PluginFile, pluginFiles } from './rules/plugins.ts'
import {
  nameProblem,
  type RegisteredSkill,
  requireName,
  requireSkill,
  SKILL_FILE,
  type Skill,
  supports,
} from './rules/skill.ts'

export interface ShareRequest {
  name: string
  /** Default: `<name>.tar.gz` in the working folder. */
  out?: string
  dryRun?: boolean
}

export interface SharedSkill {
  name: string
  path: string
  entries: string[]
  isDryRun: boolean
}

/** Writes an archive for people without this library: a copy for each agent, the source, and a README. */
export async function shareSkill(machine: Machine, request: ShareRequest): Promise<SharedSkill> {
  const name = requireName(request.name)
  const { library, repo } = new Installs(machine, {})
  const registered = requireSkill(readLibrary(repo), name)
  const path = machine.resolve(request.out ?? `${name}.tar.gz`)
  const project = machine.openProject().root
  refuseNamedLinkOut(project, path)
  if (exists(path)) throw failWith('FILE_EXISTS/out', { path })
  const folder = join(library, registered.folder)
  const entries = archiveEntries(registered.skill, folder)
  const isDryRun = request.dryRun ?? false
  if (!isDryRun) await writeArchive(entries, path, project)
  return { name, path, entries: entries.map((entry) => entry.path), isDryRun }
}

function archiveEntries(skill: Skill, folder: string): ArchiveEntry[] {
  const { name, targets } = skill
  const builds = targets.flatMap((agent) =>
    entriesOf(buildFor(folder, skill, agent), `${name}/agents/${agent}/${name}`),
  )
  const source = entriesOf({ ...buildFor(folder, skill, ''), made: new Map() }, `${name}/library/${name}`)
  const rows = targets.map((id) => {
    const { label, userFolder, projectFolder } = requireAgent(id)
    const place = userFolder === undefined ? `${projectFolder}/\` of a project` : `~/${userFolder}/\``
    return `- ${label}: copy \`agents/${id}/${name}\` to \`${place}`
  })
  return [
    {
      path: `${name}/README.md`,
      isExecutable: false,
      content: {
        text: [
          `# ${name}`,
          '',
          skill.description,
          '',
          '## Use it',
          '',
          ...rows,
          '',
          `With Loadout: \`loadout import ${name}.tar.gz\`, then \`loadout install ${name}\`.`,
          '',
          `\`library/${name}\` is the source that the copies were made from.`,
          '',
        ].join('\n'),
      },
    },
    ...builds,
    ...source,
  ]
}

function entriesOf({ folder, files, made }: Build, prefix: string): ArchiveEntry[] {
  const copied = files.filter(({ path }) => !made.has(path))
  return [
    ...copied.map(({ path, isExecutable }) => {
      return { path: `${prefix}/${path}`, isExecutable, content: { file: join(folder, path) } }
    }),
    ...[...made].map(([path, text]) => ({ path: `${prefix}/${path}`, isExecutable: false, content: { text } })),
  ]
}

export interface PluginRequest {
  /** Skills by name. */
  names: readonly string[]
  tags?: readonly string[]
  profile?: string
  all?: boolean
  /** Only hooks and the MCP server, without skills. */
  bare?: boolean
  /** The name of the plugin. */
  name?: string
  description?: string
  author?: string
  release?: string
  agents?: readonly string[]
  /** Default: `<name>-plugin` in the working folder. */
  out?: string
  dryRun?: boolean
}

export interface BuiltPlugin {
  name: string
  folder: string
  agents: string[]
  skills: string[]
  written: string[]
  removed: string[]
  unchanged: number
  isDryRun: boolean
}

/** Writes a repository that agents install from, with a plugin for each: skills, hooks and the MCP server. */
export async function buildPlugin(machine: Machine, request: PluginRequest): Promise<BuiltPlugin> {
  const name = requirePluginName(request.name ?? 'loadout')
  const forms = chooseForms(request.agents ?? [])
  const { skills, findings } = request.bare
    ? { skills: [], findings: [] }
    : chooseSkills(new Installs(machine, {}), request)
  const folder = machine.resolve(request.out ?? `${name}-plugin`)
  refuseNamedLinkOut(machine.openProject().root, folder)
  const about = { name, description: request.description ?? describe(skills), author: request.author ?? name }
  const build = createBuilder()
  const built = (agent: string) =>
    skills
      .filter(({ skill }) => supports(skill, agent))
      .flatMap((each) => skillFiles(each.skill.name, build(each.path, each.skill, agent)))
  const files = pluginFiles({ ...about, release: requireRelease(request.release) }, forms, built)
  const isDryRun = request.dryRun ?? false
  const where = { folder, record: 'loadout-plugin.json', about: { written_by: 'loadout plugin build' } }
  const { written, removed, unchanged } = await changeFiles(machine, { purpose: 'plugin', isDryRun }, (edits) => {
    const plan = planOwnFiles(edits, where, new Map(files.map(({ path, ...file }) => [path, file])))
    const [first, ...more] = [...plan.kept, ...plan.left]
    if (first === undefined) return plan
    const others = more.length === 0 ? '' : ` and ${more.length} more`
    const what = more.length === 0 ? 'was' : 'were'
    throw failWith('FILE_EXISTS/not-ours', { folder: join(folder, first), others, what })
  })
  const agents = forms.map(({ agent }) => agent)
  machine.report(...findings, ...unsupported(skills, agents))
  const names = skills.map(({ skill }) => skill.name)
  return { name, folder, agents, skills: names, written, removed, unchanged: unchanged.length, isDryRun }
}

function requirePluginName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw failWith('BAD_NAME/plugin-name', { name: JSON.stringify(name.slice(0, 80)), problem })
}

function requireRelease(release: string | undefined): string | undefined {
  if (release === undefined || /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(release)) return release
  throw failWith('USAGE/release', { release: JSON.stringify(release.slice(0, 80)) })
}

function chooseForms(agents: readonly string[]) {
  const ids = agents.flatMap((names) => names.split(',')).map((agent) => requireAgent(agent.trim()).id)
  const unknown = ids.find((id) => !PLUGIN_FORMS.some(({ agent }) => agent === id))
  if (unknown === undefined) return PLUGIN_FORMS.filter(({ agent }) => ids.length === 0 || ids.includes(agent))
  throw failWith('UNKNOWN_AGENT/plugin', { unknown, pluginForms: PLUGIN_FORMS.map(({ agent }) => agent).join(', ') })
}

type Chosen = RegisteredSkill & { path: string }

/** Sorted by name. Leaves out skills in quarantine on this machine, so that others do not get them. */
export function chooseSkills(
  { config, library, repo }: Installs,
  request: PluginRequest,
): { skills: Chosen[]; findings: Finding[] } {
  const registry = readLibrary(repo)
  const chosen = namesOf(config, request, registry)
  const refused = chosen.flatMap((name) => registry.withheld.get(name) ?? [])
  const free = chosen.filter((name) => !registry.withheld.has(name)).map((name) => requireSkill(registry, name))
  return {
    skills: free.map((each) => ({ ...each, path: join(library, each.folder) })),
    findings: [
      ...registry.findings,
      ...refused.map((error): Finding => asFinding(error, { severity: 'error' })),
      ...heldKeyFindings(free.map(({ skill }) => skill)),
    ],
  }
}

function namesOf(
  config: Config,
  { names, tags: asked = [], profile, all }: PluginRequest,
  { skills, withheld }: ClearedRegistry,
): string[] {
  const tags = asked.flatMap((words) => words.split(','))
  const chosen = new Set(names)
  for (const name of profile === undefined ? [] : Object.keys(requireProfile(config, profile).profile)) chosen.add(name)
  for (const name of all ? withheld.keys() : []) chosen.add(name)
  for (const { skill } of skills) if (all || skill.tags.some((tag) => tags.includes(tag))) chosen.add(skill.name)
  if (chosen.size > 0 || all) return [...chosen].sort(compareText)
  if (tags.length > 0) {
    throw failWith('SKILL_NOT_FOUND/tag', { tags: tags.join(' or ') })
  }
  throw failWith('USAGE/no-plugin-skill')
}

export function skillFiles(name: string, build: ReturnType<ReturnType<typeof createBuilder>>): PluginFile[] {
  const executable = new Set(build.files.filter(({ isExecutable }) => isExecutable).map(({ path }) => path))
  // skill.json is for the library; agents do not read it.
  const files = Object.entries(readBuild(build)).filter(([path]) => path !== SKILL_FILE)
  return files.map(([path, bytes]) => ({
    path: `${name}/${path}`,
    bytes,
    isExecutable: executable.has(path) && !build.made.has(path),
  }))
}

function describe(skills: readonly RegisteredSkill[]): string {
  const names = skills.map(({ skill }) => skill.name)
  if (names.length === 0) return 'What a task needs, at every prompt and on request, with Loadout.'
  return `Skills with Loadout: ${listed(names)}.`
}

/** Skills that a plugin lacks because they are not for its agent. */
function unsupported(skills: readonly RegisteredSkill[], agents: readonly string[]): Finding[] {
  return agents.flatMap((agent) => {
    const without = skills.filter(({ skill }) => !supports(skill, agent)).map(({ skill }) => skill.name)
    const [first] = without
    if (first === undefined) return []
    const which = without.length === 1 ? first : `${first} and ${count(without.length - 1, 'other skill')}`
    return [
      report(
        'UNSUPPORTED_TARGET/plugin',
        { agent, which, what: without.length === 1 ? 'does' : 'do', what2: without.length === 1 ? first : '<names>' },
        { subject: agent },
      ),
    ]
  })
}
