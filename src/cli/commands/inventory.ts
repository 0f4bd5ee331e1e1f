import { describeWhy, type Inventory, percent, type SkillView } from '../../loadout.ts'
import type { PlacementState } from '../../skills/rules/skill.ts'
import { textWidth } from '../../text/text-width.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand, limitFlag, NAME_ARGUMENT, SCOPE_FLAGS } from '../command.ts'
import {
  alignRows,
  count,
  grouped,
  inHome,
  lines,
  printableLine,
  printableText,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'
import { describeSheet } from './review.ts'

const GLYPHS: Record<PlacementState, string> = {
  current: '●',
  outdated: '↓',
  edited: '✎',
  unmanaged: '?',
  orphaned: '!',
  unsupported: '!',
  broken: '!',
}

const STATE_TEXTS: Partial<Record<SkillView['state'], (skill: SkillView) => string>> = {
  outdated: ({ commitsBehind }) => (commitsBehind === undefined ? '' : `${count(commitsBehind, 'commit')} behind`),
  edited: ({ placements }) =>
    `changed by hand on ${agentsIn(placements, 'edited')}: ${placementReason(placements, 'edited')}`,
  orphaned: () => 'no longer in the library',
  unsupported: ({ placements }) => `no longer for ${agentsIn(placements, 'unsupported')}`,
  unmanaged: () => 'your own folder has this name',
  broken: ({ placements }) => placementReason(placements, 'broken'),
  invalid: ({ problems }) => problems.join('; '),
}

const NEXT: [SkillView['state'], (names: string) => string][] = [
  ['outdated', (names) => `loadout sync refreshes outdated installs: ${names}`],
  ['edited', (names) => `loadout adopt brings the edit into the library: ${names}`],
  ['orphaned', (names) => `loadout remove --copies removes skills that left the library: ${names}`],
  ['unmanaged', (names) => `loadout diff compares your folder with the library's: ${names}`],
  ['invalid', () => 'loadout check shows the problem'],
  ['broken', () => 'loadout doctor explains'],
  ['unsupported', () => 'loadout doctor explains'],
]

export const list = defineCommand({
  name: 'list',
  aliases: { inventory: [], ls: [], skills: [] },
  summary: 'list every skill of the library, and which agent has it',
  details:
    'Signs: ● current, ↓ outdated, ✎ edited by hand, ? your own folder, ! needs attention, ○ not equipped, – not supported.',
  args: [],
  flags: { ...SCOPE_FLAGS, tag: { kind: 'list', value: 'tag', summary: 'only skills with this tag' } },
  run: async ({ flags }, loadout) => {
    const report = await loadout.skills.inventory({ project: flags.project })
    const tags = flags.tag
    if (tags === undefined) return report
    const skills = report.value.skills.filter((skill) => skill.tags.some((tag) => tags.includes(tag)))
    if (skills.length === 0) {
      throw failWith('SKILL_NOT_FOUND/tag', { tags: tags.join(' or ') })
    }
    return { ...report, value: { ...report.value, skills } }
  },
  print: (value, screen) => {
    if (value.skills.length === 0) return printEmpty(value)
    const longest = Math.max(...value.skills.map(({ state }) => state.length))
    const [heading = '', ...rows] = alignRows([
      ['', ...value.agents, ''],
      ...value.skills.map((skill) => [
        `  ${skill.name}`,
        ...value.agents.map((agent) => placementCell(skill, agent)),
        skill.state,
      ]),
    ])
    const described = value.skills.map((skill, at) => describeRow(rows[at] ?? '', skill, longest, screen.columns))
    return lines(screen.faint(heading), described, '', screen.strong(totalsOf(value)), nextSteps(value, screen))
  },
})

/** A row with its reason, cut to the width of a terminal; a pipe gets all of it. */
function describeRow(row: string, skill: SkillView, longestState: number, columns: number): string {
  const reason = STATE_TEXTS[skill.state]?.(skill) ?? skill.problems.join('; ')
  if (reason === '') return row
  const start = `${row}${' '.repeat(longestState - skill.state.length + 2)}`
  // Used where the agents already fill the line.
  return `${start}${shorten(reason, Math.max(20, columns - textWidth(start)))}`
}

function placementCell(skill: SkillView, agent: string): string {
  const placements = skill.placements.filter(({ agents }) => agents.includes(agent))
  if (placements.length > 0) {
    return placements.map(({ state, scope }) => `${GLYPHS[state]} ${scope === 'project' ? 'proj' : 'user'}`).join(' ')
  }
  const shared = skill.placements.find(({ alsoReadBy = [] }) => alsoReadBy.includes(agent))
  if (shared !== undefined) return `${GLYPHS[shared.state]} shared`
  return skill.targets.includes(agent) ? '○' : '–'
}

function agentsIn(placements: SkillView['placements'], wanted: PlacementState): string {
  return placements
    .filter(({ state }) => state === wanted)
    .flatMap(({ agents }) => agents)
    .join(', ')
}

function placementReason(placements: SkillView['placements'], wanted: PlacementState): string {
  const reasons = placements.flatMap(({ state, reason }) => (state === wanted && reason ? [reason] : []))
  return [...new Set(reasons)].join('; ')
}

function totalsOf({ skills, unmanaged }: Inventory): string {
  const states = ['outdated', 'edited', 'orphaned', 'unsupported', 'broken', 'invalid'] as const
  const equipped = skills.filter(({ placements }) => placements.some(({ state }) => state !== 'unmanaged')).length
  const parts = states.map((state) => [skills.filter((skill) => skill.state === state).length, state] as const)
  return [
    count(skills.length, 'skill'),
    `${equipped} equipped`,
    ...parts.filter(([number]) => number > 0).map(([number, state]) => `${number} ${state}`),
    ...(unmanaged > 0 ? [`${unmanaged} outside the library`] : []),
  ].join(' · ')
}

function nextSteps({ skills, unmanaged }: Inventory, screen: Screen): string[] {
  const hints = NEXT.flatMap(([state, say]) => {
    const names = skills.filter((skill) => skill.state === state).map(({ name }) => name)
    if (names.length === 0) return []
    return [say(names.length > 3 ? `${names.length} skills` : printableLine(names.join(', ')))]
  })
  if (unmanaged > 0) hints.push('loadout import lists the skills outside the library')
  return [...new Set(hints)].map((hint) => screen.faint(hint))
}

function printEmpty({ library, unmanaged }: Inventory): string {
  return lines(
    `The library is empty: ${printableLine(library)}`,
    unmanaged > 0 && `${count(unmanaged, 'skill')} outside the library: loadout import lists them`,
    'loadout new <name> creates a skill; loadout import <folder> imports one',
  )
}

export const suggest = defineCommand({
  name: 'suggest',
  summary: 'find skills of the library for a task',
  args: [{ name: 'task', summary: 'the task', required: true, rest: 'text' }],
  flags: {
    ...limitFlag(5),
    ...SCOPE_FLAGS,
  },
  run: ({ request }, loadout) => loadout.skills.suggest(request),
  print: ({ known, skills, command }, screen) =>
    skills.length === 0
      ? lines(known === 0 ? 'The library is empty: loadout new <name>' : `None of ${known} skills matches.`)
      : lines(
          skills.flatMap(({ name, description, confidence, why, equipped, missing }) => [
            `  ${screen.strong(printableLine(name))}  ${percent(confidence)}  ${equippedText(equipped, missing)}`,
            ...wrap(description, 4),
            ...wrap(describeWhy(why), 4).map(screen.faint),
          ]),
          '',
          command === undefined ? 'All of them are equipped.' : `To equip the rest: ${command}`,
        ),
})

function equippedText(equipped: readonly string[], missing: readonly string[]): string {
  const parts = [
    equipped.length > 0 ? `● ${equipped.join(', ')}` : '',
    missing.length > 0 ? `○ ${missing.join(', ')}` : '',
  ]
  return parts.filter((part) => part !== '').join('  ')
}

export const show = defineCommand({
  name: 'show',
  keepsPaths: true,
  aliases: { inspect: [] },
  summary: 'show one skill and where it is installed',
  args: NAME_ARGUMENT,
  flags: SCOPE_FLAGS,
  run: ({ request }, loadout) => loadout.skills.inspect(request),
  print: ({ skill, path, files, placements, markdown, review, origin }, screen) =>
    lines(
      screen.strong(skill.name),
      wrap(skill.description, 2),
      alignRows([
        ['  tags', skill.tags.join(', ') || '–'],
        ['  agents', skill.targets.join(', ') || 'every enabled agent'],
        ['  source', inHome(path, process.env.HOME)],
        ['  files', files.map((file) => `${file.path} (${grouped(file.bytes)})`).join(', ')],
      ]),
      origin.length > 0 && ['', screen.strong('Where it comes from')],
      alignRows(origin.map(([what, text]) => [`  ${what}`, text])).map(printableLine),
      review.length > 0 && ['', screen.strong('What it can do'), ...describeSheet(review, screen)],
      placements.length > 0 && '',
      alignRows(
        placements.map(({ agents, scope, state, path: at }) => [
          `  ${agents.join(', ')}`,
          scope,
          state,
          inHome(at, process.env.HOME),
        ]),
      ),
      '',
      printableText(markdown).trimEnd(),
    ),
})
