import { useState } from 'preact/hooks'
import type { BundleFile, ContextBundle, SourceClass } from '../../../answer/rules/bundle.ts'
import type { Span } from '../../../display-rules.ts'
import type { BundleRecord } from '../../../loadout.ts'
import { shellWord } from '../../../text/printable.ts'
import { choose, chosen } from '../address.ts'
import { count, grouped, line } from '../format.ts'
import { Bar } from '../parts/bar.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { Notices } from '../parts/notices.tsx'
import { Answered, Badge, Command, Figure, MarkedText, Screen, type Tone } from '../parts/screen.tsx'
import { useAnswer } from '../use-answer.ts'

interface Built {
  bundle?: ContextBundle
  marks?: readonly (readonly Span[])[]
  /** For a record: the parts that changed since. */
  changes?: readonly string[]
}

const BUNDLE_TONES: Record<SourceClass, Tone> = {
  control_plane: 'info',
  task: 'good',
  tactical: 'warn',
  adapter: 'odd',
}
const NAMES: Record<SourceClass, string> = {
  control_plane: 'always',
  task: 'task',
  tactical: 'notes',
  adapter: 'adapters',
}
const UNITS = { chars: 'characters', tokens: 'tokens' } as const
const NO_WATCH = [] as const
const BUNDLE_WATCH = ['config', 'project', 'consent'] as const

export default function TaskScreen() {
  const [task, other, record] = [chosen('task'), chosen('task2'), chosen('record')]
  const isCompared = chosen('compare') !== ''
  return (
    <Screen title="Task" summary="What a task gets in this project: each part with its reason, and what stayed out.">
      <section class="card stack" aria-label="The question">
        <Question mark="" />
        {isCompared && <Question mark="2" />}
        <div class="row">
          <Records record={record} />
          <span class="grow" />
          {task !== '' && (
            <button
              type="button"
              class="button"
              aria-pressed={isCompared}
              onClick={() =>
                choose(isCompared ? { compare: '', task2: '', tokens2: '' } : { compare: 'yes', task2: task })
              }
            >
              {isCompared ? 'Show one' : 'Compare with another'}
            </button>
          )}
        </div>
      </section>
      {record === '' && task === '' && <p class="card muted">Type a task, or open a record of one that was given.</p>}
      <div class={isCompared ? 'beside' : 'stack'}>
        {record !== '' ? <Recorded id={record} /> : task !== '' && <Asked mark="" />}
        {isCompared && other !== '' && <Asked mark="2" />}
      </div>
    </Screen>
  )
}

/** A task and a budget; `mark` distinguishes the second one of a comparison. */
function Question({ mark }: { mark: string }) {
  const label = mark === '' ? 'Task' : 'Second task'
  return (
    <div class="row question">
      <Field
        label={label}
        value={chosen(`task${mark}`)}
        placeholder="what is to be done, in your words"
        delayMs={500}
        onChange={(task) => choose({ [`task${mark}`]: task, record: '' })}
      />
      <Field
        label="Budget in tokens"
        value={chosen(`tokens${mark}`)}
        placeholder="as configured"
        offers={['1000', '2000', '4000', '7500', '16000']}
        isNumber
        onChange={(tokens) => choose({ [`tokens${mark}`]: tokens })}
      />
      {mark === '' && (
        <Field
          label="Open files"
          value={chosen('near')}
          placeholder="src/cors.ts"
          delayMs={500}
          onChange={(near) => choose({ near })}
        />
      )}
    </div>
  )
}

function Records({ record }: { record: string }) {
  const { answer } = useAnswer<{ records: BundleRecord[] }>('/api/records', {}, ['usage'])
  const records = answer?.records ?? []
  const options = records.map(
    ({ id, at, task }) => [id, `${at.slice(0, 16).replace('T', ' ')}  ${line(task, 60)}`] as const,
  )
  if (records.length === 0) return null
  return (
    <Choice
      label="Recorded bundles"
      value={record}
      options={[['', `${count(records.length, 'record')}`], ...options]}
      onChange={(id) => choose({ record: id })}
    />
  )
}

