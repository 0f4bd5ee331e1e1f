import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SeenSkill, Visibility } from '../../../../agents/rules/visibility.ts'
import type { MachineStatus, SeenByAgent } from '../../../../loadout.ts'
import { allChosen, choose, chosen } from '../../address.ts'
import { count, grouped, line } from '../../format.ts'
import { Bar } from '../../parts/bar.tsx'
import { propose } from '../../parts/change.tsx'
import { Field } from '../../parts/field.tsx'
import { Answered, Badge, Figure, ScopeChoice, Screen, Tick, type Tone } from '../../parts/screen.tsx'
import { Table } from '../../parts/table.tsx'
import { installs } from '../../proposals.tsx'
import { useAnswer } from '../../use-answer.ts'

const AGENTS_WATCH = ['config', 'installs', 'library', 'project'] as const

const AGENT_TONES: Record<Visibility, Tone> = {
  visible: 'good',
  named: 'info',
  undescribed: 'info',
  cut: 'warn',
  dropped: 'bad',
  shadowed: 'odd',
  ambiguous: 'odd',
  unreadable: 'bad',
  hidden: 'quiet',
}

const WINDOWS = ['200000', '272000', '400000', '1000000']

export default function Lists({ tabs }: { tabs: ComponentChildren }) {
  const scope = chosen('scope')
  const asked = useAnswer<MachineStatus>('/api/status', { scope }, AGENTS_WATCH)
  return (
    <Screen
      title="Skills"
      summary="What each agent shows its model of your skills, and what takes the room."
      tabs={tabs}
      controls={
        <>
          <ScopeChoice value={scope} onChange={(value) => choose({ scope: value })} />
          <Field
            label="Window"
            value={chosen('window')}
            placeholder="as configured"
            offers={WINDOWS}
            isNumber
            onChange={(window) => choose({ window })}
          />
          <Field
            label="Model"
            value={chosen('model')}
            placeholder="as configured"
            onChange={(model) => choose({ model })}
          />
        </>
      }
    >
      <Answered asked={asked}>{(status) => <Agents status={status} scope={scope} />}</Answered>
    </Screen>
  )
}

function Agents({ status, scope }: { status: MachineStatus; scope: string }) {
  const open = chosen('agent') || status.agents[0]?.agent
  if (status.agents.length === 0) return <p class="card">No agent was found on this machine.</p>
  return (
    <>
      <div class="cards" role="group" aria-label="Agents of this machine">
        {status.agents.map((agent) => (
          <button
            key={agent.agent}
            type="button"
            class="card agent-card"
            aria-pressed={agent.agent === open}
            onClick={() => choose({ agent: agent.agent, without: [] })}
          >
            <strong>{agent.label}</strong>
            <span class="muted">
              {count(agent.skills ?? 0, 'skill')} · {count(agent.tokens ?? 0, 'token')} at the start
            </span>
            <span class="row-wrap">
              {(agent.seen ?? 0) > 0 && <Badge tone="good">{grouped(agent.seen ?? 0)} visible</Badge>}
              {(agent.cut ?? 0) > 0 && <Badge tone="warn">{grouped(agent.cut ?? 0)} cut</Badge>}
              {(agent.dropped ?? 0) > 0 && <Badge tone="bad">{grouped(agent.dropped ?? 0)} dropped</Badge>}
              {(agent.doubles ?? 0) > 0 && <Badge tone="odd">{grouped(agent.doubles ?? 0)} shadowed</Badge>}
              {agent.problem !== undefined && <Badge tone="bad">{line(agent.problem)}</Badge>}
            </span>
          </button>
        ))}
      </div>
      {open !== undefined && <AgentView key={open} agent={open} scope={scope} />}
    </>
  )
}

function AgentView({ agent, scope }: { agent: string; scope: string }) {
  const params = { scope, window: chosen('window'), model: chosen('model') }
  const without = allChosen('without')
  const shorten = allChosen('shorten')
  const asked = useAnswer<SeenByAgent>(`/api/see/${encodeURIComponent(agent)}`, params, AGENTS_WATCH)
  const isIf = without.length + shorten.length > 0
  const what = useAnswer<SeenByAgent>(
    isIf ? `/api/see/${encodeURIComponent(agent)}` : undefined,
    { ...params, without, shorten },
    AGENTS_WATCH,
  )
  return (
    <Answered asked={asked}>
      {(sight) => {
        const seen = { sight, what: isIf ? what.answer : undefined, without }
        return (
          <section class="card stack" aria-label={sight.label}>
            <Budget {...seen} />
            <Skills {...seen} shorten={shorten} scope={scope} />
            <Instructions sight={sight} />
          </section>
        )
      }}
    </Answered>
  )
}

