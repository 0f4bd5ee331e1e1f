import type { HttpApp } from '../../machine/http.ts'
import { answer, type Desk, namesIn, numberIn, scopeOf } from '../desk.ts'

/** `GET /api/status`: `loadout status`. `GET /api/see/claude?window=200000&without=x`: `loadout see`. */
export function addAgents(app: HttpApp, desk: Desk): void {
  app.get('/api/status', async (context) =>
    answer(context, await desk.open().status({ project: scopeOf(context, desk) })),
  )
  app.get('/api/see/:agent', async (context) =>
    answer(
      context,
      await desk.open().see({
        agent: context.req.param('agent'),
        project: scopeOf(context, desk),
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
