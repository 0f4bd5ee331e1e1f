import type { HttpApp } from '../../machine/http.ts'
import { answer, type PageServer } from '../page-server.ts'

/** Packs as `loadout packs list --all`, one as `packs show`; payloads as `resolve`, their drift as `validate`. */
export function addKnowledge(app: HttpApp, server: PageServer): void {
  app.get('/api/packs', async (context) =>
    answer(context, await server.open().listPacks({ project: server.project, all: true })),
  )
  app.get('/api/packs/show', async (context) => {
    const pack = context.req.query('pack') ?? ''
    return answer(context, await server.open().showPack({ project: server.project, pack }))
  })
  app.get('/api/payloads', (context) => {
    const loadout = server.open()
    return answer(context, loadout.resolve(loadout.nameLayers({ project: server.project })))
  })
  app.get('/api/validate', async (context) => {
    const loadout = server.open()
    return answer(context, await loadout.validate({ layers: loadout.nameLayers({ project: server.project }) }))
  })
}
