import type { Loadout, MergeView } from '../loadout.ts'
import { LoadoutError, type Report, toldOf } from '../text/trouble.ts'
import { type Effect, longLabel, type Message, type SyncPreview } from './message.ts'

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
      // The table has the right function for every effect, which the type checker cannot know.
      const call: (loadout: Loadout, effect: never, carrying: Carrying) => Promise<Report<unknown>> = CALLS[effect.kind]
      const report = await call(loadout, effect as never, { onProgress, signal: controller.signal })
      dispatch({ kind: 'done', of: effect.kind, effect, ...report } as Message)
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
  const told = error instanceof LoadoutError && !isStopped ? toldOf(error) : { message: error.message }
  return { kind: 'failed', effect, ...told, message: isStopped ? 'stopped' : error.message }
}

interface Carrying {
  onProgress(done: number, total: number, what: string): void
  signal: AbortSignal
}

type Kind = Exclude<Effect['kind'], 'quit' | 'cancel'>
type Calls = {
  [K in Kind]: (loadout: Loadout, effect: Effect & { kind: K }, carrying: Carrying) => Promise<Report<unknown>>
}

/** The use case of every effect. */
export const CALLS = {
  'load inventory': (loadout, { project }) => loadout.skills.inventory({ project }),
  'load standing': async (loadout, { project, fetch }, { signal }) => {
    const library = await loadout.skills.readStanding({ project, fetch, signal })
    const rooms = await loadout.skills.readListing({ project })
    return { value: { library: library.value, rooms: rooms.value }, findings: [] }
  },
  'load preview': (loadout, { name, project }) => loadout.skills.preview({ name, project }),
  toggle: async (loadout, { parts, project, isOn }, carrying) => {
    const change = isOn ? loadout.skills.equip : loadout.skills.unequip
    const reports = []
    for (const { names, agents } of parts) reports.push(await change({ names, targets: agents, project, ...carrying }))
    const operations = reports.flatMap(({ value }) => value.operations)
    return { value: { operations, isDryRun: false }, findings: reports.flatMap((each) => each.findings) }
  },
  'load candidates': (loadout, { project }) => loadout.skills.listCandidates({ project, texts: true }),
  'load offers': (loadout, { source, project }, carrying) =>
    loadout.skills.import({ source, project, list: true, texts: true, ...carrying }),
  import: (loadout, { names, source, project }, carrying) =>
    // A skill in an agent's folder becomes a managed install; a source stays unchanged.
    loadout.skills.import({ names, source, project, adopt: source === undefined, ...carrying }),
  'preview sync': async (loadout, { project, push }, carrying) => {
    const report = await loadout.skills.sync({
      project,
      push: push || undefined,
      dryRun: true,
      diff: true,
      ...carrying,
    })
    return { value: await withDiffs(loadout, report.value, project), findings: report.findings }
  },
  sync: (loadout, { project, push }, carrying) =>
    loadout.skills.sync({ project, push: push || undefined, ...carrying }),
  'preview update': (loadout, _, carrying) => loadout.skills.update({ all: true, dryRun: true, ...carrying }),
  update: (loadout, { names }, carrying) => loadout.skills.update({ names, ...carrying }),
  'load merge': async (loadout) => ({ value: await openMerges(loadout), findings: [] }),
  'take side': async (loadout, { name, take, only }) => {
    const { findings } = await loadout.skills.finishMerge({ name, take, only })
    return { value: await openMerges(loadout), findings }
  },
  'finish merge': (loadout, { name }) => loadout.skills.finishMerge({ name, continue: true }),
  'give up merge': (loadout, { name }) => loadout.skills.finishMerge({ name, abort: true }),
  examine: (loadout, { project, fix }) => loadout.agents.doctor({ project, fix }),
  delete: (loadout, { names, project }) => loadout.skills.deleteAll({ names, project }),
  restore: (loadout, { deletions }) => loadout.skills.restore({ deletions }),
  review: (loadout, { name, project }) => loadout.skills.inspect({ name, project }),
  'answer review': (loadout, { name, shown }) => {
    const what = `skill:${name}`
    return shown === undefined ? loadout.agents.deny({ what }) : loadout.agents.approve({ what, shown })
  },
  diff: (loadout, { name, project }) => loadout.skills.diff({ name, project }),
  adopt: (loadout, { name, project }) => loadout.skills.adopt({ name, project }),
  'load profiles': (loadout) => loadout.skills.listProfiles({}),
  'save profile': (loadout, { name, project }) => loadout.skills.saveProfile({ name, project }),
  'apply profile': (loadout, { name, project }, carrying) =>
    loadout.skills.applyProfile({ name, project, ...carrying }),
  'load settings': (loadout) => loadout.agents.showSettings({}),
  'switch agent': async (loadout, { id, isOn }) => {
    await loadout.agents.switch({ ids: [id], isOn })
    return loadout.agents.showSettings({})
  },
  'switch action': (loadout, { name, isOn }) => loadout.agents.switchAction({ name, isOn }),
  'set folder': (loadout, { agent, path }) => loadout.agents.setFolder({ agent, path }),
  'set up': (loadout, { way, place }, { signal }) => {
    const library = way === 'new' ? { create: place } : way === 'clone' ? { clone: place } : { repo: place }
    return loadout.skills.initialize({ ...library, signal })
  },
} satisfies Calls

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
    // Each comparison runs git: beyond this number, users do not read them before a sync.
    for (const name of [...names].slice(0, 20)) {
      const place = scope === 'project' ? project : undefined
      const { differences } = (await loadout.skills.diff({ name, project: place, refresh: true })).value
      const where = (agents: readonly string[]) => `the copy of ${agents.join(', ')}, ${scope}`
      diffs.push(...differences.map(({ agents, text }) => ({ skill: name, where: where(agents), text })))
    }
  }
  return { ...value, diffs }
}

async function openMerges(loadout: Loadout): Promise<MergeView[]> {
  const { merges } = (await loadout.skills.finishMerge({})).value
  const views = []
  for (const { skill } of merges) views.push((await loadout.skills.showMerge({ name: skill })).value)
  return views
}
