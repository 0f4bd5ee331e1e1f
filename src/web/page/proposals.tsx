import type {
  Adoption,
  Edited,
  FixPlan,
  Health,
  HookChanges,
  ImportResult,
  MergeView,
  Outcome,
  PriceTable,
  SkillPreview,
  SyncResult,
  Tuning,
  Undone,
  UpdateResult,
  UsageSettings,
} from '../../loadout.ts'
import type { Operation } from '../../skills/rules/operations.ts'
import { shellWord } from '../../text/printable.ts'
import type { Answer } from './api.ts'
import { count, grouped, line } from './format.ts'
import type { Change, Planned } from './parts/change.tsx'
import { Operations } from './parts/operations.tsx'
import { Badge, MarkedText } from './parts/screen.tsx'
import { Sheet } from './parts/sheet.tsx'

type Did<T> = Answer<T> & Planned

/** What undoes a change is a change of another answer. */
const asUndo = <T extends Planned>(change: Change<T>) => change as unknown as Change<Planned>

const several = (names: readonly string[]) =>
  names.length === 1 ? line(names[0] ?? '', 60) : count(names.length, 'skill')

const scopeFlag = (scope: string) => (scope === 'project' ? ' --project .' : '')

export function installs(
  action: 'equip' | 'unequip',
  names: readonly string[],
  targets: readonly string[],
  scope: string,
): Change<Did<Outcome>> {
  const isEquip = action === 'equip'
  const flags = `${targets.length > 0 ? ` --target ${targets.join()}` : ''}${scopeFlag(scope)}`
  return {
    title: `${isEquip ? 'Install' : 'Remove'} ${several(names)}`,
    verb: isEquip ? 'Install' : 'Remove',
    command: `loadout ${isEquip ? 'install' : 'remove --copies'} ${names.map(shellWord).join(' ')}${flags}`,
    path: `/api/change/${action}`,
    body: { names, targets, scope },
    show: ({ operations }) => <Operations operations={operations} />,
    isEmpty: ({ operations }) => operations.length === 0,
    done: ({ operations }) => {
      const changed = [...new Set(operations.map(({ agent }) => agent))]
      const touched = [...new Set(operations.map(({ skill }) => skill))]
      const back = installs(isEquip ? 'unequip' : 'equip', touched, changed, scope)
      const what = `${count(operations.length, 'copy', 'copies')} ${isEquip ? 'installed' : 'removed'}.`
      return { text: what, undo: operations.length > 0 ? asUndo(back) : undefined }
    },
  }
}

/** What an update adds; the command line shows all of it. */
const MOST_BADGES = 8

export function update(names: readonly string[], onDone: () => void): Change<Did<UpdateResult>> {
  return {
    title: `Update ${several(names)}`,
    verb: 'Update',
    command: `loadout update ${names.map(shellWord).join(' ')}`,
    path: '/api/change/update',
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
    done: ({ updates, commit }) =>
      committed(`${count(updates.filter(({ result }) => result === 'updated').length, 'skill')} updated`, commit),
  }
}

/** A sentence with its commit, which can be undone. */
function committed(text: string, commit: string | undefined) {
  return commit === undefined
    ? { text: `${text}.` }
    : { text: `${text}, commit ${commit.slice(0, 7)}.`, undo: asUndo(undoOf(commit)) }
}

/** Undoes a commit of the library. */
function undoOf(commit: string): Change<Did<Undone>> {
  return {
    title: `Undo commit ${commit.slice(0, 7)}`,
    verb: 'Undo',
    command: `loadout undo ${commit.slice(0, 7)}`,
    path: '/api/change/undo',
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
    done: ({ names, commit: made }) => committed(`${count(names.length, 'skill')} as before`, made),
  }
}

export function edit(
  name: string,
  before: string,
  text: string,
  scope: string,
  onDone: () => void,
): Change<Did<Edited>> {
  return {
    title: `Edit ${line(name, 60)}`,
    verb: 'Save',
    command: `loadout show ${shellWord(name)}`,
    path: '/api/change/edit',
    body: { name, before, text, scope },
    show: ({ diff, operations }) => (
      <>
        <MarkedText label="What would be saved" text={diff} />
        <Operations operations={operations} />
      </>
    ),
    isEmpty: ({ diff }) => diff === '',
    onDone,
    done: ({ commit }) => committed(`${line(name, 60)} saved`, commit),
  }
}

