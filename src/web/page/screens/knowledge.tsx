import { useState } from 'preact/hooks'
import type { EntryText, NoteList, PackList, PackView, Resolution, Validation } from '../../../loadout.ts'
import { choose, chosen } from '../address.ts'
import type { Answer } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { propose } from '../parts/change.tsx'
import { Field } from '../parts/field.tsx'
import { Notices } from '../parts/notices.tsx'
import { Answered, Badge, Command, Figure, MarkedText, Screen, type Tone } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { allow, forbid } from '../proposals.tsx'
import { useAnswer } from '../use-answer.ts'

type Pack = PackList['packs'][number]
type Payload = Resolution['entries'][number]

const KNOWLEDGE_WATCH = ['project', 'consent', 'config'] as const

const TRUST: Record<string, Tone> = {
  approved: 'good',
  'by-place': 'good',
  changed: 'warn',
  unapproved: 'bad',
  denied: 'bad',
}
const STATUS: Record<string, Tone> = {
  ready: 'good',
  draft: 'warn',
  'needs-review': 'warn',
  stale: 'warn',
  disputed: 'odd',
  archived: 'quiet',
}

export default function KnowledgeScreen() {
  const packs = useAnswer<PackList>('/api/packs', {}, KNOWLEDGE_WATCH)
  const payloads = useAnswer<Resolution>('/api/payloads', {}, KNOWLEDGE_WATCH)
  const drift = useAnswer<Validation>('/api/validate', {}, KNOWLEDGE_WATCH)
  const notes = useAnswer<NoteList>('/api/notes', {}, KNOWLEDGE_WATCH).answer
  return (
    <Screen title="Knowledge" summary="What is known here, who may read it, and what no longer fits together.">
      <Answered asked={packs}>{(list) => <Packs list={list} />}</Answered>
      <Answered asked={payloads}>
        {(resolution) => <Rules resolution={resolution} issues={drift.answer?.issues ?? []} />}
      </Answered>
      {notes && notes.notes.length > 0 && <Notes list={notes} />}
    </Screen>
  )
}

