import { createLoadout } from '../loadout.ts'
import { createHttpApp, serveHttp, servePage } from '../machine/http.ts'
import { serveChanges } from './live.ts'
import { openPage } from './open-page.ts'
import { addRoutes } from './routes.ts'
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
  const server = { project, open: () => createLoadout({ persist: true, caller: { via: 'web' } }), signal }
  servePage(app, 'index')
  const token = requireToken(app)
  addRoutes(app, server)
  serveChanges(app, server)
  await serveHttp(app, { port }, signal, ({ url }) => {
    // A browser keeps what follows the # to itself.
    const address = `${url}/#token=${token}`
    tell(`Open this address in a browser; ctrl-c stops the server: ${address}`)
    if (isOpened) openPage(address, tell)
  })
}
