import type { HttpApp } from '../../machine/http.ts'
import { answer, namesIn, numberIn, type PageServer, scopeOf } from '../page-server.ts'

/** `GET /api/status`: `loadout status`. `GET /api/see/claude?window=200000&without=x`: `loadout see`. */
export function addAgents(app: HttpApp, server: PageServer): void {
  app.get('/api/status', async (context) =>
    answer(context, await server.open().status({ project: scopeOf(context, server) })),
  )
  app.get('/api/see/:agent', async (context) =>
    answer(
      context,
      await server.open().see({
        agent: context.req.param('agent'),
        project: scopeOf(context, server),
        window: numberIn(context, 'window'),
        model: context.req.query('model') || undefined,
        without: namesIn(context, 'without'),
        shorten: Object.fromEntries(namesIn(context, 'shorten').map(readShort)),
      }),
    ),
  )
}

/** `release-notes=200`. */
function readShort(pair: string): [name: string, characters: number] {
  const at = pair.lastIndexOf('=')
  return [pair.slice(0, at), Number(pair.slice(at + 1)) || 0]
}
