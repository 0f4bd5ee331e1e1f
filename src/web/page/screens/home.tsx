import type { Conversations, Health, MachineStatus } from '../../../loadout.ts'
import { formatMoney, tokensOfCost } from '../../../text/cost.ts'
import { choose, chosen, go, hrefOf, open } from '../address.ts'
import type { Answer } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { propose } from '../parts/change.tsx'
import { Hint } from '../parts/notices.tsx'
import { Answered, Badge, Command, Figure, ScopeChoice, Screen, type Tone } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { adopt, connect, fixLists, installs, repair, sync, takeOver } from '../proposals.tsx'
import { useAnswer } from '../use-answer.ts'
import { ConversationTable } from './conversations/list.tsx'
import { AddSkills } from './home/add.tsx'
import { SettingsView } from './home/settings.tsx'

type AgentRow = MachineStatus['agents'][number]

const VIEWS = [
  ['', 'Now'],
  ['checks', 'Checks'],
  ['settings', 'Settings'],
] as const
const HOME_WATCH = ['config', 'installs', 'library', 'consent', 'usage', 'project'] as const
/** Each agent's newest conversations. */
const SHOWN_OF_EACH = 3

export default function HomeScreen() {
  const scope = chosen('scope')
  const view = chosen('view')
  return (
    <Screen
      title="Home"
      summary="What your agents see, what it costs, and what to do next."
      controls={
        view === 'settings' ? undefined : <ScopeChoice value={scope} onChange={(value) => choose({ scope: value })} />
      }
      tabs={<Tabs label="Views of Home" views={VIEWS} />}
    >
      {view === 'checks' ? <Checks scope={scope} /> : view === 'settings' ? <SettingsView /> : <Now scope={scope} />}
    </Screen>
  )
}

function Now({ scope }: { scope: string }) {
  const asked = useAnswer<MachineStatus>('/api/status', { scope }, HOME_WATCH)
  const talks = useAnswer<Conversations>('/api/sessions', {}, ['usage', 'sessions'])
  return (
    <Answered asked={asked}>
      {(status) => {
        const isNew = status.library === undefined
        return (
          <>
            {(isNew || chosen('do') === 'add') && <AddSkills status={status} isNew={isNew} />}
            {(isNew || chosen('do') === 'connect') && <Connect status={status} />}
            {!isNew && <Steps status={status} scope={scope} />}
            <Agents status={status} />
            <Last talks={talks.answer} status={status} />
          </>
        )
      }}
    </Answered>
  )
}

/** What each next step opens or proposes, by the command that does the same. A command that is not here is shown. */
const DOES: Readonly<
  Record<string, (words: readonly string[], status: MachineStatus, scope: string) => [string, () => void]>
> = {
  add: () => ['Add skills', () => choose({ do: 'add' })],
  adopt: ([name = ''], _, scope) => ['Keep the edit', () => propose(adopt(name, scope))],
  approve: ([what = '']) => [
    'Look at them',
    () => go(what.startsWith('pack:') ? hrefOf('knowledge') : hrefOf('skills', { state: 'waiting' })),
  ],
  connect: ([agent = '']) => ['Connect', () => propose(connect([agent]))],
  context: () => ['Try a task', () => go(hrefOf('task'))],
  doctor: () => ['See the checks', () => go(hrefOf('', { view: 'checks' }))],
  import: () => ['Take them over', () => propose(takeOver())],
  merge: () => ['Open the merges', () => go(hrefOf('skills', { view: 'merges' }))],
  packs: () => ['Look at them', () => go(hrefOf('knowledge'))],
  remove: (_, { library }, scope) => {
    const names = library?.problem === undefined ? (library?.unused ?? []) : []
    return [`Remove ${count(names.length, 'skill')}`, () => propose(installs('unequip', names, [], scope))]
  },
  see: (words, _, scope) => {
    const agent = words.find((word) => !word.startsWith('-')) ?? ''
    return words.includes('--fix')
      ? ['Make them usable', () => propose(fixLists(agent, scope))]
      : ['See the list', () => go(hrefOf('skills', { view: 'lists', agent }))]
  },
  sync: (_words, _status, scope) => ['Sync', () => propose(sync(scope))],
  test: ([name = '']) => ['See the results', () => go(hrefOf('skills', { skill: name }))],
}

