import { signal } from '@preact/signals'
import type { Watched } from '../../loadout.ts'

/** The state of the connection: live, waiting for the server, or refused because this browser has not the token of the server. */
export const connection = signal<'waiting' | 'live' | 'lost' | 'refused'>('waiting')

/** The number of changes of each thing since the page was opened. */
const changes = signal<Readonly<Partial<Record<Watched, number>>>>({})

export function countChanges(topics: readonly Watched[]): number {
  return topics.reduce((sum, topic) => sum + (changes.value[topic] ?? 0), 0)
}

const ALL: readonly Watched[] = ['config', 'library', 'installs', 'usage', 'sessions', 'consent', 'project']

/** Receives changes on this machine for as long as the page is open. After a broken connection, everything counts as changed. */
export async function follow(): Promise<never> {
  for (let isFirst = true; ; isFirst = false) {
    const response = await fetch('/api/live', { headers: authorization() }).catch(() => undefined)
    if (response?.status === 401) {
      connection.value = 'refused'
      // Until another tab opens the address of the new server.
      await new Promise((done) => addEventListener('storage', done, { once: true }))
      continue
    }
    if (response?.ok && response.body) {
      connection.value = 'live'
      if (!isFirst) bump(ALL)
      await readChanges(response.body).catch(() => {})
    }
    connection.value = 'lost'
    await new Promise((done) => setTimeout(done, 3_000))
  }
}

/** Proves that this browser opened the address. A header, not a cookie: it goes nowhere else. */
export function authorization(): { authorization: string } {
  return { authorization: `Bearer ${localStorage.getItem('token')}` }
}

/** One JSON list of changed things a line. */
async function readChanges(body: ReadableStream<BufferSource>): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) bump(JSON.parse(line))
  }
}

function bump(topics: readonly Watched[]): void {
  const next = { ...changes.value }
  for (const topic of topics) next[topic] = (next[topic] ?? 0) + 1
  changes.value = next
}
