import { useEffect, useRef } from 'preact/hooks'
import type { RecalledConversation } from '../../../../loadout.ts'
import { formatMoney, tokensOfCost } from '../../../../text/cost.ts'
import { choose, chosen, hrefOf, open } from '../../address.ts'
import { count, grouped, line } from '../../format.ts'
import { Notices } from '../../parts/notices.tsx'
import { Answered, Badge, Figure, MarkedText, type Tone } from '../../parts/screen.tsx'
import { useAnswer } from '../../use-answer.ts'
import { type ConversationRow, minute, titleOf } from './list.tsx'
import { Had } from './transcript.tsx'
import { Verbs } from './verbs.tsx'

type Turn = RecalledConversation['turns'][number]
type TurnStep = Turn['steps'][number]
type Part = Turn['given'][number]

const STAGE_TONES: Record<TurnStep['stage'], Tone> = { planned: 'quiet', delivered: 'info', used: 'good' }
const STAGE_WORDS: Record<TurnStep['stage'], string> = { planned: 'not given', delivered: 'given', used: 'opened' }
const KIND_WORDS: Record<TurnStep['kind'], string> = { payload: 'rule', pack: 'pack', skill: 'skill' }
const STATE_TONES: Record<Part['state'], Tone> = { same: 'good', changed: 'warn', gone: 'bad', unknown: 'quiet' }
const STATE_WORDS: Record<Part['state'], string> = {
  same: 'byte for byte',
  changed: 'changed since',
  gone: 'gone since',
  unknown: 'as it is now',
}

/** One conversation: its turns at the left; in the middle what was given at the chosen one; at the right what was left out. */
export function Recorded({ via, session, rows }: { via: string; session: string; rows: readonly ConversationRow[] }) {
  const path = `/api/sessions/${encodeURIComponent(via)}/${encodeURIComponent(session)}`
  const asked = useAnswer<RecalledConversation>(path, {}, ['usage', 'sessions', 'config'])
  return (
    <Answered asked={asked}>
      {(talk) => {
        const at = Number(chosen('turn') || talk.turns.length) - 1
        const turn = talk.turns[Math.min(Math.max(at, 0), talk.turns.length - 1)]
        const total = tokensOfCost(talk.cost)
        const above = rows.find((row) => row.via === via && row.session === talk.above?.session)
        return (
          <>
            <p class="row">
              <a href={hrefOf('conversations')} onClick={open}>
                All conversations
              </a>
              {talk.above && (
                <a href={hrefOf('conversations', { agent: via, session: talk.above.session })} onClick={open}>
                  Started by: {above === undefined ? line(talk.above.session, 60) : titleOf(above)}
                </a>
              )}
            </p>
            <section class="card stack" aria-label="One conversation">
              <h2 class="wraps">{titleOf(talk)}</h2>
              <p class="muted wraps">
                {line(via)} · {talk.model !== undefined && `${line(talk.model, 60)} · `}
                {talk.cwd !== undefined && `${line(talk.cwd)} · `}
                <span class="mono">{line(session, 80)}</span>
              </p>
              <dl class="figures">
                <Figure value={minute(talk.first)} label="first (UTC)" />
                <Figure value={grouped(talk.planned)} label="planned" />
                <Figure value={grouped(talk.delivered)} label="given" />
                <Figure value={grouped(talk.used)} label="opened" />
                <Figure value={grouped(total)} label="tokens, with lists" />
                {talk.cost.money && <Figure value={formatMoney(talk.cost.money, total)} label="by the prices set" />}
              </dl>
              <Notices findings={talk.findings} />
            </section>
            <div class="recorder">
              <Turns talk={talk} current={turn} />
              <div class="stack">{turn && <TurnView turn={turn} talk={talk} />}</div>
              <LeftOut talk={talk} turn={turn} />
            </div>
          </>
        )
      }}
    </Answered>
  )
}

/** What a turn is called: its task, or what happened. */
function nameOf({ task, steps }: Turn): string {
  const [first] = steps
  if (task !== undefined) return line(task, 120)
  if (first === undefined) return 'a prompt'
  if (first.trigger === 'skill') return `opened ${line(first.entry, 60)}`
  if (first.trigger === 'read') return `read ${line(first.entry, 60)}`
  if (first.trigger === 'subagent') return 'a subagent starts'
  if (['startup', 'resume', 'clear', 'compact', 'fork'].includes(first.trigger)) return `session ${first.trigger}`
  return 'a prompt'
}

