import type { HttpApp } from '../../machine/http.ts'
import { answer, type PageServer } from '../page-server.ts'

/** `GET /api/similar`: `loadout usage --similar`. */
export function addOverlaps(app: HttpApp, server: PageServer): void {
  app.get('/api/similar', async (context) => {
    const loadout = server.open()
    return answer(context, await loadout.similar({ layers: loadout.nameLayers({}), project: server.project }))
  })
}
