import type { SeenSkill, Visibility } from '../../agents/rules/visibility.ts'
import { isCrowdedOut, VISIBILITIES } from '../../display-rules.ts'
import type { FixPlan, MachineStatus, SeenByAgent, UndoneFix, Verification } from '../../loadout.ts'
import { listed } from '../../text/count.ts'
import { textWidth } from '../../text/text-width.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import { DRY_RUN_FLAG, defineCommand, isYes, nameOfKey, projectFlag } from '../command.ts'
import {
  alignRows,
  count,
  formatFindings,
  grouped,
  inHome,
  lines,
  printableLine,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'
import { describeAgents } from './status.ts'

export const see = defineCommand({
  name: 'see',
  summary: 'show which skills an agent really lists for its model',
  details:
    'Simulates the agent’s own program on this machine: the folders it reads, in its order, which skills hide others, and\n' +
    'what fits into its list. With --project . it includes what the agent reads when it starts in a project.',
  args: [{ name: 'agent', summary: 'claude, codex, … (default: a line for each agent on this machine)' }],
  flags: {
    ...projectFlag('only your own skills'),
    window: { kind: 'number', value: 'tokens', summary: 'the context window of the model' },
    model: { kind: 'text', value: 'name', summary: 'as if the agent used this model' },
    without: { kind: 'list', value: 'a,b', summary: 'as if these skills did not exist' },
    nameOnly: { kind: 'list', value: 'a,b', summary: 'as if only the names of these skills were listed' },
    shorten: { kind: 'list', value: 'a=200', summary: 'as if these descriptions had this many characters' },
    longest: { kind: 'switch', summary: 'list the longest descriptions and their cost' },
    verify: {
      kind: 'switch',
      summary: 'run the agent in a copy of what it reads, without network, and show what it really sends to its model',
    },
    seconds: { kind: 'number', value: 'n', summary: 'with --verify: how long the agent may take (default: 120)' },
    fix: {
      kind: 'switch',
      summary: 'make every skill usable: plan settings of the agent (or of all), and apply them after a confirmation',
    },
    yes: { kind: 'switch', summary: 'with --fix: do not ask' },
    undo: { kind: 'switch', summary: 'with --fix: undo its change of the settings' },
    ...DRY_RUN_FLAG,
  },
  run: async ({ args: { agent }, flags, ask, control }, loadout): Promise<Report<SeeAnswer>> => {
    const { fix, undo, yes, dryRun, longest, without, nameOnly, shorten, verify, seconds, ...asked } = flags
    const { project, window, model } = asked
    if (fix && undo) {
      const { value: undone, findings } = await loadout.agents.undoFix({ agent, project })
      return { value: { undone }, findings }
    }
    if (fix) {
      const { value: plans, findings } = await loadout.agents.planFix({ agent, project, window, model })
      const ended = (state: Fix['state'], more = findings) => ({ value: { plans, state }, findings: more })
      if (!plans.some(({ isChange }) => isChange)) return ended('nothing to do')
      if (dryRun) return ended('planned')
      if (!yes && ask === undefined) return ended('waiting')
      if (!yes && !isYes(ask?.(`${plans.map(printPlan).join('\n')}\nDo it? [y/N] `) ?? '')) return ended('refused')
      const { findings: others } = await loadout.agents.applyFix(plans)
      return ended('done', [...findings, ...others])
    }
    if (agent === undefined) {
      const only = Object.keys(flags).find((name) => name !== 'project')
      if (only !== undefined) throw failWith('USAGE/agent-needed', { only: nameOfKey(only) })
      const { value, findings } = await loadout.agents.status({ project })
      return { value: { agents: value.agents, neverRan: value.neverRan }, findings }
    }
    if (verify) {
      const { value: verified, findings } = await loadout.agents.verify({
        agent,
        project,
        model,
        seconds,
        signal: control.signal,
      })
      return { value: { verified }, findings }
    }
    const split = (lists: readonly string[] = []) => lists.flatMap((names) => names.split(','))
    const { value: sight, findings } = await loadout.agents.see({
      ...asked,
      agent,
      without: without && split(without),
      switched: Object.fromEntries(split(nameOnly).map((name) => [name, 'name-only' as const])),
      shorten: Object.fromEntries(split(shorten).map(readShort)),
    })
    return { value: { sight, isLongest: longest === true }, findings }
  },
  print: (shown, screen, findings) => {
    if ('undone' in shown) {
      if (shown.undone.length === 0) return lines('There is nothing to take back.')
      return lines(
        shown.undone.map(
          ({ path, names }) =>
            `${printableLine(inHome(path, process.env.HOME))}: ${count(names.length, 'setting')} taken back`,
        ),
      )
    }
    if ('verified' in shown) return printVerified(shown.verified, screen)
    if ('agents' in shown) return lines(describeAgents(shown, screen), '', 'loadout see <agent> lists its skills.')
    if ('plans' in shown) return printFix(shown, screen) + formatFindings(findings, screen)
    return shown.isLongest ? printLongest(shown.sight, screen) : printSight(shown.sight, screen, findings)
  },
  toJson: (shown) => ('sight' in shown ? shown.sight : 'verified' in shown ? shown.verified : shown),
  printsFindings: true,
  isWaiting: (shown) => 'plans' in shown && shown.state === 'waiting',
})

type SeeAnswer =
  | { verified: Verification }
  | { sight: SeenByAgent; isLongest: boolean }
  | Pick<MachineStatus, 'agents' | 'neverRan'>
  | { undone: UndoneFix[] }
  | Fix

/** Plans and their outcome. */
interface Fix {
  plans: FixPlan[]
  /** `planned`: only shown. `waiting`: the user must answer first. */
  state: 'nothing to do' | 'planned' | 'waiting' | 'refused' | 'done'
}

function printPlan({ label, now, after, switches, isChange, settingsFile = '', kept, hook, ...plan }: FixPlan): string {
  const total = now.described + now.cut + now.named + now.absent
  if (!isChange && now.cut + now.named + now.absent === 0) {
    return lines(`${label}: ${total === 0 ? 'no skills' : `describes all ${count(total, 'skill')}`}.`)
  }
  const rows = [
    ['', 'now', 'after'],
    ['  described', now.described, after.described],
    ['  cut off', now.cut, after.cut],
    ['  by name only', now.named, after.named],
    [hook === 'none' ? '  not listed' : '  named by the hook', now.absent, after.absent],
  ] as const
  const shown = rows.filter(([, ...counts]) => counts.some((each) => each !== 0))
  const rest = Object.keys(switches).filter((name) => switches[name] !== 'on')
  const on = Object.keys(switches).length - rest.length
  const reasons = [
    kept.pinned.length > 0 && `${grouped(kept.pinned.length)} pinned`,
    kept.used.length > 0 && `${grouped(kept.used.length)} used before`,
    kept.fits.length > 0 &&
      `${grouped(kept.fits.length)} that fit ${count(plan.projects.length, 'project')} (${listed(kept.fits)})`,
  ].filter((text) => text !== false)
  const chosen = reasons.length === 0 ? 'the shortest descriptions' : `${reasons.join(', ')}; then the shortest`
  return lines(
    `${label}: ${count(total, 'skill')}${isChange ? '' : ', set before'}`,
    alignRows(
      shown.map(([what, ...counts]) => [
        what,
        ...counts.map((each) => (typeof each === 'number' ? grouped(each) : each)),
      ]),
      [1, 2],
    ),
    isChange && wrap(printableLine(`Described first: ${chosen}.`), 2),
    rest.length > 0 && wrap(printableLine(`${after.absent > 0 ? 'Off' : 'By name'}: ${listed(rest)}.`), 2),
    on > 0 && wrap(`Described again in this project: ${grouped(on)}.`, 2),
    isChange && wrap(`Written to ${printableLine(inHome(settingsFile, process.env.HOME))}.`, 2),
    hook === 'added' &&
      wrap(`A hook is added that names a skill when a task fits. ${printableLine(plan.untilItRuns ?? '')}`, 2),
  )
}

function printFix({ plans, state }: Fix, screen: Screen): string {
  const [only, second] = plans.filter(({ isChange }) => isChange)
  const one = only !== undefined && second === undefined ? ` ${only.agent}` : ''
  const scope = plans[0]?.project === undefined ? '' : ' --project .'
  const ends = {
    'nothing to do': '',
    planned: 'Nothing was changed.',
    waiting: 'Nothing was changed: use --yes to apply the plan without a question.',
    refused: 'Nothing was changed.',
    done: screen.strong(`Done. Take it back: loadout see${one} --fix --undo${scope}`),
  }
  return (
    (state === 'refused' ? '' : plans.map(printPlan).join('\n')) + (ends[state] === '' ? '' : lines('', ends[state]))
  )
}

function readShort(pair: string): [name: string, characters: number] {
  const [, name, characters] = /^(.+)=(\d{1,9})$/.exec(pair) ?? []
  if (name !== undefined) return [name, Number(characters)]
  throw failWith('USAGE/shorten', { pair: pair.slice(0, 40) })
}

function printSight(sight: SeenByAgent, screen: Screen, findings: readonly Finding[]): string {
  return lines(
    wrap(opening(sight), 0).map(screen.strong),
    '',
    summary(sight),
    VISIBILITIES.filter((fate) => fate !== 'visible').flatMap((fate) => named(sight, fate, screen)),
    folders(sight, screen),
    instructions(sight, screen),
    closing(sight),
    // Problems of skills and files are listed above.
    findings.filter(({ code }) => code !== 'NOT_SEEN').flatMap(({ message }) => wrap(printableLine(message), 0)),
  )
}

function opening({ label, program, places, cwd, budget, recordedFrom }: SeenByAgent): string {
  const read = places.filter(({ state }) => state === 'read').length
  const name = program?.version === undefined ? label : `${label} ${program.version}`
  const reads = `${name} ${cwd === undefined ? 'on this machine' : 'in this project'} reads ${count(read, 'folder')}`
  if (budget === undefined && recordedFrom !== undefined)
    return `${reads} and lists all skills in full: it has no limit.`
  if (budget === undefined) return `${reads}. Its limit is not known.`
  return `${reads} and lists skills in ${grouped(budget.budget)} ${unitOf(budget.unit)}.`
}

function unitOf(unit: NonNullable<SeenByAgent['budget']>['unit']): string {
  return unit === 'tokens' ? 'tokens' : 'characters'
}

/** A row for each visibility that occurs; the sizes add up to the size of the list. */
function summary({ skills, own, budget, used = 0, recordedFrom }: SeenByAgent): string[] {
  const sizesOf = (those: readonly SeenSkill[]) => (recordedFrom === undefined ? [] : sizes(those))
  const rows = VISIBILITIES.flatMap((fate) => {
    const those = skills.filter((skill) => skill.fate === fate)
    return those.length === 0 ? [] : [[`  ${fate}`, count(those.length, 'skill'), ...sizesOf(those)]]
  })
  if (skills.length === 0) rows.push(['  visible', 'no skill', ...sizesOf([])])
  if (own.count > 0) rows.push(['  its own', count(own.count, 'skill'), grouped(own.characters), grouped(own.tokens)])
  if (recordedFrom === undefined) return alignRows(rows)
  const table = alignRows([['', '', 'characters', 'tokens'], ...rows], [2, 3])
  if (budget === undefined) return table
  const rest = budget.budget - used
  const left = rest < 0 ? `${grouped(-rest)} too many` : `${grouped(rest)} free`
  const model = budget.model === undefined ? '' : ` (${printableLine(budget.model)})`
  const window = budget.window === undefined ? '' : `; window ${grouped(budget.window)} tokens${model}`
  const total = `${grouped(used)} of ${grouped(budget.budget)} ${unitOf(budget.unit)} in use, ${left}${window}`
  return [...table, '', ...wrap(total, 2)]
}

function sizes(skills: readonly SeenSkill[]): string[] {
  const characters = skills.reduce((total, skill) => total + skill.characters.line, 0)
  const tokens = skills.reduce((total, skill) => total + skill.tokens, 0)
  return [grouped(characters), grouped(tokens)]
}

const MOST_SKILLS_NAMED = 40
const PLACE_MATTERS: readonly Visibility[] = ['shadowed', 'ambiguous']

function named({ skills, home }: SeenByAgent, fate: Visibility, screen: Screen): string[] {
  const reasons = new Map<string, SeenSkill[]>()
  for (const skill of skills.filter((each) => each.fate === fate)) {
    reasons.set(skill.why, [...(reasons.get(skill.why) ?? []), skill])
  }
  if (reasons.size === 0) return []
  const rows = [...reasons].flatMap(([why, those]) => {
    if (PLACE_MATTERS.includes(fate)) {
      return those.flatMap(({ name, path }) => hang(name, `${inHome(folderOf(path), home)}: ${inHome(why, home)}`))
    }
    // From this many on, names with the same reason share a line.
    if (those.length < 4) return those.flatMap(({ name }) => hang(name, why))
    const names = those.slice(0, MOST_SKILLS_NAMED).map(({ name }) => printableLine(name))
    const more = those.length > names.length ? ` and ${those.length - names.length} more (--json names all)` : ''
    return [...wrap(`${why}:`, 2), ...wrap(names.join(', ') + more, 4)]
  })
  return ['', screen.strong(fate), ...rows]
}

const INDENT = 24

/** A name, and beside it a text that continues below itself. */
function hang(name: string, text: string): string[] {
  const label = `  ${shorten(name, 40)}`
  const [first = '', ...rest] = wrap(text, INDENT)
  const gap = INDENT - textWidth(label)
  return gap >= 2 ? [label + ' '.repeat(gap) + first.trimStart(), ...rest] : [label, first, ...rest]
}

function folderOf(path: string): string {
  return path.replace(/\/SKILL\.md$/, '')
}

function folders({ places, skills, home }: SeenByAgent, screen: Screen): string[] {
  const placeOf = (path: string) =>
    places.filter((place) => path.startsWith(`${place.path}/`)).sort((a, b) => b.path.length - a.path.length)[0]
  const rows = places.map((place) => {
    const held = skills.filter(({ path }) => placeOf(path) === place).length
    const { scope, state, why = '' } = place
    return [`  ${scope}`, state === 'read' ? count(held, 'skill') : state === 'missing' ? 'not there' : why, place.path]
  })
  return ['', screen.strong('folders, in its order'), ...pathRows(rows, home)]
}

function instructions(
  { instructions: files, mostInstructionBytes: most, home }: SeenByAgent,
  screen: Screen,
): string[] {
  if (files.length === 0) return []
  const heading = most === undefined ? 'instructions' : `instructions, of a project ${grouped(most)} bytes at most`
  const rows = files.map(({ path, bytes, state, read, why }) => {
    const size = `${state === 'cut' ? `${grouped(read)} of ` : ''}${count(bytes, 'byte')}`
    return [`  ${state}`, state === 'unreadable' ? why : size, path]
  })
  return ['', screen.strong(heading), ...pathRows(rows, home)]
}

/** Rows that end with a path, which loses its beginning if it does not fit. */
function pathRows(rows: readonly (readonly string[])[], home: string): string[] {
  const [first, ...others] = alignRows(rows.map((row) => [...row.slice(0, -1), '|']))
  const room = 80 - textWidth(first ?? '') + 1
  return [first, ...others].map((line = '', at) => {
    const path = printableLine(inHome(rows[at]?.at(-1) ?? '', home))
    return line.slice(0, -1) + (path.length > room ? `\u2026${path.slice(1 - room)}` : path)
  })
}

function closing(sight: SeenByAgent): string[] {
  const { agent, cwd, skills, trust } = sight
  const crowded = skills.filter(isCrowdedOut).length
  const texts = [
    rulesFrom(sight),
    trust,
    crowded > 0 &&
      `The list is full: ${count(crowded, 'skill')} can hardly be used. Make every one usable: loadout see ${agent} --fix`,
    cwd === undefined && `In a project it may read more: loadout see ${agent} --project .`,
  ]
  return ['', ...texts.flatMap((text) => (text ? wrap(text, 0) : []))]
}

/** The version of the rules, and the installed version. */
function rulesFrom({ agent, label, program, recordedFrom, measured, home }: SeenByAgent): string | undefined {
  if (recordedFrom === undefined) return undefined
  const { version, day } = recordedFrom
  if (measured !== undefined && program?.version !== version) {
    const { skills, wrong } = measured
    const right = `they were right about ${skills - wrong.length} of ${count(skills, 'skill')}`
    return `These are the rules of ${label} ${version}. Your ${program?.version} was run on ${measured.day}: ${right}.`
  }
  const rules = `of ${label} ${version}, recorded on ${day}.`
  if (program === undefined) return `${label} was not found in the PATH: these are the rules ${rules}`
  if (program.version === version) return `These are the rules ${rules}`
  const where = printableLine(inHome(program.path, home))
  if (program.version === undefined) {
    return `The version of ${where} is unknown: ${program.problem}. These are the rules ${rules}`
  }
  return `You have ${program.version}; the nearest known rules are those ${rules} To measure yours: loadout see ${agent} --verify`
}

/** What was sent, then what differs from `see`. */
function printVerified(verified: Verification, screen: Screen): string {
  const { label, version = '', requests, bytes, model, listed, instructions, differences, compared, home } = verified
  const right = compared - differences.length
  const differing = differences
    .slice(0, MOST_SKILLS_NAMED)
    .flatMap(({ name, seen, sent }) => hang(inHome(name, home), `see says ${seen}; sent: ${sent}`))
  return lines(
    wrap(`${label} ${version} ran in a copy of what it reads, without network.`, 0).map(screen.strong),
    '',
    alignRows([
      ['  requests', `${requests}, to ${printableLine(model)}; the one with the prompt has ${grouped(bytes)} bytes`],
      ['  list', `${count(listed.skills, 'skill')} in ${grouped(listed.characters)} characters`],
      ...instructions.map(({ path, bytes: size }) => [
        '  instructions',
        `${count(size, 'byte')} of ${printableLine(inHome(path, home))}`,
      ]),
      ['  see', `right about ${right} of ${compared} skills and instruction files`],
    ]),
    ...(differing.length === 0 ? [] : ['', screen.strong('differs'), ...differing]),
    differences.length > MOST_SKILLS_NAMED && `  and ${differences.length - MOST_SKILLS_NAMED} more (--json names all)`,
    '',
    verified.measured === undefined
      ? 'Its version is unknown, so nothing is kept.'
      : `From now on loadout see ${verified.agent} uses what was measured with ${version}.`,
  )
}

/** The longest descriptions, with the cost of each in full. */
function printLongest({ label, skills }: SeenByAgent, screen: Screen): string {
  const described = skills.filter(({ fate, characters }) => fate !== 'unreadable' && characters.description > 0)
  const longest = described.sort((a, b) => b.characters.description - a.characters.description)
  if (longest.length === 0) return lines(`${label} reads no skill with a description here.`)
  const rows = longest
    .slice(0, 20)
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
    'Describe when to use a skill; its text says how: loadout show <skill>',
  )
}

export const agentsVersions = defineCommand({
  name: 'agents versions',
  aliases: { 'rules list': [] },
  summary: 'list the agent versions that "loadout see" knows',
  details:
    'Each set of rules was recorded from the real program. loadout see uses those of the installed version, or the nearest.',
  args: [],
  flags: {},
  run: (_, loadout) => loadout.agents.listRules({}),
  print: (rules) =>
    lines(
      alignRows([
        ['agent', 'recorded', 'versions'],
        ...rules.map(({ agent, day, versions }) => [agent, day, versions.join(', ')]),
      ]),
    ),
})
