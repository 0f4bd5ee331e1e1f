#!/usr/bin/env node
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'

/**
 * Starts the program from compiled code that the build left beside it. Another version of Node refuses that code and
 * compiles the program itself: slower, never wrong.
 */
const folder = import.meta.dirname
const parts: Record<string, unknown> = {}
if (isHook()) startHook()
else load('program')

/** A hook has a program of its own, because somebody waits for it at every prompt. */
function isHook(): boolean {
  return process.argv[2] === 'hook' && !process.argv.includes('--help') && !process.argv.includes('-h')
}

/** Agents take a failed hook for a reason to stop their user: whatever happens, it ends well. */
function startHook(): void {
  try {
    load('hook')
  } catch {
    writeSync(2, 'loadout: the hook could not be loaded; install loadout again\n')
  }
}

function load(part: string): unknown {
  const filename = join(folder, `${part}.cjs`)
  const cachePath = join(folder, `${part}.cache`)
  const source = `(function (exports, require, module, __filename, __dirname, loadFace) {${readFileSync(filename, 'utf8')}\n})`
  const script = new Script(source, { filename, cachedData: readCache(cachePath) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, requireLate, module, filename, folder, loadFace)
  if (process.env.LOADOUT_WRITE_CODE_CACHE === part) {
    process.on('exit', () => writeFileSync(cachePath, script.createCachedData()))
  }
  return module.exports
}

/** A script cannot import: faces that are modules of their own are loaded from here. */
function loadFace(name: string): Promise<unknown> {
  return import(join(folder, name))
}

/** What the program asks for while it runs: another part of itself, or a module of Node. */
function requireLate(name: string): unknown {
  const part = /^\.\/(\w+)\.cjs$/.exec(name)?.[1]
  if (part === undefined) return require(name)
  parts[part] ??= load(part)
  return parts[part]
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}
