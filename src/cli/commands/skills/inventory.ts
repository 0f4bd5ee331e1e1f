import type { Inventory, SkillView } from '../../../app/loadout.ts'
import { LoadoutError } from '../../../domain/shared/loadout-error.ts'
import { textWidth } from '../../../domain/shared/text-width.ts'
import type { PlacementState } from '../../../domain/skills/placement.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, count, lines, printableLine, type Screen, shorten } from '../../screen.ts'
import { SCOPE_FLAGS } from '../../skill-flags.ts'

const GLYPHS: Record<PlacementState, string> = {
  current: '●',
  outdated: '↓',
  edited: '✎',
  unmanaged: '?',
  orphaned: '!',
  unsupported: '!',
  broken: '!',
}

const WORDS: Partial<Record<SkillView['state'], (skill: SkillView) => string>> = {
  outdated: ({ commitsBehind }) => (commitsBehind === undefined ? '' : `${count(commitsBehind, 'commit')} behind`),
  edited: ({ placements }) => `changed by hand on ${agentsIn(placements, 'edited')}`,
  orphaned: () => 'not in the library any more',
  unsupported: ({ placements }) => `no longer for ${agentsIn(placements, 'unsupported')}`,
  unmanaged: () => 'a folder of yours has this name',
  broken: ({ placements }) => placements.find(({ state }) => state === 'broken')?.reason ?? '',
  invalid: ({ problems }) => problems.join('; '),
}

const NEXT: [SkillView['state'], (names: string) => string][] = [
  ['outdated', (names) => `loadout sync refreshes what is outdated: ${names}`],
  ['edited', (names) => `loadout adopt keeps the edit: ${names}`],
  ['orphaned', (names) => `loadout unequip removes what the library no longer has: ${names}`],
  ['unmanaged', (names) => `loadout diff compares your folder with the library's: ${names}`],
  ['invalid', () => 'loadout validate says what is wrong'],
  ['broken', () => 'loadout doctor explains'],
  ['unsupported', () => 'loadout doctor explains'],
]

// Where the agents already fill the line.
const LEAST_REASON = 20

export const inventory = defineCommand({
  name: 'inventory',
  aliases: { list: [], ls: [] },
  summary: 'every skill of the library, and which agent has it',
  details:
    'Signs: ● current, ↓ outdated, ✎ edited by hand, ? a folder of yours, ! needs attention, ○ not equipped, – not supported.',
  args: [],
  flags: { ...SCOPE_FLAGS, tag: { kind: 'list', value: 'tag', summary: 'only skills with this tag' } },
  run: async ({ flags }, loadout) => {
    const report = await loadout.inventory({ project: flags.project })
    const tags = flags.tag
    if (tags === undefined) return report
    const skills = report.value.skills.filter((skill) => skill.tags.some((tag) => tags.includes(tag)))
    if (skills.length === 0) {
      const hint = 'loadout inventory --json lists the tags of every skill'
      throw new LoadoutError('SKILL_NOT_FOUND', `no skill has the tag ${tags.join(' or ')}`, { hint })
    }
    return { ...report, value: { ...report.value, skills } }
  },
  print: (value: Inventory, screen) => {
    if (value.skills.length === 0) return printEmpty(value)
    const longest = Math.max(...value.skills.map(({ state }) => state.length))
    const [heading = '', ...rows] = alignRows([
      ['', ...value.agents, ''],
      ...value.skills.map((skill) => [
        `  ${skill.name}`,
        ...value.agents.map((agent) => cell(skill, agent)),
        skill.state,
      ]),
    ])
    const described = value.skills.map((skill, at) => describe(rows[at] ?? '', skill, longest))
    return lines(screen.faint(heading), described, '', screen.strong(totals(value)), next(value, screen))
  },
})

/** A row with its reason, as far as a terminal has room; whoever asks gets the whole of it. */
function describe(row: string, skill: SkillView, longestState: number): string {
  const reason = WORDS[skill.state]?.(skill) ?? ''
  if (reason === '') return row
  const start = `${row}${' '.repeat(longestState - skill.state.length + 2)}`
  return `${start}${shorten(reason, Math.max(LEAST_REASON, 80 - textWidth(start)))}`
}

function cell(skill: SkillView, agent: string): string {
  const placements = skill.placements.filter(({ agents }) => agents.includes(agent))
  if (placements.length > 0) {
    return placements.map(({ state, scope }) => `${GLYPHS[state]} ${scope === 'project' ? 'proj' : 'user'}`).join(' ')
  }
  return skill.targets.includes(agent) ? '○' : '–'
}

function agentsIn(placements: SkillView['placements'], wanted: PlacementState): string {
  return placements
    .filter(({ state }) => state === wanted)
    .flatMap(({ agents }) => agents)
    .join(', ')
}

function totals({ skills, unmanaged }: Inventory): string {
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

function next({ skills, unmanaged }: Inventory, screen: Screen): string[] {
  const hints = NEXT.flatMap(([state, say]) => {
    const names = skills.filter((skill) => skill.state === state).map(({ name }) => name)
    if (names.length === 0) return []
    return [say(names.length > 3 ? `${names.length} skills` : printableLine(names.join(', ')))]
  })
  if (unmanaged > 0) hints.push('loadout import lists what lies outside the library')
  return [...new Set(hints)].map((hint) => screen.faint(hint))
}

function printEmpty({ library, unmanaged }: Inventory): string {
  return lines(
    `The library is empty: ${printableLine(library)}`,
    unmanaged > 0 && `${count(unmanaged, 'skill')} outside the library: loadout import lists them`,
    'loadout new <name> starts a skill; loadout import <folder> brings one in',
  )
}
