import { useMemo } from 'preact/hooks'
import type { Conversations } from '../../../loadout.ts'
import { choose, chosen } from '../address.ts'
import type { Answer } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { Choice, Field } from '../parts/field.tsx'
import { Notices } from '../parts/notices.tsx'
import { Answered, Screen } from '../parts/screen.tsx'
import { useAnswer } from '../use-answer.ts'
import { ConversationTable, titleOf } from './conversations/list.tsx'
import { Recorded } from './conversations/recorded.tsx'

export default function ConversationsScreen() {
  const [via, session] = [chosen('agent'), chosen('session')]
  const asked = useAnswer<Conversations>('/api/sessions', {}, ['usage', 'sessions'])
  return (
    <Screen
      title="Conversations"
      summary="What each conversation was given at each turn, why, what it cost, and what was left out."
      controls={session === '' && asked.answer ? <Filters conversations={asked.answer.conversations} /> : undefined}
    >
      {session === '' ? (
        <Answered asked={asked}>{(answer) => <List answer={answer} />}</Answered>
      ) : (
        <Recorded key={`${via} ${session}`} via={via} session={session} rows={asked.answer?.conversations ?? []} />
      )}
    </Screen>
  )
}

function Filters({ conversations }: { conversations: Conversations['conversations'] }) {
  const options = (names: readonly (string | undefined)[], all: string) => {
    const known = [...new Set(names.flatMap((name) => name ?? []))].sort()
    return [['', all] as const, ...known.map((name) => [name, line(name.split('/').at(-1) ?? '', 40)] as const)]
  }
  return (
    <>
      <Field
        label="Search"
        value={chosen('filter')}
        placeholder="words, session"
        delayMs={80}
        onChange={(filter) => choose({ filter })}
      />
      <Choice
        label="Agent"
        value={chosen('via')}
        options={options(
          conversations.map(({ via }) => via),
          'every agent',
        )}
        onChange={(via) => choose({ via })}
      />
      <Choice
        label="Project"
        value={chosen('project')}
        options={options(
          conversations.map(({ project }) => project),
          'every project',
        )}
        onChange={(project) => choose({ project })}
      />
      <Choice
        label="Subagents"
        value={chosen('subagents')}
        options={[
          ['', 'inside their parents'],
          ['yes', 'listed too'],
        ]}
        onChange={(subagents) => choose({ subagents })}
      />
    </>
  )
}

function List({ answer }: { answer: Answer<Conversations> }) {
  const { conversations, total, findings } = answer
  const words = chosen('filter').toLowerCase()
  const [via, project, subagents] = [chosen('via'), chosen('project'), chosen('subagents')]
  const rows = useMemo(
    () =>
      conversations.filter(
        (row) =>
          (via === '' || row.via === via) &&
          (project === '' || row.project === project) &&
          (subagents !== '' || row.parent === undefined) &&
          `${titleOf(row)} ${row.session} ${row.via}`.toLowerCase().includes(words),
      ),
    [conversations, words, via, project, subagents],
  )
  if (total === 0) {
    return (
      <p class="card">
        The log tells of no conversation yet. Hooks and the MCP server write it: connect your agents on Home.
      </p>
    )
  }
  const isUntitled = conversations.every(({ title }) => title === undefined)
  return (
    <>
      <Notices findings={findings} />
      {isUntitled && (
        <p class="muted">
          Conversations get the words of their first task as titles when tasks are kept: see the settings on Home.
        </p>
      )}
      <section class="card stack" aria-label="Conversations">
        <h2>
          {count(rows.length, 'conversation')}
          {rows.length < total && <span class="muted"> of {grouped(total)}</span>}
        </h2>
        <ConversationTable rows={rows} order="order" />
      </section>
    </>
  )
}
