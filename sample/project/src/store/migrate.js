import { readdirSync, readFileSync } from 'node:fs'
import { query } from './database.js'

/** Every migration once, in the order of their numbers. One that has run is never changed. */
export async function migrate(folder = 'migrations') {
  const done = new Set((await query('select name from migrations')).map(({ name }) => name))
  for (const name of readdirSync(folder).sort()) {
    if (done.has(name)) continue
    await query(readFileSync(`${folder}/${name}`, 'utf8'))
    await query('insert into migrations (name) values ($1)', [name])
  }
}
