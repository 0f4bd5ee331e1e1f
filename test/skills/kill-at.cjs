// Loaded into the program with --require. Every call that changes the file system, and every start of a program, gets
// a number and is written to KILL_LOG; the process kills itself at call KILL_AT: before it, half-way, or after it.
// A kill leaves the files as they are at that moment. So one run is enough for all: with KILL_COPIES the home is copied
// there before each KILL_EVERY-th line of the log that changes something, counted from KILL_FIRST, and half-way, into
// `12-before` and `12-half` for the twelfth.
// With FAIL_LOG nothing is killed: each call that FAIL_CODE can happen to is written there, and call FAIL_AT fails with it.
const childProcess = require('node:child_process')
const fs = require('node:fs')
const { dirname, join, relative } = require('node:path')

const real = { ...fs }
const { KILL_LOG, KILL_AT, KILL_HOW, KILL_COPIES, KILL_EVERY, KILL_FIRST, KILL_SKIPS, HOME } = process.env
const { FAIL_LOG, FAIL_AT, FAIL_CODE, NODE_COMPILE_CACHE } = process.env
const { spawnSync } = childProcess
let calls = 0
let lines = 0
let changes = 0
// What such a call calls in turn is a part of it.
let isInside = false

function die() {
  process.kill(process.pid, 'SIGKILL')
}

/** Does what a call would have done up to its middle, where a function says that its path lies. */
const HALVES = {
  mkdirSync(place, path, options) {
    const missing = []
    for (let at = place(path); options?.recursive && !real.existsSync(at); at = dirname(at)) missing.unshift(at)
    if (missing.length > 1) real.mkdirSync(missing[0])
  },
  rmSync(place, path, options) {
    const folder = place(path)
    if (!options?.recursive || !real.existsSync(folder) || !real.statSync(folder).isDirectory()) return
    const files = real.readdirSync(folder, { recursive: true }).map((name) => join(folder, name))
    const plain = files.filter((file) => !real.lstatSync(file).isDirectory()).sort()
    for (const file of plain.slice(0, Math.ceil(plain.length / 2))) real.unlinkSync(file)
  },
  writeFileSync(place, path, data, options) {
    const bytes = Buffer.from(data)
    if (paths.has(path)) HALVES.writeSync(place, path, data)
    else real.writeFileSync(place(path), bytes.subarray(0, bytes.length / 2), options)
  },
  writeSync(place, number, data, offset = 0) {
    const bytes = Buffer.from(data).subarray(offset)
    const file = real.openSync(place(paths.get(number)), 'r+')
    real.writeSync(file, bytes, 0, bytes.length >> 1, written.get(number))
    real.closeSync(file)
  },
}

function copyHome(how) {
  const copy = join(KILL_COPIES, `${lines}-${how}`)
  spawnSync('cp', ['-a', HOME, copy])
  return copy
}

/** What a kill would leave here, and what half-way. */
function copyForKills(name, args) {
  copyHome('before')
  if (!(name in HALVES)) return
  const half = copyHome('half')
  HALVES[name]((path) => join(half, relative(HOME, unpinned(path))), ...args)
}

/** A path that goes through an open folder, by the name of that folder. */
function unpinned(path) {
  return String(path).replace(/^\/proc\/self\/fd\/\d+/, (folder) => real.readlinkSync(folder))
}

function inside(act) {
  isInside = true
  try {
    return act()
  } finally {
    isInside = false
  }
}

// The state before it and after it is the same.
const IN_VAIN = {
  mkdirSync: (path) => real.existsSync(path),
  rmSync: (path) => !real.existsSync(path),
  rmdirSync: (path) => !real.existsSync(path) || real.readdirSync(path).length > 0,
  fsyncSync: () => true,
  fdatasyncSync: () => true,
  sync: () => true,
  datasync: () => true,
  spawn: (_program, command) => !/^(?:add|commit|update-index|merge|checkout|fetch|push)$/.test(command),
}

// Of each number that stands for a file that was opened: its path, and how far it is written.
const paths = new Map()
const written = new Map()

/** What a call is about: paths, also where a number stands for one. */
function describe(name, args) {
  const words = args.slice(0, /^(?:rename|spawn|link|symlink|copyFile)/.test(name) ? 2 : 1)
  return words.map((word) => paths.get(word) ?? word).join(' ')
}

// Whether it remembers what it has read depends on the time: those calls have no number, and the others always the same.
const isRemembering = (detail) => detail.includes('/.cache/')

// A disk that is full stays full for these; it may refuse others once.
const GROWING = /^(?:open|write|append|mkdir|mkdtemp|symlink|copyFile|cp)/
const FREEING = /^(?:rm|unlink|chmod|fchmod|utimes|ftruncate|truncate)/
let failable = 0

