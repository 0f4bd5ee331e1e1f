import type { ImportResult, Outcome, SettingsView, UpdateResult } from '../loadout.ts'
import { count } from '../text/count.ts'
import type { Finding } from '../text/trouble.ts'
import { open, rememberDeletions, rememberToggle } from './actions.ts'
import { clamp } from './frame/rows.ts'
import { type Done, type Effect, longLabel, type Message } from './message.ts'
import { activeProject, type Model, type Notice, type ScreenId, step, type Updated } from './model.ts'
import { importRows } from './screens/import.ts'
import { currentSkill, withInventory } from './screens/inventory.ts'
import { mergeRows } from './screens/merge.ts'
import { settingRows } from './screens/settings.ts'
import { endToggle } from './screens/toggle.ts'
import { updateRows } from './screens/update.ts'

type Outside = Extract<Message, { kind: 'done' | 'failed' }>
type Of = Done['of']
type DoneOf<K extends Of> = Extract<Done, { of: K }> & { findings: Finding[] }

/** Applies the result of an effect to the model. */
export function received(model: Model, message: Outside): Updated {
  const rested: Model = longLabel(message.effect) !== undefined ? { ...model, work: undefined } : model
  // The table has the right function for every message, which the type checker cannot know.
  return message.kind === 'failed' ? failed(rested, message) : OUTCOMES[message.of](rested, message as never)
}

