import type { AgentView, Loadout, SavedProfile } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, report } from '../../text/trouble.ts'
import { type Ask, DRY_RUN_FLAG, defineCommand, isYes, SCOPE_FLAGS } from '../command.ts'
import { alignRows, count, lines, printableLine, type Screen, wrap } from '../screen.ts'
import { printOperations } from './installs.ts'
import { agentsVersions } from './see.ts'

const AGENT_IDS = [{ name: 'ids', summary: 'the agents', required: true, rest: 'names' }] as const

export const agentCommands = [
  defineCommand({
    name: 'agents',
    summary: 'list the agents that Loadout can install skills for',
    details: 'Shows agents that are enabled or have a folder on this machine; the others only by name.',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.agents.list({}),
    print: (all, screen) => {
      const others = all.filter((agent) => !isHere(agent)).map(({ id }) => id)
      return printAgents(all, screen) + lines(`${others.length} more are supported:`, wrap(others.join(', '), 2))
    },
  }),
  defineCommand({
    name: 'agents enable',
    summary: 'install skills for these agents from now on',
    details: 'Shows how many skills of the library do not support them yet; on a terminal it offers to add them.',
    args: AGENT_IDS,
    flags: DRY_RUN_FLAG,
    run: async ({ request, ask }, loadout) => {
      const { value, findings } = await loadout.agents.switch({ ...request, isOn: true })
      const offered = await offerTargets(loadout, request.ids, request.dryRun ? undefined : ask)
      return { value, findings: [...findings, ...offered] }
    },
    print: printAgents,
  }),
  defineCommand({
    name: 'agents disable',
    summary: 'stop installing skills for these agents',
    details: 'Installed skills stay until you unequip them.',
    args: AGENT_IDS,
    flags: DRY_RUN_FLAG,
    run: ({ request }, loadout) => loadout.agents.switch({ ...request, isOn: false }),
    print: printAgents,
  }),
  agentsVersions,
]

/** A skill that names its agents does not support a new one by itself. */
async function offerTargets(loadout: Loadout, ids: string[], ask?: Ask): Promise<Finding[]> {
  const preview = await loadout.skills
    .changeTargets({ names: [], all: true, add: ids, dryRun: true })
    .catch(() => undefined)
  const lacking = preview?.value.changed.length ?? 0
  if (lacking === 0) return []
  const skills = `${count(lacking, 'skill')} of the library ${lacking === 1 ? 'does' : 'do'} not support ${ids.join(', ')}`
  if (ask !== undefined && isYes(ask(`${skills}. Add ${ids.length === 1 ? 'it' : 'them'} to all? [y/N] `))) {
    return (await loadout.skills.changeTargets({ names: [], all: true, add: ids })).findings
  }
  const hint = `loadout targets --all ${ids.map((id) => `--add ${id}`).join(' ')}`
  return [report('UNSUPPORTED_TARGET/offered', { skills, hint })]
}

function isHere({ isEnabled, exists }: AgentView): boolean {
  return isEnabled || exists
}

function printAgents(all: AgentView[], screen: Screen): string {
  const [heading = '', ...rows] = alignRows([
    ['', 'agent', '', 'in a project', 'folder of the user'],
    ...all
      .filter(isHere)
      .map(({ id, label, isEnabled, userFolder, projectFolder }) => [
        isEnabled ? '●' : '○',
        id,
        label,
        projectFolder,
        userFolder ?? 'none',
      ]),
  ])
  return lines(screen.faint(heading), rows, '', '● enabled, ○ off   (loadout agents enable <id>)')
}

export const config = defineCommand({
  name: 'config',
  summary: 'show the settings of this machine and their file',
  details: 'Changes nothing. Edit the file, or use loadout init and loadout agents enable.',
  args: [],
  flags: {},
  run: (_, loadout) => loadout.agents.showSettings({}),
  print: ({ config: file, isWritten, library, agents: all, actions }) => {
    const enabled = all.flatMap(({ id, isEnabled }) => (isEnabled ? [id] : []))
    return lines(
      alignRows([
        ['file', isWritten ? file : `${file} (not written yet)`],
        ['library', library ?? 'none yet: loadout init'],
        ['agents', enabled.length === 0 ? 'none enabled' : enabled.join(', ')],
        ...actions.map(({ name, isOn }) => [name, isOn ? 'on' : 'off']),
      ]),
    )
  },
})

const PROFILE_NAME = [{ name: 'name', summary: 'the profile', required: true }] as const