function Steps({ status, scope }: { status: MachineStatus; scope: string }) {
  return (
    <section class="card stack" aria-label="What to do next">
      <h2>What to do next</h2>
      {status.next.length === 0 && <p class="muted">Nothing waits for you.</p>}
      <ol class="steps-list">
        {status.next.map(({ why, command }) => {
          const [, verb = '', ...words] = command.split(' ')
          const does = DOES[verb]?.(words, status, scope)
          return (
            <li key={`${why} ${command}`} class="row">
              <span class="grow wraps">{line(why)}</span>
              <Command text={command} />
              {does && (
                <button type="button" class="button" onClick={does[1]}>
                  {does[0]}
                </button>
              )}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function Connect({ status }: { status: MachineStatus }) {
  const unhooked = status.agents.filter(({ agent }) => !status.hooks.includes(agent)).map(({ agent }) => agent)
  return (
    <section class="card row" aria-label="Connect">
      <div class="grow">
        <h2>Connect your agents</h2>
        <p class="muted">
          Hooks and the MCP server let an agent get what a prompt needs. Connected:{' '}
          {status.hooks.length === 0 ? 'none' : status.hooks.join(', ')}.
        </p>
      </div>
      <button type="button" class="button" disabled={unhooked.length === 0} onClick={() => propose(connect([]))}>
        Connect…
      </button>
    </section>
  )
}

function Agents({ status }: { status: Answer<MachineStatus> }) {
  const { agents, neverRan, usage, library } = status
  const total = tokensOfCost(usage.cost)
  return (
    <section class="card stack" aria-label="Agents">
      <div class="row">
        <h2 class="grow">Agents</h2>
        <dl class="figures">
          <Figure value={grouped(usage.starts)} label={`session starts in ${usage.days} days`} />
          <Figure value={grouped(total)} label="tokens of skills, rules and packs" />
          {usage.cost.money && <Figure value={formatMoney(usage.cost.money, total)} label="by the prices set" />}
        </dl>
      </div>
      {agents.length === 0 && <p>No agent was found on this machine.</p>}
      {agents.length > 0 && (
        <Table<AgentRow>
          label="Agents of this machine"
          rows={agents}
          keyOf={({ agent }) => agent}
          onOpen={({ agent }) => go(hrefOf('skills', { view: 'lists', agent }))}
          columns={[
            {
              name: 'Agent',
              width: 'minmax(8rem, 1fr)',
              cell: ({ label }) => <strong>{label}</strong>,
              by: ({ label }) => label,
            },
            {
              name: 'State',
              width: 'minmax(7rem, 1.4fr)',
              cell: (agent) => <AgentState agent={agent} isConnected={status.hooks.includes(agent.agent)} />,
            },
            {
              name: 'Skills',
              width: '4.5rem',
              isNumber: true,
              cell: ({ skills = 0 }) => grouped(skills),
              by: ({ skills }) => skills,
            },
            {
              name: 'Tokens at a start',
              width: '8rem',
              isNumber: true,
              cell: ({ tokens = 0 }) => grouped(tokens),
              by: ({ tokens }) => tokens,
            },
            {
              name: 'Cost of a start',
              width: '8rem',
              isNumber: true,
              isExtra: true,
              cell: ({ money, tokens = 0 }) => (money ? formatMoney(money, tokens) : '–'),
              by: ({ money }) => money?.amount,
            },
            {
              name: 'Version',
              width: '6rem',
              isExtra: true,
              cell: ({ program }) => <span class="muted">{line(program?.version ?? '–', 20)}</span>,
            },
          ]}
        />
      )}
      {neverRan.length > 0 && (
        <p class="muted">Installed, and never started: {neverRan.map(({ label }) => label).join(', ')}.</p>
      )}
      {library !== undefined && (
        <p class="muted wraps">{library.problem === undefined ? line(library.stands) : line(library.problem)}</p>
      )}
    </section>
  )
}

function AgentState({ agent, isConnected }: { agent: AgentRow; isConnected: boolean }) {
  const { seen = 0, cut = 0, dropped = 0, doubles = 0, problem } = agent
  if (problem !== undefined) return <Badge tone="bad">{line(problem, 60)}</Badge>
  return (
    <>
      {dropped > 0 && <Badge tone="bad">{grouped(dropped)} dropped</Badge>}{' '}
      {cut > 0 && <Badge tone="warn">{grouped(cut)} cut</Badge>}{' '}
      {doubles > 0 && <Badge tone="odd">{grouped(doubles)} shadowed</Badge>}{' '}
      {seen > 0 && <Badge tone="good">{grouped(seen)} visible</Badge>}{' '}
      {isConnected && <Badge tone="info">connected</Badge>}
    </>
  )
}

function Last({ talks, status }: { talks: Answer<Conversations> | undefined; status: MachineStatus }) {
  if (talks === undefined) return null
  const seen = new Map<string, number>()
  const newest = talks.conversations.filter(({ via, parent }) => {
    const before = seen.get(via) ?? 0
    if (parent === undefined) seen.set(via, before + 1)
    return parent === undefined && before < SHOWN_OF_EACH
  })
  return (
    <section class="card stack" aria-label="Last conversations">
      <div class="row">
        <h2 class="grow">Last conversations</h2>
        <a href={hrefOf('conversations')} onClick={open}>
          All {grouped(talks.total)}
        </a>
      </div>
      {newest.length === 0 ? (
        <p class="muted">
          {status.hooks.length > 0
            ? 'The connected agents have said nothing yet.'
            : 'Connected agents tell of their conversations here.'}
        </p>
      ) : (
        <ConversationTable rows={newest} />
      )}
    </section>
  )
}

type Check = Health['checks'][number]

const CHECK_TONES: Record<Check['state'], Tone> = { problem: 'bad', note: 'warn', fine: 'good' }
const CHECK_WORDS: Record<Check['state'], string> = { problem: 'to do', note: 'note', fine: 'fine' }

function Checks({ scope }: { scope: string }) {
  const asked = useAnswer<Health>('/api/doctor', { scope }, ['config', 'library', 'installs', 'consent'])
  return (
    <Answered asked={asked}>
      {({ checks }) => {
        const by = (state: Check['state']) => checks.filter((each) => each.state === state)
        const [problems, notes, fine] = [by('problem'), by('note'), by('fine')]
        return (
          <>
            <section class="card row">
              <p class="grow">
                {problems.length === 0 ? 'Nothing needs to be done.' : `${count(problems.length, 'check')} to do.`}{' '}
                <span class="muted">
                  {count(checks.length, 'check')}, {count(notes.length, 'note')}
                </span>
              </p>
              {problems.length > 0 && (
                <button type="button" class="button" onClick={() => propose({ ...repair(scope), onDone: asked.again })}>
                  Repair what is safe…
                </button>
              )}
            </section>
            <ul class="checks" aria-label="What asks for a look">
              {[...problems, ...notes].map((check, at) => (
                <CheckRow key={at} check={check} isCard />
              ))}
            </ul>
            {fine.length > 0 && (
              <section class="card stack" aria-label="Fine">
                <h2>{count(fine.length, 'check')} fine</h2>
                <ul class="checks is-compact">
                  {fine.map((check, at) => (
                    <CheckRow key={at} check={check} />
                  ))}
                </ul>
              </section>
            )}
          </>
        )
      }}
    </Answered>
  )
}

function CheckRow({ check: { name, state, message, fix }, isCard }: { check: Check; isCard?: boolean }) {
  return (
    <li class={isCard ? 'card check' : 'check'}>
      <Badge tone={CHECK_TONES[state]}>{CHECK_WORDS[state]}</Badge>
      <strong class="wraps">{line(name)}</strong>
      <div class="wraps">
        {line(message)}
        {fix !== undefined && (
          <p>
            <Hint text={fix} />
          </p>
        )}
      </div>
    </li>
  )
}
