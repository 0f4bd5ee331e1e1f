import type { HttpApp } from '../../machine/http.ts'
import { answer, bodyOf, type Desk, scopeOf } from '../desk.ts'

/** `GET /api/doctor`: `loadout doctor`. `POST /api/doctor/fix`: `loadout doctor --fix`. */
export function addHealth(app: HttpApp, desk: Desk): void {
  app.get('/api/doctor', async (context) =>
    answer(context, await desk.open().doctor({ project: scopeOf(context, desk) })),
  )
  app.post('/api/doctor/fix', async (context) => {
    const { scope } = await bodyOf(context)
    return answer(context, await desk.open().doctor({ project: scopeOf(context, desk, scope), fix: true }))
  })
}
