import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type HttpApp, HttpRefusal } from '../machine/http.ts'

const FOLDER = join(import.meta.dirname, 'web')
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * The page: one document for all screens, and its files, whose names change with their content. Serves only names that
 * the build wrote, and never joins a requested path.
 */
export function servePage(app: HttpApp): void {
  const names = new Set(readdirSync(join(FOLDER, 'assets')))
  app.get('/assets/:name', (context) => {
    const name = context.req.param('name')
    const type = TYPES[extname(name)]
    if (!names.has(name) || type === undefined) throw new HttpRefusal(404, 'NOT_SERVED', 'there is no such file')
    context.header('Cache-Control', 'private, max-age=31536000, immutable')
    return context.body(readFileSync(join(FOLDER, 'assets', name)), 200, { 'Content-Type': type })
  })
  app.get('/:screen{[a-z-]+}?', (context) => context.html(readFileSync(join(FOLDER, 'index.html'), 'utf8')))
}
