import type { RecalledConversation } from '../../../../loadout.ts'
import { hrefOf, open } from '../../address.ts'
import { count, grouped, line } from '../../format.ts'
import { Badge, MarkedText, type Tone } from '../../parts/screen.tsx'

type Turn = RecalledConversation['turns'][number]
type Read = Extract<NonNullable<RecalledConversation['transcript']>, { items: unknown }>
type Item = Read['items'][number]

const ITEM_TONES: Record<Item['what'], Tone> = {
  prompt: 'good',
  answer: 'good',
  skills: 'info',
  instructions: 'info',
  hook: 'odd',
  mcp: 'odd',
  skill: 'warn',
  tool: 'quiet',
  other: 'quiet',
}
const ITEM_WORDS: Record<Item['what'], string> = {
  prompt: 'prompt',
  answer: 'answer',
  skills: 'list of skills',
  instructions: 'instructions',
  hook: 'hook',
  mcp: 'MCP',
  skill: 'skill',
  tool: 'tool',
  other: 'other',
}

/** What the agent's own file says that the model had, from this turn to the next. */
export function Had({ talk, turn }: { talk: RecalledConversation; turn: Turn }) {
  const { transcript } = talk
  if (transcript === undefined) {
    return <p class="card muted">The agent did not say where it keeps its own file of this conversation.</p>
  }
  if ('isAllowed' in transcript) {
    return (
      <p class="card row">
        <span class="grow wraps">
          The agent’s own file tells what else the model had: {line(transcript.path)}{' '}
          <span class="muted">Loadout reads it only if you allow it.</span>
        </span>
        <a class="button" href={hrefOf('', { view: 'settings' })} onClick={open}>
          Open the settings
        </a>
      </p>
    )
  }
  if ('problem' in transcript) {
    return (
      <p class="card wraps">
        <Badge tone="bad">not readable</Badge> {line(transcript.problem)}
      </p>
    )
  }
  const at = talk.turns.indexOf(turn)
  const next = talk.turns[at + 1]?.at
  // The first turn also shows what stood there before it.
  const items = transcript.items.filter(
    (item) => (at === 0 || item.at >= turn.at) && (next === undefined || item.at < next),
  )
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
  return (
    <section class="card stack" aria-label="What the model had">
      <div class="row">
        <h2 class="grow">What the model had</h2>
        <span class="muted">{count(tokens, 'token')}</span>
      </div>
      <p class="muted wraps">
        From {line(transcript.path)}
        {transcript.isCut && ', its newest part'}
        {transcript.junkLines > 0 && `; ${count(transcript.junkLines, 'line')} could not be read`}
        {transcript.items.length === 0 && '; nothing in it has a form that Loadout knows'}
      </p>
      {items.length === 0 && <p class="muted">Nothing new at this turn.</p>}
      {items.map((item, place) => (
        <details key={place} class="had">
          <summary>
            <Badge tone={ITEM_TONES[item.what]}>{ITEM_WORDS[item.what]}</Badge>{' '}
            <span class="clip">{line(item.name === '' ? item.text : item.name, 140)}</span>
            <span class="muted part-size">{grouped(item.tokens)}</span>
          </summary>
          <MarkedText label={`${ITEM_WORDS[item.what]} ${line(item.name, 60)}`} text={item.text} />
        </details>
      ))}
    </section>
  )
}
