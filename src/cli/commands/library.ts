import type {
  CandidateView,
  Deletion,
  ImportResult,
  InitResult,
  Loadout,
  NewSkill,
  SharedSkill,
  SkillOffer,
  TargetsChange,
} from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import type { Report } from '../../text/trouble.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, defineCommand, namesIn, SCOPE_FLAGS } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

const HOW = { taken: 'Using the library', cloned: 'Cloned the library to', made: 'Made a new library in' } as const

const DEFAULT_PLACE = '~/skills'

type Request = Parameters<Loadout['initialize']>[0]

export const init = defineCommand({
  name: 'init',
  shortensHome: true,
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
    else if (!isNamed && ask !== undefined) Object.assign(request, askPlace(ask))
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
function askPlace(ask: (question: string) => string): Partial<Request> {
  const answer = ask(`A folder for a new library, or the URL of one to clone [${DEFAULT_PLACE}]: `) || DEFAULT_PLACE
  return /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(answer) ? { clone: answer } : { create: answer }
}

export const newSkill = defineCommand({
  name: 'new',
  shortensHome: true,
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
  shortensHome: true,
  summary: 'bring skills into the library',
  details:
    'Takes a folder, a .tar.gz, a git URL, owner/repo, or the web address of a folder in a repository, and finds every\n' +
    'folder with a SKILL.md in it. Of several you choose: --list, --skill, --all. One import is one commit.\n' +
    'Without a source it lists what lies in the folders of the agents and was not installed by Loadout.',
  args: [{ name: 'source', summary: 'folder, .tar.gz, git URL or owner/repo', complete: 'file' }],
  flags: {
    list: { kind: 'switch', summary: 'only show what the source holds' },
    skill: { kind: 'list', value: 'a,b', summary: 'only these: names, folders or plugins' },
    all: { kind: 'switch', summary: 'everything that was found' },
    as: { kind: 'text', value: 'name', summary: 'another name for one skill' },
    prefix: { kind: 'text', value: 'text', summary: 'goes in front of every name' },
    targets: {
      kind: 'list',
      value: "a,b|all|'*'",
      summary: 'agents it supports, if it does not say so (default: enabled)',
    },
    ref: { kind: 'text', value: 'ref', summary: 'branch, tag or commit of the repository' },
    subfolder: { kind: 'text', value: 'path', summary: 'only this part of the source' },
    adopt: { kind: 'switch', summary: 'copies and links in the folders of agents become managed installs' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags, ask, onProgress, signal }, loadout): Promise<Report<Shown>> => {
    const { project, targets, subfolder, adopt, as, prefix, ref, list, skill: names } = flags
    const { source } = args
    if (source === undefined && !flags.all && names === undefined) {
      const { value, findings } = await loadout.listCandidates({ project })
      return { value: { candidates: value, ...(project === undefined ? {} : { project }) }, findings }
    }
    const [commit, dryRun] = [commitChoice(flags), flags['dry-run']]
    const choose =
      flags.all || source === undefined ? undefined : (offers: readonly SkillOffer[]) => askWhich(offers, ask)
    const choice = { names, choose, list, as, prefix }
    const carrying = { commit, dryRun, onProgress, signal }
    return loadout.importSkills({ source, project, targets, subfolder, ref, adopt, ...choice, ...carrying })
  },
  print: (value: Shown, screen) =>
    'candidates' in value ? printCandidates(value, screen) : printImport(value, screen),
  isWaiting: (value: Shown) => 'isUndecided' in value && value.isUndecided === true,
})

/** A list with numbers, and a line to answer; nobody there: no answer. */
function askWhich(offers: readonly SkillOffer[], ask: ((question: string) => string) | undefined) {
  if (ask === undefined) return undefined
  const rows = offers.map(({ name, state, description }, at) => [`${at + 1}`, name, state, shorten(description, 60)])
  const answer = ask(`${lines(alignRows(rows, [0]))}Which? Numbers, names, or all [none]: `)
  return chosenNames(answer, offers)
}

/** `1,3-5 name` or `all`. */
function chosenNames(answer: string, offers: readonly SkillOffer[]): string[] {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '')
  if (words.includes('all')) return offers.map(({ folder, name }) => folder || name)
  return words.flatMap((word) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? []
    if (from === undefined) return [word]
    return offers.slice(Number(from) - 1, Number(to)).map(({ folder, name }) => folder || name)
  })
}

const STATES: Record<CandidateView['state'], string> = {
  new: '',
  identical: 'in the library, just so',
  same: 'in the library, the same',
  differs: 'in the library, but different',
  blocked: 'blocked',
}

function printCandidates({ candidates, project }: Candidates, screen: Screen): string {
  if (candidates.length === 0) return lines('Loadout installed every skill in the folders of the agents.')
  const free = candidates.filter(({ problem }) => problem === undefined)
  // Copies in several folders are taken over together, or the others would stay behind.
  const scope = project === undefined ? '' : ` --project ${shellWord(project)}`
  const single = free.find(({ paths, state }) => paths.length === 1 && state === 'new')?.paths[0]
  const differing = candidates.filter(({ state }) => state === 'differs').map(({ name }) => name)
  const unknown = candidates.filter(({ state }) => state === 'new' || state === 'blocked').length
  return lines(
    candidates.flatMap((candidate) => candidateLines(candidate, screen)),
    '',
    screen.strong(`${count(candidates.length, 'skill')} that Loadout did not install, ${unknown} not in the library`),
    free.length === 1 && single !== undefined && printableLine(`loadout import ${shellWord(single)} --adopt${scope}`),
    (free.length > 1 || (free.length === 1 && single === undefined)) &&
      printableLine(
        `loadout import --all --adopt${scope} takes ${free.length === 1 ? 'it' : `all ${free.length}`} over`,
      ),
    differing.length > 0 &&
      printableLine(`different: loadout diff ${differing[0]}${scope}, then loadout adopt or loadout equip --replace`),
  )
}

