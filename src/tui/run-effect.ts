import type { Loadout } from '../loadout.ts'
import { LoadoutError } from '../text/trouble.ts'
import { type Effect, LONG } from './effect.ts'
import type { Done, Message } from './message.ts'

export interface Outside {
  loadout: Loadout
  dispatch(message: Message): void
}

/** Carries out effects. The only file of the interface that calls use cases. */
export function createRunner({ loadout, dispatch }: Outside) {
  let running: AbortController | undefined
  return async (effect: Effect): Promise<void> => {
    if (effect.kind === 'quit') return
    if (effect.kind === 'cancel') return running?.abort()
    const controller = new AbortController()
    if (LONG.includes(effect.kind)) running = controller
    try {
      const onProgress = (done: number, total: number, what: string) =>
        dispatch({ kind: 'progress', done, total, what })
      const done = await call(loadout, effect, { onProgress, signal: controller.signal })
      dispatch({ kind: 'done', ...done })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const isStopped = error.name === 'AbortError' || controller.signal.aborted
      const hint = error instanceof LoadoutError ? error.hint : undefined
      dispatch({
        kind: 'failed',
        effect,
        message: isStopped ? 'stopped' : error.message,
        hint: isStopped ? undefined : hint,
        code: error instanceof LoadoutError ? error.code : undefined,
      })
    } finally {
      if (running === controller) running = undefined
    }
  }
}

interface Carrying {
  onProgress(done: number, total: number, what: string): void
  signal: AbortSignal
}

type Outcome = Done & { findings: Extract<Message, { kind: 'done' }>['findings'] }

async function call(
  loadout: Loadout,
  effect: Exclude<Effect, { kind: 'quit' | 'cancel' }>,
  carrying: Carrying,
): Promise<Outcome> {
  switch (effect.kind) {
    case 'load inventory': {
      const report = await loadout.inventory({ project: effect.project })
      await loadout.rememberInventory({ inventory: report.value })
      return { of: effect.kind, ...report }
    }
    case 'load preview':
      return { of: effect.kind, ...(await loadout.preview({ name: effect.name, project: effect.project })) }
    case 'toggle': {
      const { names, agents, project, isOn } = effect
      const request = { names, targets: agents, project }
      return { of: effect.kind, effect, ...(await (isOn ? loadout.equip(request) : loadout.unequip(request))) }
    }
    case 'load candidates':
      return { of: effect.kind, ...(await loadout.listCandidates({ project: effect.project })) }
    case 'import': {
      const { names, project } = effect
      return { of: effect.kind, ...(await loadout.importSkills({ names, project, adopt: true, ...carrying })) }
    }
    case 'sync': {
      const push = effect.push || undefined
      return { of: effect.kind, ...(await loadout.sync({ project: effect.project, push, ...carrying })) }
    }
    case 'examine':
      return { of: effect.kind, ...(await loadout.doctor({ project: effect.project, fix: effect.fix })) }
    case 'delete':
      return { of: effect.kind, ...(await loadout.deleteSkill({ name: effect.name, project: effect.project })) }
    case 'restore':
      return { of: effect.kind, ...(await loadout.restoreSkill({ deletion: effect.deletion })) }
    case 'diff':
      return { of: effect.kind, ...(await loadout.diff({ name: effect.name, project: effect.project })) }
    case 'adopt':
      return { of: effect.kind, ...(await loadout.adopt({ name: effect.name, project: effect.project })) }
    case 'load profiles':
      return { of: effect.kind, ...(await loadout.listProfiles({})) }
    case 'save profile':
      return { of: effect.kind, ...(await loadout.saveProfile({ name: effect.name, project: effect.project })) }
    case 'apply profile':
      return {
        of: effect.kind,
        ...(await loadout.applyProfile({ name: effect.name, project: effect.project, ...carrying })),
      }
    case 'load settings':
      return { of: 'load settings', ...(await loadout.showSettings({})) }
    case 'switch agent':
      await loadout.switchAgents({ ids: [effect.id], isOn: effect.isOn })
      return { of: 'load settings', ...(await loadout.showSettings({})) }
    case 'switch action':
      return { of: 'load settings', ...(await loadout.switchAction({ name: effect.name, isOn: effect.isOn })) }
    case 'set up': {
      const { way, place } = effect
      const library = way === 'new' ? { create: place } : way === 'clone' ? { clone: place } : { repo: place }
      return { of: effect.kind, ...(await loadout.initialize({ ...library, signal: carrying.signal })) }
    }
  }
}
