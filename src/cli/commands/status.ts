import type { MachineStatus } from '../../loadout.ts'
import { defineCommand, projectFlag } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen, wrap } from '../screen.ts'

export const status = defineCommand({
  name: 'status',
  shortensHome: true,
  summary: 'what your agents see, what it costs, and what to do next',
  details: 'Looks at the agents of this machine and at the library. Changes nothing.',
  args: [],
  flags: projectFlag('only your own skills and instructions'),
  run: ({ flags }, loadout) => loadout.status({ project: flags.project }),
  print: (value: MachineStatus, screen) =>
    lines(agents(value, screen), library(value), '', screen.strong('Next'), next(value)),
})

function agents({ agents: found }: MachineStatus, screen: Screen): string[] {
  if (found.length === 0) return ['No agent was found on this machine.', '']
  const table = alignRows(
    found.map(({ label, program, skills = 0, seen = 0, undescribed = 0, tokens = 0 }) => [
      program?.version === undefined ? label : `${label} ${program.version}`,
      skills === 0
        ? 'no skills'
        : `${count(skills, 'skill')}, ${seen + undescribed === skills ? 'all' : grouped(seen + undescribed)} seen`,
      `${grouped(tokens)} tokens at session start`,
    ]),
  )
  return [...found.flatMap((agent, at) => [screen.strong(table[at] ?? ''), ...trouble(agent)]), '']
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
    dropped = 0,
    doubles = 0,
    unreadable = 0,
    room,
    cutFiles = [],
  } = agent
  const size = room === undefined ? '' : `: the list has room for ${grouped(room.size)} ${room.unit}`
  const texts = [
    problem !== undefined && problem,
    recordedFrom !== undefined && program?.version !== recordedFrom.version && versionNote(program, recordedFrom),
    dropped > 0 && `${be(dropped, 'skill')} listed without a description${size}`,
    cut > 0 && `${be(cut, 'description')} cut${size}`,
    undescribed > 0 && `${be(undescribed, 'skill')} listed by the first line, without a description`,
    doubles > 0 && `${be(doubles, 'skill')} hidden by another of the same name`,
    unreadable > 0 && `${be(unreadable, 'skill')} unreadable: loadout see ${id} says why`,
    ...cutFiles.map(({ path, bytes, read }) => `${path} is cut: ${grouped(read)} of ${grouped(bytes)} bytes are read`),
  ]
  return texts.flatMap((text) => (text === false ? [] : wrap(printableLine(text), 4)))
}

/** Why the numbers may be those of another version. */
function versionNote(program: AgentStatus['program'], { version }: NonNullable<AgentStatus['recordedFrom']>): string {
  const rules = `seen by the rules of ${version}`
  if (program === undefined) return `its program is not in the PATH; ${rules}`
  return program.version === undefined ? `its version is not known: ${program.problem}; ${rules}` : rules
}

const be = (number: number, noun: string) => `${count(number, noun)} ${number === 1 ? 'is' : 'are'}`

function library({ library: found }: MachineStatus): string[] {
  if (found === undefined) return ['No library of skills yet.']
  if (found.problem !== undefined) return wrap(`Library: ${printableLine(found.problem)}`, 0)
  const { skills, equipped, drift } = found
  const text = [
    `${count(skills, 'skill')}, ${equipped.length} equipped`,
    found.stands,
    ...(drift > 0 ? [`${count(drift, 'copy', 'copies')} to refresh`] : []),
  ]
  return [`Library ${printableLine(found.library)}`, ...wrap(printableLine(text.join('; ')), 4)]
}

function next({ next: steps }: MachineStatus): string[] {
  const rows = alignRows(steps.map(({ why, command }, at) => [`  ${at + 1}`, why, command]))
  if (rows.every((row) => row.length <= 80)) return rows
  return steps.flatMap(({ why, command }, at) => [`  ${at + 1}  ${why}`, `     ${command}`])
}
