import type { HttpApp } from '../../machine/http.ts'
import { answer, type PageServer } from '../page-server.ts'

/** `GET /api/sessions`: `loadout usage --sessions`; with an agent and an id, what happened in one. */
export function addSessions(app: HttpApp, server: PageServer): void {
  app.get('/api/sessions', async (context) => {
    const { since, agent } = context.req.query()
    return answer(context, await server.open().conversations({ since, agent }))
  })
  app.get('/api/sessions/:via/:session', async (context) => {
    const { via, session } = context.req.param()
    return answer(context, await server.open().conversation({ via, session }))
  })
}
