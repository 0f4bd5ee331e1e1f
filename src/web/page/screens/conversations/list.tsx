import type { Conversations } from '../../../../loadout.ts'
import { go, hrefOf } from '../../address.ts'
import { grouped, line } from '../../format.ts'
import { Table } from '../../parts/table.tsx'

type Conversation = Conversations['conversations'][number]

/** `2026-11-17 09:41`, in UTC like the log. */
export function minute(instant: string): string {
  return line(instant.slice(0, 16).replace('T', ' '))
}

function titleOf({ title, project, via, parent }: Conversation): string {
  if (title !== undefined) return line(title, 160)
  const folder = project?.split('/').at(-1)
  return `${parent === undefined ? '' : 'subagent, '}${folder === undefined ? '' : `${line(folder, 60)}, `}${line(via, 40)}`
}

/** Conversations by what they are about; the session is in the link alone. */
export function ConversationTable({
  rows,
  current,
  order,
}: {
  rows: readonly Conversation[]
  current?: string
  order?: string
}) {
  return (
    <Table<Conversation>
      label="Conversations"
      rows={rows}
      keyOf={keyOf}
      current={current ?? ''}
      onMove={current === undefined ? () => {} : (row) => openRow(row)}
      onOpen={openRow}
      {...(order !== undefined && { order })}
      columns={[
        {
          name: 'About',
          width: 'minmax(10rem, 3fr)',
          cell: (row) => <span class="clip">{titleOf(row)}</span>,
          by: titleOf,
        },
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
      ]}
    />
  )
}

function keyOf({ via, session }: Conversation): string {
  return `${via} ${session}`
}

function openRow({ via, session }: Conversation): void {
  go(hrefOf('conversations', { agent: via, session }))
}
