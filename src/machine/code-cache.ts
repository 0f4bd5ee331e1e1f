import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { cacheFolder } from './machine.ts'

/** Differs between builds, so that code of another build is never used. */
declare const LOADOUT_BUILD: string

/** Returns the exports of a file of this program. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the file exports
export type Load = (path: string) => any

/**
 * Loads the files of this program with the code that earlier runs compiled: without it, a start takes twice as long
 * above bare Node. Where that is impossible, the program runs without it. NODE_COMPILE_CACHE and
 * NODE_DISABLE_COMPILE_CACHE work as in Node itself. Node's own cache, which Node 22 and later have, is not used: with
 * it a hook takes 1.70 times the processor time of bare Node, with ours 1.50.
 */
export function openCodeCache(env: NodeJS.ProcessEnv): Load | undefined {
  // Loaded only here: it takes longer than the whole cache.
  if (env.NODE_DISABLE_COMPILE_CACHE || (env.NODE_COMPILE_CACHE && 'enableCompileCache' in require('node:module')))
    return undefined
  try {
    const folder = join(
      env.NODE_COMPILE_CACHE || cacheFolder({ env, home: env.HOME || homedir() }),
      'code',
      LOADOUT_BUILD,
    )
    if (isAbsolute(folder) && isOurs(folder)) return loadThrough(join(folder, process.version), purposeOf(process.argv))
  } catch {
    // Slower, but correct.
  }
  return undefined
}

/** Creates the folder. Refuses a folder in which other users could have written code. */
function isOurs(folder: string): boolean {
  const { mode, uid } = lstatSync(folder, { throwIfNoEntry: false }) ?? makeFolders(folder)
  return (mode & 0o022) === 0 && (process.getuid?.() ?? uid) === uid
}

function makeFolders(folder: string) {
  const parents = [dirname(folder), dirname(dirname(folder)), dirname(dirname(dirname(folder)))].reverse()
  for (const parent of parents) makeFolder(parent)
  if (makeFolder(folder)) removeOtherBuilds(folder)
  return lstatSync(folder)
}

/** Whether it created the folder. One level at a time: below /proc, Node tries to create parents forever. */
function makeFolder(path: string): boolean {
  if (existsSync(path)) return false
  mkdirSync(path, { mode: 0o700 })
  return true
}

function removeOtherBuilds(folder: string): void {
  if (!lstatSync(dirname(folder)).isDirectory()) return
  for (const entry of readdirSync(dirname(folder), { withFileTypes: true })) {
    const isBuild = entry.isDirectory() && entry.name.length === LOADOUT_BUILD.length
    if (isBuild && entry.name !== LOADOUT_BUILD) rmSync(join(dirname(folder), entry.name), { recursive: true })
  }
}

/**
 * V8 stores the code of the functions that a run has called. Each kind of call that users wait for has its own code,
 * because the code of another call contains too much of one thing and too little of another.
 */
function purposeOf([, , command = 'interface', , event = '']: readonly string[]): string {
  const name = command === 'hook' ? event : command
  return WAITED_FOR.includes(name) ? name : 'rest'
}

const WAITED_FOR = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'plan',
  'context',
  'inventory',
  'sync',
  'interface',
]

/**
 * Compiles every file of this program with the code of an earlier run. The first run of its kind stores none: it also
 * runs one-time work, and reading that code costs later runs 2 ms.
 */
function loadThrough(folder: string, purpose: string): Load {
  const isFirst = !existsSync(join(folder, purpose))
  const { Script }: typeof import('node:vm') = require('node:vm')
  const fresh = new Map<string, InstanceType<typeof Script>>()
  // By then V8 has compiled everything that such a call needs.
  process.on('exit', () => {
    if (isFirst) makeFolderFor(join(folder, purpose))
    else for (const [path, script] of fresh) writeCode(path, script.createCachedData())
  })
  const run = (loaded: { exports: unknown }, filename: string) => {
    const path = join(folder, purpose, `${basename(filename)}.cache`)
    const cachedData = readCode(path)
    const script = new Script(readWrapped(filename), { filename, cachedData, columnOffset: -BEFORE.length })
    if (script.cachedDataRejected !== false) fresh.set(path, script)
    const requireHere = (name: string) => (name.startsWith('./') ? load(join(dirname(filename), name)) : require(name))
    script.runInThisContext()(loaded.exports, requireHere, loaded, filename, dirname(filename))
  }
  const files = new Map<string, { exports: unknown }>()
  // A command has some forty files: Node's own search for each takes a fifth of the start.
  const load = (filename: string): unknown => {
    const known = files.get(filename)
    if (known !== undefined) return known.exports
    const loaded = { exports: {} }
    files.set(filename, loaded)
    try {
      run(loaded, filename)
    } catch (error) {
      files.delete(filename)
      throw error
    }
    return loaded.exports
  }
  return load
}

const BEFORE = '(function (exports, require, module, __filename, __dirname) { '
const AFTER = '\n})'

/** The function that Node makes of a file, as one string: a concatenated string is copied once more. */
function readWrapped(filename: string): string {
  const file = openSync(filename, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.allocUnsafeSlow(BEFORE.length + size + AFTER.length)
    bytes.write(BEFORE)
    const end = BEFORE.length + readSync(file, bytes, BEFORE.length, size, null)
    return bytes.toString('utf8', 0, end + bytes.write(AFTER, end))
  } finally {
    closeSync(file)
  }
}

/**
 * V8 runs damaged code without a check. So the file contains the code twice: comparing both takes microseconds, but any
 * digest takes milliseconds to load or to run.
 */
function readCode(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const { size } = fstatSync(file)
    if (size === 0 || size % 2 === 1 || size > 64 * 1024 * 1024) return undefined
    const bytes = Buffer.allocUnsafeSlow(size)
    const code = bytes.subarray(0, size / 2)
    return readSync(file, bytes) === size && code.equals(bytes.subarray(size / 2)) ? code : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function makeFolderFor(folder: string): void {
  try {
    makeFolder(dirname(folder))
    makeFolder(folder)
  } catch {
    // The next run tries again.
  }
}

function writeCode(path: string, code: Buffer): void {
  try {
    const beside = `${path}.${process.pid}`
    writeFileSync(beside, Buffer.concat([code, code]), { flag: 'wx', mode: 0o600 })
    renameSync(beside, path)
  } catch {
    // The next run tries again.
  }
}
