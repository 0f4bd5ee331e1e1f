import type { Deletion, InitResult, Loadout, NewSkill, SharedSkill, TargetsChange } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { failWith, LoadoutError } from '../../text/trouble.ts'
import { COMMIT_FLAGS, commitChoice, DRY_RUN_FLAG, defineCommand, namesIn, SCOPE_FLAGS } from '../command.ts'
import { alignRows, count, lines, MOST_SHOWN, printableLine } from '../screen.ts'

const HOW = { taken: 'Using the library', cloned: 'Cloned the library to', made: 'Created a new library in' } as const

/** The library of a person who did not choose another folder. */
export const DEFAULT_PLACE = '~/skills'

type Request = Parameters<Loadout['initialize']>[0]

export const init = defineCommand({
  name: 'init',
  shortensHome: true,
  summary: 'connect this machine to a skill library',
  details: 'Uses an existing library, clones one, or creates a new one, and stores the choice in the configuration.',
  args: [{ name: 'folder', summary: 'with --clone: where the clone goes', complete: 'file' }],
  flags: {
    repo: { kind: 'text', value: 'folder', summary: 'an existing library on this machine' },
    clone: { kind: 'text', value: 'url', summary: 'a library to clone' },
    into: { kind: 'text', value: 'folder', summary: 'where the clone goes (default: in your home)' },
    new: { kind: 'text', value: 'folder', summary: 'create a new library' },
    agents: {
      kind: 'list',
      value: 'a,b',
      summary: 'agents to equip (default: those on this machine)',
      also: ['targets', 'agent', 'target'],
    },
    yes: { kind: 'switch', summary: `without another choice: create one in ${DEFAULT_PLACE}` },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags, ask, signal }, loadout) => {
    const { repo, clone, agents: targets } = flags
    const into = flags.into ?? args.folder
    if (into !== undefined && clone === undefined) {
      throw failWith('USAGE/nothing-to-clone', { into, folder: shellWord(into) })
    }
    const request: Request = { repo, clone, create: flags.new, into, targets, dryRun: flags['dry-run'], signal }
    const isNamed = [repo, clone, flags.new].some((way) => way !== undefined)
    if (!isNamed && flags.yes) request.create = DEFAULT_PLACE
    else if (!isNamed && ask !== undefined) Object.assign(request, askPlace(ask))
    return loadout.initialize(request)
  },
  print: ({ config, library, how, skills, agents, isDryRun }: InitResult, screen) =>
    lines(
      isDryRun && 'Nothing was changed. This would be configured:',
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

/** A path is an existing or a new library; anything like a URL is cloned. */
function askPlace(ask: (question: string) => string): Partial<Request> {
  const answer = ask(`A folder for a new library, or the URL of one to clone [${DEFAULT_PLACE}]: `) || DEFAULT_PLACE
  return /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(answer) ? { clone: answer } : { create: answer }
}

export const newSkill = defineCommand({
  name: 'new',
  shortensHome: true,
  summary: 'create a skill in the library',
  args: [{ name: 'name', summary: 'lower case letters, digits and hyphens', required: true }],
  flags: {
    description: { kind: 'text', value: 'text', summary: 'what it does, and when to use it' },
    agents: {
      kind: 'list',
      value: 'a,b',
      summary: 'agents it supports (default: every enabled one)',
      also: ['targets', 'agent', 'target'],
    },
    tag: { kind: 'list', value: 'tag', summary: 'a tag to find it by' },
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags }, loadout) => {
    const { name = '' } = args
    try {
      const { description, agents: targets, tag: tags, 'dry-run': dryRun } = flags
      return await loadout.startSkill({ name, description, targets, tags, dryRun })
    } catch (error) {
      const slug = slugOf(name)
      if (!(error instanceof LoadoutError) || error.code !== 'BAD_NAME' || slug === '') throw error
      throw new LoadoutError(error.code, error.message, { hint: `try: loadout new ${slug}`, cause: error })
    }
  },
  print: ({ name, path, files, isDryRun }: NewSkill) =>
    lines(
      isDryRun ? 'Nothing was changed. This would be written:' : `created ${name}`,
      files.map((file) => `  ${printableLine(`${path}/${file}`)}`),
      !isDryRun && `write it, commit it, then: loadout equip ${name}`,
    ),
})

/** The name that a person probably meant: `My Skill` → `my-skill`. */
function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, 64).replace(/-$/, '')
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
  details:
    'Refused while an install depends on it. Git keeps its history; content that git does not have goes to a backup.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    ...COMMIT_FLAGS,
    yes: { kind: 'switch', summary: 'for scripts; this command never asks' },
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
      backup !== undefined && `content that git does not have is in ${printableLine(backup)}`,
      commit !== undefined &&
        printableLine(`to undo: git -C ${shellWord(library)} revert --no-edit ${commit.slice(0, 7)}`),
    ),
})

export const publishArchive = defineCommand({
  name: 'publish archive',
  shortensHome: true,
  aliases: { share: [] },
  summary: 'write a skill to an archive that others can import',
  details: 'The archive has a copy for each agent, the source and a README. The same skill gives the same bytes.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    out: { kind: 'text', value: 'file', summary: 'where to write it (default: <name>.tar.gz)' },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags }, loadout) => loadout.share({ name: args.name ?? '', out: flags.out, dryRun: flags['dry-run'] }),
  print: ({ path, entries, isDryRun }: SharedSkill) =>
    isDryRun
      ? lines(
          'Nothing was written. The archive would contain:',
          entries.map((entry) => `  ${printableLine(entry)}`),
        )
      : lines(`${printableLine(path)}  ${count(entries.length, 'file')}`),
})
