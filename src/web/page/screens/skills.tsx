import { useState } from 'preact/hooks'
import type {
  Inventory,
  Outcome,
  PlacementView,
  SkillDiff,
  SkillPreview,
  SkillView,
  SourceState,
  Undone,
  UpdateResult,
} from '../../../loadout.ts'
import type { PlacementState } from '../../../skills/rules/skill.ts'
import { shellWord } from '../../../text/printable.ts'
import { choose, chosen } from '../address.ts'
import { type Answer, ask, type Refusal, refusalOf } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { type Change, type Planned, propose } from '../parts/change.tsx'
import { Choice, Field } from '../parts/field.tsx'
import { Notices, Refused } from '../parts/notices.tsx'
import { Operations } from '../parts/operations.tsx'
import { Answered, Badge, Command, MarkedText, ScopeChoice, Screen, type Tone } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../use-answer.ts'

const SKILLS_WATCH = ['config', 'library', 'installs', 'consent'] as const

const SKILL_TONES: Record<PlacementState, Tone> = {
  current: 'good',
  outdated: 'info',
  edited: 'warn',
  unmanaged: 'quiet',
  orphaned: 'odd',
  unsupported: 'odd',
  broken: 'bad',
}
const STATE_TONES: Partial<Record<SkillView['state'], Tone>> = { ...SKILL_TONES, invalid: 'bad', inactive: 'quiet' }

export default function SkillsScreen() {
  const scope = chosen('scope')
  const asked = useAnswer<Inventory>('/api/inventory', { scope }, SKILLS_WATCH)
  return (
    <Screen
      title="Skills"
      summary="Every skill of the library: which agent has it, in which scope, and in which state."
      controls={
        <>
          <ScopeChoice value={scope} onChange={(value) => choose({ scope: value })} />
          <Field
            label="Filter"
            value={chosen('filter')}
            placeholder="name, tag or state"
            delayMs={80}
            onChange={(filter) => choose({ filter })}
          />
        </>
      }
    >
      <Answered asked={asked}>{(inventory) => <Matrix inventory={inventory} scope={scope} />}</Answered>
    </Screen>
  )
}

function Matrix({ inventory, scope }: { inventory: Answer<Inventory>; scope: string }) {
  const [filter, state, open] = [chosen('filter').toLowerCase(), chosen('state'), chosen('skill')]
  const [news, setNews] = useState<{ states?: readonly SourceState[]; refusal?: Refusal; isBusy?: boolean }>({})
  const counts = new Map<string, number>()
  for (const skill of inventory.skills) counts.set(skill.state, (counts.get(skill.state) ?? 0) + 1)
  const rows = inventory.skills.filter(
    (skill) =>
      (state === '' || skill.state === state) &&
      `${skill.name} ${skill.tags.join(' ')} ${skill.state} ${skill.description}`.toLowerCase().includes(filter),
  )
  const current = inventory.skills.find(({ name }) => name === open)
  const lookForNews = () => {
    setNews({ isBusy: true })
    ask<{ sources: SourceState[] }>('/api/outdated').then(
      ({ sources }) => setNews({ states: sources }),
      (error) =>
        setNews({
          refusal: refusalOf(error),
        }),
    )
  }
  const updatable = (news.states ?? []).filter((each) => each.state === 'outdated').map(({ name }) => name)
  return (
    <>
      <section class="card row">
        <p class="grow">
          {count(inventory.skills.length, 'skill')}
          <span class="muted wraps"> in {line(inventory.library)}</span>
        </p>
        <Choice
          label="State"
          value={state}
          options={[
            ['', `all ${grouped(inventory.skills.length)}`],
            ...[...counts].map(([key, number]) => [key, `${key} ${grouped(number)}`] as const),
          ]}
          onChange={(value) => choose({ state: value })}
        />
        <button type="button" class="button" disabled={news.isBusy ?? false} onClick={lookForNews}>
          {news.isBusy ? 'Asking the sources…' : 'Look for updates'}
        </button>
        {updatable.length > 0 && (
          <button type="button" class="button is-main" onClick={() => update(updatable, () => setNews({}))}>
            Update {count(updatable.length, 'skill')}…
          </button>
        )}
        {news.states && updatable.length === 0 && <Badge tone="good">every source is current</Badge>}
      </section>
      {news.refusal && <Refused refusal={news.refusal} onAgain={lookForNews} />}
      <Notices findings={inventory.findings} />
      <div class="matrix-and-skill">
        <Table<SkillView>
          label="Skills and agents"
          rows={rows}
          keyOf={({ name }) => name}
          current={open}
          onMove={({ name }) => choose({ skill: name })}
          onToggle={(skill) => toggle(skill, scope, inventory.agents)}
          empty={
            inventory.skills.length === 0
              ? 'The library is empty: loadout new <name> starts a skill.'
              : 'No skill fits the filter.'
          }
          columns={[
            { name: 'Skill', width: 'minmax(8rem, 1.4fr)', cell: ({ name }) => <span class="mono">{line(name)}</span> },
            ...inventory.agents.map((agent) => ({
              name: agent,
              width: 'minmax(5.5rem, 0.7fr)',
              cell: (skill: SkillView) => <Cell skill={skill} agent={agent} />,
            })),
            {
              name: 'State',
              width: '6.5rem',
              cell: ({ state: now }) => <Badge tone={STATE_TONES[now] ?? 'quiet'}>{now}</Badge>,
            },
            {
              name: 'Source',
              width: 'minmax(0, 1fr)',
              isExtra: true,
              cell: ({ source }) => <span class="muted">{source === undefined ? 'own' : line(source)}</span>,
            },
          ]}
        />
        {current && <SkillCard key={current.name} skill={current} scope={scope} inventory={inventory} />}
      </div>
      <p class="muted">Arrows move, the space bar equips or unequips after a look at the plan.</p>
    </>
  )
}

