import type { Fate, SkillSight } from '../../agents/rules/sight/visibility.ts'
import { FATES, HOOK_HOSTS } from '../../display-rules.ts'
import type { AgentSight } from '../../loadout.ts'
import { textWidth } from '../../text/text-width.ts'
import { defineCommand, projectFlag } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen, shorten, wrap } from '../screen.ts'

export const see = defineCommand({
  name: 'see',
  summary: 'which skills an agent really shows its model',
  details:
    'Replays what the agent’s own program does on this machine: the folders it reads, in its order, what hides what, and\n' +
    'what fits into its list. With --project . also what it reads in a project when it is started there.',
  args: [{ name: 'agent', summary: 'claude, codex, … (loadout agents lists them)', required: true }],
  flags: {
    ...projectFlag('only your own skills'),
    window: { kind: 'number', value: 'tokens', summary: 'the context window of the model' },
    longest: { kind: 'switch', summary: 'list the longest descriptions and what they cost' },
  },
  run: async ({ args, flags }, loadout) => {
    const { project, window, longest } = flags
    const { value, findings } = await loadout.see({ agent: args.agent ?? '', project, window })
    return { value: { ...value, isLongest: longest === true }, findings }
  },
  print: ({ isLongest, ...sight }: AgentSight & { isLongest: boolean }, screen) =>
    isLongest ? printLongest(sight, screen) : printSight(sight, screen),
  toJson: ({ isLongest: _, ...sight }) => sight,
  printsFindings: true,
})

function printSight(sight: AgentSight, screen: Screen): string {
  return lines(
    wrap(opening(sight), 0).map(screen.strong),
    '',
    summary(sight),
    FATES.filter((fate) => fate !== 'visible').flatMap((fate) => named(sight, fate, screen)),
    folders(sight, screen),
    instructions(sight, screen),
    closing(sight),
  )
}

function opening({ label, places, cwd, budget, readFrom }: AgentSight): string {
  const read = places.filter(({ state }) => state === 'read').length
  const reads = `${label} ${cwd === undefined ? 'on this machine' : 'in this project'} reads ${count(read, 'folder')}`
  if (budget === undefined && readFrom !== undefined) return `${reads} and lists all skills in full: it has no limit.`
  if (budget === undefined) return `${reads}. Its limit is not known.`
  return `${reads} and lists skills in ${grouped(budget.budget)} ${unitOf(budget.unit)}.`
}

function unitOf(unit: 'columns' | 'tokens'): string {
  return unit === 'columns' ? 'characters' : 'tokens'
}

/** A row for each fate that occurs; the sizes add up to what the list takes. */
function summary({ skills, own, budget, used = 0, readFrom }: AgentSight): string[] {
  const sizesOf = (those: readonly SkillSight[]) => (readFrom === undefined ? [] : sizes(those))
  const rows = FATES.flatMap((fate) => {
    const those = skills.filter((skill) => skill.fate === fate)
    return those.length === 0 ? [] : [[`  ${fate}`, count(those.length, 'skill'), ...sizesOf(those)]]
  })
  if (skills.length === 0) rows.push(['  visible', 'no skill', ...sizesOf([])])
  if (own.count > 0) rows.push(['  its own', count(own.count, 'skill'), grouped(own.characters), grouped(own.tokens)])
  if (readFrom === undefined) return alignRows(rows)
  const table = alignRows([['', '', 'characters', 'tokens'], ...rows], [2, 3])
  if (budget === undefined) return table
  const rest = budget.budget - used
  const left = rest < 0 ? `${grouped(-rest)} too many` : `${grouped(rest)} free`
  const model = budget.model === undefined ? '' : ` (${budget.model})`
  const total = `${grouped(used)} of ${grouped(budget.budget)} ${unitOf(budget.unit)} in use, ${left}; window ${grouped(budget.window)} tokens${model}`
  return [...table, '', ...wrap(total, 2)]
}

function sizes(skills: readonly SkillSight[]): string[] {
  const characters = skills.reduce((total, skill) => total + skill.characters.line, 0)
  const tokens = skills.reduce((total, skill) => total + skill.tokens, 0)
  return [grouped(characters), grouped(tokens)]
}

/** From here on names of one reason stand together. */
const MANY = 4
const MOST_NAMED = 40
const PLACE_MATTERS: readonly Fate[] = ['shadowed', 'ambiguous']

function named({ skills, home }: AgentSight, fate: Fate, screen: Screen): string[] {
  const reasons = new Map<string, SkillSight[]>()
  for (const skill of skills.filter((each) => each.fate === fate)) {
    reasons.set(skill.why, [...(reasons.get(skill.why) ?? []), skill])
  }
  if (reasons.size === 0) return []
  const rows = [...reasons].flatMap(([why, those]) => {
    if (PLACE_MATTERS.includes(fate)) {
      return those.flatMap(({ name, path }) => hang(name, `${inHome(folderOf(path), home)}: ${inHome(why, home)}`))
    }
    if (those.length < MANY) return those.flatMap(({ name }) => hang(name, why))
    const names = those.slice(0, MOST_NAMED).map(({ name }) => printableLine(name))
    const more = those.length > names.length ? ` and ${those.length - names.length} more (--json names all)` : ''
    return [...wrap(`${why}:`, 2), ...wrap(names.join(', ') + more, 4)]
  })
  return ['', screen.strong(fate), ...rows]
}

