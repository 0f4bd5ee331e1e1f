import type { Leaving, Loadout } from '../../loadout.ts'
import { listed } from '../../text/count.ts'
import { shellWord } from '../../text/printable.ts'
import { failWith, LoadoutError, retell } from '../../text/trouble.ts'
import {
  ALL_FLAG,
  type Ask,
  agentsFlag,
  COMMIT_FLAGS,
  DRY_RUN_FLAG,
  defineCommand,
  isYes,
  NAME_ARGUMENT,
  NAMES_ARGUMENT,
  SCOPE_FLAGS,
  YES_FLAG,
} from '../command.ts'
import { commitText, count, firstRows, lines, printableLine, WOULD } from '../screen.ts'

const HOW = { taken: 'Using the library', cloned: 'Cloned the library to', made: 'Created a new library in' } as const

/** The library of a person who did not choose another folder. */
export const DEFAULT_PLACE = '~/skills'

type Request = Parameters<Loadout['skills']['initialize']>[0]

export const init = defineCommand({
  name: 'init',
  summary: 'connect this machine to a skill library',
  details: 'Uses an existing library, clones one, or creates a new one, and stores the choice in the configuration.',
  args: [{ name: 'folder', summary: 'with --clone: where the clone goes', complete: 'file' }],
  flags: {
    repo: { kind: 'text', value: 'folder', summary: 'an existing library on this machine' },
    clone: { kind: 'text', value: 'url', summary: 'a library to clone' },
    into: { kind: 'text', value: 'folder', summary: 'where the clone goes (default: in your home)' },
    create: { name: 'new', kind: 'text', value: 'folder', summary: 'create a new library' },
    targets: agentsFlag('agents to equip (default: those on this machine)'),
    yes: { kind: 'switch', summary: `without another choice: create one in ${DEFAULT_PLACE}` },
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags, ask, control: { signal } }, loadout) => {
    const { yes, ...rest } = flags
    const into = flags.into ?? args.folder
    if (into !== undefined && flags.clone === undefined) {
      throw failWith('USAGE/nothing-to-clone', { into, folder: shellWord(into) })
    }
    const request: Request = { ...rest, into, signal }
    const isNamed = [flags.repo, flags.clone, flags.create].some((way) => way !== undefined)
    if (!isNamed && yes) request.create = DEFAULT_PLACE
    else if (!isNamed && ask !== undefined) Object.assign(request, askPlace(ask))
    return loadout.skills.initialize(request)
  },
  print: ({ config, library, how, skills, agents, isDryRun }, screen) =>
    lines(
      isDryRun && 'Nothing was changed. This would be configured:',
      `${HOW[how]} ${screen.strong(printableLine(library))}${isDryRun ? '' : ` (${count(skills, 'skill')})`}`,
      `agents: ${agents.join(', ')}   (loadout agents lists all)`,
      `configuration: ${printableLine(config)}`,
      !isDryRun && '',
      !isDryRun &&
        (skills > 0
          ? 'Next: loadout list, then loadout install <name>'
          : 'Next: loadout new <name>, or loadout import'),
    ),
})

/** A path is an existing or a new library; anything like a URL is cloned. */
function askPlace(ask: Ask): Partial<Request> {
  const answer = ask(`A folder for a new library, or the URL of one to clone [${DEFAULT_PLACE}]: `) || DEFAULT_PLACE
  return /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(answer) ? { clone: answer } : { create: answer }
}

export const leave = defineCommand({
  name: 'leave',
  summary: 'give back what Loadout took over; --undo takes it again',
  details:
    'Folders and links that Loadout took over, also those of npx skills, are as they were. Copies that Loadout installed\n' +
    'stay as ordinary folders. Settings of agents lose the hooks, the MCP server and what see --fix wrote. The library stays.',
  args: [],
  flags: {
    undo: { kind: 'switch', summary: 'take the last leave back' },
    allProjects: { kind: 'switch', summary: 'also in every project with installs on this machine' },
    ...YES_FLAG,
    ...DRY_RUN_FLAG,
  },
  run: async ({ request, ask, control: { signal } }, loadout) => {
    const { yes, dryRun, undo: isUndo } = request
    const asked = { ...request, signal }
    const planned = await loadout.skills.leave({ ...asked, dryRun: true })
    const { copies, hooks, lists } = planned.value
    if (dryRun || copies.length + hooks.length + lists.length === 0) return planned
    if (!isUndo && !yes) {
      if (ask === undefined) throw failWith('CONFIRMATION_NEEDED/leave', { copies: copies.length })
      if (!isYes(ask(`${describeLeaving(planned.value)}Leave? [y/N] `))) throw failWith('NOT_CONFIRMED')
    }
    return loadout.skills.leave(asked)
  },
  print: (value) => describeLeaving(value),
})

