import type { Loadout, MergeView } from '../loadout.ts'
import type { HttpApp } from '../machine/http.ts'
import { failWith, type Report } from '../text/trouble.ts'
import { bodyOf, flagIn, listIn, type PageServer, planOrDo, scopeOf, textIn } from './page-server.ts'

type Body = Record<string, unknown>
type UsageSettingsChange = Parameters<Loadout['knowledge']['changeUsageSettings']>[0]

/** A change that a person confirms: its plan, and what of the plan must still be the same when it is carried out. */
interface Change<T extends object> {
  run(loadout: Loadout, body: Body, project: string | undefined, dryRun: boolean): Promise<Report<T>>
  partsOf(value: T): unknown
}

const change = <T extends object>(run: Change<T>['run'], partsOf: Change<T>['partsOf']) =>
  ({ run, partsOf }) as unknown as Change<object>

/** Where `loadout add` creates a library if there is none. */
const NEW_LIBRARY = '~/skills'

/** `POST /api/change/<name>`: what the page can do, by the command that does the same. */
const CHANGES: Readonly<Record<string, Change<object>>> = {
  add: change(addSkills, ({ imported, unchanged, refused }) => [imported, unchanged, refused]),
  adopt: change(
    (loadout, body, project, dryRun) => loadout.skills.adopt({ name: textIn(body, 'name'), project, dryRun }),
    ({ diff, conflicts, operations }) => [diff, conflicts, operations],
  ),
  allow: change(allow, (value) => value),
  connect: change(
    (loadout, body, _, dryRun) => loadout.agents.installHooks({ agents: listIn(body, 'agents'), mcp: true, dryRun }),
    ({ changes }) => changes,
  ),
  disconnect: change(
    (loadout, body, _, dryRun) => loadout.agents.removeHooks({ agents: listIn(body, 'agents'), dryRun }),
    ({ changes }) => changes,
  ),
  edit: change(
    (loadout, body, project, dryRun) =>
      loadout.skills.edit({
        name: textIn(body, 'name'),
        before: textIn(body, 'before'),
        text: textIn(body, 'text'),
        project,
        dryRun,
      }),
    ({ diff, operations }) => [diff, operations],
  ),
  equip: change(
    (loadout, body, project, dryRun) => loadout.skills.equip({ ...installsIn(body), project, dryRun }),
    ({ operations }) => operations,
  ),
  doctor: change(
    async (loadout, _, project, dryRun) => {
      const { value, findings } = await loadout.agents.doctor({ project, fix: !dryRun })
      return { value, findings: dryRun ? [] : findings }
    },
    () => 'what can be repaired safely',
  ),
  fix: change(fixLists, ({ plans }) => plans),
  forbid: change(forbid, (value) => value),
  merge: change(endMerge, ({ name, how }) => [name, how]),
  settings: change(
    (loadout, body, _, dryRun) => {
      const { keepsTasks, readsTranscripts, prices } = body as UsageSettingsChange
      return loadout.knowledge.changeUsageSettings({ keepsTasks, readsTranscripts, prices, dryRun })
    },
    ({ after }) => after,
  ),
  sync: change(
    (loadout, _, project, dryRun) => loadout.skills.sync({ project, dryRun }),
    ({ steps, operations }) => [steps, operations],
  ),
  'take-over': change(
    (loadout, _, project, dryRun) => loadout.skills.import({ adopt: true, create: NEW_LIBRARY, project, dryRun }),
    ({ imported, adopted, refused }) => [imported, adopted, refused],
  ),
  tune: change(
    (loadout, body, _, dryRun) =>
      loadout.knowledge.tuneRule({
        project: textIn(body, 'project'),
        id: textIn(body, 'id'),
        priority: textIn(body, 'priority'),
        dryRun,
      }),
    ({ diff, changes }) => [diff, changes],
  ),
  undo: change(
    (loadout, body, _, dryRun) => loadout.skills.undo({ commit: textIn(body, 'commit'), dryRun }),
    ({ undone, diff }) => [undone, diff],
  ),
  unequip: change(
    (loadout, body, project, dryRun) => loadout.skills.unequip({ ...installsIn(body), project, dryRun }),
    ({ operations }) => operations,
  ),
  unfix: change(
    async (loadout, body, project, dryRun) => {
      const agent = textIn(body, 'agent')
      if (dryRun) return { value: { agent, undone: [] as unknown[] }, findings: [] }
      const { value, findings } = await loadout.agents.undoFix({ agent, project })
      return { value: { agent, undone: value }, findings }
    },
    ({ agent }) => agent,
  ),
  update: change(
    (loadout, body, _, dryRun) => loadout.skills.update({ names: listIn(body, 'names'), dryRun }),
    ({ updates, operations }) => [updates, operations],
  ),
}