function candidateLines(candidate: CandidateView, screen: Screen): string[] {
  const { name, description, targets, paths, links = {}, problem, state, manager } = candidate
  const told = state === 'new' ? '' : `  ${problem === undefined ? STATES[state] : screen.alert(STATES[state])}`
  return [
    `  ${screen.strong(printableLine(name))}  ${targets.join(', ')}${told}`,
    ...wrap(state === 'blocked' ? (problem ?? '') : description, 4),
    ...paths.map((path) => {
      const link = links[path]
      return screen.faint(printableLine(`    ${path}${link === undefined ? '' : ` -> ${link}`}`))
    }),
    ...(manager === undefined ? [] : wrap(`another manager placed it, from ${manager}`, 4).map(screen.faint)),
  ]
}

// Nobody reads a longer list; --json has all of it.
const MOST_SHOWN = 40

function printImport(result: ImportResult, screen: Screen): string {
  const { imported, adopted, unchanged, leftOut, offers, isDryRun } = result
  if (offers !== undefined) return printOffers(result, screen)
  const rows = imported
    .slice(0, MOST_SHOWN)
    .map(({ name, targets }) => [`  import${isDryRun ? '' : 'ed'}`, name, targets.join(', ')])
  const commit = imported[0]?.commit
  const missing = imported.map(({ name }) => name).filter((name) => !adopted.some(({ skill }) => skill === name))
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    imported.length + adopted.length === 0 && !isDryRun && 'Nothing was imported.',
    alignRows(rows),
    imported.length > MOST_SHOWN && `  and ${imported.length - MOST_SHOWN} more`,
    alignRows(
      adopted
        .slice(0, MOST_SHOWN)
        .map(({ skill, agent, root }) => [`  ${isDryRun ? 'adopt' : 'adopted'}`, skill, agent, root]),
    ),
    adopted.length > MOST_SHOWN && `  and ${adopted.length - MOST_SHOWN} more`,
    !isDryRun &&
      imported.length > 0 &&
      screen.strong(
        `${count(imported.length, 'skill')} imported, ${commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`}`,
      ),
    unchanged.length > 0 &&
      `${count(unchanged.length, 'skill')} unchanged: the library has ${unchanged.length === 1 ? 'it' : 'them'} already`,
    leftOutLines(leftOut),
    !isDryRun &&
      missing.length > 0 &&
      screen.faint(`loadout equip ${missing.length > 5 ? '--all' : missing.join(' ')}`),
  )
}

function printOffers({ offers = [], leftOut, isUndecided }: ImportResult, screen: Screen): string {
  const plugins = offers.some(({ plugin }) => plugin !== undefined)
  const rows = offers.map(({ name, state, folder, plugin = '', reason = '' }) => {
    return [`  ${name}`, state, ...(plugins ? [plugin] : []), folder, reason]
  })
  return lines(
    alignRows(rows),
    '',
    screen.strong(`${count(offers.length, 'skill')} found`),
    leftOutLines(leftOut),
    isUndecided && 'Choose with --skill <name,…>, or take --all of them.',
  )
}

function leftOutLines(leftOut: ImportResult['leftOut']): string[] {
  return leftOut.flatMap(({ count: number, reason, examples }) => {
    const some = examples.length === 0 ? '' : `: ${examples.join(', ')}${number > examples.length ? ', …' : ''}`
    return wrap(`left out ${number}, ${reason}${some}`, 0)
  })
}

export const targets = defineCommand({
  name: 'targets',
  summary: 'change which agents skills support',
  details: 'Writes skill.json in the library, in one commit. Equip or sync afterwards.',
  args: [{ name: 'names', summary: 'the skills', rest: true }],
  flags: {
    all: { kind: 'switch', summary: 'every skill' },
    add: { kind: 'list', value: 'a,b', summary: "agents to add; '*' for every enabled one" },
    remove: { kind: 'list', value: 'a,b', summary: 'agents to remove' },
    ...COMMIT_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) => {
    const { all, add, remove } = flags
    const [commit, dryRun] = [commitChoice(flags), flags['dry-run']]
    return loadout.changeTargets({ names: namesIn(args.names), all, add, remove, commit, dryRun })
  },
  print: ({ changed, unchanged, commit, isDryRun }: TargetsChange, screen) => {
    const rows = changed.slice(0, MOST_SHOWN).map(({ name, before, after }) => {
      return [`  ${name}`, before.join(', '), '->', after.join(', ')]
    })
    const state = commit === undefined ? 'not committed' : `commit ${commit.slice(0, 7)}`
    return lines(
      isDryRun && 'Nothing was changed. This would be done:',
      alignRows(rows),
      changed.length > MOST_SHOWN && `  and ${changed.length - MOST_SHOWN} more`,
      changed.length > 0 && !isDryRun && screen.strong(`${count(changed.length, 'skill')} changed, ${state}`),
      unchanged > 0 && `${count(unchanged, 'skill')} unchanged`,
      changed.length > 0 &&
        !isDryRun &&
        screen.faint('loadout sync refreshes installs; loadout equip --all adds the missing ones'),
    )
  },
})

export const deleteSkill = defineCommand({
  name: 'delete',
  shortensHome: true,
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
  shortensHome: true,
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