function Notes({ list }: { list: Answer<NoteList> }) {
  return (
    <section class="card stack" aria-label="Notes">
      <h2>{count(list.notes.length, 'note')}</h2>
      <Notices findings={list.findings} label="What was found about notes" />
      <ul class="plain-list">
        {list.notes.slice(0, 200).map(({ recordId, content, source, capturedAt, expiresAt, isExpired }) => (
          <li key={recordId}>
            <Badge tone={isExpired ? 'quiet' : 'info'}>{isExpired ? 'expired' : line(content.class, 30)}</Badge>
            <span class="wraps">
              {line(content.text, 400)}{' '}
              <span class="muted">
                {line(source, 60)}, {capturedAt.slice(0, 10)}, {isExpired ? 'expired' : 'until'}{' '}
                {expiresAt.slice(0, 10)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Packs({ list }: { list: Answer<PackList> }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const keyOf = ({ packRoot }: Pack) => packRoot
  // A link from a conversation has its name.
  const open =
    list.packs.find((pack) => pack.packRoot === chosen('pack') || pack.name === chosen('pack'))?.packRoot ?? ''
  const isClosed = ({ effectiveTrust }: Pack) => effectiveTrust === 'unapproved' || effectiveTrust === 'changed'
  const ready = list.packs.filter((pack) => selected.has(keyOf(pack)))
  // What waits stands first.
  const rows = [...list.packs].sort((a, b) => Number(isClosed(b)) - Number(isClosed(a)))
  return (
    <section class="card stack" aria-label="Packs">
      <div class="row">
        <h2 class="grow">{count(list.packs.length, 'pack')}</h2>
        {list.waiting.length > 0 && (
          <button
            type="button"
            class="button"
            onClick={() => setSelected(new Set(list.waiting.map(({ root }) => root)))}
          >
            Select {count(list.waiting.length, 'pack')} that wait
          </button>
        )}
        {ready.length > 0 && (
          <>
            <button type="button" class="button" onClick={() => propose(forbid({ packs: ready.map(keyOf) }))}>
              Never…
            </button>
            <button type="button" class="button is-main" onClick={() => propose(allow({ packs: ready.map(keyOf) }))}>
              Allow {count(ready.length, 'pack')}…
            </button>
          </>
        )}
      </div>
      <Notices findings={list.findings} label="What was found about packs" />
      {list.waiting.length > 0 && (
        <ul class="plain-list" aria-label="Packs that wait for an answer">
          {list.waiting.map(({ name, root, command }) => (
            <li key={root}>
              <Badge tone="warn">waits for you</Badge>
              <strong class="wraps">{line(name)}</strong>
              <Command text={command} />
            </li>
          ))}
        </ul>
      )}
      <Table
        label="Packs"
        rows={rows}
        order="packs"
        selected={selected}
        onSelect={setSelected}
        keyOf={keyOf}
        current={open}
        onMove={(row) => choose({ pack: keyOf(row), page: '' })}
        isDim={({ isShadowed }) => isShadowed}
        empty="No pack was found. loadout packs new --from <folder> makes one of documents."
        columns={[
          {
            name: 'pack',
            width: 'minmax(8rem, 1fr)',
            cell: ({ name }) => <span class="clip">{line(name)}</span>,
            by: ({ name }) => name,
          },
          {
            name: 'status',
            width: '8rem',
            cell: ({ status }) => <Badge tone={STATUS[status] ?? 'bad'}>{status}</Badge>,
            by: ({ status }) => status,
            isExtra: true,
          },
          {
            name: 'trust',
            width: '8rem',
            cell: ({ effectiveTrust }) => <Badge tone={TRUST[effectiveTrust] ?? 'quiet'}>{effectiveTrust}</Badge>,
            by: ({ effectiveTrust }) => effectiveTrust,
          },
          { name: 'scope', width: '6rem', cell: ({ scope }) => scope, isExtra: true },
          {
            name: 'about',
            width: 'minmax(6rem, 2fr)',
            cell: ({ description }) => <span class="clip muted">{line(description)}</span>,
            isExtra: true,
          },
        ]}
      />
      {list.collisions.length > 0 && (
        <ul class="plain-list" aria-label="Names that several packs have">
          {list.collisions.map(({ name, reason, shadowed }) => (
            <li key={name}>
              <Badge tone="odd">collision</Badge>
              <span class="wraps">
                {line(name)}: {count(shadowed.length, 'other pack')} of this name{' '}
                <span class="muted">decided by {reason}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {open !== '' && list.packs.some((row) => keyOf(row) === open) && <PackCard key={open} pack={open} list={list} />}
    </section>
  )
}

function PackCard({ pack, list }: { pack: string; list: Answer<PackList> }) {
  const asked = useAnswer<PackView>('/api/packs/show', { pack }, list)
  return (
    <Answered asked={asked}>
      {(view) => (
        <div class="stack sunk">
          <h3 class="wraps">{line(view.name)}</h3>
          <p class="wraps">{line(view.description, 1_200)}</p>
          <dl class="figures">
            <Figure value={view.admission} label="when it is asked for" />
            <Figure value={view.isOpen ? 'open' : 'shut'} label="its text" />
            <Figure value={line(view.updated ?? 'not said', 20)} label="last updated" />
            {view.files?.map(({ layer, count: files }) => (
              <Figure key={layer} value={grouped(files)} label={layer} />
            ))}
          </dl>
          <p class="row-wrap">
            <Command text={view.next} />
          </p>
          <Notices label="What is odd about it" findings={view.diagnostics} />
          {view.gaps && view.gaps.length > 0 && (
            <>
              <p class="muted">{count(view.gaps.length, 'gap')} that it names itself</p>
              <ul class="plain-list" aria-label="Gaps">
                {view.gaps.slice(0, 100).map((gap) => (
                  <li key={gap}>
                    <Badge tone="warn">missing</Badge>
                    <span class="wraps">{line(gap, 300)}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
          {view.isOpen && <Page view={view} />}
        </div>
      )}
    </Answered>
  )
}

/** The guide of a pack, or a page of it at its anchor, as a model gets it. */
function Page({ view }: { view: Answer<PackView> }) {
  const page = chosen('page')
  const whole = page.replace(/#.*/, '')
  const id = page === '' ? view.name : `${view.name}/${page}`
  const asked = useAnswer<EntryText>('/api/packs/page', { page: id }, view)
  return (
    <>
      <div class="row">
        <Field
          label="Page"
          value={page}
          placeholder="its guide; or wiki/parcels.md#weight"
          delayMs={400}
          onChange={(value) => choose({ page: value })}
        />
        {whole !== page && (
          <button type="button" class="button" onClick={() => choose({ page: whole })}>
            Whole page
          </button>
        )}
      </div>
      <Answered asked={asked}>
        {({ text, tokens }) => (
          <>
            <MarkedText label={`Text of ${line(id, 80)}`} text={text} />
            <p class="muted">{count(tokens, 'token')}, fenced as a model gets it</p>
          </>
        )}
      </Answered>
    </>
  )
}

function Rules({ resolution, issues }: { resolution: Answer<Resolution>; issues: Validation['issues'] }) {
  const { entries, layers, conflicts, budget } = resolution
  const drifted = issues.filter(({ severity }) => severity === 'error')
  return (
    <section class="card stack" aria-label="Rules">
      <h2>{count(entries.length, 'rule')}</h2>
      <Notices findings={resolution.findings} label="What was found about rules" />
      <dl class="figures">
        <Figure value={grouped(budget.always_loaded_est)} label="tokens always" />
        <Figure value={grouped(budget.on_demand_total_est)} label="tokens on demand" />
        <Figure value={grouped(budget.avg_task_load_observed ?? budget.avg_task_load_est)} label="tokens per task" />
      </dl>
      <p class="muted wraps">layers: {layers.map(({ name }) => name).join(', ') || 'none'}</p>
      {drifted.length > 0 && <Notices label="Drift" findings={drifted} />}
      {conflicts.length > 0 && (
        <p class="wraps">
          <Badge tone="odd">{count(conflicts.length, 'override')}</Badge>{' '}
          {conflicts
            .slice(0, 10)
            .map((conflict) => line(conflict.entryId, 60))
            .join(', ')}
        </p>
      )}
      <Table
        label="Rules"
        rows={entries}
        order="rules"
        keyOf={({ id }: Payload) => id}
        current={chosen('rule')}
        onMove={({ id }) => choose({ rule: id })}
        empty="No rule is known. loadout rules build makes an index of them."
        columns={[
          {
            name: 'rule',
            width: 'minmax(9rem, 2fr)',
            cell: ({ id }) => <span class="clip">{line(id)}</span>,
            by: ({ id }) => id,
          },
          {
            name: 'priority',
            width: '6rem',
            cell: ({ priority }) => line(String(priority), 20),
            by: ({ priority }) => `${priority}`,
          },
          { name: 'layer', width: '6rem', cell: ({ source }) => line(source, 40), isExtra: true },
          {
            name: 'tokens',
            width: '5rem',
            cell: ({ tokens }) => grouped(tokens),
            isNumber: true,
            by: ({ tokens }) => tokens,
          },
        ]}
      />
    </section>
  )
}
