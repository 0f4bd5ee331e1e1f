import { join, resolve } from 'node:path'
import { requireAgent } from '../agents/rules/agents.ts'
import { expandHome } from '../machine/config-file.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { count, listed } from '../text/count.ts'
import { asFinding, type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { createBuilder, readBuild } from './disk/build.ts'
import { changeFolder } from './disk/plugin-folder.ts'
import { type ClearedRegistry, readLibrary } from './gate.ts'
import { requireProfile } from './profiles.ts'
import { heldKeyFindings } from './quarantine.ts'
import { PLUGIN_FORMS, type PluginFile, pluginFiles } from './rules/plugin-files.ts'
import { nameProblem, type RegisteredSkill, requireSkill, SKILL_FILE, supports } from './rules/skill.ts'
import { openSetup } from './setup.ts'

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
export async function buildPlugin(machine: Machine, request: PluginRequest): Promise<Report<BuiltPlugin>> {
  const name = requirePluginName(request.name ?? 'loadout')
  const forms = chooseForms(request.agents ?? [])
  const { skills, findings } = chooseSkills(machine, request)
  const folder = resolve(machine.cwd, expandHome(machine, request.out ?? `${name}-plugin`))
  refuseNamedLinkOut(openProject(machine).root, folder)
  const about = { name, description: request.description ?? describe(skills), author: request.author ?? name }
  const build = createBuilder()
  const built = (agent: string) =>
    skills
      .filter(({ skill }) => supports(skill, agent))
      .flatMap((each) => skillFiles(each.skill.name, build(each.path, each.skill, agent)))
  const files = pluginFiles({ ...about, release: requireRelease(request.release) }, forms, built)
  const isDryRun = request.dryRun ?? false
  const plan = await changeFolder(folder, files, isDryRun)
  const agents = forms.map(({ agent }) => agent)
  const written = plan.written.map(({ path }) => path)
  const value = { name, folder, agents, skills: skills.map(({ skill }) => skill.name), written, removed: plan.removed }
  return {
    value: { ...value, unchanged: plan.unchanged, isDryRun },
    findings: [...findings, ...unsupported(skills, agents)],
  }
}

function requirePluginName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw new LoadoutError('BAD_NAME', `${JSON.stringify(name.slice(0, 80))} cannot be a plugin: ${problem}`, {
    hint: 'name it with --name, such as --name team-kit',
  })
}

function requireRelease(release: string | undefined): string | undefined {
  if (release === undefined || /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(release)) return release
  throw new LoadoutError('USAGE', `${JSON.stringify(release.slice(0, 80))} is not a version`, {
    hint: 'write it as 1.2.3; without --release Loadout derives it from the content',
  })
}

function chooseForms(agents: readonly string[]) {
  const ids = agents.map((agent) => requireAgent(agent).id)
  const unknown = ids.find((id) => !PLUGIN_FORMS.some(({ agent }) => agent === id))
  if (unknown === undefined) return PLUGIN_FORMS.filter(({ agent }) => ids.length === 0 || ids.includes(agent))
  throw new LoadoutError('UNKNOWN_AGENT', `${unknown} has no plugin format that Loadout supports`, {
    hint: `agents with plugins: ${PLUGIN_FORMS.map(({ agent }) => agent).join(', ')}`,
  })
}

type Chosen = RegisteredSkill & { path: string }

/** Sorted by name. Leaves out skills in quarantine on this machine, so that others do not get them. */
function chooseSkills(machine: Machine, request: PluginRequest): { skills: Chosen[]; findings: Finding[] } {
  if (request.bare) return { skills: [], findings: [] }
  const { library, repo } = openSetup(machine, {})
  const registry = readLibrary(repo)
  const chosen = namesOf(machine, request, registry)
  const refused = chosen.flatMap((name) => registry.withheld.get(name) ?? [])
  const free = chosen.filter((name) => !registry.withheld.has(name)).map((name) => requireSkill(registry, name))
  return {
    skills: free.map((each) => ({ ...each, path: join(library, each.folder) })),
    findings: [
      ...registry.findings,
      ...refused.map((error): Finding => ({ ...asFinding(error), severity: 'error' })),
      ...heldKeyFindings(free.map(({ skill }) => skill)),
    ],
  }
}

function namesOf(
  machine: Machine,
  { names, tags = [], profile, all }: PluginRequest,
  { skills, withheld }: ClearedRegistry,
): string[] {
  const chosen = new Set(names)
  for (const name of profile === undefined ? [] : Object.keys(requireProfile(machine, profile).profile))
    chosen.add(name)
  for (const name of all ? withheld.keys() : []) chosen.add(name)
  for (const { skill } of skills) if (all || skill.tags.some((tag) => tags.includes(tag))) chosen.add(skill.name)
  if (chosen.size > 0 || all) return [...chosen].sort(compareText)
  if (tags.length > 0) {
    throw new LoadoutError('SKILL_NOT_FOUND', `no skill has the tag ${tags.join(' or ')}`, {
      hint: 'loadout inventory --json lists the tags of every skill',
    })
  }
  throw new LoadoutError('USAGE', 'Missing argument: a skill', {
    hint: 'name some, or use --tag, --profile or --all; --bare builds only hooks and the MCP server',
  })
}

function skillFiles(name: string, build: ReturnType<ReturnType<typeof createBuilder>>): PluginFile[] {
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
    const message = `the plugin for ${agent} is without ${which}, which ${without.length === 1 ? 'does' : 'do'} not support it`
    const hint = `loadout targets ${without.length === 1 ? first : '<names>'} --add ${agent}`
    return [{ severity: 'warning' as const, code: 'UNSUPPORTED_TARGET' as const, message, subject: agent, hint }]
  })
}
