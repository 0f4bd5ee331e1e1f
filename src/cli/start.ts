#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/**
 * Starts the program from compiled code that the build left beside it. Another version of Node refuses that code and
 * compiles the program itself: slower, never wrong.
 */
const folder = import.meta.dirname
const filename = join(folder, 'program.cjs')
const cachePath = join(folder, 'program.cache')
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'utf8')}\n})`
const script = new Script(source, { filename, cachedData: readCache() })
script.runInThisContext()({}, require, {}, filename, folder)

if (process.env.LOADOUT_WRITE_CODE_CACHE) {
  process.on('exit', () => writeFileSync(cachePath, script.createCachedData()))
}

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cachePath)
  } catch {
    return undefined
  }
}
