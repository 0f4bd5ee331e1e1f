import { matchedSpans } from '../../display-rules.ts'
import type { Context } from '../../loadout.ts'
import type { HttpApp } from '../../machine/http.ts'
import { numberIn, type PageServer } from '../page-server.ts'

/**
 * `GET /api/context?task=…&tokens=4000`: `loadout context`. `GET /api/replay/0123abcd`: `loadout replay`. Both
 * include the positions of the words that chose each part. `GET /api/records`: `loadout audit list`. Nothing is recorded.
 */
export function addBundle(app: HttpApp, server: PageServer): void {
  app.get('/api/context', async (context) => {
    const task = (context.req.query('task') ?? '').trim()
    const { value, findings } = await server.open().buildContext({
      task,
      project: server.project,
      maxTokens: numberIn(context, 'tokens'),
      maxChars: numberIn(context, 'chars'),
      maxFiles: numberIn(context, 'files'),
      isRecorded: false,
      signal: context.req.raw.signal,
    })
    return context.json({ ...withMarks(value), findings })
  })
  app.get('/api/replay/:id', async (context) => {
    const { value, findings } = await server.open().replay({ id: context.req.param('id') })
    if ('wrappers' in value) return context.json({ ...value, findings })
    const { id, changes } = value
    return context.json({ id, changes, ...(value.context && withMarks(value.context)), findings })
  })
  app.get('/api/records', async (context) => {
    const { value, findings } = await server.open().listRecords({ limit: numberIn(context, 'limit') })
    return context.json({ records: value, findings })
  })
}

function withMarks({ bundle }: Context) {
  return { bundle, marks: bundle.files.map(matchedSpans) }
}
