import type { Conversations, ConversationView } from '../../../loadout.ts'
import { chosen } from '../address.ts'
import type { Answer } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { Notices } from '../parts/notices.tsx'
import { Answered, Badge, Figure, Screen, type Tone } from '../parts/screen.tsx'
import { useAnswer } from '../use-answer.ts'
import { ConversationTable, minute } from './conversations/list.tsx'

type ConversationStep = ConversationView['steps'][number]

const STAGE_TONES: Record<ConversationStep['stage'], Tone> = { planned: 'quiet', delivered: 'info', used: 'good' }

export default function ConversationsScreen() {
  const asked = useAnswer<Conversations>('/api/sessions', {}, ['usage', 'sessions'])
  return (
    <Screen title="Conversations" summary="What each conversation was given, when and why, and what was left out.">
      <Answered asked={asked}>{(answer) => <Sessions answer={answer} />}</Answered>
    </Screen>
  )
}

function Sessions({ answer }: { answer: Answer<Conversations> }) {
  const { conversations, total, findings } = answer
  const [via, session] = [chosen('agent'), chosen('session')]
  if (total === 0) {
    return (
      <p class="card">
        The log tells of no conversation yet. Hooks and the MCP server write it: <code>loadout connect</code>
      </p>
    )
  }
  return (
    <>
      <Notices findings={findings} />
      <section class="card stack" aria-label="Conversations">
        <h2>
          {count(total, 'conversation')}
          {conversations.length < total && <span class="muted">, the newest {grouped(conversations.length)} here</span>}
        </h2>
        <ConversationTable rows={conversations} current={`${via} ${session}`} order="order" />
      </section>
      {session !== '' && <Session key={`${via} ${session}`} via={via} session={session} />}
    </>
  )
}

function Session({ via, session }: { via: string; session: string }) {
  const path = `/api/sessions/${encodeURIComponent(via)}/${encodeURIComponent(session)}`
  const asked = useAnswer<ConversationView>(path, {}, ['usage'])
  return (
    <Answered asked={asked}>
      {(view) => (
        <section class="card stack" aria-label="One conversation">
          <h2 class="wraps">
            {line(via)} <span class="mono muted">{line(session, 80)}</span>
          </h2>
          <dl class="figures">
            <Figure value={minute(view.first)} label="first (UTC)" />
            <Figure value={grouped(view.planned)} label="planned" />
            <Figure value={grouped(view.delivered)} label="delivered" />
            <Figure value={grouped(view.used)} label="used" />
            <Figure value={grouped(view.tokens)} label="tokens" />
          </dl>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so that the keyboard must reach it */}
          <ol class="steps" aria-label="What happened" tabIndex={0}>
            {view.steps.map((step, at) => (
              <li key={at}>
                <span class="muted mono">{minute(step.at)}</span>
                <Badge tone={STAGE_TONES[step.stage]}>{step.stage}</Badge>
                <span class="wraps">
                  {step.kind} <strong>{line(step.entry)}</strong>{' '}
                  <span class="muted">
                    {line(step.trigger)}
                    {step.tokens > 0 && `, ${count(step.tokens, 'token')}`}
                  </span>
                </span>
              </li>
            ))}
          </ol>
          {view.more > 0 && <p class="muted">and {grouped(view.more)} more</p>}
          {view.leftOut.length > 0 && (
            <>
              <h3>Planned and not given</h3>
              <ul class="plain-list">
                {view.leftOut.map(({ kind, entry, times }) => (
                  <li key={`${kind} ${entry}`}>
                    <span class="wraps">
                      {kind} <strong>{line(entry)}</strong> <span class="muted">{grouped(times)}×</span>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </Answered>
  )
}
