import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { UsageOverTime } from '../../../../loadout.ts'
import { formatAmount, formatMoney, type Money, tokensOfCost } from '../../../../text/cost.ts'
import { choose, chosen } from '../../address.ts'
import type { Answer } from '../../api.ts'
import { count, grouped, line } from '../../format.ts'
import { Chart, type Series } from '../../parts/chart.tsx'
import { Choice } from '../../parts/field.tsx'
import { Notices } from '../../parts/notices.tsx'
import { Answered, Badge, Figure, Screen } from '../../parts/screen.tsx'
import { Table } from '../../parts/table.tsx'
import { useAnswer } from '../../use-answer.ts'

type Entry = Omit<UsageOverTime['entries'][number], 'modes'>

const RANGES = [
  ['', '30 days'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['90d', '90 days'],
  ['365d', 'a year'],
] as const
const STEPS = [
  ['', 'as it fits'],
  ['hour', 'by hour'],
  ['day', 'by day'],
  ['week', 'by week'],
] as const
const KINDS = [
  ['', 'everything'],
  ['skill', 'skills'],
  ['payload', 'payloads'],
  ['pack', 'packs'],
] as const

/** Signs that an entry needs attention. */
const SHOWN = [
  ['', 'all entries'],
  ['never', 'offered, never used'],
  ['unasked', 'delivered, never used'],
  ['unplanned', 'used though not planned'],
  ['listed', 'listed, never loaded'],
] as const

const IS_SHOWN: Record<string, (entry: Entry) => boolean> = {
  '': () => true,
  never: ({ isNeverUsed }) => isNeverUsed,
  unasked: ({ delivered, used }) => delivered > 0 && used === 0,
  unplanned: ({ usedUnplanned }) => usedUnplanned > 0,
  listed: ({ cost, loadCount }) => cost.listing > 0 && loadCount === 0,
}

export default function Usage({ tabs }: { tabs: ComponentChildren }) {
  const params = {
    since: chosen('since'),
    until: chosen('until'),
    step: chosen('step'),
    kind: chosen('kind'),
    agent: chosen('agent'),
    entry: chosen('entry'),
  }
  const asked = useAnswer<UsageOverTime>('/api/usage', params, ['usage'])
  const agents = asked.answer?.agents.map(({ via }) => via) ?? []
  const isOther = params.until !== '' || !RANGES.some(([since]) => since === params.since)
  const other = [params.since, `${params.since || '30d'} to ${params.until || 'now'}`] as const
  const offered = params.agent === '' || agents.includes(params.agent) ? agents : [params.agent, ...agents]
  return (
    <Screen
      title="Skills"
      summary="What was planned, delivered and used, as the log of this machine tells."
      tabs={tabs}
      controls={
        <>
          <Choice
            label="Range"
            value={params.since}
            options={isOther ? [other, ...RANGES.filter(([since]) => since !== params.since)] : RANGES}
            onChange={(since) => choose({ since, until: '' })}
          />
          <Choice label="Points" value={params.step} options={STEPS} onChange={(step) => choose({ step })} />
          <Choice label="Kind" value={params.kind} options={KINDS} onChange={(kind) => choose({ kind })} />
          <Choice
            label="Agent"
            value={params.agent}
            options={[['', 'every agent'], ...offered.map((via) => [via, line(via, 40)] as const)]}
            onChange={(agent) => choose({ agent })}
          />
        </>
      }
    >
      <Answered asked={asked}>{(usage) => <Log usage={usage} entry={params.entry} />}</Answered>
    </Screen>
  )
}

function Log({ usage, entry }: { usage: Answer<UsageOverTime>; entry: string }) {
  const { points, agents } = usage
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points])
  const stages = useMemo(
    (): Series[] => [
      { name: 'planned', colour: 'quiet-fill', values: points.map(({ planned }) => planned), isDashed: true },
      { name: 'delivered', colour: 'info', values: points.map(({ delivered }) => delivered) },
      { name: 'used', colour: 'good', values: points.map(({ used }) => used) },
    ],
    [points],
  )
  const tokens = useMemo(
    (): Series[] => [{ name: 'tokens', colour: 'odd', values: points.map(({ cost }) => tokensOfCost(cost)) }],
    [points],
  )
  const sum = (name: 'planned' | 'delivered' | 'used' | 'tokens') => points.reduce((all, point) => all + point[name], 0)
  const { cost } = usage
  const total = tokensOfCost(cost)
  const weeks = Math.max(1, (Date.parse(usage.to) - Date.parse(usage.from)) / (7 * 86_400_000))
  if (usage.entries.length === 0) {
    return <p class="card">The log tells of nothing in this range. Hooks, the MCP server, plan and context write it.</p>
  }
  return (
    <>
      <Notices findings={usage.findings} />
      <section class="card stack" aria-label="Over time">
        <dl class="figures">
          <Figure value={grouped(sum('planned'))} label="planned" />
          <Figure value={grouped(sum('delivered'))} label="delivered" />
          <Figure value={grouped(sum('used'))} label="used" />
          <Figure value={grouped(sum('tokens'))} label="tokens loaded" />
          <Figure value={grouped(cost.listing)} label="tokens in lists" />
          <Figure value={grouped(usage.starts)} label="session starts" />
          <Figure value={grouped(Math.round(total / weeks))} label="tokens per week" />
          {cost.money && <Figure value={formatMoney(cost.money, total)} label="by your prices" />}
        </dl>
        {entry !== '' && (
          <p class="row">
            <span class="grow wraps">
              Only <strong>{line(entry)}</strong>
            </span>
            <button type="button" class="button" onClick={() => choose({ entry: '' })}>
              Show every entry
            </button>
          </p>
        )}
        <Chart label="Planned, delivered and used over time" times={times} series={stages} />
        <Chart label="Tokens over time" times={times} series={tokens} height={140} />
      </section>
      <section class="card stack" aria-label="By agent">
        <h2>Agents</h2>
        <ul class="plain-list">
          {agents.map(({ via, ...counts }) => (
            <li key={via}>
              <strong class="wraps">{line(via)}</strong>
              <span class="muted">
                {grouped(counts.planned)} planned, {grouped(counts.delivered)} delivered, {grouped(counts.used)} used,{' '}
                {count(counts.tokens, 'token')}, {count(counts.cost.listing, 'token')} in lists
                {counts.cost.money && `, ${formatMoney(counts.cost.money, tokensOfCost(counts.cost))}`}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <Entries entries={usage.entries} money={cost.money} />
    </>
  )
}

function Entries({ entries, money }: { entries: readonly Entry[]; money: Money | undefined }) {
  const shown = chosen('show')
  const rows = entries.filter(IS_SHOWN[shown] ?? IS_SHOWN['']!)
  const keyOf = ({ kind, entryId }: Entry) => `${kind} ${entryId}`
  return (
    <section class="card stack" aria-label="By entry">
      <div class="row">
        <h2 class="grow">
          {count(rows.length, 'entry', 'entries')}
          {rows.length < entries.length && <span class="muted"> of {grouped(entries.length)}</span>}
        </h2>
        <Choice label="Show" value={shown} options={SHOWN} onChange={(show) => choose({ show })} />
      </div>
      <Table
        label="Entries"
        rows={rows}
        keyOf={keyOf}
        current={chosen('row')}
        onMove={(row) => choose({ row: keyOf(row) })}
        onOpen={(row) => choose({ entry: row.entryId })}
        empty="No entry is like that."
        columns={[
          { name: 'entry', width: 'minmax(9rem, 2fr)', cell: (row) => <span class="clip">{line(row.entryId)}</span> },
          { name: 'kind', width: '4.5rem', cell: ({ kind }) => kind, isExtra: true },
          { name: 'planned', width: '5rem', cell: ({ planned }) => grouped(planned), isNumber: true, isExtra: true },
          { name: 'delivered', width: '5rem', cell: ({ delivered }) => grouped(delivered), isNumber: true },
          { name: 'used', width: '4rem', cell: ({ used }) => grouped(used), isNumber: true },
          {
            name: 'tokens',
            width: '6rem',
            cell: ({ totalTokens }) => grouped(totalTokens),
            isNumber: true,
            isExtra: true,
          },
          { name: 'in lists', width: '6rem', cell: (row) => grouped(row.cost.listing), isNumber: true, isExtra: true },
          ...(money
            ? [
                {
                  name: money.currency,
                  width: '6rem',
                  cell: (row: Entry) => formatAmount(row.cost.money?.amount ?? 0),
                  isNumber: true,
                  isExtra: true,
                },
              ]
            : []),
          { name: 'note', width: 'minmax(8rem, 1fr)', cell: Note, isExtra: true },
        ]}
      />
    </section>
  )
}

function Note({ isNeverUsed, usedUnplanned, delivered, used }: Entry) {
  if (isNeverUsed) return <Badge tone="warn">never used</Badge>
  if (usedUnplanned > 0) return <Badge tone="odd">not planned {grouped(usedUnplanned)}×</Badge>
  return delivered > 0 && used === 0 ? <Badge tone="quiet">no use seen</Badge> : null
}
