import type { Loadout, MergeView } from '../loadout.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { type Attention, type Done, type Effect, longLabel, type Message, type SyncPreview } from './message.ts'

export interface Outside {
  loadout: Loadout
  dispatch(message: Message): void
}

/** Runs effects. The only file of the interface that calls use cases. */
export function createRunner({ loadout, dispatch }: Outside) {
  let running: AbortController | undefined
  let fetching: { controller: AbortController; ended: Promise<void> } | undefined
  const run = async (effect: Exclude<Effect, { kind: 'quit' | 'cancel' }>, controller: AbortController) => {
    try {
      const onProgress = (done: number, total: number, what: string) =>
        dispatch({ kind: 'progress', done, total, what })
      const done = await call(loadout, effect, { onProgress, signal: controller.signal })
      dispatch({ kind: 'done', ...done })
    } catch (error) {
      if (!(error instanceof Error)) throw error
      dispatch(failure(effect, error, controller.signal.aborted))
    }
  }
  return async (effect: Effect): Promise<void> => {
    if (effect.kind === 'quit') return
    if (effect.kind === 'cancel') {
      fetching?.controller.abort()
      return running?.abort()
    }
    const controller = new AbortController()
    if (effect.kind === 'load standing' && effect.fetch) {
      fetching = { controller, ended: run(effect, controller) }
      return fetching.ended
    }
    if (longLabel(effect) === undefined) return run(effect, controller)
    running = controller
    // Two git commands would wait for each other's locks; the new one goes first.
    fetching?.controller.abort()
    await fetching?.ended
    await run(effect, controller)
    if (running === controller) running = undefined
  }
}

function failure(effect: Effect, error: Error, wasAborted: boolean): Message {
  const isStopped = error.name === 'AbortError' || wasAborted
  const { code, hint } = error instanceof LoadoutError ? error : { code: undefined, hint: undefined }
  const message = isStopped ? 'stopped' : error.message
  return { kind: 'failed', effect, message, hint: isStopped ? undefined : hint, code }
}

interface Carrying {
  onProgress(done: number, total: number, what: string): void
  signal: AbortSignal
}

type Outcome = Done & { findings: Finding[] }
type Kind = Exclude<Effect['kind'], 'quit' | 'cancel'>
type Of<K extends Kind> = Effect & { kind: K }

