import { signal } from '@preact/signals'
import type { Watched } from '../../loadout.ts'

/** Whether the page hears of changes: it does, it waits for the server, or the server no longer knows this browser. */
export const connection = signal<'waiting' | 'live' | 'lost' | 'refused'>('waiting')

/** How often each thing has changed since the page was opened. */
const changes = signal<Readonly<Partial<Record<Watched, number>>>>({})

export function countChanges(topics: readonly Watched[]): number {
  return topics.reduce((sum, topic) => sum + (changes.value[topic] ?? 0), 0)
}

/** Follows what changes on the machine. A connection that breaks is opened again, and then everything may have changed. */
export function follow(): void {
  const source = new EventSource('/api/live')
  let wasLost = false
  source.addEventListener('open', () => {
    connection.value = 'live'
    if (wasLost) bump(ALL)
    wasLost = false
  })
  source.addEventListener('change', ({ data }) => bump(JSON.parse(data)))
  source.addEventListener('error', () => {
    wasLost = true
    if (source.readyState === EventSource.CLOSED) void whyClosed()
    else connection.value = 'lost'
  })
}

const ALL: readonly Watched[] = ['config', 'library', 'installs', 'usage', 'sessions', 'consent', 'project']
const AGAIN_MS = 3_000

/** A browser gives up where the server answers with an error: after a new start it does not know the old session. */
async function whyClosed(): Promise<void> {
  const response = await fetch('/api/place').catch(() => undefined)
  connection.value = response?.status === 401 ? 'refused' : 'lost'
  if (connection.value === 'lost') setTimeout(follow, AGAIN_MS)
}

function bump(topics: readonly Watched[]): void {
  const next = { ...changes.value }
  for (const topic of topics) next[topic] = (next[topic] ?? 0) + 1
  changes.value = next
}