export const profileCommands = [
  defineCommand({
    name: 'profile list',
    summary: 'list the profiles of the library and of this machine',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.skills.listProfiles({}),
    print: (profiles) =>
      profiles.length === 0
        ? lines('There is no profile yet: loadout profile save <name>')
        : lines(
            alignRows(profiles.map((saved) => profileRow(saved).map((cell, at) => (at === 0 ? `  ${cell}` : cell)))),
          ),
  }),
  defineCommand({
    name: 'profile save',
    summary: 'save in the library which agent has which skill now',
    args: PROFILE_NAME,
    flags: { ...SCOPE_FLAGS, ...DRY_RUN_FLAG },
    run: ({ request }, loadout) => loadout.skills.saveProfile(request),
    print: (saved) =>
      lines(
        saved.isDryRun && 'Nothing was changed. This would be saved:',
        alignRows([profileRow(saved)]),
        !saved.isDryRun && printableLine(`to use it: loadout profile apply ${shellWord(saved.name)}`),
      ),
  }),
  defineCommand({
    name: 'profile apply',
    aliases: { 'profile use': [] },
    summary: 'equip every skill of a profile',
    args: PROFILE_NAME,
    flags: {
      exact: { kind: 'switch', summary: 'also unequip everything else' },
      undo: { kind: 'switch', summary: 'take back what the profile brought there' },
      ...SCOPE_FLAGS,
      ...DRY_RUN_FLAG,
    },
    run: ({ request, control }, loadout) => loadout.skills.applyProfile({ ...request, ...control }),
    print: (outcome, screen, findings) => printOperations(outcome, screen, findings, 'There is nothing to change.'),
  }),
  defineCommand({
    name: 'profile switch',
    summary: 'equip every skill of a profile, and unequip everything else',
    args: PROFILE_NAME,
    flags: { ...SCOPE_FLAGS, ...DRY_RUN_FLAG },
    run: ({ request, control }, loadout) => loadout.skills.applyProfile({ ...request, exact: true, ...control }),
    print: (outcome, screen, findings) =>
      printOperations(outcome, screen, findings, 'Exactly the skills of the profile are equipped.'),
  }),
]

export const session = defineCommand({
  name: 'session',
  summary: 'start an agent with the skills of a profile, for this session only',
  details:
    'loadout session review -- claude "look at the last commit" starts the program behind -- with the skills of the profile\n' +
    'review and without your other ones; those of the project stay. Other sessions see no difference: the skills lie in a\n' +
    'folder of this session, and what is listed is decided by arguments of this start. Nothing has to be taken back.',
  args: [
    { name: 'profile', summary: 'the profile', required: true },
    { name: 'command', summary: 'the program and its arguments, after --', required: true, rest: 'names' },
  ],
  flags: {
    add: { kind: 'switch', summary: 'keep your other skills' },
    ...DRY_RUN_FLAG,
  },
  run: ({ request, words }, loadout) => loadout.skills.startSession({ ...request, command: words.slice(1) }),
  print: ({ code, label, added, installed, hidden, command }) =>
    code === undefined
      ? lines(
          `${label} would have ${count(added.length + installed.length, 'skill')} of the profile, ${added.length} of them for this session.`,
          hidden.length > 0 && `It would not list ${count(hidden.length, 'other skill')}.`,
          printableLine(`  ${command.map(shellWord).join(' ')}`),
        )
      : '',
  exitCode: ({ code }) => code,
})

function profileRow({ name, profile, place }: SavedProfile): string[] {
  const agents = new Set(Object.values(profile).flat())
  const where = place === 'library' ? 'in the library' : 'on this machine only'
  return [name, count(Object.keys(profile).length, 'skill'), [...agents].join(', '), where]
}

const SIGNS = { fine: 'ok', note: 'note', problem: 'PROBLEM' } as const

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check git, library, agents and installs, and show what to do',
  details:
    'Changes nothing without --fix, which finishes interrupted changes and repairs install markers if the content matches.',
  args: [],
  flags: { fix: { kind: 'switch', summary: 'repair what can be repaired safely' }, ...SCOPE_FLAGS },
  run: ({ request }, loadout) => loadout.agents.doctor(request),
  print: ({ checks, fixed }, screen) => {
    const problems = checks.filter(({ state }) => state === 'problem').length
    return lines(
      fixed.map((message) => `fixed  ${printableLine(message)}`),
      checks.flatMap(({ name, state, message, fix }) => {
        const sign = state === 'problem' ? screen.alert(SIGNS[state]) : SIGNS[state]
        // A command with a path in it is copied into a shell: it stays on one line.
        const isCopied = fix?.includes('/')
        const toDo = isCopied
          ? [`    to do: ${printableLine(fix ?? '')}`]
          : fix === undefined
            ? []
            : wrap(`to do: ${fix}`, 4)
        return [`${sign}  ${screen.strong(printableLine(name))}`, ...wrap(message, 4), ...toDo]
      }),
      '',
      problems === 0 ? screen.good('Nothing needs action.') : screen.strong(`${count(problems, 'thing')} to do`),
    )
  },
  printsFindings: true,
})
