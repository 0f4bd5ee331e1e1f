import type { HttpApp } from '../../machine/http.ts'
import { answer, bodyOf, type PageServer, scopeOf } from '../page-server.ts'

/** `GET /api/doctor`: `loadout doctor`. `POST /api/doctor/fix`: `loadout doctor --fix`. */
export function addHealth(app: HttpApp, server: PageServer): void {
  app.get('/api/doctor', async (context) =>
    answer(context, await server.open().doctor({ project: scopeOf(context, server) })),
  )
  app.post('/api/doctor/fix', async (context) => {
    const { scope } = await bodyOf(context)
    return answer(context, await server.open().doctor({ project: scopeOf(context, server, scope), fix: true }))
  })
}
