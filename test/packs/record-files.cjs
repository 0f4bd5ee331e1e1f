// Loaded into a process with --require. What it opens and lists below RECORD_BELOW, and how many bytes it reads from
// there, is written to RECORD_INTO when it ends.
const fs = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')

const { RECORD_BELOW, RECORD_INTO } = process.env
const opened = []
const listed = []
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
syncBuiltinESMExports()

process.on('exit', () => real.writeFileSync(RECORD_INTO, JSON.stringify({ opened, listed, bytes })))