/** Ignores a late result of an earlier request: another one will follow. */
const OUTCOMES: { [K in Of]: (model: Model, message: DoneOf<K>) => Updated } = {
  'load inventory': (model, { value }) => {
    if (value.scope !== model.scope) return step(model)
    const { model: read, effects } = withInventory(without(model, 'inventory'), value)
    return step(read, ...effects, { kind: 'load standing', project: activeProject(model), fetch: false })
  },
  // Asks the remote once, after the local state is on the screen.
  'load standing': (model, { value, effect }) => {
    if (effect.project !== activeProject(model)) return step(model)
    const wasAsked = model.attention?.wasAsked ?? false
    const next: Model = { ...model, attention: { ...value, wasAsked: true } }
    return wasAsked ? step(next) : step(next, { ...effect, fetch: true })
  },
  'load preview': (model, { value }) =>
    currentSkill(model.inventory)?.name === value.skill.name
      ? step({ ...model, inventory: { ...model.inventory, preview: value } })
      : step(model),
  toggle: (model, { value, effect, findings }) =>
    reloaded(
      rememberToggle(endToggle(model, effect, true), effect, value),
      toggleNotice(value, findings, { isOn: effect.isOn, canUndo: !effect.isUndo }),
    ),
  'load candidates': (model, { value }) => {
    if (model.imports.source !== undefined) return step(model)
    const imports = { ...model.imports, candidates: value, chosen: [] }
    return step({
      ...without(model, 'import'),
      imports: { ...imports, at: clamp(imports.at, importRows(imports).length) },
    })
  },
  'load offers': (model, { value, effect, findings }) => {
    if (model.imports.source !== effect.source) return step(model)
    const imports = { ...model.imports, found: value, chosen: [] }
    const at = clamp(imports.at, importRows(imports).length)
    return step({ ...without(model, 'import'), notice: worst(findings), imports: { ...imports, at } })
  },
  import: (model, { value, findings, effect }) => {
    const { source, project } = effect
    const next = { ...model, imports: { ...model.imports, chosen: [] } }
    const { model: told, effects } = reloaded(next, importNotice(value, findings))
    // The source need not be read again: imported skills are no longer new.
    if (source !== undefined)
      return step(
        withImported(
          told,
          value.imported.map(({ name }) => name),
        ),
        ...effects,
      )
    return step(told, ...effects, { kind: 'load candidates', project })
  },
  'preview sync': (model, { value, findings }) =>
    step({ ...without(model, 'sync'), sync: { ...model.sync, preview: value, result: undefined, findings, at: 0 } }),
  sync: (model, { value, findings }) => {
    const next = { ...without(model, 'sync'), sync: { ...model.sync, result: value, findings, at: 0 } }
    // If the user has left the screen, the current one shows the result.
    return reloaded(
      next,
      model.screen === 'sync' ? model.notice : (worst(findings) ?? { tone: 'good', text: 'synced' }),
    )
  },
  'preview update': (model, { value, findings }) => {
    const next = { ...without(model, 'update'), updates: { ...model.updates, value, findings, chosen: [] } }
    return step({ ...next, updates: { ...next.updates, at: clamp(next.updates.at, updateRows(next).length) } })
  },
  update: (model, { value, findings }) => {
    const updates = { ...model.updates, value, findings, chosen: [], at: 0, scroll: 0 }
    const { model: told, effects } = reloaded({ ...model, updates }, updateNotice(value, findings))
    const isTorn = value.updates.some(({ result }) => result === 'conflict') && model.screen === 'update'
    if (!isTorn) return step(told, ...effects)
    const { notice } = told
    const opened = open(told, 'merge')
    return step({ ...opened.model, notice }, ...effects, ...opened.effects)
  },
  'load merge': (model, { value }) => withMerges(model, value),
  'take side': (model, { value }) => withMerges(model, value),
  'finish merge': (model, { value, findings }) => {
    const text = `${value.merged ?? 'the skill'} is merged and in the library   (s refreshes its copies)`
    const { model: told, effects } = reloaded(model, worst(findings) ?? { tone: 'good', text })
    return step(told, ...effects, { kind: 'load merge', name: undefined })
  },
  'give up merge': (model, { value, findings }) => {
    const [kept] = findings
    const text = kept?.message ?? `the merge of ${value.aborted ?? 'the skill'} was given up`
    const { model: told, effects } = reloaded(model, { tone: 'plain', text })
    return step(told, ...effects, { kind: 'load merge', name: undefined })
  },
  examine: (model, { value }) => {
    const { checks, fixed } = value
    const first = checks.findIndex(({ state }) => state === 'problem')
    const isNew = model.doctor.health === undefined
    const at = clamp(isNew ? Math.max(0, first) : model.doctor.at, checks.length)
    const next = { ...without(model, 'doctor'), doctor: { health: value, at } }
    if (fixed.length === 0) return step(next)
    return reloaded(next, { tone: 'good', text: `${count(fixed.length, 'problem')} fixed` })
  },
  delete: (model, { value, findings }) => {
    const [only] = value
    const what = value.length === 1 ? (only?.name ?? '') : count(value.length, 'skill')
    const deleted = rememberDeletions(model, value)
    const text = value.length === 0 ? 'nothing was deleted' : `deleted ${what} from the library   (u undoes)`
    return reloaded(deleted, worst(findings) ?? { tone: 'good', text })
  },
  restore: (model, { value: { names } }) => {
    const what = names.length === 1 ? `${names[0]} is` : `${count(names.length, 'skill')} are`
    return reloaded(model, { tone: 'good', text: `${what} back in the library` })
  },
  diff: (model, { value }) =>
    value.name === model.diff.name ? step({ ...without(model, 'diff'), diff: { ...model.diff, value } }) : step(model),
  review: (model, { value: { skill, review } }) =>
    skill.name === model.review.name
      ? step({ ...without(model, 'review'), review: { ...model.review, value: review } })
      : step(model),
  'answer review': (model, { effect: { name, shown }, findings }) => {
    const text = shown === undefined ? `${name} will not be installed` : `${name} may be installed`
    const next: Model = model.screen === 'review' ? { ...model, screen: 'inventory' } : model
    return reloaded(next, worst(findings) ?? { tone: 'good', text })
  },
  adopt: (model, { value, findings }) => {
    const next: Model = model.screen === 'diff' ? { ...model, screen: 'inventory' } : model
    const done: Notice = { tone: 'good', text: `the edit of ${value.name} is in the library now` }
    const { model: told, effects } = reloaded(next, worst(findings) ?? done)
    if (value.conflicts.length === 0) return step(told, ...effects)
    const opened = open(told, 'merge')
    return step({ ...opened.model, notice: told.notice }, ...effects, ...opened.effects)
  },
  'load profiles': (model, { value }) =>
    step({ ...without(model, 'profiles'), profiles: { list: value, at: clamp(model.profiles.at, value.length) } }),
  'save profile': (model, { value }) =>
    step({ ...model, notice: { tone: 'good', text: `profile ${value.name} saved` } }, { kind: 'load profiles' }),
  'apply profile': (model, { value, findings }) =>
    reloaded(model, toggleNotice(value, findings, { isOn: true, canUndo: false })),
  'load settings': withSettings,
  'switch agent': withSettings,
  'switch action': withSettings,
  'set folder': withSettings,
  'set up': (model, { value: { library, skills } }) => {
    const screen = model.screen === 'settings' ? 'settings' : 'inventory'
    const text = `library ${library}: ${count(skills, 'skill')}`
    const { model: told, effects } = reloaded({ ...model, screen, attention: undefined }, { tone: 'good', text })
    return step(told, ...effects, ...(screen === 'settings' ? [{ kind: 'load settings' } as const] : []))
  },
}

function withSettings(model: Model, { value }: { value: SettingsView }): Updated {
  const next: Model = { ...without(model, 'settings'), settings: { ...model.settings, view: value } }
  return step({ ...next, settings: { view: value, at: clamp(model.settings.at, settingRows(next).length) } })
}

