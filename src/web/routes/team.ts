import type { HttpApp } from '../../machine/http.ts'
import { answer, type Desk } from '../desk.ts'

/** `GET /api/team/report`: `loadout team report`. `GET /api/team/catalog`: `loadout catalog search`. */
export function addTeam(app: HttpApp, desk: Desk): void {
  app.get('/api/team/report', async (context) => {
    const { since, until, group } = context.req.query()
    return answer(context, await desk.open().reportTeam({ since, until, group }))
  })
  app.get('/api/team/catalog', async (context) => {
    const { value, findings } = await desk.open().searchCatalog({})
    return answer(context, { value: { versions: value }, findings })
  })
}
