import type { HttpApp } from '../../machine/http.ts'
import { failWith } from '../../text/trouble.ts'
import { answer, bodyOf, listIn, type PageServer, planOrDo, scopeOf } from '../page-server.ts'

/**
 * `GET /api/inventory`: `loadout inventory`. `GET /api/inspect/x`, `/api/diff/x`: `loadout inspect x`, `loadout diff x`.
 * `GET /api/outdated`: `loadout outdated`. `POST /api/installs`: `loadout equip` and `unequip`. `POST /api/update`,
 * `POST /api/undo`.
 */
export function addSkills(app: HttpApp, server: PageServer): void {
  app.get('/api/inventory', async (context) =>
    answer(context, await server.open().inventory({ project: scopeOf(context, server) })),
  )
  app.get('/api/inspect/:name', async (context) =>
    answer(
      context,
      await server.open().inspect({ name: context.req.param('name'), project: scopeOf(context, server) }),
    ),
  )
  app.get('/api/diff/:name', async (context) =>
    answer(context, await server.open().diff({ name: context.req.param('name'), project: scopeOf(context, server) })),
  )
  app.get('/api/outdated', async (context) => {
    const { value, findings } = await server.open().outdated({ signal: context.req.raw.signal })
    return context.json({ sources: value, findings })
  })
  app.post('/api/installs', async (context) => {
    const body = await bodyOf(context)
    const run = installer(server.open(), body.action)
    const targets = listIn(body, 'targets')
    const request = { names: listIn(body, 'names'), targets, project: scopeOf(context, server, body.scope) }
    return planOrDo(
      context,
      body,
      (dryRun) => run({ ...request, dryRun }),
      ({ operations }) => operations,
    )
  })
  app.post('/api/update', async (context) => {
    const body = await bodyOf(context)
    const request = { names: listIn(body, 'names') }
    const run = (dryRun: boolean) => server.open().update({ ...request, dryRun })
    return planOrDo(context, body, run, ({ updates, operations }) => [updates, operations])
  })
  app.post('/api/undo', async (context) => {
    const body = await bodyOf(context)
    const commit = typeof body.commit === 'string' ? body.commit : ''
    const run = (dryRun: boolean) => server.open().undo({ commit, dryRun })
    return planOrDo(context, body, run, ({ undone, diff }) => [undone, diff])
  })
}

function installer(loadout: ReturnType<PageServer['open']>, action: unknown) {
  if (action === 'equip') return loadout.equip
  if (action === 'unequip') return loadout.unequip
  throw failWith('USAGE/action')
}
