import { signal } from '@preact/signals'
import type { Watched } from '../../loadout.ts'

/** The state of the connection: live, waiting for the server, or refused because the server no longer knows this browser. */
export const connection = signal<'waiting' | 'live' | 'lost' | 'refused'>('waiting')

/** The number of changes of each thing since the page was opened. */
const changes = signal<Readonly<Partial<Record<Watched, number>>>>({})

export function countChanges(topics: readonly Watched[]): number {
  return topics.reduce((sum, topic) => sum + (changes.value[topic] ?? 0), 0)
}

/** Receives changes on this machine. After a broken connection, everything counts as changed. */
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

/** A browser does not reconnect after an error answer, which a restarted server gives to an old session. */
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
