import { matchedSpans } from '../display-rules.ts'
import type { Context } from '../loadout.ts'
import type { HttpApp } from '../machine/http.ts'
import { addChanges } from './changes.ts'
import { answer, bodyOf, namesIn, numberIn, type PageServer, scopeOf } from './page-server.ts'

declare const LOADOUT_VERSION: string | undefined

/** The questions of each screen, and all changes. */
const SCREENS: readonly ((app: HttpApp, server: PageServer) => void)[] = [
  addHome,
  addSessions,
  addSkills,
  addAgents,
  addUsage,
  addOverlaps,
  addKnowledge,
  addBundle,
  addChanges,
]

export function addRoutes(app: HttpApp, server: PageServer): void {
  const version = typeof LOADOUT_VERSION === 'string' ? LOADOUT_VERSION : 'development'
  app.get('/api/place', async (context) => {
    const loadout = server.open()
    const [{ home }, team] = await Promise.all([loadout.agents.detectProject({}), loadout.team.address({})])
    return context.json({ version, home, project: server.project, team, findings: [] })
  })
  for (const add of SCREENS) add(app, server)
}

/** `GET /api/status`: `loadout status`. `GET /api/see/claude?window=200000&without=x`: `loadout see`. */
function addAgents(app: HttpApp, server: PageServer): void {
  app.get('/api/status', async (context) =>
    answer(context, await server.open().agents.status({ project: scopeOf(context, server) })),
  )
  app.get('/api/see/:agent', async (context) =>
    answer(
      context,
      await server.open().agents.see({
        agent: context.req.param('agent'),
        project: scopeOf(context, server),
        window: numberIn(context, 'window'),
        model: context.req.query('model') || undefined,
        without: namesIn(context, 'without'),
        shorten: Object.fromEntries(namesIn(context, 'shorten').map(readShort)),
      }),
    ),
  )
}

/** `release-notes=200`. */
function readShort(pair: string): [name: string, characters: number] {
  const at = pair.lastIndexOf('=')
  return [pair.slice(0, at), Number(pair.slice(at + 1)) || 0]
}

/**
 * `GET /api/context?task=…&tokens=4000`: `loadout context`. `GET /api/replay/0123abcd`: `loadout replay`. Both
 * include the positions of the words that chose each part. `GET /api/records`: `loadout audit list`. `GET /api/first?task=…`: places to
 * show while a large project has no index yet. Nothing is recorded.
 */
function addBundle(app: HttpApp, server: PageServer): void {
  app.get('/api/context', async (context) => {
    const task = (context.req.query('task') ?? '').trim()
    const { value, findings } = await server.open().context.build({
      task,
      project: server.project,
      maxTokens: numberIn(context, 'tokens'),
      maxChars: numberIn(context, 'chars'),
      maxFiles: numberIn(context, 'files'),
      near: context.req.query('near')?.match(/[^\s,]+/g) ?? undefined,
      isRecorded: false,
      signal: context.req.raw.signal,
    })
    return context.json({ ...withMarks(value), findings })
  })
  app.get('/api/first', async (context) => {
    const task = (context.req.query('task') ?? '').trim()
    return answer(context, await server.open().context.lookAtOnce({ task, project: server.project }))
  })
  app.get('/api/replay/:id', async (context) => {
    const { value, findings } = await server.open().context.replay({ id: context.req.param('id') })
    if ('wrappers' in value) return context.json({ ...value, findings })
    const { id, changes } = value
    return context.json({ id, changes, ...(value.context && withMarks(value.context)), findings })
  })
  app.get('/api/records', async (context) => {
    const { value, findings } = await server.open().context.listRecords({ limit: numberIn(context, 'limit') })
    return context.json({ records: value, findings })
  })
}

function withMarks({ bundle }: Context) {
  return { bundle, marks: bundle.files.map(matchedSpans) }
}

/** `GET /api/doctor`: `loadout doctor`. `GET /api/search?query=x`: `loadout search x`. */
function addHome(app: HttpApp, server: PageServer): void {
  app.get('/api/doctor', async (context) =>
    answer(context, await server.open().agents.doctor({ project: scopeOf(context, server) })),
  )
  app.get('/api/settings', async (context) => answer(context, await server.open().knowledge.usageSettings({})))
  app.get('/api/search', async (context) => {
    const query = (context.req.query('query') ?? '').trim()
    const request = { query, limit: numberIn(context, 'limit'), layers: {}, project: server.project }
    return answer(context, await server.open().context.search(request))
  })
}