export function adopt(name: string, scope: string): Change<Did<Adoption>> {
  return {
    title: `Keep the edit of ${line(name, 60)}`,
    verb: 'Keep',
    command: `loadout adopt ${shellWord(name)}${scopeFlag(scope)}`,
    path: '/api/change/adopt',
    body: { name, scope },
    show: ({ from, diff, conflicts, operations }) => (
      <>
        <p class="wraps">{line(from)}</p>
        {conflicts.map(({ path, message }) => (
          <p key={path}>
            <Badge tone="bad">conflict</Badge> {line(message)}
          </p>
        ))}
        <MarkedText label="What the library would get" text={diff} />
        <Operations operations={operations} />
      </>
    ),
    isEmpty: ({ diff, conflicts }) => diff === '' && conflicts.length === 0,
    done: ({ commit, conflicts }) =>
      conflicts.length > 0
        ? { text: 'Both sides changed the same lines: a merge waits in Skills.' }
        : committed(`The library has the edit of ${line(name, 60)}`, commit),
  }
}

export function sync(scope: string): Change<Did<SyncResult>> {
  return {
    title: 'Sync the library and all copies',
    verb: 'Sync',
    command: `loadout sync${scopeFlag(scope)}`,
    path: '/api/change/sync',
    body: { scope },
    show: ({ steps, changes = [], operations }) => (
      <>
        <p>
          {steps.length === 0
            ? 'The library stays as it is.'
            : `Library: ${steps.map((step) => line(JSON.stringify(step), 120)).join(', ')}`}
        </p>
        <ul class="plain-list" aria-label="Skills on the remote">
          {changes.map(({ skill, kind }) => (
            <li key={skill}>
              <Badge tone={kind === 'removed' ? 'bad' : 'info'}>{kind}</Badge>
              <strong class="mono">{line(skill)}</strong>
            </li>
          ))}
        </ul>
        <Operations operations={operations} />
      </>
    ),
    isEmpty: ({ steps, operations }) => steps.length + operations.length === 0,
    done: ({ operations }) => ({ text: `Synced: ${count(operations.length, 'copy', 'copies')} changed.` }),
  }
}

/** `loadout see --fix`. */
export function fixLists(agent: string, scope: string): Change<Did<{ plans: FixPlan[] }>> {
  return {
    title: 'Make every skill usable',
    verb: 'Change the lists',
    command: `loadout see${agent === '' ? '' : ` ${agent}`} --fix${scopeFlag(scope)}`,
    path: '/api/change/fix',
    body: { agent, scope },
    show: ({ plans }) => (
      <ul class="plain-list" aria-label="Lists">
        {plans.map(({ agent: id, label, now, after, hook, isChange, settingsFile }) => (
          <li key={id}>
            <strong>{label}</strong>
            <span class="wraps">
              {isChange
                ? `${grouped(now.described)} described, ${grouped(now.cut)} cut, ${grouped(now.absent)} absent now; then ${grouped(after.described)} described, ${grouped(after.named)} by name, ${grouped(after.absent)} named by the hook`
                : 'nothing to do'}{' '}
              <span class="muted">
                {settingsFile !== undefined && line(settingsFile)}
                {hook === 'added' && ', adds the hook'}
              </span>
            </span>
          </li>
        ))}
      </ul>
    ),
    isEmpty: ({ plans }) => plans.every(({ isChange }) => !isChange),
    done: ({ plans }) => {
      const changed = plans.filter(({ isChange }) => isChange)
      const undo = changed.length === 1 ? asUndo(unfix(changed[0]?.agent ?? '', scope)) : undefined
      return { text: `${count(changed.length, 'list')} changed.`, undo: undo ?? asUndo(unfix('', scope)) }
    },
  }
}

function unfix(agent: string, scope: string): Change<Did<{ agent: string; undone: unknown[] }>> {
  return {
    title: 'Take the change of lists back',
    verb: 'Undo',
    command: `loadout see${agent === '' ? '' : ` ${agent}`} --undo${scopeFlag(scope)}`,
    path: '/api/change/unfix',
    body: { agent, scope },
    show: () => <p>The settings of {agent === '' ? 'all agents' : agent} get back what they said about skills.</p>,
    isEmpty: () => false,
    done: () => ({ text: 'The lists are as before.' }),
  }
}

