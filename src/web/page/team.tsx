import { render } from 'preact'
import type { AuditLog, CatalogRow, Proposal, TeamMachine, TeamReport } from '../../loadout.ts'
import { choose, chosen, hrefOf, keepToken } from './address.ts'
import { count, grouped, line } from './format.ts'
import { keepFocus } from './keep-focus.ts'
import { connection } from './live.ts'
import { Choice } from './parts/field.tsx'
import { Answered, Badge, Figure, MarkedText, Screen, type Tone } from './parts/screen.tsx'
import { Table } from './parts/table.tsx'
import { useAnswer } from './use-answer.ts'

type Entry = TeamReport['entries'][number]

const RANGES = [
  ['', '30 days'],
  ['7', '7 days'],
  ['84', '12 weeks'],
  ['365', 'a year'],
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

interface Reader {
  role: 'member' | 'maintainer' | 'admin'
  group: string
}

const VIEWS = [
  { view: '', name: 'Report', View: ReportView, roles: ['member', 'maintainer', 'admin'] },
  { view: 'catalog', name: 'Catalog', View: CatalogVersions, roles: ['member', 'maintainer', 'admin'] },
  { view: 'proposals', name: 'Proposals', View: Proposals, roles: ['maintainer', 'admin'] },
  { view: 'machines', name: 'Machines', View: Machines, roles: ['maintainer', 'admin'] },
  { view: 'audit', name: 'Audit', View: Audit, roles: ['admin'] },
] as const

/** The page of a team's server, for everybody with a token of the team. */
function TeamPage() {
  const reader = useAnswer<Reader>('/v1/reader', {}, [])
  if (connection.value === 'refused') return <SignIn />
  const role = reader.answer?.role
  const allowed = VIEWS.filter(({ roles }) => roles.some((each) => each === role))
  const { View } = allowed.find(({ view }) => view === chosen('view')) ?? VIEWS[0]
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <nav class="menu" aria-label="Screens">
        <div class="brand">Loadout team</div>
        <ul>
          {allowed.map(({ view, name, View: each }) => (
            <li key={view}>
              <a
                href={hrefOf('', view === '' ? {} : { view })}
                aria-current={View === each ? 'page' : undefined}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return
                  event.preventDefault()
                  choose({ view })
                }}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
        <div class="standing">
          {reader.answer && (
            <p>
              {role} <span class="muted">in</span> {line(reader.answer.group)}
            </p>
          )}
          <p>
            <button type="button" class="button" onClick={signOut}>
              Sign out
            </button>
          </p>
        </div>
      </nav>
      <main id="content" tabIndex={-1}>
        {connection.value === 'lost' && (
          <div class="lost" role="alert">
            The server does not answer. What you see is how it was.
          </div>
        )}
        {role !== undefined && <View />}
      </main>
    </div>
  )
}

function signOut(): void {
  localStorage.removeItem('token')
  location.reload()
}

const REFUSED: Record<string, string> = {
  provider: 'The sign-in service of your organization does not answer. Try again later, or use a token.',
  role: 'Your organization knows you, and gives you no role in this team.',
  answer: 'The sign-in was not completed: it took too long, or began in another browser. Try again.',
}

function SignIn() {
  const { answer } = useAnswer<{ isOffered: boolean }>('/sign-in/offered', {}, [])
  const refused = REFUSED[chosen('refused')]
  return (
    <main id="content" class="sign-in">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault()
          const given = String(new FormData(event.currentTarget).get('token')).trim()
          // Only the first part is for the server; the second is the team's key, which it must not learn.
          localStorage.setItem('token', /^ldt_([\w-]+)\./.exec(given)?.[1] ?? given)
          location.reload()
        }}
      >
        <h1>Loadout team</h1>
        {refused && <p role="alert">{refused}</p>}
        {answer?.isOffered && (
          <a class="button is-main" href="/sign-in">
            Sign in with your organization
          </a>
        )}
        <label class="field">
          <span>Token</span>
          <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit" class="button is-main">
          Sign in
        </button>
        {localStorage.getItem('token') !== null && !refused && (
          <p role="alert">The token is unknown here, was revoked, or has expired.</p>
        )}
        <p class="muted">An administrator of the team makes one: loadout team invite</p>
      </form>
    </main>
  )
}