/** The error of a call that fails: of a full disk after a half of what it writes. */
function failureOf(name, args, detail) {
  if (name === 'spawn' || (FAIL_CODE === 'ENOSPC' && FREEING.test(name))) return undefined
  failable += 1
  const isHere = failable === Number(FAIL_AT)
  real.appendFileSync(FAIL_LOG, `${isHere ? 'failed ' : ''}${name} ${detail}\n`)
  const isStill = FAIL_CODE === 'ENOSPC' && failable > Number(FAIL_AT) && Number(FAIL_AT) > 0 && GROWING.test(name)
  if (!isHere && !isStill) return undefined
  if (name.startsWith('write')) HALVES[name]?.((path) => path, ...args)
  return Object.assign(new Error(`${FAIL_CODE}: injected, ${name} '${detail}'`), { code: FAIL_CODE, syscall: name })
}

function counted(name, args, call) {
  if (isInside) return call()
  const detail = describe(name, args)
  // All runs share the compiled code: only the first one writes it.
  if (detail.includes(NODE_COMPILE_CACHE)) return opened(name, args, inside(call))
  const failure = FAIL_LOG && inside(() => failureOf(name, args, detail))
  if (failure && !/Sync$/.test(name)) return Promise.reject(failure)
  if (failure) throw failure
  if (!isRemembering(detail)) calls += 1
  if (KILL_LOG) inside(() => log(name, detail, args))
  const isHere = calls === Number(KILL_AT) && !isRemembering(detail)
  if (isHere && KILL_HOW === 'half') inside(() => HALVES[name]?.((path) => path, ...args))
  if (isHere && KILL_HOW !== 'after') die()
  const result = inside(call)
  if (isHere && typeof result?.then === 'function') return result.then(die)
  if (isHere) die()
  if (name === 'writeSync') written.set(args[0], written.get(args[0]) + result)
  return opened(name, args, result)
}

function opened(name, args, result) {
  if (name === 'openSync') paths.set(result, unpinned(args[0]))
  if (name === 'openSync') written.set(result, 0)
  return result
}

function log(name, detail, args) {
  lines += 1
  const isVain = IN_VAIN[name]?.(...args) ?? false
  const isMeant = KILL_COPIES && !isVain && !new RegExp(KILL_SKIPS).test(detail)
  const isCopied = isMeant && changes++ % KILL_EVERY === Number(KILL_FIRST)
  const line = { name, detail, hasHalf: name in HALVES, isVain, isCopied, number: calls }
  real.appendFileSync(KILL_LOG, `${JSON.stringify(line)}\n`)
  if (isCopied) copyForKills(name, args)
}

function wrap(module, name, isMeant = () => true) {
  const original = module[name]
  module[name] = function (...args) {
    if (!isMeant(...args)) return original.apply(this, args)
    return counted(name, args, () => original.apply(this, args))
  }
}

const writes = (_path, flags = 'r') => (typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(flags))
// Not what is printed.
const isFile = (file) => typeof file !== 'number' || file > 2

wrap(fs, 'openSync', writes)
for (const name of ['writeSync', 'writeFileSync', 'appendFileSync', 'fsyncSync', 'fdatasyncSync', 'ftruncateSync']) {
  wrap(fs, name, isFile)
}
for (const name of ['mkdirSync', 'mkdtempSync', 'renameSync', 'rmSync', 'rmdirSync', 'unlinkSync', 'linkSync']) {
  wrap(fs, name)
}
for (const name of ['chmodSync', 'fchmodSync', 'symlinkSync', 'copyFileSync', 'cpSync', 'truncateSync', 'utimesSync']) {
  wrap(fs, name)
}
for (const name of ['mkdir', 'writeFile', 'rename', 'rm', 'rmdir', 'unlink', 'chmod', 'copyFile', 'symlink', 'link']) {
  wrap(fs.promises, name)
}

const { fsync } = fs
fs.fsync = (file, done) => {
  const failure = FAIL_LOG && failureOf('fsync', [file], describe('fsync', [file]))
  if (failure) process.nextTick(done, failure)
  else fsync(file, done)
}

const { open } = fs.promises
fs.promises.open = async (...args) => {
  const file = await (writes(...args) ? counted('open', args, () => open(...args)) : open(...args))
  for (const name of ['sync', 'datasync', 'write', 'writeFile', 'truncate', 'chmod']) wrap(file, name)
  return file
}

const { spawn } = childProcess
childProcess.spawn = (program, args, options) => {
  // The first word after git's settings and the folder.
  const command = args.find((word, at) => !word.startsWith('-') && !['-c', '-C'].includes(args[at - 1]))
  return counted('spawn', [program, command], () => spawn(program, args, options))
}
