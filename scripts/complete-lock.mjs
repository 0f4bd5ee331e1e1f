// Adds to package-lock.json the optional packages that the registry at hand does not carry: some mirrors serve only a few
// platforms, npm then leaves the others out, and `npm ci` refuses the lock. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'sunos', 'aix', 'netbsd', 'openbsd']
const PROCESSORS = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32']

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.entries(optionalDependencies).filter(
    ([name]) => !(`node_modules/${name}` in lock.packages) && !(`${path}/node_modules/${name}` in lock.packages),
  ),
)
for (const [name, version] of missing) {
  lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), dev: true, optional: true }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${missing.length} optional packages added`)

/** What npm needs to know to pass a package over: for which machine it is, as its name tells. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-')
  const cpu = PROCESSORS.find((processor) => words.includes(processor))
  const os = SYSTEMS.find((system) => words.includes(system))
  const libc = words.includes('musl')
    ? 'musl'
    : os === 'linux' && words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) }
}
