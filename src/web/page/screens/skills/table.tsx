import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type {
  Inventory,
  PlacementView,
  Similar,
  SkillView,
  SourceState,
  TestResults,
  UsageOverTime,
} from '../../../../loadout.ts'
import type { PlacementState } from '../../../../skills/rules/skill.ts'
import { formatAmount } from '../../../../text/cost.ts'
import { choose, chosen } from '../../address.ts'
import { type Answer, ask, type Refusal, refusalOf } from '../../api.ts'
import { count, grouped, line } from '../../format.ts'
import { propose } from '../../parts/change.tsx'
import { Choice, Field } from '../../parts/field.tsx'
import { Notices, Refused } from '../../parts/notices.tsx'
import { Answered, Badge, ScopeChoice, Screen, type Tone } from '../../parts/screen.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { allow, installs, update } from '../../proposals.tsx'
import { useAnswer } from '../../use-answer.ts'
import { SkillCard } from './card.tsx'

const SKILLS_WATCH = ['config', 'library', 'installs', 'consent'] as const

const SKILL_TONES: Record<PlacementState, Tone> = {
  current: 'good',
  outdated: 'info',
  edited: 'warn',
  unmanaged: 'quiet',
  orphaned: 'odd',
  unsupported: 'odd',
  broken: 'bad',
}
const STATE_TONES: Partial<Record<string, Tone>> = {
  ...SKILL_TONES,
  invalid: 'bad',
  inactive: 'quiet',
  waiting: 'warn',
}

/** A skill with what the log, the overlaps and the sources say about it. */
export interface Row {
  skill: SkillView
  /** Its own state, or that it waits for an answer. */
  state: string
  used: number
  lastUsed: string | undefined
  /** Tokens of its line at each start of a session. */
  perStart: number | undefined
  money: number | undefined
  overlaps: number | undefined
  news: SourceState['state'] | undefined
  /** What the last test with each agent found. */
  tests: TestResults['latest']
  /** Cases that passed once, and no longer do. */
  regressed: number
}

export function AllSkills({ tabs }: { tabs: ComponentChildren }) {
  const scope = chosen('scope')
  const asked = useAnswer<Inventory>('/api/inventory', { scope }, SKILLS_WATCH)
  return (
    <Screen
      title="Skills"
      summary="Every skill of the library: who has it, in which state, when it was used, and what it costs."
      tabs={tabs}
      controls={
        <>
          <ScopeChoice value={scope} onChange={(value) => choose({ scope: value })} />
          <Field
            label="Filter"
            value={chosen('filter')}
            placeholder="name, tag or state"
            delayMs={80}
            onChange={(filter) => choose({ filter })}
          />
        </>
      }
    >
      <Answered asked={asked}>{(inventory) => <Skills inventory={inventory} scope={scope} />}</Answered>
    </Screen>
  )
}

interface News {
  states?: readonly SourceState[]
  refusal?: Refusal
  isBusy?: boolean
}

function Skills({ inventory, scope }: { inventory: Answer<Inventory>; scope: string }) {
  const usage = useAnswer<UsageOverTime>('/api/usage', { since: '90d', kind: 'skill' }, ['usage']).answer
  const similar = useAnswer<Similar>('/api/similar', {}, SKILLS_WATCH).answer
  const tests = useAnswer<TestResults>('/api/tests', {}, SKILLS_WATCH).answer
  const [news, setNews] = useState<News>({})
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const all = useMemo(
    () => rowsOf(inventory, usage, similar, tests, news.states),
    [inventory, usage, similar, tests, news.states],
  )
  const [filter, state, open] = [chosen('filter').toLowerCase(), chosen('state'), chosen('skill')]
  const counts = new Map<string, number>()
  for (const row of all) counts.set(row.state, (counts.get(row.state) ?? 0) + 1)
  const isUnused = ({ used, skill }: Row) => used === 0 && ownPlacements(skill, scope).length > 0
  const rows = all.filter(
    (row) =>
      (state === '' || row.state === state || (state === 'unused' && isUnused(row))) &&
      `${row.skill.name} ${row.skill.tags.join(' ')} ${row.state} ${row.skill.description}`
        .toLowerCase()
        .includes(filter),
  )
  const current = all.find(({ skill }) => skill.name === open)
  const lookForNews = () => {
    setNews({ isBusy: true })
    ask<{ sources: SourceState[] }>('/api/outdated').then(
      ({ sources }) => setNews({ states: sources }),
      (error) => setNews({ refusal: refusalOf(error) }),
    )
  }
  const updatable = (news.states ?? []).filter((each) => each.state === 'outdated').map(({ name }) => name)
  const chosenRows = rows.filter(({ skill }) => selected.has(skill.name))
  return (
    <>
      <section class="card row">
        <p class="grow">
          {count(all.length, 'skill')}
          <span class="muted wraps"> in {line(inventory.library)}</span>
        </p>
        <Choice
          label="State"
          value={state}
          options={[
            ['', `all ${grouped(all.length)}`],
            ['unused', `installed, not used in 90 days ${grouped(all.filter(isUnused).length)}`],
            ...[...counts].map(([key, number]) => [key, `${key} ${grouped(number)}`] as const),
          ]}
          onChange={(value) => choose({ state: value })}
        />
        <button type="button" class="button" disabled={news.isBusy ?? false} onClick={lookForNews}>
          {news.isBusy ? 'Asking the sources…' : 'Look for updates'}
        </button>
        {updatable.length > 0 && (
          <button type="button" class="button is-main" onClick={() => propose(update(updatable, () => setNews({})))}>
            Update {count(updatable.length, 'skill')}…
          </button>
        )}
        {news.states && updatable.length === 0 && <Badge tone="good">every source is current</Badge>}
      </section>
      {news.refusal && <Refused refusal={news.refusal} onAgain={lookForNews} />}
      <Notices findings={inventory.findings} />
      {chosenRows.length > 0 && <Chosen rows={chosenRows} inventory={inventory} scope={scope} />}
      <div class="matrix-and-skill">
        <Table<Row>
          label="Skills of the library"
          order="order"
          rows={rows}
          keyOf={({ skill }) => skill.name}
          current={open}
          onMove={({ skill }) => choose({ skill: skill.name })}
          selected={selected}
          onSelect={setSelected}
          empty={
            all.length === 0
              ? 'The library is empty: add skills on Home, or start one with loadout new <name>.'
              : 'No skill fits the filter.'
          }
          columns={columnsOf(current !== undefined, usage?.cost.money?.currency)}
        />
        {current && <SkillCard key={current.skill.name} row={current} scope={scope} inventory={inventory} />}
      </div>
      <p class="muted">Arrows move, the space bar selects, ctrl-a selects all that are shown.</p>
    </>
  )
}

