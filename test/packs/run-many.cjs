// The built program many times in one process: what a start costs would otherwise be most of the time. Reads from
// standard input what to run, and writes to standard output how each run went.
const childProcess = require('node:child_process')
const fs = require('node:fs')
const Module = require('node:module')
const { basename, dirname, join } = require('node:path')
const { Script } = require('node:vm')

const { cli, runs, cwd, kept, milliseconds } = JSON.parse(fs.readFileSync(0, 'utf8'))
const dist = dirname(cli)
const real = { ...fs }
const home = process.env.HOME
let heard = { 1: [], 2: [] }
let started = []

fs.writeSync = (file, ...rest) => {
  if (heard[file] === undefined) return real.writeSync(file, ...rest)
  const [bytes, from = 0] = rest
  heard[file].push(Buffer.from(bytes).subarray(from))
  return bytes.length - from
}
fs.readSync = (file, ...rest) => (file === 0 ? 0 : real.readSync(file, ...rest))
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

const states = kept.map((folder, at) => {
  const saved = join(process.env.TMPDIR, `saved-${at}`)
  copy(folder, saved)
  return { folder, saved, before: fingerprint(folder) }
})

/** Every run finds the same, whatever the one before it wrote. */
function restore() {
  for (const state of states) {
    const { folder, saved, before } = state
    if (fs.existsSync(folder) && fingerprint(folder) === before) continue
    fs.rmSync(folder, { recursive: true, force: true })
    copy(saved, folder)
    // Copied times are less exact.
    state.before = fingerprint(folder)
  }
}

/** Packages hold no state of a run, and take longer to load than most commands run. */
const PACKAGES = /^(o200k_base|cl100k_base|secretlint-.*)\.cjs$/

function isProgram(file) {
  return file.startsWith(dist) && !PACKAGES.test(basename(file))
}

process.setMaxListeners(0)

async function runOnce(run) {
  const { args, ...place } = Array.isArray(run) ? { args: run } : run
  process.chdir('/')
  restore()
  process.chdir(place.cwd ?? cwd)
  process.env.HOME = place.home ?? home
  heard = { 1: [], 2: [] }
  started = []
  process.exitCode = undefined
  process.argv = [process.argv[0], cli, ...args]
  for (const file of Object.keys(require.cache)) if (isProgram(file)) delete require.cache[file]
  // These keep the code and data of every earlier run in memory.
  module.children.length = 0
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  const begin = Date.now()
  const before = process.cpuUsage()
  require(cli)
  while (process.exitCode === undefined && Date.now() - begin < milliseconds) await new Promise(setImmediate)
  const [stdout, stderr] = [1, 2].map((file) => Buffer.concat(heard[file]).toString('utf8'))
  const { user, system } = process.cpuUsage(before)
  return { args, code: process.exitCode ?? null, stdout, stderr, started, took: (user + system) / 1000 }
}

async function runAll() {
  const results = []
  for (const run of runs) results.push(await runOnce(run))
  process.exitCode = 0
  real.writeFileSync(1, JSON.stringify(results))
}

runAll()
