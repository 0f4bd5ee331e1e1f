import type { SkillPreview } from '../../../loadout.ts'
import { count, line } from '../format.ts'
import { Badge } from './screen.tsx'

const MOST_LINES = 60

/** What a skill can do, worst first, as the server sorted it. */
export function Sheet({ sheet }: { sheet: SkillPreview['review'] }) {
  const more = sheet.length - MOST_LINES
  if (sheet.length === 0) return <p class="muted">Nothing that can act: it only informs.</p>
  return (
    <ul class="plain-list" aria-label="What it can do">
      {sheet.slice(0, MOST_LINES).map(({ id, kind, path, line: at, what, quote, isAlarming, isUsual }) => (
        <li key={`${id} ${path} ${at}`}>
          <Badge tone={isAlarming ? 'bad' : isUsual ? 'quiet' : 'warn'}>{kind}</Badge>
          <span class="wraps">
            <span class="mono">
              {line(path, 120)}
              {at > 0 && `:${at}`}
            </span>{' '}
            {line(what, 160)}
            {quote !== '' && <code class="quote">{line(quote, 200)}</code>}
          </span>
        </li>
      ))}
      {more > 0 && <li class="muted">and {count(more, 'more', 'more')}</li>}
    </ul>
  )
}
