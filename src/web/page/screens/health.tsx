import { useState } from 'preact/hooks'
import type { Health } from '../../../loadout.ts'
import { choose, chosen } from '../address.ts'
import { type Answer, type Refusal, refusalOf, tell } from '../api.ts'
import { count, line } from '../format.ts'
import { Hint, Refused } from '../parts/notices.tsx'
import { Answered, Badge, ScopeChoice, Screen, type Tone } from '../parts/screen.tsx'
import { useAnswer } from '../use-answer.ts'

type Check = Health['checks'][number]

const CHECK_TONES: Record<Check['state'], Tone> = { problem: 'bad', note: 'warn', fine: 'good' }
const CHECK_WORDS: Record<Check['state'], string> = { problem: 'to do', note: 'note', fine: 'fine' }
export default function HealthScreen() {
  const scope = chosen('scope')
  const asked = useAnswer<Health>('/api/doctor', { scope }, ['config', 'library', 'installs', 'consent'])
  return (
    <Screen
      title="Health"
      summary="What Loadout checks on this machine, and what puts it right."
      controls={<ScopeChoice value={scope} onChange={(value) => choose({ scope: value })} />}
    >
      <Answered asked={asked}>{(health) => <Checks health={health} scope={scope} onFixed={asked.again} />}</Answered>
    </Screen>
  )
}

function Checks({ health, scope, onFixed }: { health: Answer<Health>; scope: string; onFixed(): void }) {
  const problems = health.checks.filter(({ state }) => state === 'problem')
  const notes = health.checks.filter(({ state }) => state === 'note')
  const fine = health.checks.filter(({ state }) => state === 'fine')
  return (
    <>
      <section class="card row">
        <p class="grow">
          {problems.length === 0 ? 'Nothing needs to be done.' : `${count(problems.length, 'check')} to do.`}{' '}
          <span class="muted">
            {count(health.checks.length, 'check')}, {count(notes.length, 'note')}
          </span>
        </p>
        <Fix scope={scope} onFixed={onFixed} />
      </section>
      <ul class="checks" aria-label="What asks for a look">
        {[...problems, ...notes].map((check, at) => (
          <CheckRow key={at} check={check} isCard />
        ))}
      </ul>
      {fine.length > 0 && (
        <section class="card stack" aria-label="Fine">
          <h2>{count(fine.length, 'check')} fine</h2>
          <ul class="checks is-compact">
            {fine.map((check, at) => (
              <CheckRow key={at} check={check} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function CheckRow({ check: { name, state, message, fix }, isCard }: { check: Check; isCard?: boolean }) {
  return (
    <li class={isCard ? 'card check' : 'check'}>
      <Badge tone={CHECK_TONES[state]}>{CHECK_WORDS[state]}</Badge>
      <strong class="wraps">{line(name)}</strong>
      <div class="wraps">
        {line(message)}
        {fix !== undefined && (
          <p>
            <Hint text={fix} />
          </p>
        )}
      </div>
    </li>
  )
}

/** Repairs what can be repaired safely, like `loadout doctor --fix`. */
function Fix({ scope, onFixed }: { scope: string; onFixed(): void }) {
  const [state, setState] = useState<{ isBusy?: boolean; text?: string; refusal?: Refusal }>({})
  const fix = () => {
    setState({ isBusy: true })
    tell<Answer<Health>>('/api/doctor/fix', { scope }).then(
      ({ fixed }) => {
        setState({
          text:
            fixed.length === 0 ? 'There was nothing that Loadout can fix.' : fixed.map((each) => line(each)).join(' '),
        })
        onFixed()
      },
      (error) =>
        setState({
          refusal: refusalOf(error),
        }),
    )
  }
  return (
    <>
      <span role="status" class="muted wraps">
        {state.text}
      </span>
      {state.refusal && <Refused refusal={state.refusal} />}
      <button type="button" class="button is-main" disabled={state.isBusy ?? false} onClick={fix}>
        Fix what can be fixed
      </button>
    </>
  )
}