const sizeOf = ({ characters, tokens }: SeenSkill, unit: string) => (unit === 'tokens' ? tokens : characters.line)
const unitOf = ({ budget }: SeenByAgent) => (budget?.unit === 'tokens' ? 'tokens' : 'characters')

interface Seen {
  sight: SeenByAgent
  /** The same without some skills, or with shorter descriptions. */
  what: SeenByAgent | undefined
  without: readonly string[]
}

function Budget({ sight, what, without }: Seen) {
  const [pointed, setPointed] = useState<string>()
  const unit = unitOf(sight)
  const shown = what ?? sight
  const room = shown.budget?.budget ?? 0
  const used = shown.used ?? shown.skills.reduce((sum, skill) => sum + sizeOf(skill, unit), 0)
  const own = unit === 'tokens' ? shown.own.tokens : shown.own.characters
  const segments = [
    ...shown.skills.map((skill) => ({
      id: skill.path,
      label: `${line(skill.name)} (${skill.fate})`,
      size: sizeOf(skill, unit),
      tone: AGENT_TONES[skill.fate],
    })),
    ...(own > 0 ? [{ id: 'own', label: 'what comes with the agent', size: own, tone: 'quiet' as const }] : []),
  ]
  const skill = shown.skills.find(({ path }) => path === pointed)
  const pick = (path: string) => {
    const name = shown.skills.find((each) => each.path === path)?.name
    if (name !== undefined) choose({ without: toggled(without, name) })
  }
  return (
    <div class="stack">
      <div class="row">
        <h2 class="grow">{sight.label}</h2>
        <dl class="figures">
          <Figure label={`${unit} used`} value={grouped(used)} />
          <Figure label="room" value={sight.budget === undefined ? 'no limit' : grouped(room)} />
          <Figure label="window" value={shown.budget?.window === undefined ? '–' : grouped(shown.budget.window)} />
        </dl>
      </div>
      <Bar
        label={`${sight.label} uses ${grouped(used)} ${unit}${room > 0 ? ` of ${grouped(room)}` : ''}`}
        segments={segments}
        room={room}
        unit={unit}
        current={pointed}
        onPoint={setPointed}
        onPick={pick}
      />
      <p class="muted hover-line">
        {skill === undefined
          ? (sight.recordedFrom &&
              `As ${sight.label} ${sight.recordedFrom.version} lists them. Point at a part, or untick a skill to see what changes.`) ||
            'Untick a skill to see what changes.'
          : `${line(skill.name)} is ${skill.fate}: ${grouped(sizeOf(skill, unit))} ${unit}. Without it so much would be free. ${line(skill.why)}`}
      </p>
      {what && <WhatIf before={sight} after={what} without={without} />}
    </div>
  )
}

/** The effect of removing some skills. */
function WhatIf({ before, after, without }: { before: SeenByAgent; after: SeenByAgent; without: readonly string[] }) {
  const unit = unitOf(before)
  const fates = new Map(before.skills.map(({ path, fate }) => [path, fate]))
  const better = after.skills.filter(({ path, fate }) => fate === 'visible' && fates.get(path) !== 'visible')
  const saved = (before.used ?? 0) - (after.used ?? 0)
  const names = better.slice(0, 6).map(({ name }) => line(name, 60))
  return (
    <p class="what-if" role="status">
      <strong>What if:</strong> without {count(without.length, 'skill')} the list takes {grouped(after.used ?? 0)}{' '}
      {unit}
      {saved > 0 && `, ${grouped(saved)} fewer`}.{' '}
      {better.length > 0 &&
        `${count(better.length, 'more skill')} would be visible: ${names.join(', ')}${better.length > 6 ? ', …' : ''}.`}
    </p>
  )
}

function toggled(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((each) => each !== name) : [...names, name]
}

