import type { HttpApp } from '../../machine/http.ts'
import { answer, type Desk } from '../desk.ts'

/** Packs as `loadout packs list --all`, one as `packs show`; payloads as `resolve`, their drift as `validate`. */
export function addKnowledge(app: HttpApp, desk: Desk): void {
  app.get('/api/packs', async (context) =>
    answer(context, await desk.open().listPacks({ project: desk.project, all: true })),
  )
  app.get('/api/packs/show', async (context) => {
    const pack = context.req.query('pack') ?? ''
    return answer(context, await desk.open().showPack({ project: desk.project, pack }))
  })
  app.get('/api/payloads', (context) => {
    const loadout = desk.open()
    return answer(context, loadout.resolve(loadout.nameLayers({ project: desk.project })))
  })
  app.get('/api/validate', async (context) => {
    const loadout = desk.open()
    return answer(context, await loadout.validate({ layers: loadout.nameLayers({ project: desk.project }) }))
  })
}
