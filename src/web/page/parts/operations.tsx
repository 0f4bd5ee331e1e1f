import type { Operation } from '../../../skills/rules/operations.ts'
import { count, line } from '../format.ts'
import { Badge, type Tone } from './screen.tsx'

const OPERATION_TONES: Record<Operation['kind'], Tone> = {
  install: 'good',
  refresh: 'info',
  merge: 'info',
  restore: 'info',
  remove: 'bad',
  restamp: 'quiet',
  adopt: 'info',
  recover: 'warn',
}

const MOST_OPERATIONS = 100

/** Planned operations, one line each. */
export function Operations({ operations }: { operations: readonly Operation[] }) {
  const more = operations.length - MOST_OPERATIONS
  return (
    <ul class="plain-list operations" aria-label="What would be done">
      {operations.slice(0, MOST_OPERATIONS).map((each) => (
        <li key={`${each.kind} ${each.skill} ${each.root}`}>
          <Badge tone={OPERATION_TONES[each.kind]}>{each.kind}</Badge>
          <strong class="mono">{line(each.skill)}</strong>
          <span class="muted wraps">
            {each.agent}, {each.scope}: {line(each.root)}
            {each.kind === 'merge' ? ' (your edit and the change of the library; a copy is kept)' : ''}
            {'keepsCopy' in each && each.keepsCopy ? ' (a copy is kept)' : ''}
          </span>
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more, 'more', 'more')}</li>}
    </ul>
  )
}
