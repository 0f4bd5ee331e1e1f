import type { MachineStatus } from '../../loadout.ts'
import { describeCost, formatMoney, tokensOfCost } from '../../text/cost.ts'
import { defineCommand, projectFlag } from '../command.ts'
import {
  alignRows,
  column,
  count,
  grouped,
  inHome,
  lines,
  printableLine,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'what your agents see, what it costs, what to do next',
  details: 'Looks at the agents of this machine and at the library. Changes nothing.',
  args: [],
  flags: projectFlag('only your own skills and instructions'),
  run: ({ request }, loadout) => loadout.agents.status(request),
  print: (value, screen) => {
    const below = [...library(value), ...packs(value), ...cost(value), '', ...next(value)]
    // One screen with room for the prompt: what does not fit is shown by the command that the line names.
    const room = 12 - below.length
    const whole = describeAgents(value, screen)
    if (whole.length <= room) return lines(whole, below)
    const brief = describeAgents({ ...value, neverRan: [] }, screen, true).slice(0, Math.max(1, room - 1))
    return lines(brief, 'All agents, and what they cannot see: loadout see', below)
  },
})

export function describeAgents(
  { agents: found, neverRan }: Pick<MachineStatus, 'agents' | 'neverRan'>,
  screen: Screen,
  isBrief = false,
): string[] {
  if (found.length + neverRan.length === 0) return ['No agent was found on this machine.']
  const table = alignRows(
    found.map(({ tokens = 0, money, ...agent }) => [
      agent.program?.version === undefined ? agent.label : `${agent.label} ${agent.program.version}`,
      described(agent),
      `${grouped(tokens)} tokens at ${money === undefined ? 'start' : `start, ${formatMoney(money, tokens)}`}`,
    ]),
  )
  const others = neverRan.map(({ label, program: { version } }) =>
    version === undefined ? label : `${label} ${version}`,
  )
  return [
    ...found.flatMap((agent, at) => [screen.strong(table[at] ?? ''), ...(isBrief ? [] : trouble(agent))]),
    ...(others.length > 0 ? wrap(printableLine(`Installed, but never run: ${others.join(', ')}`), 0) : []),
  ]
}

function described({
  skills = 0,
  seen = 0,
  undescribed = 0,
  cut = 0,
  named = 0,
  dropped = 0,
  hooked = 0,
}: AgentStatus) {
  if (skills === 0) return 'no skills'
  const whole = seen + undescribed
  if (whole === skills) return `${count(skills, 'skill')}, all described`
  const parts = [
    `${grouped(whole)} described`,
    cut > 0 && `${grouped(cut)} cut`,
    named + dropped > 0 && `${grouped(named + dropped)} by name`,
    hooked > 0 && `${grouped(hooked)} by the hook`,
  ]
  return `${count(skills, 'skill')}, ${parts.filter((part) => part !== false).join(', ')}`
}

type AgentStatus = MachineStatus['agents'][number]

function trouble(agent: AgentStatus): string[] {
  const {
    agent: id,
    problem,
    program,
    recordedFrom,
    undescribed = 0,
    cut = 0,
    crowded = 0,
    doubles = 0,
    unreadable = 0,
    room,
    cutFiles = [],
  } = agent
  const size = room === undefined ? '' : ` (room for ${grouped(room.size)} ${room.unit})`
  const skills = [
    crowded > 0 && `the list is full${size}`,
    cut > 0 && crowded === 0 && `${count(cut, 'description')} too long to be listed whole`,
    undescribed > 0 && `${grouped(undescribed)} by the first line`,
    doubles > 0 && `${grouped(doubles)} hidden by another of the same name`,
    unreadable > 0 && `${grouped(unreadable)} unreadable: loadout see ${id}`,
  ]
  const texts = [
    problem !== undefined && problem,
    skills.filter((text) => text !== false).join(', '),
    ...cutFiles.map(({ path, bytes, read }) => `${path} is cut: ${grouped(read)} of ${grouped(bytes)} bytes are read`),
    recordedFrom !== undefined && program?.version !== recordedFrom.version && versionNote(program, recordedFrom),
  ]
  const said = texts.filter((text) => text !== false && text !== '').join('; ')
  return said === '' ? [] : wrap(printableLine(said), 4)
}

/** Why the numbers may belong to another version. */
function versionNote(program: AgentStatus['program'], { version }: NonNullable<AgentStatus['recordedFrom']>): string {
  const rules = `by the rules of ${version}`
  if (program === undefined) return `its program is not in the PATH: shown ${rules}`
  return program.version === undefined ? `its version is unknown: ${program.problem}, ${rules}` : rules
}

function packs({ readable, following, changed }: MachineStatus): string[] {
  if (readable === 0) return []
  const text = [
    `${count(readable, 'pack')} can be read`,
    ...(following.length > 0 ? [`${following.join(', ')} with all later changes`] : []),
    ...(changed.length > 0 ? [`${changed.join(', ')} as approved, not as changed since`] : []),
  ]
  return wrap(`Packs: ${printableLine(text.join('; '))}`, 0)
}

function library({ library: found }: MachineStatus): string[] {
  if (found === undefined) return ['No skill library yet.']
  if (found.problem !== undefined) return wrap(`Library: ${printableLine(found.problem)}`, 0)
  const { skills, equipped, drift } = found
  const text = [
    `${count(skills, 'skill')}, ${equipped.length} equipped`,
    found.stands,
    ...(drift > 0 ? [`${count(drift, 'copy', 'copies')} to refresh`] : []),
  ]
  const [first] = found.edited
  const more = found.edited.length - 1
  return [
    ...wrap(printableLine(`Library ${inHome(found.library, process.env.HOME)}: ${text.join('; ')}`), 0),
    ...(first === undefined
      ? []
      : [
          shorten(`  ✎ ${printableLine(inHome(first.path, process.env.HOME))} was edited by hand: ${first.reason}`, 80),
        ]),
    ...(more > 0 ? [`  and ${count(more, 'more edited copy', 'more edited copies')}: loadout list`] : []),
  ]
}

function cost({ usage: { days, starts, cost: sum } }: MachineStatus): string[] {
  if (tokensOfCost(sum) === 0) return []
  return wrap(`Last ${days} days, ${count(starts, 'session start')}: ${describeCost(sum)}`, 0)
}

function next({ next: steps }: MachineStatus): string[] {
  const room = 80 - 7 - column(steps.map(({ command }) => command))
  return alignRows(steps.map(({ why, command }, at) => [`  ${at + 1}`, shorten(why, Math.max(20, room)), command]))
}
