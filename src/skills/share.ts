import { join, resolve } from 'node:path'
import { requireAgent } from '../agents/rules/agents.ts'
import { expandHome } from '../machine/config-file.ts'
import { exists } from '../machine/files.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { type Build, buildFor } from './disk/build.ts'
import { type ArchiveEntry, writeArchive } from './disk/write-archive.ts'
import { readLibrary } from './gate.ts'
import { requireName, requireSkill, type Skill } from './rules/skill.ts'
import { openSetup } from './setup.ts'

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
export async function shareSkill(machine: Machine, request: ShareRequest): Promise<Report<SharedSkill>> {
  const name = requireName(request.name)
  const { library, repo } = openSetup(machine, {})
  const registered = requireSkill(readLibrary(repo), name)
  const path = resolve(machine.cwd, expandHome(machine, request.out ?? `${name}.tar.gz`))
  const project = openProject(machine).root
  refuseNamedLinkOut(project, path)
  if (exists(path))
    throw new LoadoutError('FILE_EXISTS', `${path} already exists`, {
      hint: 'it was left as it is; --out names another',
    })
  const folder = join(library, registered.folder)
  const entries = archiveEntries(registered.skill, folder)
  const isDryRun = request.dryRun ?? false
  if (!isDryRun) await writeArchive(entries, path, project)
  return { value: { name, path, entries: entries.map((entry) => entry.path), isDryRun }, findings: [] }
}

function archiveEntries(skill: Skill, folder: string): ArchiveEntry[] {
  const { name, targets } = skill
  const builds = targets.flatMap((agent) =>
    entriesOf(buildFor(folder, skill, agent), `${name}/agents/${agent}/${name}`),
  )
  const source = entriesOf({ ...buildFor(folder, skill, ''), made: new Map() }, `${name}/library/${name}`)
  return [{ path: `${name}/README.md`, isExecutable: false, content: { text: readmeOf(skill) } }, ...builds, ...source]
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

function readmeOf({ name, description, targets }: Skill): string {
  const rows = targets.map((id) => {
    const { label, userFolder, projectFolder } = requireAgent(id)
    const place = userFolder === undefined ? `${projectFolder}/\` of a project` : `~/${userFolder}/\``
    return `- ${label}: copy \`agents/${id}/${name}\` to \`${place}`
  })
  return [
    `# ${name}`,
    '',
    description,
    '',
    '## Use it',
    '',
    ...rows,
    '',
    `With Loadout: \`loadout import ${name}.tar.gz\`, then \`loadout equip ${name}\`.`,
    '',
    `\`library/${name}\` is the source that the copies were made from.`,
    '',
  ].join('\n')
}
