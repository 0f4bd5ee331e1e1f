import { createServer } from 'node:http'
import { findParcel, listParcels } from './parcels.js'
import { takeEvents } from './carriers/index.js'
import { allow } from './rate-limit.js'

const ROUTES = [
  ['GET', /^\/parcels\/([\w-]+)$/, ([, number]) => findParcel(number)],
  ['GET', /^\/parcels$/, (_, query) => listParcels(query.getAll('number'))],
  ['POST', /^\/carriers\/(\w+)\/events$/, ([, carrier], _, body) => takeEvents(carrier, body)],
]

const server = createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  if (!allow(request.headers['x-api-key'])) return answer(response, 429, { error: 'too many requests' })
  for (const [method, path, act] of ROUTES) {
    const match = request.method === method && path.exec(url.pathname)
    if (!match) continue
    try {
      return answer(response, 200, await act(match, url.searchParams, await readBody(request)))
    } catch (error) {
      return answer(response, error.status ?? 500, { error: error.message })
    }
  }
  answer(response, 404, { error: 'nothing here' })
})

async function readBody(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function answer(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

server.listen(Number(process.env.PORT ?? 8080))