function ReportView() {
  const days = chosen('days')
  const from = new Date(Date.now() - Number(days || 30) * 86_400_000).toISOString().slice(0, 10)
  const report = useAnswer<TeamReport>('/v1/report', { from, group: chosen('group') }, [])
  return (
    <Screen
      title="Report"
      summary="What the team's machines use, what it costs, and what needs attention."
      controls={<Choice label="Range" value={days} options={RANGES} onChange={(value) => choose({ days: value })} />}
    >
      <Answered asked={report}>{(answer) => <Usage report={answer} />}</Answered>
    </Screen>
  )
}

type CatalogVersion = Pick<CatalogRow, 'kind' | 'name' | 'version' | 'state' | 'owner' | 'groups'>

function CatalogVersions() {
  const catalog = useAnswer<{ entries: CatalogVersion[] }>('/v1/catalog/snapshot', { all: '1' }, [])
  return (
    <Screen title="Catalog" summary="Which versions machines may install. Machines believe only what is signed.">
      <Answered asked={catalog}>
        {({ entries }) => (
          <Table
            label="Versions"
            rows={entries}
            keyOf={({ kind, name, version }) => `${kind} ${name} ${version}`}
            empty="Nothing is published. loadout catalog publish <skill> proposes a version."
            columns={[
              { name: 'name', width: 'minmax(8rem, 2fr)', cell: ({ name }) => <span class="clip">{line(name)}</span> },
              { name: 'version', width: '7rem', cell: ({ version }) => line(version, 60) },
              { name: 'state', width: '8rem', cell: ({ state }) => <Badge tone={STATES[state]}>{state}</Badge> },
              {
                name: 'owner',
                width: 'minmax(6rem, 1fr)',
                cell: ({ owner }) => <span class="clip">{line(owner ?? '')}</span>,
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
            ]}
          />
        )}
      </Answered>
    </Screen>
  )
}

function Machines() {
  const machines = useAnswer<{ machines: TeamMachine[] }>('/v1/machines', {}, [])
  return (
    <Screen title="Machines" summary="Every machine that joined, by a number: the server knows no names.">
      <Answered asked={machines}>
        {({ machines: rows }) => (
          <Table
            label="Machines"
            rows={rows}
            keyOf={({ machine }) => String(machine)}
            columns={[
              { name: 'machine', width: '5rem', cell: ({ machine }) => machine, isNumber: true },
              { name: 'group', width: 'minmax(6rem, 1fr)', cell: ({ group }) => line(group) },
              { name: 'version', width: '6rem', cell: ({ client }) => line(client), isExtra: true },
              { name: 'seen', width: '7rem', cell: ({ seen }) => seen },
              {
                name: 'state',
                width: '8rem',
                cell: ({ hasLeft, lostBatches }) => (hasLeft ? 'left' : lostBatches > 0 ? 'lost batches' : ''),
              },
            ]}
          />
        )}
      </Answered>
    </Screen>
  )
}

/** Adopting one needs a signature, and so a terminal. */
function Proposals() {
  const list = useAnswer<{ proposals: Proposal[] }>('/v1/proposals', {}, [])
  const id = chosen('proposal')
  const open = useAnswer<{ proposal: Proposal & { patch: string } }>(
    id === '' ? undefined : `/v1/proposals/${id}`,
    {},
    [],
  )
  return (
    <Screen title="Proposals" summary="What people changed in their copies of skills, and want everybody to have.">
      <Answered asked={list}>
        {({ proposals }) => (
          <Table
            label="Proposals"
            rows={proposals}
            keyOf={(each) => each.id}
            current={id}
            onMove={(each) => choose({ proposal: each.id })}
            empty="Nothing waits."
            columns={[
              { name: 'skill', width: 'minmax(8rem, 2fr)', cell: ({ name }) => line(name) },
              { name: 'people', width: '5rem', cell: (each) => grouped(each.people), isNumber: true },
              { name: 'since', width: '7rem', cell: ({ made }) => made.slice(0, 10), isExtra: true },
              { name: 'why', width: 'minmax(8rem, 3fr)', cell: ({ notes }) => line(notes.join(' · ')), isExtra: true },
            ]}
          />
        )}
      </Answered>
      {id !== '' && (
        <Answered asked={open}>
          {({ proposal }) => (
            <section class="card stack">
              <p>
                To take it, with your signature: <code>loadout catalog adopt {line(proposal.id)}</code>
              </p>
              <MarkedText label="The change" text={proposal.patch} />
            </section>
          )}
        </Answered>
      )}
    </Screen>
  )
}

function Audit() {
  const log = useAnswer<{ entries: { entry: string; hash: string }[] }>('/v1/audit', {}, [])
  return (
    <Screen
      title="Audit"
      summary="Who did what. loadout team audit also checks that no entry was changed or taken out."
    >
      <Answered asked={log}>
        {({ entries }) => (
          <Table
            label="Entries"
            rows={entries.map(({ entry }) => JSON.parse(entry) as AuditLog['entries'][number]).reverse()}
            keyOf={({ id }) => String(id)}
            columns={[
              { name: 'when', width: '11rem', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
              { name: 'token', width: '8rem', cell: ({ actor }) => line(actor), isExtra: true },
              { name: 'what', width: '10rem', cell: ({ action }) => line(action) },
              {
                name: 'about',
                width: 'minmax(10rem, 3fr)',
                cell: ({ about }) => <span class="clip">{line(JSON.stringify(about))}</span>,
              },
            ]}
          />
        )}
      </Answered>
    </Screen>
  )
}

function Usage({ report }: { report: TeamReport }) {
  const { entries, groups, agents, deadWeight, inVain, rollout, attention } = report
  const keyOf = ({ kind, id }: Entry) => `${kind} ${id}`
  return (
    <>
      <List
        title="Needs attention"
        rows={attention.map(({ id, versions, machines, about, wanted }) => [
          `${id} ${versions.join(', ')}`,
          about === 'gone'
            ? 'stopped, and on no machine that reports'
            : `${about === 'stopped' ? 'stopped, and still' : `older than ${wanted},`} on ${people(machines)} machines`,
        ])}
      />
      <section class="card stack" aria-label="Report">
        <dl class="figures">
          <Figure value={people(report.people)} label="people" />
          <Figure value={grouped(report.events)} label="events" />
          <Figure value={grouped(report.tokens)} label="tokens" />
          <Figure value={grouped(report.listing)} label="tokens in lists" />
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
          rows={agents.map(({ agent, used, tokens, listing }) => [
            agent,
            `${grouped(used)} used, ${count(tokens, 'token')}, ${grouped(listing)} in lists`,
          ])}
        />
      </div>
    </>
  )
}

const MOST_TEAM_ROWS = 12

function List({ title, rows }: { title: string; rows: readonly (readonly [name: string, text: string])[] }) {
  if (rows.length === 0) return null
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      <ul class="plain-list">
        {rows.slice(0, MOST_TEAM_ROWS).map(([name, text]) => (
          <li key={name}>
            <strong class="wraps">{line(name)}</strong>
            <span class="muted">{line(text)}</span>
          </li>
        ))}
        {rows.length > MOST_TEAM_ROWS && <li class="muted">and {grouped(rows.length - MOST_TEAM_ROWS)} more</li>}
      </ul>
    </section>
  )
}

keepToken()
const place = document.getElementById('page')
if (place !== null) {
  document.title = 'Loadout team'
  render(<TeamPage />, place)
  keepFocus(place)
}
