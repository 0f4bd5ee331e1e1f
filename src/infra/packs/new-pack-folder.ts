import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { asLoadoutError, codeOf, exists, isAlive } from '../files.ts'
import { flushFiles } from '../skills/flush.ts'

/** Writes a new folder, all of it or nothing. What is there already is left alone. */
export async function writeNewFolder(target: string, files: ReadonlyMap<string, string>): Promise<void> {
  refuseExisting(target)
  // Hidden, so that nobody takes it for a finished pack.
  const id = `${process.pid}-${randomBytes(4).toString('hex')}`
  const stage = join(dirname(target), `.${basename(target)}.${id}.new`)
  try {
    mkdirSync(dirname(target), { recursive: true })
    removeAbandoned(target)
    for (const [path, text] of files) {
      mkdirSync(dirname(join(stage, path)), { recursive: true })
      writeFileSync(join(stage, path), text, { flag: 'wx' })
    }
    await flushFiles(stage, [...files.keys()])
    refuseExisting(target)
    renameSync(stage, target)
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) refuseExisting(target)
    throw asLoadoutError(error, target, 'write')
  }
}

function refuseExisting(target: string): void {
  if (!exists(target)) return
  throw new LoadoutError('PACK_EXISTS', `${target} exists already`, {
    hint: 'choose another name; nothing was written',
  })
}

/** What a killed writer of this folder left. */
function removeAbandoned(target: string): void {
  for (const name of readdirSync(dirname(target))) {
    const [, base, pid] = /^\.(.+)\.(\d+)-[0-9a-f]{8}\.new$/.exec(name) ?? []
    if (base !== basename(target) || isAlive(Number(pid))) continue
    rmSync(join(dirname(target), name), { recursive: true, force: true })
  }
}