export function connect(agents: readonly string[], isOn = true): Change<Did<HookChanges>> {
  const names = agents.length === 0 ? 'your agents' : agents.join(', ')
  return {
    title: isOn ? `Connect ${names}` : `Disconnect ${names}`,
    verb: isOn ? 'Connect' : 'Disconnect',
    command: `loadout ${isOn ? 'connect' : 'hooks remove'} ${agents.join(' ')}`.trim(),
    path: `/api/change/${isOn ? 'connect' : 'disconnect'}`,
    body: { agents },
    show: ({ changes }) => (
      <>
        {changes.map(({ agent, part, label, path, change, diff, untilTheyRun }) => (
          <section key={`${agent} ${part}`} class="stack" aria-label={`${label} ${part}`}>
            <p class="wraps">
              <Badge tone={change === 'none' ? 'quiet' : 'info'}>{change === 'none' ? 'there already' : part}</Badge>{' '}
              <strong>{label}</strong> <span class="muted">{line(path)}</span>
            </p>
            {diff !== '' && <MarkedText label={`Changes of ${line(path, 80)}`} text={diff} />}
            {untilTheyRun !== undefined && change !== 'none' && <p class="muted">{line(untilTheyRun)}</p>}
          </section>
        ))}
      </>
    ),
    isEmpty: ({ changes }) => changes.every(({ change }) => change === 'none'),
    done: ({ changes }) => {
      const changed = [...new Set(changes.filter(({ change }) => change !== 'none').map(({ agent }) => agent))]
      const text = `${changed.join(', ')} ${isOn ? 'connected' : 'disconnected'}.`
      return { text, undo: changed.length > 0 ? asUndo(connect(changed, !isOn)) : undefined }
    },
  }
}

export interface Allowed {
  skills: { name: string; review: SkillPreview['review'] }[]
  packs: { name: string; description: string; packRoot: string }[]
}

/** Shows what each can do, or says, before a yes. */
export function allow(what: {
  skills?: readonly string[]
  packs?: readonly string[]
  project?: string | undefined
}): Change<Did<Allowed>> {
  const { skills = [], packs = [], project = '' } = what
  const named = [...skills.map((name) => `skill:${name}`), ...packs]
  return {
    title: `Allow ${named.length === 1 ? line(named[0] ?? '', 80) : count(named.length, 'thing')}`,
    verb: 'Allow',
    command: `loadout approve ${named.map(shellWord).join(' ')}`,
    path: '/api/change/allow',
    body: { skills, packs, project },
    show: (planned) => (
      <>
        {planned.skills.map(({ name, review }) => (
          <section key={name} class="stack" aria-label={line(name, 80)}>
            <p>
              <strong class="mono">{line(name)}</strong> <span class="muted">can do this:</span>
            </p>
            <Sheet sheet={review} />
          </section>
        ))}
        {planned.packs.map(({ name, description, packRoot }) => (
          <section key={packRoot} class="stack" aria-label={line(name, 80)}>
            <p class="wraps">
              <strong class="mono">{line(name)}</strong> <span class="muted">{line(packRoot)}</span>
            </p>
            <p class="wraps">{line(description, 600)}</p>
          </section>
        ))}
      </>
    ),
    isEmpty: (planned) => planned.skills.length + planned.packs.length === 0,
    done: () => ({ text: `${count(named.length, 'thing')} allowed.`, undo: asUndo(forbid(what, true)) }),
  }
}

export function forbid(
  what: { skills?: readonly string[]; packs?: readonly string[] },
  isRevoked = false,
): Change<Did<{ what: string[] }>> {
  const { skills = [], packs = [] } = what
  const named = [...skills.map((name) => `skill:${name}`), ...packs]
  return {
    title: `${isRevoked ? 'Take back the answer about' : 'Never allow'} ${named.length === 1 ? line(named[0] ?? '', 80) : count(named.length, 'thing')}`,
    verb: isRevoked ? 'Take back' : 'Never allow',
    command: `loadout ${isRevoked ? 'revoke' : 'deny'} ${named.map(shellWord).join(' ')}`,
    path: '/api/change/forbid',
    body: { skills, packs, again: isRevoked },
    show: () => <p class="wraps">{named.map((each) => line(each, 120)).join(', ')}</p>,
    isEmpty: () => named.length === 0,
    done: () => ({
      text: isRevoked ? 'It waits for an answer again.' : 'No agent gets it.',
      undo: isRevoked ? undefined : asUndo(forbid(what, true)),
    }),
  }
}

