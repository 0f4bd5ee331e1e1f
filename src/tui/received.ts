import type { Outcome } from '../loadout.ts'
import type { Finding } from '../text/trouble.ts'
import { type Effect, LONG } from './effect.ts'
import { clamp } from './frame/list.ts'
import type { Done, Message } from './message.ts'
import { activeProject, type Model, type Notice, type ScreenId } from './model.ts'
import { currentSkill, endToggle, withInventory } from './screens/inventory-state.ts'
import { settingRows } from './screens/settings-state.ts'
import { type Step, step } from './step.ts'
import { rememberDeletion, rememberToggle } from './undo.ts'

type Outside = Extract<Message, { kind: 'done' | 'failed' }>
type Of = Done['of']
type DoneOf<K extends Of> = Extract<Done, { of: K }> & { findings: Finding[] }

/** What the outcome of an effect changes. */
export function received(model: Model, message: Outside): Step {
  const kind = message.kind === 'failed' ? message.effect.kind : message.of
  const rested: Model = LONG.includes(kind) ? { ...model, work: undefined } : model
  // The table has the right function for every message; that the two belong together is beyond the type checker.
  return message.kind === 'failed' ? failed(rested, message) : OUTCOMES[message.of](rested, message as never)
}

/** A late answer to what was asked before is left alone: another one is on its way. */
const OUTCOMES: { [K in Of]: (model: Model, message: DoneOf<K>) => Step } = {
  'load inventory': (model, { value }) =>
    value.scope === model.scope ? withInventory(without(model, 'inventory'), value) : step(model),
  'load preview': (model, { value }) =>
    currentSkill(model.inventory)?.name === value.skill.name
      ? step({ ...model, inventory: { ...model.inventory, preview: value } })
      : step(model),
  toggle: (model, { value, effect, findings }) =>
    reloaded(
      rememberToggle(endToggle(model, effect, true), effect, value),
      told(value, findings, { isOn: effect.isOn, canUndo: !effect.isUndo }),
    ),
  'load candidates': (model, { value }) => {
    const imports = { at: clamp(model.imports.at, value.length), candidates: value, chosen: [] }
    return step({ ...without(model, 'import'), imports })
  },
  import: (model, { value: { imported }, findings }) => {
    const text = `${imported.length} imported: ${imported.map(({ name }) => name).join(', ')}`
    const next = { ...model, imports: { ...model.imports, chosen: [] } }
    const { model: told, effects } = reloaded(next, worst(findings) ?? { tone: 'good', text })
    return step(told, ...effects, { kind: 'load candidates', project: activeProject(model) })
  },
  sync: (model, { value, findings }) => {
    const next = { ...without(model, 'sync'), sync: { result: value, findings, at: 0 } }
    // Whoever went elsewhere meanwhile hears of it there.
    return reloaded(
      next,
      model.screen === 'sync' ? model.notice : (worst(findings) ?? { tone: 'good', text: 'synced' }),
    )
  },
  examine: (model, { value }) => {
    const { checks, fixed } = value
    const notice: Notice | undefined =
      fixed.length > 0 ? { tone: 'good', text: `${fixed.length} put right` } : model.notice
    return step({
      ...without(model, 'doctor'),
      notice,
      doctor: { health: value, at: clamp(model.doctor.at, checks.length) },
    })
  },
  delete: (model, { value }) =>
    reloaded(rememberDeletion(model, value), {
      tone: 'good',
      text: `deleted ${value.name} from the library   (u undoes)`,
    }),
  restore: (model, { value }) => reloaded(model, { tone: 'good', text: `${value.name} is back in the library` }),
  diff: (model, { value }) =>
    value.name === model.diff.name ? step({ ...without(model, 'diff'), diff: { ...model.diff, value } }) : step(model),
  adopt: (model, { value, findings }) => {
    const next: Model = model.screen === 'diff' ? { ...model, screen: 'inventory' } : model
    return reloaded(next, worst(findings) ?? { tone: 'good', text: `the edit of ${value.name} is in the library now` })
  },
  'load profiles': (model, { value }) =>
    step({ ...without(model, 'profiles'), profiles: { list: value, at: clamp(model.profiles.at, value.length) } }),
  'save profile': (model, { value }) =>
    step({ ...model, notice: { tone: 'good', text: `profile ${value.name} saved` } }, { kind: 'load profiles' }),
  'apply profile': (model, { value, findings }) =>
    reloaded(model, told(value, findings, { isOn: true, canUndo: false })),
  'load settings': (model, { value }) => {
    const next: Model = { ...without(model, 'settings'), settings: { ...model.settings, view: value } }
    return step({ ...next, settings: { view: value, at: clamp(model.settings.at, settingRows(next).length) } })
  },
  'set up': (model, { value: { library, skills } }) =>
    reloaded({ ...model, screen: 'inventory' }, { tone: 'good', text: `library ${library}: ${skills} skills` }),
}

/** The screen that would have shown the answer. */
const SHOWN_ON: Partial<Record<Effect['kind'], ScreenId>> = {
  'load inventory': 'inventory',
  'load candidates': 'import',
  sync: 'sync',
  examine: 'doctor',
  'load profiles': 'profiles',
  'load settings': 'settings',
  diff: 'diff',
}

function failed(model: Model, { effect, message: text, hint, code }: Extract<Message, { kind: 'failed' }>): Step {
  const notice: Notice = { tone: 'alert', text, hint }
  if (effect.kind === 'load inventory') {
    if (effect.project !== activeProject(model)) return step(model)
    return unreadable(model, notice, code === 'CONFIG_NOT_FOUND')
  }
  const screen = SHOWN_ON[effect.kind]
  const problems = screen === undefined ? model.problems : { ...model.problems, [screen]: notice }
  const next: Model = { ...model, problems, notice }
  return step(effect.kind === 'toggle' ? endToggle(next, effect, false) : next)
}

/** A machine that was never set up is no trouble: it is set up now. */
function unreadable(model: Model, notice: Notice, isNew: boolean): Step {
  const inventory = { ...model.inventory, value: undefined, preview: undefined, pending: [], isStale: false }
  if (isNew) return step({ ...model, inventory, screen: 'setup', notice: undefined })
  return step({ ...model, inventory, problems: { ...model.problems, inventory: notice } })
}

function without(model: Model, screen: ScreenId): Model {
  return { ...model, problems: { ...model.problems, [screen]: undefined } }
}

function reloaded(model: Model, notice: Notice | undefined): Step {
  return step({ ...model, notice }, { kind: 'load inventory', project: activeProject(model) })
}

/** The gravest thing that was met, if it needs to be told. */
function worst(findings: readonly Finding[]): Notice | undefined {
  const found =
    findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning')
  return found === undefined ? undefined : { tone: 'alert', text: found.message, hint: found.hint }
}

function told(
  { operations }: Outcome,
  findings: readonly Finding[],
  { isOn, canUndo }: { isOn: boolean; canUndo: boolean },
): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  if (operations.length === 0) return { tone: 'plain', text: 'nothing to do' }
  const names = [...new Set(operations.map(({ skill }) => skill))]
  const agents = [...new Set(operations.map(({ agent }) => agent))].join(', ')
  const what = names.length === 1 ? names[0] : `${names.length} skills`
  const kept = findings.find(({ code }) => code === 'BACKED_UP')
  const text = `${what} ${isOn ? 'equipped for' : 'removed from'} ${agents}${canUndo ? '   (u undoes)' : ''}`
  return { tone: 'good', text, hint: kept?.message }
}
