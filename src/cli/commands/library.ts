import type {
  CandidateView,
  Deletion,
  ImportResult,
  InitResult,
  Loadout,
  NewSkill,
  SharedSkill,
} from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import type { Report } from '../../text/trouble.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, defineCommand, SCOPE_FLAGS } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen, wrap } from '../screen.ts'

const HOW = { taken: 'Using the library', cloned: 'Cloned the library to', made: 'Made a new library in' } as const

const DEFAULT_PLACE = '~/skills'

type Request = Parameters<Loadout['initialize']>[0]

export const init = defineCommand({
  name: 'init',
  summary: 'connect this machine with a library of skills',
  details: 'Takes a library that is here, clones one, or makes a new one, and writes it into the configuration.',
  args: [],
  flags: {
    repo: { kind: 'text', value: 'folder', summary: 'a library that is on this machine' },
    clone: { kind: 'text', value: 'url', summary: 'a library to clone' },
    into: { kind: 'text', value: 'folder', summary: 'where the clone goes (default: in your home)' },
    new: { kind: 'text', value: 'folder', summary: 'make a new library' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents to equip (default: claude,codex)' },
    yes: { kind: 'switch', summary: `without a library named: make one in ${DEFAULT_PLACE}` },
    ...DRY_RUN_FLAG,
  },
  run: ({ flags, ask, signal }, loadout) => {
    const { repo, clone, into, targets } = flags
    const request: Request = { repo, clone, create: flags.new, into, targets, dryRun: flags['dry-run'], signal }
    const isNamed = [repo, clone, flags.new].some((way) => way !== undefined)
    if (!isNamed && flags.yes) request.create = DEFAULT_PLACE
    else if (!isNamed && ask !== undefined) Object.assign(request, askWhich(ask))
    return loadout.initialize(request)
  },
  print: ({ config, library, how, skills, agents, isDryRun }: InitResult, screen) =>
    lines(
      isDryRun && 'Nothing was changed. This would be said:',
      `${HOW[how]} ${screen.strong(printableLine(library))}${isDryRun ? '' : ` (${count(skills, 'skill')})`}`,
      `agents: ${agents.join(', ')}   (loadout agents lists all)`,
      `configuration: ${printableLine(config)}`,
      !isDryRun && '',
      !isDryRun &&
        (skills > 0
          ? 'Next: loadout inventory, then loadout equip <name>'
          : 'Next: loadout new <name>, or loadout import'),
    ),
})

/** A path is a library that is here or a new one; anything like a URL is cloned. */
function askWhich(ask: (question: string) => string): Partial<Request> {
  const answer = ask(`A folder for a new library, or the URL of one to clone [${DEFAULT_PLACE}]: `) || DEFAULT_PLACE
  return /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(answer) ? { clone: answer } : { create: answer }
}

export const newSkill = defineCommand({
  name: 'new',
  summary: 'start a skill in the library',
  args: [{ name: 'name', summary: 'lower case letters, digits and hyphens', required: true }],
  flags: {
    description: { kind: 'text', value: 'text', summary: 'what it does, and when to use it' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents it supports (default: all enabled)' },
    tag: { kind: 'list', value: 'tag', summary: 'a tag to find it by' },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) =>
    loadout.startSkill({
      name: args.name ?? '',
      description: flags.description,
      targets: flags.targets,
      tags: flags.tag,
      dryRun: flags['dry-run'],
    }),
  print: ({ name, path, files, isDryRun }: NewSkill) =>
    lines(
      isDryRun ? 'Nothing was changed. This would be written:' : `started ${name}`,
      files.map((file) => `  ${printableLine(`${path}/${file}`)}`),
      !isDryRun && `write it, commit it, then: loadout equip ${name}`,
    ),
})

type Shown = Candidates | ImportResult

interface Candidates {
  candidates: CandidateView[]
  /** As it was asked for; absent for the user's own. */
  project?: string
}

export const importSkills = defineCommand({
  name: 'import',
  summary: 'bring skills into the library',
  details:
    'Takes a folder with a SKILL.md, a folder of such folders, an archive made by share, or a git URL.\n' +
    'Without a source it lists what lies in the folders of the agents and is not in the library.',
  args: [{ name: 'source', summary: 'folder, .tar.gz or git URL', complete: 'file' }],
  flags: {
    all: { kind: 'switch', summary: 'everything that lies in the folders of the agents' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents it supports, if it does not say so' },
    subfolder: { kind: 'text', value: 'path', summary: 'only this part of the source' },
    adopt: { kind: 'switch', summary: 'the imported copies become managed installs' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags, onProgress, signal }, loadout): Promise<Report<Shown>> => {
    const { project, targets, subfolder, adopt } = flags
    const { source } = args
    if (source === undefined && !flags.all) {
      const { value, findings } = await loadout.listCandidates({ project })
      return { value: { candidates: value, ...(project === undefined ? {} : { project }) }, findings }
    }
    const [commit, dryRun] = [commitChoice(flags), flags['dry-run']]
    return loadout.importSkills({ source, project, targets, subfolder, adopt, commit, dryRun, onProgress, signal })
  },
  print: (value: Shown, screen) =>
    'candidates' in value ? printCandidates(value, screen) : printImport(value, screen),
})

function printCandidates({ candidates, project }: Candidates, screen: Screen): string {
  if (candidates.length === 0) return lines('Every skill in the folders of the agents is in the library.')
  const free = candidates.filter(({ problem }) => problem === undefined)
  // Copies in several folders are taken over together, or the others would stay behind.
  const scope = project === undefined ? '' : ` --project ${shellWord(project)}`
  const single = free.find(({ paths }) => paths.length === 1)?.paths[0]
  return lines(
    candidates.flatMap(({ name, description, targets, paths, problem }) => [
      `  ${screen.strong(printableLine(name))}  ${targets.join(', ')}${problem === undefined ? '' : `  ${screen.alert('blocked')}`}`,
      ...wrap(problem ?? description, 4),
      ...paths.map((path) => screen.faint(`    ${printableLine(path)}`)),
    ]),
    '',
    `${screen.strong(count(candidates.length, 'skill'))} outside the library`,
    single !== undefined && printableLine(`loadout import ${shellWord(single)} --adopt${scope}`),
    free.length > 1 && printableLine(`loadout import --all --adopt${scope} brings in all ${free.length}`),
    free.length === 1 && single === undefined && printableLine(`loadout import --all --adopt${scope}`),
  )
}

function printImport({ imported, adopted, isDryRun }: ImportResult, screen: Screen): string {
  if (imported.length + adopted.length === 0) return lines('Nothing was imported.')
  const rows = imported.map(({ name, targets, commit }) => [
    `  import${isDryRun ? '' : 'ed'}`,
    name,
    targets.join(', '),
    commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`,
  ])
  const missing = imported.map(({ name }) => name).filter((name) => !adopted.some(({ skill }) => skill === name))
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    alignRows(isDryRun ? rows.map((row) => row.slice(0, 3)) : rows),
    alignRows(adopted.map(({ skill, agent, root }) => [`  ${isDryRun ? 'adopt' : 'adopted'}`, skill, agent, root])),
    !isDryRun && missing.length > 0 && screen.faint(`loadout equip ${missing.slice(0, 5).join(' ')}`),
  )
}

export const deleteSkill = defineCommand({
  name: 'delete',
  summary: 'remove a skill from the library',
  details: 'Refused while an install depends on it. Git keeps its history; what git does not have is kept in a backup.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    ...COMMIT_FLAGS,
    yes: { kind: 'switch', summary: 'for scripts: nothing is asked in any case' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) =>
    loadout.deleteSkill({
      name: args.name ?? '',
      project: flags.project,
      commit: commitChoice(flags),
      dryRun: flags['dry-run'],
    }),
  print: ({ name, library, folder, commit, backup, isDryRun }: Deletion) =>
    lines(
      isDryRun
        ? `Nothing was changed. ${printableLine(folder)} would be deleted.`
        : `deleted ${name}${commit === undefined ? ' (not committed)' : ` (commit ${commit.slice(0, 7)})`}`,
      backup !== undefined && `what git does not have is in ${printableLine(backup)}`,
      commit !== undefined &&
        printableLine(`to undo: git -C ${shellWord(library)} revert --no-edit ${commit.slice(0, 7)}`),
    ),
})

export const share = defineCommand({
  name: 'share',
  summary: 'pack a skill into an archive for somebody else',
  details: 'A copy ready for each agent, the source and a README. The same skill gives the same bytes.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    out: { kind: 'text', value: 'file', summary: 'where to write it (default: <name>.tar.gz)' },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.share({ name: args.name ?? '', out: flags.out, dryRun: flags['dry-run'] }),
  print: ({ path, entries, isDryRun }: SharedSkill) =>
    isDryRun
      ? lines(
          'Nothing was written. It would hold:',
          entries.map((entry) => `  ${printableLine(entry)}`),
        )
      : lines(`${printableLine(path)}  ${count(entries.length, 'file')}`),
})
