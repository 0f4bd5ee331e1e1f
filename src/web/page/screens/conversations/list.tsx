import { useState } from 'preact/hooks'
import type { Conversations } from '../../../../loadout.ts'
import { go, hrefOf } from '../../address.ts'
import { grouped, line } from '../../format.ts'
import { type Column, Table } from '../../parts/table.tsx'

export type ConversationRow = Conversations['conversations'][number]

/** `2026-11-17 09:41`, in UTC like the log. */
export function minute(instant: string): string {
  return line(instant.slice(0, 16).replace('T', ' '))
}

/** Its first task; without kept tasks the project and the agent. */
export function titleOf({
  title,
  project,
  via,
  parent,
}: Pick<ConversationRow, 'title' | 'project' | 'via' | 'parent'>) {
  if (title !== undefined) return line(title, 160)
  const folder = project?.split('/').at(-1)
  return `${parent === undefined ? '' : 'subagent, '}${folder === undefined ? '' : `${line(folder, 60)}, `}${line(via, 40)}`
}

const keyOf = ({ via, session }: ConversationRow) => `${via} ${session}`

const COLUMNS: readonly Column<ConversationRow>[] = [
  { name: 'About', width: 'minmax(10rem, 3fr)', cell: (row) => <span class="clip">{titleOf(row)}</span>, by: titleOf },
  { name: 'Last (UTC)', width: '8.5rem', cell: ({ last }) => minute(last), by: ({ last }) => last },
  {
    name: 'Agent',
    width: 'minmax(4rem, 0.6fr)',
    cell: ({ via }) => <span class="clip">{line(via, 60)}</span>,
    by: ({ via }) => via,
  },
  {
    name: 'Project',
    width: 'minmax(4rem, 0.8fr)',
    isExtra: true,
    cell: ({ project }) => <span class="clip muted">{line(project?.split('/').at(-1) ?? '–')}</span>,
    by: ({ project }) => project,
  },
  {
    name: 'Given',
    width: '4.5rem',
    isExtra: true,
    isNumber: true,
    cell: ({ delivered }) => grouped(delivered),
    by: ({ delivered }) => delivered,
  },
  {
    name: 'Used',
    width: '4rem',
    isExtra: true,
    isNumber: true,
    cell: ({ used }) => grouped(used),
    by: ({ used }) => used,
  },
  {
    name: 'Tokens',
    width: '4.5rem',
    isNumber: true,
    cell: ({ tokens }) => grouped(tokens),
    by: ({ tokens }) => tokens,
  },
]

/** Conversations by what they are about; the session is in the link alone. */
export function ConversationTable({ rows, order }: { rows: readonly ConversationRow[]; order?: string }) {
  const [current, setCurrent] = useState<string>()
  return (
    <Table<ConversationRow>
      label="Conversations"
      rows={rows}
      keyOf={keyOf}
      {...(current !== undefined && { current })}
      onMove={(row) => setCurrent(keyOf(row))}
      onOpen={({ via, session }) => go(hrefOf('conversations', { agent: via, session }))}
      {...(order !== undefined && { order })}
      columns={COLUMNS}
    />
  )
}