function Asked({ mark }: { mark: string }) {
  const [task, tokens] = [chosen(`task${mark}`), chosen(`tokens${mark}`)]
  const limits = {
    tokens,
    chars: chosen(`chars${mark}`),
    files: chosen(`files${mark}`),
    near: mark === '' ? chosen('near') : '',
  }
  // Building the first index of a large project takes a while: what is known at once comes before it.
  const first = useAnswer<{ places: string[] }>('/api/first', { task }, NO_WATCH)
  const asked = useAnswer<Built>(first.isWaiting ? undefined : '/api/context', { task, ...limits }, BUNDLE_WATCH)
  const places = asked.answer === undefined && !asked.refusal ? (first.answer?.places ?? []) : []
  const flags = tokens === '' ? '' : ` --tokens ${tokens}`
  return (
    <>
      {places.length > 0 && (
        <section class="card stack" aria-label="First look">
          <p class="muted">
            First look, by names and a search of the text. The bundle follows when the index is built.
          </p>
          <ul class="plain-list mono">
            {places.map((place) => (
              <li key={place} class="wraps">
                {line(place, 200)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Answered asked={asked}>
        {(built) => (
          <>
            <Bundle built={built} command={`loadout context ${shellWord(task)}${flags} --explain`} />
            <Notices findings={built.findings} />
          </>
        )}
      </Answered>
    </>
  )
}

function Recorded({ id }: { id: string }) {
  const asked = useAnswer<Built>(`/api/replay/${encodeURIComponent(id)}`, {}, BUNDLE_WATCH)
  return (
    <Answered asked={asked}>
      {(built) => (
        <>
          {(built.changes ?? []).length > 0 && (
            <section class="card stack" aria-label="What has changed">
              <h2>This bundle would be different now</h2>
              <ul class="plain-list">
                {built.changes?.map((change) => (
                  <li key={change}>
                    <Badge tone="warn">changed</Badge>
                    <span class="wraps">{line(change)}</span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {built.bundle && <Badge tone="good">the same bytes as then</Badge>}
          <Bundle built={built} command={`loadout replay ${id}`} />
        </>
      )}
    </Answered>
  )
}

function Bundle({ built: { bundle, marks = [] }, command }: { built: Built; command: string }) {
  const [open, setOpen] = useState<string | undefined>(chosen('part') || undefined)
  const [pointed, setPointed] = useState<string>()
  if (bundle === undefined) return null
  const { files, budget, estimate, intent } = bundle
  const unit = UNITS[budget.unit]
  const used = Object.values(budget.partitions).reduce((sum, partition) => sum + partition.used, 0)
  const first = Math.max(
    0,
    marks.findIndex((spans) => spans.length > 0),
  )
  const picked = files.findIndex(({ path }) => path === open)
  const at = picked < 0 ? first : picked
  const shown = files[at]
  const words = intent.matched.length === 0 ? '' : ` (${intent.matched.map((word) => line(word, 30)).join(', ')})`
  return (
    <section class="card stack bundle" aria-label={`Bundle for: ${line(bundle.task, 80)}`}>
      <div class="row">
        <h2 class="grow wraps">
          {line(bundle.task, 160)}
          <p class="muted intent">
            intent {line(intent.key)}
            {words} · preset {line(bundle.preset)}
          </p>
        </h2>
        <dl class="figures">
          <Figure label="parts" value={grouped(files.length)} />
          <Figure label={`of ${grouped(budget.limits.total)} ${unit}`} value={grouped(used)} />
          <Figure label={`tokens (${line(estimate.tokenizer, 20)})`} value={grouped(estimate.tokens)} />
        </dl>
      </div>
      <Bar
        label={`${grouped(used)} of ${grouped(budget.limits.total)} ${unit} in ${count(files.length, 'part')}`}
        segments={segmentsOf(bundle)}
        room={budget.limits.total}
        unit={unit}
        current={pointed ?? shown?.path}
        onPoint={setPointed}
        onPick={setOpen}
      />
      <ul class="legend" aria-label="What the colours mean">
        {(Object.keys(NAMES) as SourceClass[]).map((each) => (
          <li key={each}>
            <Badge tone={BUNDLE_TONES[each]}>{NAMES[each]}</Badge>
            <span class="muted">
              {grouped(budget.partitions[each].used)} of {grouped(budget.partitions[each].max)}
            </span>
          </li>
        ))}
      </ul>
      {files.length === 0 ? (
        <p>Nothing of this project fits the task.</p>
      ) : (
        <div class="parts-and-text">
          <ol class="parts" aria-label="Parts">
            {files.map((file) => (
              <li key={file.path}>
                <button type="button" aria-pressed={file.path === shown?.path} onClick={() => setOpen(file.path)}>
                  <PartRow file={file} />
                </button>
              </li>
            ))}
          </ol>
          {shown && <PartText file={shown} marks={marks[at] ?? []} />}
        </div>
      )}
      <Pointers bundle={bundle} />
      <LeftOut bundle={bundle} />
      <Warnings bundle={bundle} />
      <p class="muted">
        digest <span class="mono">{bundle.digest.slice(0, 16)}</span> · <Command text={command} />
      </p>
    </section>
  )
}

/** Divides the tokens of a class among its parts by their shown size. */
function segmentsOf({ files, budget }: ContextBundle) {
  const shown = new Map<SourceClass, number>()
  for (const { source_class: each, chars_emitted } of files) shown.set(each, (shown.get(each) ?? 0) + chars_emitted)
  return files.map(({ path, source_class: each, chars_emitted }) => ({
    id: path,
    label: line(path),
    size: Math.round((budget.partitions[each].used * chars_emitted) / (shown.get(each) || 1)),
    tone: BUNDLE_TONES[each],
  }))
}

function PartRow({ file }: { file: BundleFile }) {
  const { rank, path, source_class, chars_emitted, chars_total, truncated, reason } = file
  const whole = truncated ? ` of ${chars_total === null ? 'many' : grouped(chars_total)}` : ''
  return (
    <>
      <span class="part-rank muted">{rank}</span>
      <span class="part-name mono">{line(path)}</span>
      <span class="part-size muted">
        {grouped(chars_emitted)}
        {whole}
      </span>
      <span class="part-why muted">
        <Badge tone={BUNDLE_TONES[source_class]}>{NAMES[source_class]}</Badge> {line(reason, 200)}
      </span>
    </>
  )
}

function PartText({ file, marks }: { file: BundleFile; marks: readonly Span[] }) {
  return (
    <figure class="part-text">
      <figcaption>
        <strong class="mono wraps">{line(file.path)}</strong>
        <span class="muted">
          {file.sections && file.truncated
            ? `lines ${file.sections.map(({ start, end }) => `${start}–${end}`).join(', ')}`
            : `${grouped(file.chars_emitted)} characters`}
          {marks.length > 0 && `, ${count(marks.length, 'word')} that chose it`}
        </span>
      </figcaption>
      <MarkedText label={`Text of ${line(file.path, 80)}`} text={file.excerpt} marks={marks} />
    </figure>
  )
}

/** The second tier: places that are named in one line each. */
function Pointers({ bundle: { pointers = [] } }: { bundle: ContextBundle }) {
  if (pointers.length === 0) return null
  return (
    <details class="left-out">
      <summary>
        Named in one line: {grouped(pointers.length)} <span class="muted">the agent can read them itself</span>
      </summary>
      <ul class="plain-list">
        {pointers.map(({ path, start, end, symbol, group, why }) => (
          <li key={`${path} ${start}`}>
            <Badge tone="quiet">{group}</Badge>
            <span class="mono wraps">
              {line(path)}:{start}–{end}
            </span>
            <span class="muted wraps">
              {symbol !== undefined && `${line(symbol, 80)}, `}
              {line(why, 160)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function LeftOut({ bundle: { omitted } }: { bundle: ContextBundle }) {
  if (omitted.length === 0) return null
  const reasons = new Map<string, typeof omitted>()
  for (const each of omitted) reasons.set(each.reason, [...(reasons.get(each.reason) ?? []), each])
  return (
    <details class="left-out">
      <summary>
        Left out: {grouped(omitted.length)}{' '}
        <span class="muted">
          {[...reasons].map(([reason, those]) => `${reason.replaceAll('_', ' ')} ${grouped(those.length)}`).join(', ')}
        </span>
      </summary>
      <ul class="plain-list">
        {omitted.slice(0, 200).map(({ path, reason, detail }) => (
          <li key={`${path} ${reason}`}>
            <Badge tone={reason === 'budget' ? 'quiet' : 'warn'}>{reason.replaceAll('_', ' ')}</Badge>
            <span class="mono wraps">{line(path)}</span>
            <span class="muted wraps">{line(detail)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Warnings({ bundle: { warnings, missing } }: { bundle: ContextBundle }) {
  const texts = [...warnings, ...missing.map((each) => `missing: ${each}`)]
  if (texts.length === 0) return null
  return (
    <ul class="plain-list" aria-label="Warnings">
      {texts.slice(0, 30).map((text) => (
        <li key={text}>
          <Badge tone="warn">warning</Badge>
          <span class="wraps">{line(text)}</span>
        </li>
      ))}
    </ul>
  )
}
