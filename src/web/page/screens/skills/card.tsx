import { useState } from 'preact/hooks'
import type { Inventory, SkillDiff, SkillPreview } from '../../../../loadout.ts'
import { shellWord } from '../../../../text/printable.ts'
import { choose } from '../../address.ts'
import type { Answer } from '../../api.ts'
import { count, grouped, line } from '../../format.ts'
import { propose } from '../../parts/change.tsx'
import { Answered, Badge, Command, Figure, MarkedText } from '../../parts/screen.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { adopt, allow, edit, forbid, installs, update } from '../../proposals.tsx'
import { useAnswer } from '../../use-answer.ts'
import { ownPlacements, type Row } from './table.tsx'

/** One skill: what it says and can do, its copies and how they differ, and its text to edit in place. */
export function SkillCard({ row, scope, inventory }: { row: Row; scope: string; inventory: Answer<Inventory> }) {
  const { skill, state } = row
  const { name } = skill
  const path = encodeURIComponent(name)
  const inLibrary = skill.state !== 'orphaned' && skill.state !== 'invalid'
  const preview = useAnswer<SkillPreview>(inLibrary ? `/api/inspect/${path}` : undefined, { scope }, inventory)
  const isDifferent = skill.placements.some((each) => each.state === 'edited' || each.state === 'outdated')
  const diff = useAnswer<SkillDiff>(isDifferent ? `/api/diff/${path}` : undefined, { scope }, inventory)
  const have = ownPlacements(skill, scope).flatMap((each) => each.agents)
  const missing = skill.targets.filter((agent) => inventory.agents.includes(agent) && !have.includes(agent))
  const isEdited = skill.placements.some((each) => each.state === 'edited')
  return (
    <section class="card stack skill-card" aria-label={`Skill ${line(name, 60)}`}>
      <div class="row">
        <h2 class="grow mono wraps">{line(name)}</h2>
        <Badge tone={state === 'waiting' ? 'warn' : 'quiet'}>{state}</Badge>
        <button type="button" class="button" aria-label="Close" onClick={() => choose({ skill: '' })}>
          ×
        </button>
      </div>
      <p class="wraps">{line(skill.description, 600)}</p>
      {skill.problems.map((problem) => (
        <p key={problem} class="wraps">
          <Badge tone="bad">problem</Badge> {line(problem)}
        </p>
      ))}
      <dl class="figures">
        <Figure value={grouped(row.used)} label="uses in 90 days" />
        <Figure value={row.lastUsed?.slice(0, 10) ?? 'never'} label="last used" />
        <Figure value={row.perStart === undefined ? '–' : grouped(row.perStart)} label="tokens at each start" />
        <Figure value={row.overlaps === undefined ? '…' : grouped(row.overlaps)} label="overlaps" />
        {row.tests.map(({ agent, version, good, of }) => (
          <Figure key={agent} value={`${good} of ${of}`} label={line(`prompts right, ${agent} ${version}`, 60)} />
        ))}
      </dl>
      {row.regressed > 0 && (
        <p class="wraps">
          <Badge tone="bad">worse</Badge> {count(row.regressed, 'prompt')} passed in an earlier test, and no longer
        </p>
      )}
      <div class="row">
        {state === 'waiting' && (
          <>
            <button type="button" class="button is-main" onClick={() => propose(allow({ skills: [name] }))}>
              Allow…
            </button>
            <button type="button" class="button" onClick={() => propose(forbid({ skills: [name] }))}>
              Never…
            </button>
          </>
        )}
        {isEdited && (
          <button type="button" class="button is-main" onClick={() => propose(adopt(name, scope))}>
            Keep the edit…
          </button>
        )}
        {missing.length > 0 && inLibrary && (
          <button
            type="button"
            class={state === 'waiting' || isEdited ? 'button' : 'button is-main'}
            onClick={() => propose(installs('equip', [name], missing, scope))}
          >
            Install for {missing.join(', ')}…
          </button>
        )}
        {have.length > 0 && (
          <button type="button" class="button" onClick={() => propose(installs('unequip', [name], have, scope))}>
            Remove…
          </button>
        )}
        {skill.source !== undefined && (
          <button type="button" class="button" onClick={() => propose(update([name], () => {}))}>
            Update…
          </button>
        )}
      </div>
      <ul class="plain-list" aria-label="Copies">
        {skill.placements.map((each) => (
          <li key={each.path}>
            <Badge tone={each.state === 'current' ? 'good' : 'warn'}>{each.state}</Badge>
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
              {differences.map(({ path: place, text, state: its, agents: whose }) => (
                <div key={place} class="stack">
                  <h3>
                    {whose.join(', ')} {its}
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
          {(shown) => (
            <>
              <p class="muted wraps">
                {shown.skill.source?.url ?? shown.skill.source?.path ?? 'written in this library'}
                {shown.skill.source?.commit !== undefined && `, version ${`${shown.skill.source.commit}`.slice(0, 7)}`}{' '}
                · {count(shown.files.length, 'file')}
              </p>
              {shown.review.length > 0 && (
                <details>
                  <summary>{count(shown.review.length, 'thing')} that it can do</summary>
                  <Sheet sheet={shown.review} />
                </details>
              )}
              <Text key={shown.markdown} name={name} markdown={shown.markdown} scope={scope} />
              <Command text={`loadout show ${shellWord(name)}`} />
            </>
          )}
        </Answered>
      )}
    </section>
  )
}

/** SKILL.md, to read, or to edit with its plan, commit and undo. */
function Text({ name, markdown, scope }: { name: string; markdown: string; scope: string }) {
  const [text, setText] = useState<string>()
  if (text === undefined) {
    return (
      <>
        <div class="row">
          <h3 class="grow">SKILL.md</h3>
          <button type="button" class="button" onClick={() => setText(markdown)}>
            Edit
          </button>
        </div>
        <MarkedText label="SKILL.md" text={markdown} />
      </>
    )
  }
  return (
    <label class="field editor">
      <span>SKILL.md of {line(name, 60)}</span>
      <textarea
        rows={24}
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <span class="row">
        <span class="grow">{count(Math.ceil(text.length / 4), 'token')}, about</span>
        <button type="button" class="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
        <button
          type="button"
          class="button is-main"
          disabled={text === markdown}
          onClick={() => propose(edit(name, markdown, text, scope, () => setText(undefined)))}
        >
          Save…
        </button>
      </span>
    </label>
  )
}