export function addChanges(app: HttpApp, server: PageServer): void {
  app.post('/api/change/:name', async (context) => {
    const name = context.req.param('name')
    const found = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined
    if (found === undefined) throw failWith('USAGE/action')
    const body = await bodyOf(context)
    const project = scopeOf(context, server, body.scope)
    const run = (dryRun: boolean) => found.run(server.open(), body, project, dryRun)
    return planOrDo(context, body, run, found.partsOf)
  })
}

function installsIn(body: Body) {
  return { names: listIn(body, 'names'), targets: listIn(body, 'targets') }
}

/** `loadout add`: into the library, and into the agents if they may have it. */
async function addSkills(loadout: Loadout, body: Body, project: string | undefined, dryRun: boolean) {
  const request = { source: textIn(body, 'source'), names: listIn(body, 'names') }
  const create = dryRun ? undefined : NEW_LIBRARY
  const { value, findings } = await loadout.skills.import({ ...request, create, dryRun })
  const names = value.imported.map(({ name }) => name)
  if (dryRun || names.length === 0) return { value: { ...value, operations: [] as unknown[] }, findings }
  if (flagIn(body, 'allow')) {
    for (const { name, review } of value.imported) {
      if (review.length > 0) await loadout.agents.approve({ what: `skill:${name}`, shown: review })
    }
  }
  const equipped = await loadout.skills.equip({ names, targets: listIn(body, 'targets'), project })
  const { operations } = equipped.value
  return { value: { ...value, operations }, findings: [...findings, ...equipped.findings] }
}

/** `loadout approve`: exactly what the plan showed of skills; packs by their folders. */
async function allow(loadout: Loadout, body: Body, project: string | undefined, dryRun: boolean) {
  const skills = await Promise.all(
    listIn(body, 'skills').map(async (name) => {
      const { value } = await loadout.skills.inspect({ name, project })
      return { name, review: value.review }
    }),
  )
  const packs = await Promise.all(
    listIn(body, 'packs').map(async (pack) => {
      const { value } = await loadout.knowledge.showPack({ pack, project: textIn(body, 'project') || undefined })
      const { name, description, packRoot, diagnostics } = value
      return { name, description, packRoot, diagnostics }
    }),
  )
  const value = { skills, packs }
  if (dryRun) return { value, findings: [] }
  const findings = []
  for (const { name, review } of skills) {
    findings.push(...(await loadout.agents.approve({ what: `skill:${name}`, shown: review, project })).findings)
  }
  for (const { packRoot } of packs) findings.push(...(await loadout.agents.approve({ what: packRoot })).findings)
  return { value, findings }
}

/** `loadout deny`, or with `again` `loadout revoke`. */
async function forbid(loadout: Loadout, body: Body, project: string | undefined, dryRun: boolean) {
  const what = [...listIn(body, 'skills').map((name) => `skill:${name}`), ...listIn(body, 'packs')]
  const isRevoked = flagIn(body, 'again')
  const findings = []
  for (const each of dryRun ? [] : what) {
    const answer = isRevoked ? loadout.agents.revoke : loadout.agents.deny
    findings.push(...(await answer({ what: each, project })).findings)
  }
  return { value: { what, isRevoked }, findings }
}

/** `loadout see --fix`. */
async function fixLists(loadout: Loadout, body: Body, project: string | undefined, dryRun: boolean) {
  const planned = await loadout.agents.planFix({ agent: textIn(body, 'agent') || undefined, project })
  if (dryRun) return { value: { plans: planned.value }, findings: planned.findings }
  const { value, findings } = await loadout.agents.applyFix(planned.value)
  return { value: { plans: value }, findings }
}

interface EndedMerge {
  name: string
  how: string
  /** Of the plan. */
  merge?: MergeView
  commit?: string
}

/** `loadout merge`: takes one side of every open place and ends it, or gives it up. */
async function endMerge(
  loadout: Loadout,
  body: Body,
  _: string | undefined,
  dryRun: boolean,
): Promise<Report<EndedMerge>> {
  const name = textIn(body, 'name')
  const how = textIn(body, 'how')
  if (dryRun) {
    const { value, findings } = await loadout.skills.showMerge({ name })
    return { value: { name, how, merge: value }, findings }
  }
  const take = how === 'library' || how === 'other' ? (how as 'library' | 'other') : undefined
  const request = how === 'abort' ? { name, abort: true } : { name, take, continue: true }
  const { value, findings } = await loadout.skills.finishMerge(request)
  return { value: { name, how, commit: value.commit }, findings }
}
