import { closeSync, fsync, openSync } from 'node:fs'
import { flushFlags } from './platform.ts'

// A process may open only a limited number of files.
const MOST_OPEN = 64

/** Flushes files before they are renamed: a power cut must not leave empty files under a final name. */
export async function flushFiles(folder: string, paths: readonly string[]): Promise<void> {
  for (let at = 0; at < paths.length; at += MOST_OPEN) {
    await Promise.all(paths.slice(at, at + MOST_OPEN).map((path) => flushFile(`${folder}/${path}`)))
  }
}

function flushFile(path: string): Promise<void> {
  return new Promise((done, fail) => {
    const file = openSync(path, flushFlags())
    fsync(file, (error) => {
      closeSync(file)
      if (error) fail(error)
      else done()
    })
  })
}
