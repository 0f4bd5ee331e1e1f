import type { HttpApp } from '../../machine/http.ts'
import { answer, type Desk } from '../desk.ts'

/** `GET /api/similar`: `loadout usage --similar`. */
export function addOverlaps(app: HttpApp, desk: Desk): void {
  app.get('/api/similar', async (context) => {
    const loadout = desk.open()
    return answer(context, await loadout.similar({ layers: loadout.nameLayers({}), project: desk.project }))
  })
}
