import type { Loadable } from '../app/loadout.ts'
import { entryId } from '../domain/delivery/entry/entry-id.ts'
import { fence } from '../domain/shared/fence.ts'
import type { Finding } from '../domain/shared/finding.ts'
import { cap } from './cap.ts'
import { MOST_WARNINGS, tellFinding } from './tools/bundle-fields.ts'

const MOST_LINES = 400
const LONGEST_SUMMARY = 200

/** All that can be asked for, a line each, with the id to read it by. */
export function indexText({ payloads, skills, disclosure }: Loadable, findings: readonly Finding[]): string {
  const lines = [
    ...payloads.map(({ id, summary, priority, tokens }) =>
      line(entryId('payload', id), `${priority}, ${tokens} tokens`, summary),
    ),
    ...skills.map(({ name, summary }) => line(entryId('skill', name), 'skill', summary)),
  ]
  const { shown, cut } = cap(lines, MOST_LINES, 'entries are')
  const rest = cut.map((sentence) => `${sentence}; search_knowledge finds them`)
  const broken = cap(findings.map(tellFinding).map(oneLine), MOST_WARNINGS, 'warnings are')
  const told = [...shown, ...rest, ...broken.shown, ...broken.cut]
  const body = told.length === 0 ? 'Nothing is indexed yet.' : told.join('\n')
  return `${fence('loadout_context', { id: 'index' }, body).text}${disclosure}`
}

function line(id: string, kind: string, summary: string): string {
  return `- ${oneLine(id)} (${kind}): ${oneLine(summary).slice(0, LONGEST_SUMMARY)}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
