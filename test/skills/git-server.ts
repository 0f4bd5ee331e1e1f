import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Repositories below a folder over HTTP, as a host serves them. */
export interface GitServer {
  url: string
  /** What it answers instead, from now on; 200: as it should. */
  answer(status: number): void
  /** Serves only those who log in with `name:password`. */
  demand(login: string): void
  stop(): Promise<void>
}

export async function startGitServer(folder: string): Promise<GitServer> {
  let status = 200
  let expected: string | undefined
  const server = createServer((request, response) => {
    const isLoggedIn = expected !== undefined && request.headers.authorization === expected
    if (status === 200 || isLoggedIn) return serve(folder, request, response)
    response.writeHead(status, status === 401 ? { 'WWW-Authenticate': 'Basic realm="private"' } : {})
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next) => {
      status = next
    },
    demand: (login) => {
      status = 401
      expected = `Basic ${Buffer.from(login).toString('base64')}`
    },
    stop: () => new Promise((done) => server.close(() => done())),
  }
}

/** Git has the other side of its protocol as a CGI program. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const { PATH } = process.env
  const env = {
    PATH,
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method,
    CONTENT_TYPE: request.headers['content-type'],
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
    GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
  }
  const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  request.pipe(backend.stdin)
  const pieces: Buffer[] = []
  backend.stdout.on('data', (piece) => pieces.push(piece))
  backend.once('close', () => {
    const whole = Buffer.concat(pieces)
    const end = whole.indexOf('\r\n\r\n')
    const head = whole.subarray(0, end).toString().split('\r\n')
    const headers = Object.fromEntries(head.map((line) => line.split(': ') as [string, string]))
    response.writeHead(Number.parseInt(headers.Status ?? '200', 10), headers)
    response.end(whole.subarray(end + 4))
  })
}