function Turns({ talk, current }: { talk: RecalledConversation; current: Turn | undefined }) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const branches = (from: string, until: string | undefined) =>
    talk.branches.filter(({ first }) => first >= from && (until === undefined || first < until))
  return (
    <nav class="card stack" aria-label="Turns">
      {talk.more > 0 && <p class="muted">{grouped(talk.more)} earlier turns are not shown.</p>}
      <ol class="turns" ref={list}>
        {talk.turns.map((turn, at) => (
          <li key={`${turn.at} ${at}`}>
            <button
              type="button"
              class="turn"
              aria-pressed={turn === current}
              onClick={() => choose({ turn: `${at + 1}` })}
            >
              <span class="muted mono">{line(turn.at.slice(11, 16))}</span>
              <span class="wraps">{nameOf(turn)}</span>
              <span class="muted part-size">{grouped(tokensOfCost(turn.cost))}</span>
            </button>
            {branches(turn.at, talk.turns[at + 1]?.at).map((branch) => (
              <a
                key={branch.session}
                class="branch"
                href={hrefOf('conversations', { agent: branch.via, session: branch.session })}
                onClick={open}
              >
                <span class="muted mono">{line(branch.first.slice(11, 16))}</span>
                <span class="wraps">subagent: {branch.title === undefined ? 'its start' : line(branch.title, 80)}</span>
                <span class="muted part-size">{grouped(branch.tokens)}</span>
              </a>
            ))}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function TurnView({ turn, talk }: { turn: Turn; talk: RecalledConversation }) {
  const total = tokensOfCost(turn.cost)
  const given = turn.steps.filter(({ stage }) => stage !== 'planned')
  return (
    <>
      <section class="card stack" aria-label="What Loadout gave">
        <div class="row">
          <h2 class="grow wraps">{nameOf(turn)}</h2>
          <span class="muted">
            {count(total, 'token')}
            {turn.cost.money && `, ${formatMoney(turn.cost.money, total)}`}
          </span>
        </div>
        {turn.listed > 0 && (
          <p class="muted">
            {count(turn.listed, 'entry', 'entries')} named by lists: {count(turn.cost.listing, 'token')}
          </p>
        )}
        {given.length + turn.given.length === 0 && <p class="muted">Loadout gave nothing at this turn.</p>}
        <ul class="lines" aria-label="Given">
          {given.map((step) => {
            const part = turn.given.find(({ id, kind }) => id === step.entry && kind === step.kind)
            return (
              <li key={`${step.kind} ${step.entry}`}>
                <Badge tone={STAGE_TONES[step.stage]}>{STAGE_WORDS[step.stage]}</Badge>
                <span class="wraps">
                  {KIND_WORDS[step.kind]} <strong>{line(step.entry)}</strong>{' '}
                  <span class="muted">
                    {count(step.tokens, 'token')}, because of {line(step.trigger, 60)}
                    {step.layer !== undefined && `, layer ${line(step.layer, 40)}`}
                    {part?.source !== undefined && `, ${line(part.source)}`}
                  </span>
                </span>
                <Verbs kind={step.kind} entry={step.entry} talk={talk} />
              </li>
            )
          })}
        </ul>
        {turn.text !== undefined && (
          <details open>
            <summary>
              What the hook gave, whole <Badge tone="good">byte for byte</Badge>
            </summary>
            <MarkedText label="What the hook gave" text={turn.text} />
          </details>
        )}
        {turn.text === undefined &&
          turn.given.map((part, at) => (
            <details key={at} open={turn.given.length === 1}>
              <summary>
                {part.form} <strong class="wraps">{line(part.id, 120)}</strong>{' '}
                <Badge tone={STATE_TONES[part.state]}>{STATE_WORDS[part.state]}</Badge>
              </summary>
              {part.text === undefined ? (
                <p class="muted">Its text is not kept, and its source says something else now.</p>
              ) : (
                <MarkedText label={`Text of ${line(part.id, 80)}`} text={part.text} />
              )}
            </details>
          ))}
      </section>
      <Had talk={talk} turn={turn} />
    </>
  )
}

function LeftOut({ talk, turn }: { talk: RecalledConversation; turn: Turn | undefined }) {
  const here = turn?.steps.filter(({ stage }) => stage === 'planned') ?? []
  const earlier = (step: TurnStep) =>
    talk.turns.some(
      ({ at, steps }) =>
        at < step.at &&
        steps.some(({ stage, kind, entry }) => stage !== 'planned' && kind === step.kind && entry === step.entry),
    )
  return (
    <aside class="card stack" aria-label="What was left out">
      <h2>Left out at this turn</h2>
      {here.length === 0 && <p class="muted">Nothing that a plan named.</p>}
      <ul class="lines">
        {here.map((step) => (
          <li key={`${step.kind} ${step.entry}`}>
            <span class="wraps">
              {KIND_WORDS[step.kind]} <strong>{line(step.entry)}</strong>{' '}
              <span class="muted">
                {earlier(step)
                  ? 'the conversation had it already'
                  : turn?.given.some(({ id, form }) => id === step.entry && form === 'pointer')
                    ? 'named in one line; the agent did not open it'
                    : 'not likely enough for its text, or no room'}
              </span>
            </span>
            <Verbs kind={step.kind} entry={step.entry} talk={talk} />
          </li>
        ))}
      </ul>
      {talk.leftOut.length > 0 && (
        <>
          <h3>Never given in this conversation</h3>
          <ul class="lines">
            {talk.leftOut.slice(0, 40).map(({ kind, entry, times }) => (
              <li key={`${kind} ${entry}`}>
                <span class="wraps">
                  {KIND_WORDS[kind]} <strong>{line(entry)}</strong> <span class="muted">planned {grouped(times)}×</span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  )
}