function Skills({ sight, what, without, shorten, scope }: Seen & { shorten: readonly string[]; scope: string }) {
  const [current, setCurrent] = useState<string>()
  const filter = chosen('filter').toLowerCase()
  const unit = unitOf(sight)
  const fates = new Map((what ?? sight).skills.map((skill) => [skill.path, skill]))
  const rows = sight.skills.filter(({ name, fate }) => `${name} ${fate}`.toLowerCase().includes(filter))
  const selected = sight.skills.find(({ path }) => path === current)
  return (
    <div class="stack">
      <div class="row">
        <Field
          label="Filter"
          value={chosen('filter')}
          placeholder="name or state"
          delayMs={80}
          onChange={(value) => choose({ filter: value })}
        />
        <span class="grow" />
        {selected && <Shorten skill={selected} shorten={shorten} />}
        {without.length > 0 && (
          <>
            <button type="button" class="button" onClick={() => choose({ without: [], shorten: [] })}>
              Reset
            </button>
            <button
              type="button"
              class="button is-main"
              onClick={() =>
                propose({
                  ...installs('unequip', without, [sight.agent], scope),
                  onDone: () => choose({ without: [] }),
                })
              }
            >
              Remove {count(without.length, 'skill')}…
            </button>
          </>
        )}
      </div>
      <Table<SeenSkill>
        label={`Skills that ${sight.label} finds`}
        rows={rows}
        keyOf={({ path }) => path}
        current={current}
        onMove={({ path }) => setCurrent(path)}
        onOpen={({ name }) => choose({ without: toggled(without, name) })}
        onToggle={({ name }) => choose({ without: toggled(without, name) })}
        isDim={({ name }) => without.includes(name)}
        empty="No skill is found here."
        columns={[
          {
            name: 'Skill',
            width: 'minmax(9rem, 1.4fr)',
            cell: ({ name }) => (
              <>
                <Tick isOn={!without.includes(name)} />
                <span class="mono">{line(name)}</span>
                <span class="unseen">{without.includes(name) ? ', left out' : ''}</span>
              </>
            ),
          },
          {
            name: 'State',
            width: '8rem',
            cell: ({ path, fate }) => <FateCell before={fate} after={fates.get(path)?.fate} />,
          },
          {
            name: `In the list`,
            width: '6.5rem',
            isNumber: true,
            cell: (skill) => grouped(sizeOf(fates.get(skill.path) ?? skill, unit)),
          },
          {
            name: 'Description',
            width: '6.5rem',
            isNumber: true,
            isExtra: true,
            cell: ({ characters }) => grouped(characters.description),
          },
          { name: 'Scope', width: '5.5rem', isExtra: true, cell: ({ scope: where }) => where },
          {
            name: 'Why',
            width: 'minmax(0, 2fr)',
            isExtra: true,
            cell: ({ why, path }) => <span class="muted">{line(why || path)}</span>,
          },
        ]}
      />
    </div>
  )
}

function FateCell({ before, after }: { before: Visibility; after: Visibility | undefined }) {
  const now = after ?? before
  return (
    <Badge tone={AGENT_TONES[now]} title={now === before ? '' : `now ${before}`}>
      {after === undefined || after === before ? now : `${now} ↑`}
    </Badge>
  )
}

/** The effect of a shorter description. */
function Shorten({ skill, shorten }: { skill: SeenSkill; shorten: readonly string[] }) {
  const others = shorten.filter((pair) => !pair.startsWith(`${skill.name}=`))
  const now = shorten.find((pair) => pair.startsWith(`${skill.name}=`))?.slice(skill.name.length + 1) ?? ''
  return (
    <Field
      label={`Shorten ${line(skill.name, 24)} to`}
      value={now}
      placeholder={String(skill.characters.description)}
      isNumber
      onChange={(value) => choose({ shorten: value === '' ? others : [...others, `${skill.name}=${value}`] })}
    />
  )
}

function Instructions({ sight }: { sight: SeenByAgent }) {
  if (sight.instructions.length === 0) return null
  const tones = { whole: 'good', cut: 'warn', replaced: 'odd', unreadable: 'bad' } as const
  return (
    <div class="stack">
      <h3>Instruction files</h3>
      <ul class="plain-list">
        {sight.instructions.map(({ path, bytes, read, state, why }) => (
          <li key={path}>
            <Badge tone={tones[state]}>{state}</Badge>
            <span class="mono wraps">{line(path)}</span>
            <span class="muted">
              {state === 'cut' ? `${grouped(read)} of ` : ''}
              {count(bytes, 'byte')} {line(why)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
