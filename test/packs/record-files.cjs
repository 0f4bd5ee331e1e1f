// Loaded into a process with --require. What it opens, lists and writes below RECORD_BELOW, how many bytes it reads from
// there, and which programs it starts, is written to RECORD_INTO when it ends.
const fs = require('node:fs')
const processes = require('node:child_process')
const { syncBuiltinESMExports } = require('node:module')

const { RECORD_BELOW, RECORD_INTO } = process.env
const opened = []
const listed = []
const written = []
const started = []
let bytes = 0
const files = new Set()
const real = { ...fs }
const isBelow = (path) => String(path).startsWith(RECORD_BELOW)

fs.openSync = (path, ...rest) => {
  const file = real.openSync(path, ...rest)
  if (isBelow(path)) {
    opened.push(path)
    files.add(file)
  }
  return file
}
fs.closeSync = (file) => {
  files.delete(file)
  real.closeSync(file)
}
fs.readSync = (file, ...rest) => {
  const read = real.readSync(file, ...rest)
  if (files.has(file)) bytes += read
  return read
}
fs.readFileSync = (path, ...rest) => {
  if (isBelow(path)) opened.push(path)
  return real.readFileSync(path, ...rest)
}
fs.readdirSync = (path, ...rest) => {
  if (isBelow(path)) listed.push(path)
  return real.readdirSync(path, ...rest)
}
for (const name of ['open', 'readFile', 'createReadStream', 'opendirSync', 'copyFileSync']) {
  const original = fs[name]
  fs[name] = (path, ...rest) => {
    if (isBelow(path)) opened.push(`${name} ${path}`)
    return original(path, ...rest)
  }
}
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT
for (const name of ['mkdirSync', 'writeFileSync', 'appendFileSync', 'renameSync', 'rmSync', 'unlinkSync', 'openSync']) {
  const original = fs[name]
  fs[name] = (path, ...rest) => {
    const [flags = 'r'] = rest
    const isRead = name === 'openSync' && (flags === 'r' || (typeof flags === 'number' && (flags & WRITING) === 0))
    if (!isRead && [path, rest[0]].some((each) => typeof each === 'string' && isBelow(each))) {
      written.push(`${name} ${path}`)
    }
    return original(path, ...rest)
  }
}
for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  const original = processes[name]
  processes[name] = (program, ...rest) => {
    started.push(String(program))
    return original(program, ...rest)
  }
}
syncBuiltinESMExports()

process.on('exit', () => real.writeFileSync(RECORD_INTO, JSON.stringify({ opened, listed, bytes, written, started })))
