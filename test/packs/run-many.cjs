// The built program many times in one process: what a start costs would otherwise be most of the time. Reads from
// standard input what to run, and writes to standard output how each run went.
const childProcess = require('node:child_process')
const fs = require('node:fs')
const { dirname, join } = require('node:path')
const vm = require('node:vm')

const { cli, runs, cwd, kept, milliseconds } = JSON.parse(fs.readFileSync(0, 'utf8'))
const dist = dirname(cli)
const real = { ...fs }
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
const { Script } = vm
const compiled = new Map()
const texts = new Map()
vm.Script = new Proxy(Script, {
  construct(_, [source, options]) {
    const { filename } = options
    if (!compiled.has(filename)) compiled.set(filename, new Script(source, options))
    return compiled.get(filename)
  },
})
fs.readFileSync = (path, ...rest) => {
  if (typeof path !== 'string' || !path.startsWith(dist)) return real.readFileSync(path, ...rest)
  if (!texts.has(path)) texts.set(path, real.readFileSync(path, ...rest))
  return texts.get(path)
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

process.setMaxListeners(0)

async function runOnce(args) {
  process.chdir('/')
  restore()
  process.chdir(cwd)
  heard = { 1: [], 2: [] }
  started = []
  process.exitCode = undefined
  process.argv = [process.argv[0], cli, ...args]
  for (const file of Object.keys(require.cache)) if (file.startsWith(dist)) delete require.cache[file]
  const begin = Date.now()
  require(cli)
  while (process.exitCode === undefined && Date.now() - begin < milliseconds) await new Promise(setImmediate)
  const [stdout, stderr] = [1, 2].map((file) => Buffer.concat(heard[file]).toString('utf8'))
  return { args, code: process.exitCode ?? null, stdout, stderr, started, took: Date.now() - begin }
}

async function runAll() {
  const results = []
  for (const args of runs) results.push(await runOnce(args))
  process.exitCode = 0
  real.writeFileSync(1, JSON.stringify(results))
}

runAll()