function Cell({ skill, agent }: { skill: SkillView; agent: string }) {
  const placements = skill.placements.filter(({ agents }) => agents.includes(agent))
  if (placements.length === 0) {
    return <span class="muted">{skill.targets.includes(agent) ? 'not equipped' : '–'}</span>
  }
  return (
    <>
      {placements.map(({ scope, state, path }) => (
        <Badge key={path} tone={SKILL_TONES[state]} title={state}>
          {scope}
          {state === 'current' ? '' : ` ${state}`}
        </Badge>
      ))}
    </>
  )
}

/** The copies of a skill in the chosen scope. */
function ownPlacements({ placements }: SkillView, scope: string): PlacementView[] {
  return placements.filter(
    (each) => each.scope === (scope === 'project' ? 'project' : 'user') && each.state !== 'unmanaged',
  )
}

function toggle(skill: SkillView, scope: string, agents: readonly string[]): void {
  const have = ownPlacements(skill, scope).flatMap((each) => each.agents)
  const missing = skill.targets.filter((agent) => agents.includes(agent) && !have.includes(agent))
  if (missing.length > 0) change('equip', [skill.name], missing, scope)
  else change('unequip', [skill.name], have, scope)
}

type Installed = Answer<Outcome> & Planned

function installs(
  action: 'equip' | 'unequip',
  names: readonly string[],
  targets: readonly string[],
  scope: string,
): Change<Installed> {
  const verb = action === 'equip' ? 'Equip' : 'Unequip'
  const flags = `${targets.length > 0 ? ` --target ${targets.join()}` : ''}${scope === 'project' ? ' --project .' : ''}`
  return {
    title: `${verb} ${names.length === 1 ? line(names[0] ?? '', 60) : count(names.length, 'skill')}`,
    verb,
    command: `loadout ${action} ${names.map(shellWord).join(' ')}${flags}`,
    path: '/api/installs',
    body: { action, names, targets, scope },
    show: ({ operations }) => <Operations operations={operations} />,
    isEmpty: ({ operations }) => operations.length === 0,
    done: ({ operations }) => {
      const changed = [...new Set(operations.map(({ agent }) => agent))]
      const back = installs(action === 'equip' ? 'unequip' : 'equip', names, changed, scope)
      const what = `${count(operations.length, 'copy', 'copies')} ${action === 'equip' ? 'installed' : 'removed'}.`
      return { text: what, undo: operations.length > 0 ? (back as unknown as Change<Planned>) : undefined }
    },
  }
}

function change(
  action: 'equip' | 'unequip',
  names: readonly string[],
  targets: readonly string[],
  scope: string,
): void {
  propose(installs(action, names, targets, scope))
}

/** What an update adds; the command line shows all of it. */
const MOST_BADGES = 8

function update(names: readonly string[], onDone: () => void): void {
  propose<Answer<UpdateResult> & Planned>({
    title: `Update ${names.length === 1 ? line(names[0] ?? '', 60) : count(names.length, 'skill')}`,
    verb: 'Update',
    command: `loadout update ${names.map(shellWord).join(' ')}`,
    path: '/api/update',
    body: { names },
    show: ({ updates, operations }) => (
      <>
        {updates.map(({ name, result, diff, review, conflicts }) => (
          <section key={name} class="stack" aria-label={line(name)}>
            <p>
              <strong class="mono">{line(name)}</strong>{' '}
              <Badge tone={result === 'conflict' ? 'bad' : 'info'}>{result}</Badge>{' '}
              {review.slice(0, MOST_BADGES).map(({ id, path, what, quote }) => (
                <Badge key={id} tone="warn">
                  {line(`new: ${path} ${what}: ${quote}`, 120)}
                </Badge>
              ))}
            </p>
            {conflicts.map(({ path, message }) => (
              <p key={path}>{line(message)}</p>
            ))}
            {diff !== '' && <MarkedText label={`Changes of ${line(name, 60)}`} text={diff} />}
          </section>
        ))}
        <Operations operations={operations} />
      </>
    ),
    isEmpty: ({ updates }) => updates.every(({ result }) => result === 'unchanged'),
    onDone,
    done: ({ updates, commit }) => ({
      text: `${count(updates.filter(({ result }) => result === 'updated').length, 'skill')} updated${commit === undefined ? '' : `, commit ${commit.slice(0, 7)}`}.`,
      undo: commit === undefined ? undefined : (undoOf(commit) as unknown as Change<Planned>),
    }),
  })
}