function withImported(model: Model, names: readonly string[]): Model {
  const { found } = model.imports
  if (found?.offers === undefined) return model
  const offers = found.offers.map((offer) =>
    names.includes(offer.name) ? { ...offer, state: 'unchanged' as const } : offer,
  )
  return { ...model, imports: { ...model.imports, found: { ...found, offers } } }
}

function withMerges(model: Model, list: NonNullable<Model['merges']['list']>): Updated {
  const next: Model = { ...without(model, 'merge'), merges: { ...model.merges, list, scroll: 0 } }
  return step({ ...next, merges: { ...next.merges, at: clamp(next.merges.at, mergeRows(next).length) } })
}

/** The screen that shows the result of an effect. */
const SHOWN_ON: Partial<Record<Effect['kind'], ScreenId>> = {
  'load inventory': 'inventory',
  'load candidates': 'import',
  'load offers': 'import',
  'preview sync': 'sync',
  sync: 'sync',
  'preview update': 'update',
  'load merge': 'merge',
  examine: 'doctor',
  'load profiles': 'profiles',
  'load settings': 'settings',
  diff: 'diff',
  review: 'review',
}

function failed(model: Model, { effect, message: text, hint, code }: Extract<Message, { kind: 'failed' }>): Updated {
  const notice: Notice = { tone: 'alert', text, hint }
  // A command that needs the library reports the reason.
  if (effect.kind === 'load standing') return step(model)
  if (effect.kind === 'load inventory') {
    if (effect.project !== activeProject(model)) return step(model)
    return unreadable(model, notice, code === 'CONFIG_NOT_FOUND')
  }
  const screen = SHOWN_ON[effect.kind]
  const problems = screen === undefined ? model.problems : { ...model.problems, [screen]: notice }
  const next: Model = { ...model, problems, notice }
  return step(effect.kind === 'toggle' ? endToggle(next, effect, false) : next)
}

/** A machine without a setup is not an error: start the setup. */
function unreadable(model: Model, notice: Notice, isNew: boolean): Updated {
  const inventory = { ...model.inventory, value: undefined, preview: undefined, pending: [], isStale: false }
  if (isNew) return step({ ...model, inventory, screen: 'setup', notice: undefined })
  return step({ ...model, inventory, problems: { ...model.problems, inventory: notice } })
}

function without(model: Model, screen: ScreenId): Model {
  return { ...model, problems: { ...model.problems, [screen]: undefined } }
}

function reloaded(model: Model, notice: Notice | undefined): Updated {
  return step({ ...model, notice }, { kind: 'load inventory', project: activeProject(model) })
}

/** The most serious error or warning. */
function worst(findings: readonly Finding[]): Notice | undefined {
  const found =
    findings.find(({ severity }) => severity === 'error') ?? findings.find(({ severity }) => severity === 'warning')
  if (found === undefined) return undefined
  const { code, message, hint } = found
  if (code !== 'QUARANTINED') return { tone: 'alert', text: message, hint }
  // The lines themselves are on the screen of the review.
  return { tone: 'alert', text: message.split(': ')[0] ?? message, hint: 'v shows what a skill can do, and asks' }
}

function toggleNotice(
  { operations }: Outcome,
  findings: readonly Finding[],
  { isOn, canUndo }: { isOn: boolean; canUndo: boolean },
): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  if (operations.length === 0) return { tone: 'plain', text: 'nothing to do' }
  const names = [...new Set(operations.map(({ skill }) => skill))]
  const agents = [...new Set(operations.map(({ agent }) => agent))].join(', ')
  const what = names.length === 1 ? names[0] : count(names.length, 'skill')
  const kept = findings.find(({ code }) => code === 'BACKED_UP')
  const text = `${what} ${isOn ? 'equipped for' : 'removed from'} ${agents}${canUndo ? '   (u undoes)' : ''}`
  return { tone: 'good', text, hint: kept?.message }
}

function importNotice({ imported, unchanged }: ImportResult, findings: readonly Finding[]): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  const names = imported.map(({ name }) => name)
  const known =
    unchanged.length === 0 ? '' : `; ${unchanged.length} as the library has ${unchanged.length === 1 ? 'it' : 'them'}`
  const listed = names.length === 0 ? '' : `: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
  return { tone: 'good', text: `${names.length} imported${listed}${known}` }
}

function updateNotice({ updates, operations }: UpdateResult, findings: readonly Finding[]): Notice {
  const trouble = worst(findings)
  if (trouble !== undefined) return trouble
  const updated = updates.filter(({ result }) => result === 'updated')
  if (updated.length === 0) return { tone: 'plain', text: 'nothing to update' }
  const copies =
    operations.length === 0 ? '' : `, ${operations.length === 1 ? '1 copy' : `${operations.length} copies`} refreshed`
  const what = updated.length === 1 ? (updated[0]?.name ?? '') : count(updated.length, 'skill')
  return { tone: 'good', text: `${what} updated${copies}` }
}