type Added = ImportResult & { operations: readonly Operation[] }

export function add(
  source: string,
  names: readonly string[],
  isAllowed: boolean,
  onDone: () => void,
): Change<Did<Added>> {
  return {
    title: `Add ${several(names)}`,
    verb: isAllowed ? 'Allow and add' : 'Add',
    command: `loadout add ${shellWord(source)} ${names.map(shellWord).join(' ')}`,
    path: '/api/change/add',
    body: { source, names, targets: [], allow: isAllowed },
    show: ({ imported, unchanged, refused }) => (
      <>
        {imported.map(({ name, review }) => (
          <section key={name} class="stack" aria-label={line(name, 80)}>
            <p>
              <Badge tone="good">new</Badge> <strong class="mono">{line(name)}</strong>
            </p>
            {review.length > 0 && <Sheet sheet={review} />}
          </section>
        ))}
        {unchanged.map((name) => (
          <p key={name}>
            <Badge tone="quiet">there already</Badge> <strong class="mono">{line(name)}</strong>
          </p>
        ))}
        {refused.map(({ name, reason }) => (
          <p key={name} class="wraps">
            <Badge tone="bad">refused</Badge> {line(name)}: {line(reason)}
          </p>
        ))}
      </>
    ),
    isEmpty: ({ imported }) => imported.length === 0,
    onDone,
    done: ({ imported, operations }) =>
      committed(
        `${count(imported.length, 'skill')} added, ${count(operations.length, 'copy', 'copies')} installed`,
        imported[0]?.commit,
      ),
  }
}

/** `loadout import --adopt`: the skills that are in the folders of agents already. */
export function takeOver(): Change<Did<ImportResult>> {
  return {
    title: 'Keep the skills that are here in git',
    verb: 'Take over',
    command: 'loadout import --all --adopt',
    path: '/api/change/take-over',
    body: {},
    show: ({ imported, refused }) => (
      <>
        <p class="wraps">{imported.map(({ name }) => line(name, 60)).join(', ')}</p>
        {refused.map(({ name, reason }) => (
          <p key={name} class="wraps">
            <Badge tone="bad">refused</Badge> {line(name)}: {line(reason)}
          </p>
        ))}
      </>
    ),
    isEmpty: ({ imported, adopted }) => imported.length + adopted.length === 0,
    done: ({ imported }) => committed(`${count(imported.length, 'skill')} taken over`, imported[0]?.commit),
  }
}

const SIDES = { library: 'the library', other: 'the other side' } as const

export function endMerge(
  name: string,
  how: 'library' | 'other' | 'finish' | 'abort',
): Change<Did<{ merge?: MergeView; commit?: string }>> {
  return {
    title: `${how === 'abort' ? 'Give up the merge' : 'Finish the merge'} of ${line(name, 60)}`,
    verb: how === 'abort' ? 'Give up' : 'Finish',
    command: `loadout merge ${shellWord(name)} ${how === 'abort' ? '--abort' : how === 'finish' ? '--continue' : `--take ${how} --continue`}`,
    path: '/api/change/merge',
    body: { name, how },
    show: ({ merge }) => (
      <p>
        {how === 'abort'
          ? 'The library stays as it is; the merge is kept as a backup.'
          : how === 'finish'
            ? 'The library gets the merged files as they are now.'
            : `${count(merge?.places.length ?? 0, 'place')} get the text of ${SIDES[how]}.`}
      </p>
    ),
    isEmpty: () => false,
    done: ({ commit }) => committed(how === 'abort' ? 'The merge is given up' : 'The merge is finished', commit),
  }
}

