import { migrateDown, migrateUp, openDatabase } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'
import { pause, random } from '../team/chance.ts'
import { added, NEXT } from '../team/next-schema.ts'
import { startInstance } from '../team/server.ts'

const NEWER = [...MIGRATIONS, added]

/** Migrates to the next schema, with a new instance beside the old ones, and back, while processes are killed. */
export async function upgradeAndBack(url: string, services: { port: number }[]): Promise<void> {
  const database = openDatabase(url, () => {})
  try {
    await untilDone(() => migrateUp(database, NEWER))
    const newer = await startInstance(url, { migrations: NEWER })
    const place = { port: Number(new URL(newer.url).port) }
    services.push(place)
    await pause(random(3_000, 8_000))
    services.splice(services.indexOf(place), 1)
    await newer.stop()
    await untilDone(() => migrateDown(database, NEWER, NEXT - 1))
  } finally {
    await database.end()
  }
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await work())
    } catch {
      await pause(300)
    }
  }
}
