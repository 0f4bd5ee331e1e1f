import type { CatalogRow, CatalogView, TeamReport } from '../../../loadout.ts'
import { formatMoney } from '../../../text/cost.ts'
import { choose, chosen } from '../address.ts'
import { count, grouped, line } from '../format.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Choice } from '../parts/field.tsx'
import { Notices } from '../parts/notices.tsx'
import { Answered, Figure, Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../use-answer.ts'

type Entry = TeamReport['entries'][number]

const RANGES = [
  ['', '30 days'],
  ['7d', '7 days'],
  ['12w', '12 weeks'],
  ['365d', 'a year'],
] as const
const STATES: Record<CatalogRow['state'], Tone> = {
  approved: 'good',
  draft: 'quiet',
  quarantined: 'warn',
  retired: 'bad',
}

/** Shows numbers of people only for groups that are large enough to hide individuals. */
function people(number: number | null): string {
  return number === null ? '5 or fewer' : grouped(number)
}

/** Null: nothing, or of too few people to be shown. */
function shown(number: number | null): string {
  return number === null ? '–' : grouped(number)
}

export default function TeamScreen() {
  const since = chosen('since')
  const report = useAnswer<TeamReport>('/api/team/report', { since }, ['config'])
  const catalog = useAnswer<CatalogView>('/api/team/catalog', {}, ['config', 'library'])
  // Without a team, or without its server, both fail for the same reason.
  const isSaid = report.refusal !== undefined && report.refusal.message === catalog.refusal?.message
  return (
    <Screen
      title="Team"
      summary="What the team's machines use, and what they may install."
      controls={<Choice label="Range" value={since} options={RANGES} onChange={(value) => choose({ since: value })} />}
    >
      <Answered asked={report}>{(answer) => <Usage report={answer} />}</Answered>
      {!isSaid && (
        <Answered asked={catalog}>
          {({ versions, findings }) => (
            <section class="card stack" aria-label="Catalog">
              <h2>{count(versions.length, 'version')} in the catalog</h2>
              <Notices findings={findings} />
              <Table
                label="Versions"
                rows={versions}
                keyOf={({ kind, name, version }) => `${kind} ${name} ${version}`}
                current={chosen('version')}
                onMove={({ kind, name, version }) => choose({ version: `${kind} ${name} ${version}` })}
                empty="Nothing is published. loadout catalog publish <skill> proposes a version."
                columns={[
                  {
                    name: 'skill',
                    width: 'minmax(8rem, 2fr)',
                    cell: ({ name }) => <span class="clip">{line(name)}</span>,
                  },
                  { name: 'version', width: '7rem', cell: ({ version }) => line(version, 60) },
                  { name: 'state', width: '8rem', cell: ({ state }) => <Badge tone={STATES[state]}>{state}</Badge> },
                  {
                    name: 'signed by',
                    width: 'minmax(6rem, 1fr)',
                    cell: ({ signedBy }) => <span class="clip">{line(signedBy ?? '')}</span>,
                    isExtra: true,
                  },
                  {
                    name: 'groups',
                    width: '8rem',
                    cell: ({ groups }) => (
                      <span class="clip">{groups.includes('*') ? 'everybody' : line(groups.join(', '))}</span>
                    ),
                    isExtra: true,
                  },
                  { name: 'here', width: '5rem', cell: ({ here }) => here, isExtra: true },
                ]}
              />
            </section>
          )}
        </Answered>
      )}
    </Screen>
  )
}

function Usage({ report }: { report: TeamReport }) {
  const { entries, groups, agents, deadWeight, inVain, rollout } = report
  const keyOf = ({ kind, id }: Entry) => `${kind} ${id}`
  return (
    <>
      <section class="card stack" aria-label="Report">
        <dl class="figures">
          <Figure value={people(report.people)} label="people" />
          <Figure value={grouped(report.events)} label="events" />
          <Figure value={grouped(report.tokens)} label="tokens" />
          <Figure value={grouped(report.listing)} label="tokens in lists" />
          {report.money && (
            <Figure value={formatMoney(report.money, report.tokens + report.listing)} label="by your prices" />
          )}
          <Figure value={`${report.from} to ${report.to}`} label="range" />
        </dl>
        {report.waiting > 0 && <p class="muted">{count(report.waiting, 'batch', 'batches')} not counted yet</p>}
        <Table
          label="Entries"
          rows={entries}
          keyOf={keyOf}
          current={chosen('entry')}
          onMove={(entry) => choose({ entry: keyOf(entry) })}
          empty="Nothing was used in this range."
          columns={[
            { name: 'entry', width: 'minmax(8rem, 2fr)', cell: ({ id }) => <span class="clip">{line(id)}</span> },
            { name: 'people', width: '5.5rem', cell: (entry) => people(entry.people), isNumber: true },
            {
              name: 'delivered',
              width: '5rem',
              cell: ({ delivered }) => shown(delivered),
              isNumber: true,
              isExtra: true,
            },
            { name: 'used', width: '4rem', cell: ({ used }) => shown(used), isNumber: true },
            { name: 'tokens', width: '6rem', cell: ({ tokens }) => grouped(tokens), isNumber: true, isExtra: true },
            {
              name: 'versions',
              width: '5rem',
              cell: ({ versions }) => grouped(versions.length),
              isNumber: true,
              isExtra: true,
            },
          ]}
        />
      </section>
      <div class="cards">
        <List title="Delivered, hardly used" rows={inVain.map(({ id, tokens }) => [id, count(tokens, 'token')])} />
        <List
          title="Installed or planned, hardly received"
          rows={deadWeight.map(({ id, planned, listing }) => [
            id,
            listing > 0 ? `${count(listing, 'token')} in lists` : `${grouped(planned)} planned`,
          ])}
        />
        <List
          title="Roll-out"
          rows={rollout.flatMap(({ id, state: all, machines: total, versions: parts }) =>
            parts.map(({ versions, machines, share, since }): [string, string] => [
              `${id} ${versions.map(({ digest, name, state = all }) => [name ?? digest.slice(0, 10), state].filter(Boolean).join(' ')).join(', ')}`,
              share === null
                ? `${people(total)} machines`
                : `${share} %, ${people(machines)} of ${people(total)} machines since ${since}`,
            ]),
          )}
        />
        <List
          title="Groups"
          rows={groups.map(({ group, used, tokens }) => [group, `${grouped(used)} used, ${count(tokens, 'token')}`])}
        />
        <List
          title="Agents"
          rows={agents.map(({ agent, used, tokens, listing, money }) => [
            agent,
            [
              `${grouped(used)} used`,
              count(tokens, 'token'),
              `${grouped(listing)} in lists`,
              ...(money ? [formatMoney(money, money.tokens)] : []),
            ].join(', '),
          ])}
        />
      </div>
    </>
  )
}

const MOST = 12

function List({ title, rows }: { title: string; rows: readonly (readonly [name: string, text: string])[] }) {
  if (rows.length === 0) return null
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      <ul class="plain-list">
        {rows.slice(0, MOST).map(([name, text]) => (
          <li key={name}>
            <strong class="wraps">{line(name)}</strong>
            <span class="muted">{line(text)}</span>
          </li>
        ))}
        {rows.length > MOST && <li class="muted">and {grouped(rows.length - MOST)} more</li>}
      </ul>
    </section>
  )
}