const NEEDS_A_LOOK: Record<string, number> = { waiting: 0, invalid: 1, broken: 1, edited: 2, orphaned: 3, outdated: 4 }

/** What needs a look stands first. */
function rowsOf(
  { skills }: Inventory,
  usage: UsageOverTime | undefined,
  similar: Similar | undefined,
  tests: TestResults | undefined,
  news: readonly SourceState[] | undefined,
): Row[] {
  const entries = new Map(usage?.entries.map((each) => [each.entryId, each]))
  const overlaps = new Map<string, number>()
  for (const { a, b } of similar?.pairs ?? []) for (const id of [a, b]) overlaps.set(id, (overlaps.get(id) ?? 0) + 1)
  const sources = new Map(news?.map(({ name, state }) => [name, state]))
  const rows = skills.map((skill): Row => {
    const entry = entries.get(skill.name)
    const starts = usage?.starts ?? 0
    const isWaiting = skill.problems.some((problem) => /allow|wait/i.test(problem))
    return {
      skill,
      state: isWaiting ? 'waiting' : skill.state,
      used: entry?.used ?? 0,
      lastUsed: entry !== undefined && entry.used > 0 ? entry.lastLoaded : undefined,
      perStart: entry === undefined || starts === 0 ? undefined : Math.round(entry.cost.listing / starts),
      money: entry?.cost.money?.amount,
      overlaps: similar === undefined ? undefined : (overlaps.get(`skill:${skill.name}`) ?? 0),
      news: sources.get(skill.name),
      tests: tests?.latest.filter((each) => each.skill === skill.name) ?? [],
      regressed: tests?.regressed.filter((each) => each.skill === skill.name).length ?? 0,
    }
  })
  const rank = ({ state }: Row) => NEEDS_A_LOOK[state] ?? 9
  return rows.sort((a, b) => rank(a) - rank(b))
}

