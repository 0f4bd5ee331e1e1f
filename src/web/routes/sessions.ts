import type { HttpApp } from '../../machine/http.ts'
import { answer, type Desk } from '../desk.ts'

/** `GET /api/sessions`: `loadout usage --sessions`; with an agent and an id, what happened in one. */
export function addSessions(app: HttpApp, desk: Desk): void {
  app.get('/api/sessions', async (context) => {
    const { since, agent } = context.req.query()
    return answer(context, await desk.open().conversations({ since, agent }))
  })
  app.get('/api/sessions/:via/:session', async (context) => {
    const { via, session } = context.req.param()
    return answer(context, await desk.open().conversation({ via, session }))
  })
}