const CALLS: { [K in Kind]: (loadout: Loadout, effect: Of<K>, carrying: Carrying) => Promise<Outcome> } = {
  'load inventory': async (loadout, { kind, project }) => ({ of: kind, ...(await loadout.inventory({ project })) }),
  'load standing': async (loadout, effect, { signal }) => {
    const { project, fetch } = effect
    const library = await loadout.readStanding({ project, fetch, signal })
    const rooms = await loadout.readListing({ project })
    const value: Attention = { library: library.value, rooms: rooms.value }
    return { of: effect.kind, effect, value, findings: [] }
  },
  'load preview': async (loadout, { kind, name, project }) => ({
    of: kind,
    ...(await loadout.preview({ name, project })),
  }),
  toggle: async (loadout, effect, carrying) => {
    const { parts, project, isOn } = effect
    const change = isOn ? loadout.equip : loadout.unequip
    const reports = []
    for (const { names, agents } of parts) reports.push(await change({ names, targets: agents, project, ...carrying }))
    const operations = reports.flatMap(({ value }) => value.operations)
    return {
      of: effect.kind,
      effect,
      value: { operations, isDryRun: false },
      findings: reports.flatMap((each) => each.findings),
    }
  },
  'load candidates': async (loadout, { kind, project }) => ({
    of: kind,
    ...(await loadout.listCandidates({ project, texts: true })),
  }),
  'load offers': async (loadout, effect, carrying) => {
    const { source, project } = effect
    return {
      of: effect.kind,
      effect,
      ...(await loadout.importSkills({ source, project, list: true, texts: true, ...carrying })),
    }
  },
  import: async (loadout, effect, carrying) => {
    const { names, source, project } = effect
    // A skill in an agent's folder becomes a managed install; a source stays unchanged.
    const adopt = source === undefined
    return { of: effect.kind, effect, ...(await loadout.importSkills({ names, source, project, adopt, ...carrying })) }
  },
  'preview sync': async (loadout, { kind, project, push }, carrying) => {
    const report = await loadout.sync({ project, push: push || undefined, dryRun: true, diff: true, ...carrying })
    return { of: kind, value: await withDiffs(loadout, report.value, project), findings: report.findings }
  },
  sync: async (loadout, { kind, project, push }, carrying) => ({
    of: kind,
    ...(await loadout.sync({ project, push: push || undefined, ...carrying })),
  }),
  'preview update': async (loadout, { kind }, carrying) => ({
    of: kind,
    ...(await loadout.update({ all: true, dryRun: true, ...carrying })),
  }),
  update: async (loadout, { kind, names }, carrying) => ({
    of: kind,
    ...(await loadout.update({ names, ...carrying })),
  }),
  'load merge': async (loadout, { kind }) => ({ of: kind, value: await openMerges(loadout), findings: [] }),
  'take side': async (loadout, { kind, name, take, only }) => {
    const { findings } = await loadout.finishMerge({ name, take, only })
    return { of: kind, value: await openMerges(loadout), findings }
  },
  'finish merge': async (loadout, { kind, name }) => ({
    of: kind,
    ...(await loadout.finishMerge({ name, continue: true })),
  }),
  'give up merge': async (loadout, { kind, name }) => ({
    of: kind,
    ...(await loadout.finishMerge({ name, abort: true })),
  }),
  examine: async (loadout, { kind, project, fix }) => ({ of: kind, ...(await loadout.doctor({ project, fix })) }),
  delete: async (loadout, { kind, names, project }) => ({
    of: kind,
    ...(await loadout.deleteSkills({ names, project })),
  }),
  restore: async (loadout, { kind, deletions }) => ({ of: kind, ...(await loadout.restoreSkills({ deletions })) }),
  review: async (loadout, { kind, name, project }) => ({ of: kind, ...(await loadout.inspect({ name, project })) }),
  'answer review': async (loadout, effect) => {
    const what = `skill:${effect.name}`
    const { shown } = effect
    const report = shown === undefined ? await loadout.deny({ what }) : await loadout.approve({ what, shown })
    return { of: effect.kind, effect, ...report }
  },
  diff: async (loadout, { kind, name, project }) => ({ of: kind, ...(await loadout.diff({ name, project })) }),
  adopt: async (loadout, { kind, name, project }) => ({ of: kind, ...(await loadout.adopt({ name, project })) }),
  'load profiles': async (loadout, { kind }) => ({ of: kind, ...(await loadout.listProfiles({})) }),
  'save profile': async (loadout, { kind, name, project }) => ({
    of: kind,
    ...(await loadout.saveProfile({ name, project })),
  }),
  'apply profile': async (loadout, { kind, name, project }, carrying) => ({
    of: kind,
    ...(await loadout.applyProfile({ name, project, ...carrying })),
  }),
  'load settings': async (loadout) => ({ of: 'load settings', ...(await loadout.showSettings({})) }),
  'switch agent': async (loadout, { id, isOn }) => {
    await loadout.switchAgents({ ids: [id], isOn })
    return { of: 'load settings', ...(await loadout.showSettings({})) }
  },
  'switch action': async (loadout, { name, isOn }) => ({
    of: 'load settings',
    ...(await loadout.switchAction({ name, isOn })),
  }),
  'set folder': async (loadout, { agent, path }) => ({
    of: 'load settings',
    ...(await loadout.setAgentFolder({ agent, path })),
  }),
  'set up': async (loadout, { kind, way, place }, { signal }) => {
    const library = way === 'new' ? { create: place } : way === 'clone' ? { clone: place } : { repo: place }
    return { of: kind, ...(await loadout.initialize({ ...library, signal })) }
  },
}

function call(loadout: Loadout, effect: Exclude<Effect, { kind: 'quit' | 'cancel' }>, carrying: Carrying) {
  // The table has the right function for every effect, which the type checker cannot know.
  const calls: Record<Kind, (loadout: Loadout, effect: never, carrying: Carrying) => Promise<Outcome>> = CALLS
  return calls[effect.kind](loadout, effect as never, carrying)
}

// Each comparison runs git: beyond this number, users do not read them before a sync.
const MOST_COMPARED = 20

/** How the text of every skill would change: in the library, or in a copy if only that is behind. */
async function withDiffs(
  loadout: Loadout,
  value: Omit<SyncPreview, 'diffs'>,
  project: string | undefined,
): Promise<SyncPreview> {
  const { changes = [], operations } = value
  const diffs = changes.map(({ skill, kind, diff = '' }) => ({ skill, where: `${kind} in the library`, text: diff }))
  const isTold = (name: string) => changes.some(({ skill }) => skill === name)
  const behind = operations.filter(({ kind, skill }) => kind === 'refresh' && !isTold(skill))
  // A sync in a project refreshes the user's copies too.
  for (const scope of ['project', 'user'] as const) {
    const names = new Set(behind.flatMap((each) => (each.scope === scope ? each.skill : [])))
    for (const name of [...names].slice(0, MOST_COMPARED)) {
      const place = scope === 'project' ? project : undefined
      const { differences } = (await loadout.diff({ name, project: place, refresh: true })).value
      const where = (agents: readonly string[]) => `the copy of ${agents.join(', ')}, ${scope}`
      diffs.push(...differences.map(({ agents, text }) => ({ skill: name, where: where(agents), text })))
    }
  }
  return { ...value, diffs }
}

async function openMerges(loadout: Loadout): Promise<MergeView[]> {
  const { merges } = (await loadout.finishMerge({})).value
  const views = []
  for (const { skill } of merges) views.push((await loadout.showMerge({ name: skill })).value)
  return views
}