function describeLeaving({ copies, hooks, lists, library, isUndo, isDryRun }: Leaving): string {
  if (copies.length + hooks.length + lists.length === 0) {
    return lines(isUndo ? 'There is nothing to take back.' : 'Loadout manages nothing on this machine.')
  }
  const path = ({ root, skill }: Leaving['copies'][number]) => `${root}/${skill}`
  const back = copies.filter(({ before }) => before !== undefined)
  const rows = back.map((copy) => [
    `  ${isUndo ? 'managed' : 'restored'}`,
    path(copy),
    isUndo ? '' : copy.link === undefined ? 'the folder that was there' : `-> ${copy.link}`,
  ])
  const rest = copies.length - back.length
  const names = listed([...new Set([...hooks, ...lists])])
  return lines(
    isDryRun && WOULD,
    firstRows(rows),
    rest > 0 &&
      `  ${count(rest, 'copy', 'copies')} ${isUndo ? 'managed again' : rest === 1 ? 'stays as an ordinary folder' : 'stay as ordinary folders'}`,
    names !== '' && `  settings of ${names}: ${isUndo ? 'written again' : 'as they were before Loadout'}`,
    !isUndo && printableLine(`The library stays in ${library}, an ordinary git repository.`),
    !isUndo && !isDryRun && 'Take it back: loadout leave --undo',
  )
}

export const newSkill = defineCommand({
  name: 'new',
  summary: 'create a skill in the library',
  args: [{ name: 'name', summary: 'lower case letters, digits and hyphens', required: true }],
  flags: {
    description: { kind: 'text', value: 'text', summary: 'what it does, and when to use it' },
    targets: agentsFlag('agents it supports (default: every enabled one)'),
    tags: { name: 'tag', kind: 'list', value: 'tag', summary: 'a tag to find it by' },
    ...DRY_RUN_FLAG,
  },
  run: async ({ request }, loadout) => {
    try {
      return await loadout.skills.start(request)
    } catch (error) {
      // The name that a person probably meant: `My Skill` → `my-skill`.
      const words =
        request.name
          .normalize('NFKD')
          .toLowerCase()
          .match(/[a-z0-9]+/g) ?? []
      const slug = words.join('-').slice(0, 64).replace(/-$/, '')
      if (!(error instanceof LoadoutError) || error.code !== 'BAD_NAME' || slug === '') throw error
      throw retell(error, { hint: `try: loadout new ${slug}` })
    }
  },
  print: ({ name, path, files, isDryRun }) =>
    lines(
      isDryRun ? 'Nothing was changed. This would be written:' : `created ${name}`,
      files.map((file) => `  ${printableLine(`${path}/${file}`)}`),
      !isDryRun && `write it, commit it, then: loadout install ${name}`,
    ),
})

export const targets = defineCommand({
  name: 'targets',
  summary: 'change which agents skills support',
  details: 'Writes skill.json in the library, in one commit. Equip or sync afterwards.',
  args: NAMES_ARGUMENT,
  flags: {
    ...ALL_FLAG,
    add: { kind: 'list', value: 'a,b', summary: "agents to add; '*' for every enabled one" },
    remove: { kind: 'list', value: 'a,b', summary: 'agents to remove' },
    ...COMMIT_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ request }, loadout) => loadout.skills.changeTargets(request),
  print: ({ changed, unchanged, commit, isDryRun }, screen) => {
    const rows = changed.map(({ name, before, after }) => [`  ${name}`, before.join(', '), '->', after.join(', ')])
    return lines(
      isDryRun && WOULD,
      firstRows(rows),
      changed.length > 0 &&
        !isDryRun &&
        screen.strong(`${count(changed.length, 'skill')} changed, ${commitText(commit)}`),
      unchanged > 0 && `${count(unchanged, 'skill')} unchanged`,
      changed.length > 0 &&
        !isDryRun &&
        screen.faint('loadout sync refreshes installs; loadout install --all adds the missing ones'),
    )
  },
})

export const deleteSkill = defineCommand({
  name: 'delete',
  summary: 'remove a skill from the library',
  details:
    'Refused while an install depends on it. Git keeps its history; content that git does not have goes to a backup.',
  args: NAME_ARGUMENT,
  flags: {
    ...COMMIT_FLAGS,
    yes: { kind: 'switch', summary: 'for scripts; this command never asks' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ request }, loadout) => loadout.skills.delete(request),
  print: ({ name, library, folder, commit, backup, isDryRun }) =>
    lines(
      isDryRun
        ? `Nothing was changed. ${printableLine(folder)} would be deleted.`
        : `deleted ${name} (${commitText(commit)})`,
      backup !== undefined && `content that git does not have is in ${printableLine(backup)}`,
      commit !== undefined &&
        printableLine(`to undo: git -C ${shellWord(library)} revert --no-edit ${commit.slice(0, 7)}`),
    ),
})

export const publishArchive = defineCommand({
  name: 'publish archive',
  aliases: { share: [] },
  summary: 'write a skill to an archive that others can import',
  details: 'The archive has a copy for each agent, the source and a README. The same skill gives the same bytes.',
  args: NAME_ARGUMENT,
  flags: {
    out: { kind: 'text', value: 'file', summary: 'where to write it (default: <name>.tar.gz)' },
    ...DRY_RUN_FLAG,
  },
  run: ({ request }, loadout) => loadout.skills.share(request),
  print: ({ path, entries, isDryRun }) =>
    isDryRun
      ? lines(
          'Nothing was written. The archive would contain:',
          entries.map((entry) => `  ${printableLine(entry)}`),
        )
      : lines(`${printableLine(path)}  ${count(entries.length, 'file')}`),
})
