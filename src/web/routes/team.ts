import type { HttpApp } from '../../machine/http.ts'
import { answer, type PageServer } from '../page-server.ts'

/** `GET /api/team/report`: `loadout team report`. `GET /api/team/catalog`: `loadout catalog search`. */
export function addTeam(app: HttpApp, server: PageServer): void {
  app.get('/api/team/report', async (context) => {
    const { since, until, group } = context.req.query()
    return answer(context, await server.open().reportTeam({ since, until, group }))
  })
  app.get('/api/team/catalog', async (context) => answer(context, await server.open().searchCatalog({})))
}
