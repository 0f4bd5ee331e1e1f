import { createLoadout } from '../loadout.ts'
import { createHttpApp, serveHttp, servePage } from '../machine/http.ts'
import { LastAnswers } from './last-answers.ts'
import { serveChanges } from './live.ts'
import { openPage } from './open-page.ts'
import { Threads } from './threads.ts'
import { requireToken } from './token.ts'

export interface WebServing {
  /** 0 for any free port. */
  port: number
  project?: string
  /** Opens the page in the browser of this machine. */
  isOpened: boolean
  signal: AbortSignal
  /** Prints a line in the terminal of the server. */
  tell(text: string): void
}

/** Serves the page to the user who started it, until the signal fires. */
export async function serveWeb({ port, project, isOpened, signal, tell }: WebServing): Promise<void> {
  const app = createHttpApp({ onError: (error) => tell(error instanceof Error ? error.message : String(error)) })
  const open = () => createLoadout({ persist: true, caller: { via: 'web' } })
  const threads = new Threads(project, tell)
  const last = new LastAnswers(open)
  servePage(app, 'index')
  const token = requireToken(app)
  serveChanges(app, { project, open, signal })
  // `X-Last`: the page has nothing to show yet, and asks for what was known last; its other request waits for the answer.
  app.all('/api/*', async ({ req }) => {
    const { pathname, search } = new URL(req.url)
    const question = pathname + search
    const send = (text: string, status: number) =>
      new Response(text === '' ? null : text, { status, headers: { 'content-type': 'application/json' } })
    if (req.header('x-last') !== undefined) {
      const text = (await last.recall(question)) ?? ''
      return send(text, text === '' ? 204 : 200)
    }
    const type = req.header('content-type')
    const body = req.method === 'GET' ? undefined : await req.text()
    const headers = type === undefined ? undefined : { 'content-type': type }
    const { status, text } = await threads.ask({ path: question, method: req.method, headers, body }, req.raw.signal)
    if (req.method === 'GET' && status === 200) void last.keep(question, text)
    return send(text, status)
  })
  await serveHttp(app, { port }, signal, ({ url }) => {
    // A browser keeps what follows the # to itself.
    const address = `${url}/#token=${token}`
    tell(`Open this address in a browser; ctrl-c stops the server: ${address}`)
    if (isOpened) openPage(address, tell)
  })
  threads.stop()
}
