import type { HttpApp } from '../../machine/http.ts'
import { answer, type PageServer } from '../page-server.ts'

/** `GET /api/usage`: `loadout usage --by`. `GET /api/dead`: `loadout usage --dead`. */
export function addUsage(app: HttpApp, server: PageServer): void {
  app.get('/api/usage', async (context) => {
    const { since, until, step, agent, kind, entry } = context.req.query()
    const { value, findings } = await server.open().usageOverTime({ since, until, step, agent, kind, entry })
    const entries = value.entries.map((each) => ({ ...each, modes: [...each.modes] }))
    return answer(context, { value: { ...value, entries }, findings })
  })
}