function columnsOf(isOpen: boolean, currency: string | undefined): Column<Row>[] {
  const columns: Column<Row>[] = [
    {
      name: 'Skill',
      width: 'minmax(9rem, 2fr)',
      cell: ({ skill }) => <span class="mono">{line(skill.name)}</span>,
      by: ({ skill }) => skill.name,
    },
    {
      name: 'Agents',
      width: 'minmax(5rem, 1.2fr)',
      cell: ({ skill }) => <AgentBadges skill={skill} />,
      by: ({ skill }) => skill.placements.length,
    },
    {
      name: 'State',
      width: '6.5rem',
      cell: ({ state }) => <Badge tone={STATE_TONES[state] ?? 'quiet'}>{state}</Badge>,
      by: ({ state }) => state,
    },
    {
      name: 'Last used',
      width: '6rem',
      isExtra: true,
      cell: ({ lastUsed }) => <span class="muted">{lastUsed?.slice(0, 10) ?? 'never'}</span>,
      by: ({ lastUsed }) => lastUsed ?? '',
    },
  ]
  const more: Column<Row>[] = [
    {
      name: 'Uses',
      width: '4rem',
      isNumber: true,
      isExtra: true,
      cell: ({ used }) => grouped(used),
      by: ({ used }) => used,
    },
    {
      name: 'Per start',
      width: '5rem',
      isNumber: true,
      isExtra: true,
      cell: ({ perStart }) => (perStart === undefined ? '–' : grouped(perStart)),
      by: ({ perStart }) => perStart,
    },
    ...(currency === undefined
      ? []
      : [
          {
            name: currency,
            width: '5rem',
            isNumber: true,
            isExtra: true,
            cell: ({ money }: Row) => (money === undefined ? '–' : formatAmount(money)),
            by: ({ money }: Row) => money,
          },
        ]),
    {
      name: 'Behind',
      width: '5rem',
      isExtra: true,
      cell: ({ skill, news }) => (
        <span class="muted">
          {news === 'outdated' ? 'newer' : skill.commitsBehind === undefined ? '' : grouped(skill.commitsBehind)}
        </span>
      ),
      by: ({ skill, news }) => (news === 'outdated' ? 1_000 : (skill.commitsBehind ?? 0)),
    },
    {
      name: 'Overlaps',
      width: '5.5rem',
      isNumber: true,
      isExtra: true,
      cell: ({ overlaps }) => (overlaps === undefined ? '…' : grouped(overlaps)),
      by: ({ overlaps }) => overlaps,
    },
    {
      name: 'Tested',
      width: '6rem',
      isExtra: true,
      cell: ({ tests, regressed }) => <Tested tests={tests} regressed={regressed} />,
      by: ({ tests }) => goodShare(tests),
    },
    {
      name: 'Source',
      width: 'minmax(6rem, 1.2fr)',
      isExtra: true,
      cell: ({ skill }) => (
        <span class="muted clip">{skill.source === undefined ? 'own' : shortSource(skill.source)}</span>
      ),
      by: ({ skill }) => skill.source ?? '',
    },
  ]
  return isOpen ? columns : [...columns, ...more]
}

/** Undefined without a test. */
function goodShare(tests: Row['tests']): number | undefined {
  const of = tests.reduce((sum, each) => sum + each.of, 0)
  return of === 0 ? undefined : tests.reduce((sum, each) => sum + each.good, 0) / of
}

function Tested({ tests, regressed }: Pick<Row, 'tests' | 'regressed'>) {
  const share = goodShare(tests)
  if (share === undefined) return <span class="muted">–</span>
  const title = tests.map(({ agent, version, good, of }) => `${agent} ${version}: ${good} of ${of}`).join(', ')
  return (
    <Badge tone={regressed > 0 ? 'bad' : share < 1 ? 'warn' : 'good'} title={line(title, 200)}>
      {Math.round(share * 100)} %
    </Badge>
  )
}

/** `anthropics/skills` of an address, the last folder of a path. */
function shortSource(source: string): string {
  return line(
    source
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .slice(-2)
      .join('/'),
    60,
  )
}

function AgentBadges({ skill }: { skill: SkillView }) {
  const named = skill.placements.flatMap(({ agents, state, scope, path }) =>
    agents.map((agent) => (
      <Badge key={`${agent} ${path}`} tone={SKILL_TONES[state]} title={`${scope}, ${state}`}>
        {agent}
        <span class="unseen"> {state}</span>
      </Badge>
    )),
  )
  return named.length === 0 ? <span class="muted">none</span> : named
}

/** The copies of a skill in the chosen scope. */
export function ownPlacements({ placements }: SkillView, scope: string): PlacementView[] {
  return placements.filter(
    (each) => each.scope === (scope === 'project' ? 'project' : 'user') && each.state !== 'unmanaged',
  )
}

/** What can be done with several skills at once. */
function Chosen({ rows, inventory, scope }: { rows: readonly Row[]; inventory: Inventory; scope: string }) {
  const names = rows.map(({ skill }) => skill.name)
  const waiting = rows.filter(({ state }) => state === 'waiting').map(({ skill }) => skill.name)
  const tokens = rows.reduce((sum, { perStart = 0 }) => sum + perStart, 0)
  const [target, setTarget] = useState('')
  const targets = target === '' ? [] : [target]
  return (
    <section class="card row" aria-label="Selected skills">
      <p class="grow" role="status">
        {count(names.length, 'skill')} selected, {count(tokens, 'token')} at each start
      </p>
      <Choice
        label="Agent"
        value={target}
        options={[['', 'every agent'], ...inventory.agents.map((agent) => [agent, agent] as const)]}
        onChange={setTarget}
      />
      <button type="button" class="button" onClick={() => propose(installs('equip', names, targets, scope))}>
        Install…
      </button>
      <button type="button" class="button" onClick={() => propose(installs('unequip', names, targets, scope))}>
        Remove…
      </button>
      <button type="button" class="button" onClick={() => propose(update(names, () => {}))}>
        Update…
      </button>
      {waiting.length > 0 && (
        <button type="button" class="button is-main" onClick={() => propose(allow({ skills: waiting }))}>
          Allow {count(waiting.length, 'skill')}…
        </button>
      )}
    </section>
  )
}
