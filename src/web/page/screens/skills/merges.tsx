import type { ComponentChildren } from 'preact'
import type { MergeView } from '../../../../loadout.ts'
import { count, line } from '../../format.ts'
import { propose } from '../../parts/change.tsx'
import { Answered, Badge, MarkedText, Screen } from '../../parts/screen.tsx'
import { endMerge } from '../../proposals.tsx'
import { useAnswer } from '../../use-answer.ts'

/** Both texts of every place that two sides changed. */
export default function Merges({ tabs }: { tabs: ComponentChildren }) {
  const asked = useAnswer<{ merges: MergeView[] }>('/api/merges', {}, ['library', 'installs', 'consent'])
  return (
    <Screen title="Skills" summary="Merges that wait for you: both sides changed the same lines." tabs={tabs}>
      <Answered asked={asked}>
        {({ merges }) => (
          <>
            {merges.length === 0 && <p class="card">No merge waits for you.</p>}
            {merges.map((merge) => (
              <Merge key={merge.skill} merge={merge} />
            ))}
          </>
        )}
      </Answered>
    </Screen>
  )
}

function Merge({ merge: { skill, message, places, files } }: { merge: MergeView }) {
  return (
    <section class="card stack" aria-label={`Merge of ${line(skill, 60)}`}>
      <div class="row">
        <div class="grow">
          <h2 class="mono">{line(skill)}</h2>
          <p class="muted wraps">
            {line(message)} · {line(files)}
          </p>
        </div>
        {places.length > 0 && (
          <>
            <button type="button" class="button" onClick={() => propose(endMerge(skill, 'library'))}>
              Take the library…
            </button>
            <button type="button" class="button" onClick={() => propose(endMerge(skill, 'other'))}>
              Take the other…
            </button>
          </>
        )}
        {places.length === 0 && (
          <button type="button" class="button is-main" onClick={() => propose(endMerge(skill, 'finish'))}>
            Finish…
          </button>
        )}
        <button type="button" class="button" onClick={() => propose(endMerge(skill, 'abort'))}>
          Give up…
        </button>
      </div>
      {places.length > 0 && (
        <p>
          <Badge tone="bad">{count(places.length, 'conflict')}</Badge>
        </p>
      )}
      {places.map(({ path, message: why, ours, theirs }, at) => (
        <section key={`${path} ${at}`} class="stack" aria-label={line(path, 80)}>
          <h3 class="wraps">
            <span class="mono">{line(path)}</span> <span class="muted">{line(why)}</span>
          </h3>
          <div class="beside">
            <div class="stack">
              <span class="muted">the library</span>
              <MarkedText label={`${line(path, 60)} in the library`} text={ours ?? '(not there)'} />
            </div>
            <div class="stack">
              <span class="muted">the other side</span>
              <MarkedText label={`${line(path, 60)} on the other side`} text={theirs ?? '(not there)'} />
            </div>
          </div>
        </section>
      ))}
    </section>
  )
}
