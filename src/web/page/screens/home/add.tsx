import { useState } from 'preact/hooks'
import type { ImportResult, MachineStatus, SkillOffer } from '../../../../loadout.ts'
import { type Answer, type Refusal, refusalOf, tell } from '../../api.ts'
import { count, grouped, line } from '../../format.ts'
import { propose } from '../../parts/change.tsx'
import { Field } from '../../parts/field.tsx'
import { Refused } from '../../parts/notices.tsx'
import { Badge } from '../../parts/screen.tsx'
import { Table } from '../../parts/table.tsx'
import { add, takeOver } from '../../proposals.tsx'

/** The first steps without a terminal: which agents are here, and skills for them. */
export function AddSkills({ status, isNew }: { status: MachineStatus; isNew: boolean }) {
  const [source, setSource] = useState('')
  const [found, setFound] = useState<{ answer?: Answer<ImportResult>; refusal?: Refusal; isBusy?: boolean }>({})
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const look = () => {
    setFound({ isBusy: true })
    tell<Answer<ImportResult>>('/api/offers', { source }).then(
      (answer) => {
        setFound({ answer })
        const fresh = (answer.offers ?? []).filter(({ state }) => state === 'new')
        setChosen(new Set(fresh.map(({ name }) => name)))
      },
      (error) => setFound({ refusal: refusalOf(error) }),
    )
  }
  const offers = found.answer?.offers ?? []
  const acting = offers.filter(({ name, can }) => chosen.has(name) && (can ?? '') !== '')
  const here = status.agents.filter(({ skills = 0 }) => skills > 0)
  const propose_ = (isAllowed: boolean) => propose(add(source, [...chosen], isAllowed, () => setFound({})))
  return (
    <section class="card stack" aria-label="Add skills">
      <h2>{isNew ? 'First steps: add skills' : 'Add skills'}</h2>
      {isNew && (
        <p class="wraps">
          {status.agents.length === 0
            ? 'No agent was found on this machine. Skills can wait in a library until one is there.'
            : `Found here: ${status.agents.map(({ label }) => label).join(', ')}.`}{' '}
          <span class="muted">The library is a folder in git, ~/skills.</span>
        </p>
      )}
      {isNew && here.length > 0 && (
        <p class="row">
          <span class="grow">
            {here.map(({ label, skills = 0 }) => `${label} has ${count(skills, 'skill')}`).join(', ')} already.
          </span>
          <button type="button" class="button" onClick={() => propose(takeOver())}>
            Keep them in git…
          </button>
        </p>
      )}
      <form
        class="row question"
        onSubmit={(event) => {
          event.preventDefault()
          look()
        }}
      >
        <Field
          label="Repository, web address, folder or archive"
          value={source}
          placeholder="owner/repo"
          delayMs={0}
          onChange={setSource}
        />
        <button type="submit" class="button is-main" disabled={source.trim() === '' || found.isBusy === true}>
          {found.isBusy ? 'Looking…' : 'Look what is there'}
        </button>
      </form>
      {found.refusal && <Refused refusal={found.refusal} onAgain={look} />}
      {found.answer && (
        <>
          <Table<SkillOffer>
            label="Skills that were found"
            rows={offers}
            keyOf={({ name }) => name}
            selected={chosen}
            onSelect={setChosen}
            columns={[
              {
                name: 'Skill',
                width: 'minmax(8rem, 1fr)',
                cell: ({ name }) => <span class="mono">{line(name)}</span>,
                by: ({ name }) => name,
              },
              {
                name: 'State',
                width: '7rem',
                cell: ({ state }) => <Badge tone={state === 'new' ? 'good' : 'quiet'}>{state}</Badge>,
                by: ({ state }) => state,
              },
              {
                name: 'Can',
                width: 'minmax(6rem, 1fr)',
                isExtra: true,
                cell: ({ can = '' }) => <span class="clip">{line(can)}</span>,
              },
              {
                name: 'About',
                width: 'minmax(6rem, 2fr)',
                isExtra: true,
                cell: ({ description }) => <span class="clip muted">{line(description)}</span>,
              },
            ]}
          />
          <div class="row">
            <p class="grow">
              {grouped(chosen.size)} of {count(offers.length, 'skill')} chosen
              {acting.length > 0 && `, ${grouped(acting.length)} of them can act`}.
            </p>
            {acting.length > 0 && (
              <button type="button" class="button" disabled={chosen.size === 0} onClick={() => propose_(false)}>
                Add, and ask later what can act…
              </button>
            )}
            <button type="button" class="button is-main" disabled={chosen.size === 0} onClick={() => propose_(true)}>
              {acting.length > 0 ? 'Read what they can do, and add…' : 'Add…'}
            </button>
          </div>
        </>
      )}
    </section>
  )
}