const INDENT = 24

/** A name, and a text beside it that goes on below itself. */
function hang(name: string, text: string): string[] {
  const label = `  ${shorten(name, 40)}`
  const [first = '', ...rest] = wrap(text, INDENT)
  const gap = INDENT - textWidth(label)
  return gap >= 2 ? [label + ' '.repeat(gap) + first.trimStart(), ...rest] : [label, first, ...rest]
}

function folderOf(path: string): string {
  return path.replace(/\/SKILL\.md$/, '')
}

function inHome(text: string, home: string): string {
  return text.replaceAll(`${home}/`, '~/')
}

function folders({ places, skills, home }: AgentSight, screen: Screen): string[] {
  const placeOf = (path: string) =>
    places.filter((place) => path.startsWith(`${place.path}/`)).sort((a, b) => b.path.length - a.path.length)[0]
  const rows = places.map((place) => {
    const held = skills.filter(({ path }) => placeOf(path) === place).length
    const { scope, state, why = '' } = place
    return [`  ${scope}`, state === 'read' ? count(held, 'skill') : state === 'missing' ? 'not there' : why, place.path]
  })
  return ['', screen.strong('folders, in its order'), ...pathRows(rows, home)]
}

function instructions({ instructions: files, mostInstructionBytes: most, home }: AgentSight, screen: Screen): string[] {
  if (files.length === 0) return []
  const heading = most === undefined ? 'instructions' : `instructions, of a project ${grouped(most)} bytes at most`
  const rows = files.map(({ path, bytes, state, read, why }) => {
    const size = `${state === 'cut' ? `${grouped(read)} of ` : ''}${count(bytes, 'byte')}`
    return [`  ${state}`, state === 'unreadable' ? why : size, path]
  })
  return ['', screen.strong(heading), ...pathRows(rows, home)]
}

/** Rows that end with a path, which loses its beginning where it would not fit. */
function pathRows(rows: readonly (readonly string[])[], home: string): string[] {
  const [first, ...others] = alignRows(rows.map((row) => [...row.slice(0, -1), '|']))
  const room = 80 - textWidth(first ?? '') + 1
  return [first, ...others].map((line = '', at) => {
    const path = printableLine(inHome(rows[at]?.at(-1) ?? '', home))
    return line.slice(0, -1) + (path.length > room ? `\u2026${path.slice(1 - room)}` : path)
  })
}

function closing({ agent, cwd, skills, readFrom, trust, budget }: AgentSight): string[] {
  const dropped = skills.filter(({ fate }) => fate === 'dropped').length
  const isCrowded = budget !== undefined && skills.some(({ fate }) => fate === 'dropped' || fate === 'cut')
  const hasHooks = HOOK_HOSTS.some((host) => host.agent === agent)
  const advice = [
    dropped > 0 && `${count(dropped, 'skill')} can hardly fire: nothing says when. Unequip what you do not use,`,
    isCrowded && `${dropped > 0 ? 'shorten' : 'Shorten'} descriptions (loadout see ${agent} --longest)`,
    dropped > 0 && hasHooks && `or let Loadout route them: loadout hooks install ${agent}`,
  ]
  const texts = [
    readFrom !== undefined && `These are the rules of ${readFrom}.`,
    trust,
    advice.filter((part) => part !== false).join(' '),
    cwd === undefined && `In a project it may read more: loadout see ${agent} --project .`,
  ]
  return ['', ...texts.flatMap((text) => (text ? wrap(text, 0) : []))]
}

const MOST_LONGEST = 20

/** The longest descriptions, with what the whole of each would cost. */
function printLongest({ label, skills }: AgentSight, screen: Screen): string {
  const described = skills.filter(({ fate, characters }) => fate !== 'unreadable' && characters.description > 0)
  const longest = described.sort((a, b) => b.characters.description - a.characters.description)
  if (longest.length === 0) return lines(`${label} reads no skill with a description here.`)
  const rows = longest
    .slice(0, MOST_LONGEST)
    .map(({ name, fate, characters: { description, shown } }) => [
      `  ${shorten(name, 40)}`,
      grouped(description),
      grouped(Math.ceil(description / 4)),
      grouped(shown),
      fate,
    ])
  return lines(
    screen.strong(`The longest of ${count(longest.length, 'description')}, in characters`),
    '',
    alignRows([['', 'written', 'tokens', 'listed', ''], ...rows], [1, 2, 3]),
    '',
    'Say when to use a skill; how belongs into its text: loadout inspect <skill>',
  )
}
