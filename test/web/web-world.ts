import { request } from 'node:http'
import { atEnd } from '../cli/run.ts'
import { spawnWeb, type WebServer } from './spawn-web.ts'

export type { WebServer } from './spawn-web.ts'

/** The real program, as a person starts it. It is gone when the tests of a file are. */
export async function startWeb(...start: Parameters<typeof spawnWeb>): Promise<WebServer> {
  const server = await spawnWeb(...start)
  atEnd(() => server.child.kill('SIGKILL'))
  return server
}

export interface Reply {
  status: number | undefined
  headers: Record<string, string | string[] | undefined>
  text: string
}

interface Sent {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Not with fetch, which does not let one lie about the host. */
export function send(origin: string, path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Reply> {
  const { port } = new URL(origin)
  return new Promise((done, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      done({ status: response.statusCode, headers: response.headers, text })
    })
    sent.on('error', reject).end(body)
  })
}
