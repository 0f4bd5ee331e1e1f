import type { Finding } from '../../../text/trouble.ts'
import type { Refusal } from '../api.ts'
import { count, line } from '../format.ts'
import { Badge, type Tone } from './screen.tsx'

const NOTICE_TONES: Record<Finding['severity'], Tone> = { error: 'bad', warning: 'warn', info: 'info' }
const NOTICE_WORDS: Record<Finding['severity'], string> = { error: 'to do', warning: 'warning', info: 'note' }
const MOST_NOTICES = 50

/** The findings of an answer. */
export function Notices({ findings, label = 'What was found' }: { findings: readonly Finding[]; label?: string }) {
  if (findings.length === 0) return null
  const more = findings.length - MOST_NOTICES
  return (
    <ul class="notices" aria-label={label}>
      {findings.slice(0, MOST_NOTICES).map(({ severity, code, message, hint }) => (
        <li key={`${code} ${message}`}>
          <Badge tone={NOTICE_TONES[severity]}>{NOTICE_WORDS[severity]}</Badge>
          <span class="wraps">
            {line(message)} {hint !== undefined && <Hint text={hint} />}
          </span>
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more, 'more', 'more')}</li>}
    </ul>
  )
}

/** An error answer: the problem and the remedy. */
export function Refused({ refusal, onAgain }: { refusal: Refusal; onAgain?: () => void }) {
  return (
    <div class="refused" role="alert">
      <Badge tone="bad">{refusal.code.toLowerCase().replaceAll('_', ' ')}</Badge>
      <p class="wraps">{line(refusal.message)}</p>
      {refusal.hint !== undefined && (
        <p class="muted wraps">
          <Hint text={refusal.hint} />
        </p>
      )}
      {onAgain && (
        <button type="button" class="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  )
}

/** The remedy, as Loadout prints it. */
export function Hint({ text }: { text: string }) {
  return <span class="muted">{line(text)}</span>
}