/** `loadout doctor --fix`. */
export function repair(scope: string): Change<Did<Health>> {
  return {
    title: 'Repair what is safe to repair',
    verb: 'Repair',
    command: `loadout doctor --fix${scopeFlag(scope)}`,
    path: '/api/change/doctor',
    body: { scope },
    show: ({ checks }) => (
      <ul class="plain-list" aria-label="Problems">
        {checks
          .filter(({ state }) => state === 'problem')
          .map(({ name, message }, at) => (
            <li key={at}>
              <Badge tone="bad">to do</Badge>
              <strong>{line(name)}</strong>
              <span class="wraps">{line(message)}</span>
            </li>
          ))}
      </ul>
    ),
    isEmpty: ({ checks }) => checks.every(({ state }) => state !== 'problem'),
    done: ({ fixed }) => ({
      text: fixed.length === 0 ? 'There was nothing that Loadout can fix.' : fixed.map((each) => line(each)).join(' '),
    }),
  }
}

interface SettingsChange {
  keepsTasks?: boolean
  readsTranscripts?: boolean
  prices?: PriceTable | null
}

/** `before`: what an undo restores. */
export function changeSettings(
  change: SettingsChange,
  before: UsageSettings,
): Change<Did<{ before: UsageSettings; after: UsageSettings }>> {
  const back: SettingsChange = {
    ...(change.keepsTasks !== undefined && { keepsTasks: before.keepsTasks }),
    ...(change.readsTranscripts !== undefined && { readsTranscripts: before.readsTranscripts }),
    ...(change.prices !== undefined && { prices: before.prices ?? null }),
  }
  const said = ({ keepsTasks, readsTranscripts, prices }: UsageSettings) =>
    [
      `keep the words of tasks: ${keepsTasks ? 'yes' : 'no'}`,
      `read transcripts: ${readsTranscripts ? 'yes' : 'no'}`,
      `prices: ${prices === undefined ? 'none' : JSON.stringify(prices, null, 1)}`,
    ].join('\n')
  return {
    title: 'Change the settings',
    verb: 'Change',
    command:
      change.keepsTasks === undefined
        ? 'loadout config'
        : `loadout usage --keep-tasks ${change.keepsTasks ? 'on' : 'off'}`,
    path: '/api/change/settings',
    body: change,
    show: ({ before: now, after }) => (
      <div class="beside">
        <MarkedText label="Now" text={said(now)} />
        <MarkedText label="Then" text={said(after)} />
      </div>
    ),
    isEmpty: ({ before: now, after }) => JSON.stringify(now) === JSON.stringify(after),
    done: ({ after }) => ({
      text: 'The settings are changed.',
      undo: asUndo({ ...changeSettings(back, after), verb: 'Undo' }),
    }),
  }
}

const TUNES: Record<string, string> = {
  core: 'Always give',
  manual: 'Never give unasked',
  domain: 'Give when a task fits',
}

/** `loadout rules`: the priority of a rule, tried on the last kept tasks before it is saved. */
export function tune(project: string, id: string, priority: string): Change<Did<Tuning>> {
  return {
    title: `${TUNES[priority] ?? priority}: ${line(id, 60)}`,
    verb: 'Save',
    command: 'loadout rules build',
    path: '/api/change/tune',
    body: { project, id, priority },
    show: ({ path, diff, tasks, changes, before, after }) => (
      <>
        <p class="wraps">
          {line(path)}: {before} → {after}
        </p>
        <MarkedText label="What would be saved" text={diff} />
        <p>
          {tasks === 0
            ? 'No task of this project is kept, so nothing could be asked again.'
            : `The last ${count(tasks, 'kept task')} asked again: ${changes.length === 0 ? 'none chooses otherwise.' : `${count(changes.length, 'task')} would choose otherwise.`}`}
        </p>
        <ul class="plain-list" aria-label="Tasks that would choose otherwise">
          {changes.map(({ task, gained, lost }, at) => (
            <li key={at}>
              {gained.map((name) => (
                <Badge key={name} tone="good">
                  + {line(name, 40)}
                </Badge>
              ))}
              {lost.map((name) => (
                <Badge key={name} tone="bad">
                  − {line(name, 40)}
                </Badge>
              ))}
              <span class="wraps">{line(task, 200)}</span>
            </li>
          ))}
        </ul>
      </>
    ),
    isEmpty: ({ diff }) => diff === '',
    done: ({ before }) => ({
      text: `${line(id, 60)} is saved.`,
      undo: asUndo({ ...tune(project, id, before), verb: 'Undo' }),
    }),
  }
}
