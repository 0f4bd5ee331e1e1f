// The built program, once for each request, in one process: what a start costs would otherwise be most of the time.
// Every run starts with fresh variables. Requests and answers are lines of JSON in two pipes that have names.
const childProcess = require('node:child_process')
const fs = require('node:fs')
const Module = require('node:module')
const { basename, dirname, join } = require('node:path')
const { Script } = require('node:vm')

const [, , cli, requests, answers, scratch] = process.argv
const dist = dirname(cli)
const real = { ...fs }
let heard = { 1: [], 2: [] }
let unread = Buffer.alloc(0)
let started = []

fs.writeSync = (file, ...rest) => {
  if (heard[file] === undefined) return real.writeSync(file, ...rest)
  const [bytes, from = 0] = rest
  heard[file].push(Buffer.from(bytes).subarray(from))
  return bytes.length - from
}
fs.readSync = (file, ...rest) => {
  if (file !== 0) return real.readSync(file, ...rest)
  const size = unread.copy(rest[0])
  unread = unread.subarray(size)
  return size
}
// Nobody pulls the plug here.
fs.fsyncSync = () => {}

// Compiled once; every run still starts with fresh variables.
const compiled = new Map()
require.extensions['.cjs'] = (loaded, filename) => {
  if (!compiled.has(filename)) {
    const source = Module.wrap(real.readFileSync(filename, 'utf8').replace(/^#!.*/, ''))
    compiled.set(filename, new Script(source, { filename }))
  }
  const run = compiled.get(filename).runInThisContext()
  run(loaded.exports, loaded.require.bind(loaded), loaded, filename, dirname(filename))
}
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  const original = childProcess[name]
  childProcess[name] = (program, ...rest) => {
    started.push(String(program))
    return original(program, ...rest)
  }
}

// Written by every use of a pack, and read by none but rehydrate.
const TRACES = /(^|\/)(audit|records|sessions|locks)(\/|$)|activations\.jsonl$/

/** The files of a folder, told cheaply. */
function fingerprint(folder) {
  const all = fs.readdirSync(folder, { recursive: true }).filter((name) => !TRACES.test(name))
  const told = all.sort().map((name) => [name, fs.lstatSync(join(folder, name))])
  return JSON.stringify(told.map(([name, stat]) => [name, stat.isDirectory() ? '' : stat.mtimeMs]))
}

function copy(from, to) {
  fs.cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

// By folder: a copy of what it held when it was first named.
const states = new Map()

/** Puts a folder back as it was when it was first named, whatever the runs since then wrote. */
function keep(folder) {
  if (!states.has(folder)) {
    const saved = join(scratch, `saved-${states.size}`)
    copy(folder, saved)
    states.set(folder, { saved, before: fingerprint(folder) })
  }
  const state = states.get(folder)
  if (fs.existsSync(folder) && fingerprint(folder) === state.before) return
  fs.rmSync(folder, { recursive: true, force: true })
  copy(state.saved, folder)
  // Copied times are less exact.
  state.before = fingerprint(folder)
}

/** Packages hold no state of a run, and take longer to load than most commands run. */
const PACKAGES = /^(o200k_base|cl100k_base|secretlint-.*)\.cjs$/

function isProgram(file) {
  return file.startsWith(dist) && !PACKAGES.test(basename(file))
}

function surround({ cwd, env, kept }) {
  process.chdir('/')
  for (const folder of kept) keep(folder)
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

process.setMaxListeners(0)
const NODES_OWN = new Set(process.eventNames())

async function run(request) {
  surround(request)
  heard = { 1: [], 2: [] }
  unread = Buffer.from(request.stdin, 'base64')
  started = []
  process.exitCode = undefined
  process.argv = [process.argv[0], cli, ...request.args]
  for (const file of Object.keys(require.cache)) if (isProgram(file)) delete require.cache[file]
  // These keep the code and data of every earlier run in memory.
  module.children.length = 0
  for (const name of process.eventNames()) if (!NODES_OWN.has(name)) process.removeAllListeners(name)
  const begin = Date.now()
  require(cli)
  while (process.exitCode === undefined && Date.now() - begin < request.milliseconds) {
    await new Promise((wake) => setTimeout(wake, 1))
  }
  const [stdout, stderr] = [1, 2].map((file) => Buffer.concat(heard[file]).toString('utf8'))
  return { code: process.exitCode ?? null, stdout, stderr, started }
}

/** One line; undefined when nobody asks any more. */
function readLine(file) {
  const chunks = []
  for (const chunk = Buffer.alloc(1 << 16); ; ) {
    const size = real.readSync(file, chunk)
    if (size === 0) return undefined
    chunks.push(Buffer.from(chunk.subarray(0, size)))
    if (chunk[size - 1] === 10) return Buffer.concat(chunks).toString('utf8')
  }
}

async function serve() {
  const [asked, answered] = [fs.openSync(requests, 'r'), fs.openSync(answers, 'w')]
  for (let line = readLine(asked); line !== undefined; line = readLine(asked)) {
    real.writeFileSync(answered, `${JSON.stringify(await run(JSON.parse(line)))}\n`)
  }
  process.exit(0)
}

serve()
