import type { Loadable } from '../app/loadout.ts'
import { fence } from '../domain/shared/fence.ts'
import { cap } from './cap.ts'

const MOST_LINES = 400
const LONGEST_SUMMARY = 200

/** All that can be asked for, a line each, with the id to read it by. */
export function indexText({ payloads, skills, disclosure }: Loadable): string {
  const lines = [
    ...payloads.map(({ id, summary, priority, tokens }) => line(id, `${priority}, ${tokens} tokens`, summary)),
    ...skills.map(({ name, summary }) => line(`skill:${name}`, 'skill', summary)),
  ]
  const { shown, cut } = cap(lines, MOST_LINES, 'entries are')
  const rest = cut.map((sentence) => `${sentence}; search_knowledge finds them`)
  const body = lines.length === 0 ? 'Nothing is indexed yet.' : [...shown, ...rest].join('\n')
  return `${fence('loadout_context', { id: 'index' }, body).text}${disclosure}`
}

function line(id: string, kind: string, summary: string): string {
  return `- ${oneLine(id)} (${kind}): ${oneLine(summary).slice(0, LONGEST_SUMMARY)}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