/** Undoes a commit of the library. */
function undoOf(commit: string): Change<Answer<Undone> & Planned> {
  return {
    title: `Undo commit ${commit.slice(0, 7)}`,
    verb: 'Undo',
    command: `loadout undo ${commit.slice(0, 7)}`,
    path: '/api/undo',
    body: { commit },
    show: ({ subject, names, diff }) => (
      <>
        <p class="wraps">
          {line(subject)}: {names.map((name) => line(name, 60)).join(', ')}
        </p>
        <MarkedText label="What would be undone" text={diff} />
      </>
    ),
    isEmpty: ({ names }) => names.length === 0,
    done: ({ names, commit: made }) => ({
      text: `${count(names.length, 'skill')} as before${made === undefined ? '' : `, commit ${made.slice(0, 7)}`}.`,
      undo: made === undefined ? undefined : (undoOf(made) as unknown as Change<Planned>),
    }),
  }
}

function SkillCard({ skill, scope, inventory }: { skill: SkillView; scope: string; inventory: Answer<Inventory> }) {
  const path = encodeURIComponent(skill.name)
  const inLibrary = skill.state !== 'orphaned' && skill.state !== 'invalid'
  const preview = useAnswer<SkillPreview>(inLibrary ? `/api/inspect/${path}` : undefined, { scope }, inventory)
  const isDifferent = skill.placements.some(({ state }) => state === 'edited' || state === 'outdated')
  const diff = useAnswer<SkillDiff>(isDifferent ? `/api/diff/${path}` : undefined, { scope }, inventory)
  const have = ownPlacements(skill, scope).flatMap((each) => each.agents)
  const missing = skill.targets.filter((agent) => inventory.agents.includes(agent) && !have.includes(agent))
  return (
    <section class="card stack skill-card" aria-label={`Skill ${line(skill.name, 60)}`}>
      <div class="row">
        <h2 class="grow mono wraps">{line(skill.name)}</h2>
        <Badge tone={STATE_TONES[skill.state] ?? 'quiet'}>{skill.state}</Badge>
      </div>
      <p class="wraps">{line(skill.description, 600)}</p>
      {skill.problems.map((problem) => (
        <p key={problem}>
          <Badge tone="bad">problem</Badge> {line(problem)}
        </p>
      ))}
      <div class="row-wrap">
        {skill.tags.map((tag) => (
          <Badge key={tag} tone="quiet">
            {line(tag, 40)}
          </Badge>
        ))}
      </div>
      <div class="row">
        {missing.length > 0 && inLibrary && (
          <button type="button" class="button is-main" onClick={() => change('equip', [skill.name], missing, scope)}>
            Equip for {missing.join(', ')}…
          </button>
        )}
        {have.length > 0 && (
          <button type="button" class="button" onClick={() => change('unequip', [skill.name], have, scope)}>
            Unequip…
          </button>
        )}
        {skill.source !== undefined && (
          <button type="button" class="button" onClick={() => update([skill.name], () => {})}>
            Update…
          </button>
        )}
      </div>
      <ul class="plain-list" aria-label="Copies">
        {skill.placements.map((each) => (
          <li key={each.path}>
            <Badge tone={SKILL_TONES[each.state]}>{each.state}</Badge>
            <span>
              {each.agents.join(', ')}, {each.scope}
            </span>
            <span class="muted wraps">
              {line(each.edit === undefined ? (each.reason ?? each.path) : `${each.path}: ${each.reason}`)}
            </span>
          </li>
        ))}
      </ul>
      {skill.commitsBehind !== undefined && (
        <p class="muted">{count(skill.commitsBehind, 'commit')} behind the library</p>
      )}
      {isDifferent && (
        <Answered asked={diff}>
          {({ differences }) => (
            <>
              {differences.map(({ path: place, text, state, agents: whose }) => (
                <div key={place} class="stack">
                  <h3>
                    {whose.join(', ')} {state}
                  </h3>
                  <MarkedText label={`Difference of ${line(place, 80)}`} text={text} />
                </div>
              ))}
            </>
          )}
        </Answered>
      )}
      {inLibrary && (
        <Answered asked={preview}>
          {({ skill: label, files, markdown }) => (
            <>
              <p class="muted wraps">
                {label.source?.url ?? label.source?.path ?? 'written in this library'}
                {label.source?.commit !== undefined && `, version ${String(label.source.commit).slice(0, 7)}`} ·{' '}
                {count(files.length, 'file')}
              </p>
              <MarkedText label="SKILL.md" text={markdown} />
              <Command text={`loadout show ${shellWord(skill.name)}`} />
            </>
          )}
        </Answered>
      )}
    </section>
  )
}