/** Packs as `loadout packs list --all`, one as `packs show`, a page as `lookup --load`; notes as `note list --all`; payloads as `resolve`, their drift as `validate`. */
function addKnowledge(app: HttpApp, server: PageServer): void {
  app.get('/api/packs', async (context) =>
    answer(context, await server.open().knowledge.listPacks({ project: server.project, all: true })),
  )
  app.get('/api/packs/show', async (context) => {
    const pack = context.req.query('pack') ?? ''
    return answer(context, await server.open().knowledge.showPack({ project: server.project, pack }))
  })
  app.get('/api/packs/page', async (context) => {
    const id = `pack:${context.req.query('page') ?? ''}`
    const request = { id, layers: {}, project: server.project, isRecorded: false }
    return answer(context, await server.open().context.read(request))
  })
  app.get('/api/notes', async (context) =>
    answer(context, await server.open().knowledge.listNotes({ project: server.project, all: true })),
  )
  app.get('/api/payloads', (context) => {
    const loadout = server.open()
    return answer(context, loadout.knowledge.resolve(loadout.knowledge.nameLayers({ project: server.project })))
  })
  app.get('/api/validate', async (context) => {
    const loadout = server.open()
    return answer(
      context,
      await loadout.agents.validate({ layers: loadout.knowledge.nameLayers({ project: server.project }) }),
    )
  })
}

/** `GET /api/similar`: `loadout test --similar`. */
function addOverlaps(app: HttpApp, server: PageServer): void {
  app.get('/api/similar', async (context) => {
    const loadout = server.open()
    return answer(
      context,
      await loadout.knowledge.similar({ layers: loadout.knowledge.nameLayers({}), project: server.project }),
    )
  })
}

/** `GET /api/sessions`: `loadout usage --sessions`; with an agent and an id, what happened in one. */
function addSessions(app: HttpApp, server: PageServer): void {
  app.get('/api/sessions', async (context) => {
    const { since, agent } = context.req.query()
    return answer(context, await server.open().knowledge.conversations({ since, agent }))
  })
  app.get('/api/sessions/:via/:session', async (context) => {
    const { via, session } = context.req.param()
    return answer(context, await server.open().knowledge.conversation({ via, session }))
  })
}

/**
 * `GET /api/inventory`: `loadout list`. `GET /api/inspect/x`, `/api/diff/x`: `loadout show x`, `loadout diff x`.
 * `GET /api/outdated`: `loadout update --check`. `GET /api/merges`: `loadout merge`, with the texts of each place.
 * `POST /api/offers`: what `loadout add <source>` would offer.
 */
function addSkills(app: HttpApp, server: PageServer): void {
  app.get('/api/inventory', async (context) =>
    answer(context, await server.open().skills.inventory({ project: scopeOf(context, server) })),
  )
  app.get('/api/inspect/:name', async (context) =>
    answer(
      context,
      await server.open().skills.inspect({ name: context.req.param('name'), project: scopeOf(context, server) }),
    ),
  )
  app.get('/api/diff/:name', async (context) =>
    answer(
      context,
      await server.open().skills.diff({ name: context.req.param('name'), project: scopeOf(context, server) }),
    ),
  )
  app.get('/api/outdated', async (context) => {
    const { value, findings } = await server.open().skills.outdated({ signal: context.req.raw.signal })
    return context.json({ sources: value, findings })
  })
  app.get('/api/merges', async (context) => {
    const loadout = server.open()
    const { value, findings } = await loadout.skills.finishMerge({})
    const merges = await Promise.all(
      value.merges.map(async ({ skill }) => (await loadout.skills.showMerge({ name: skill })).value),
    )
    return context.json({ merges, findings })
  })
  app.get('/api/tests', async (context) => answer(context, await server.open().knowledge.testResults({})))
  app.post('/api/offers', async (context) => {
    const { source } = await bodyOf(context)
    const request = { source: typeof source === 'string' ? source : '', list: true, create: '~/skills' }
    return answer(context, await server.open().skills.import({ ...request, signal: context.req.raw.signal }))
  })
}

/** `GET /api/usage`: `loadout usage --by`. `GET /api/dead`: `loadout usage --dead`. */
function addUsage(app: HttpApp, server: PageServer): void {
  app.get('/api/usage', async (context) => {
    const { since, until, step, agent, kind, entry } = context.req.query()
    const { value, findings } = await server.open().knowledge.usageOverTime({ since, until, step, agent, kind, entry })
    const entries = value.entries.map((each) => ({ ...each, modes: [...each.modes] }))
    return answer(context, { value: { ...value, entries }, findings })
  })
}
