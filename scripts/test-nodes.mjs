// Runs the whole suite on every version of Node that Loadout supports, and prints one line for each.
// npm run test:nodes [-- <vitest arguments>]
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

const VERSIONS = ['20.20.2', '22.23.3', '24.21.0']
const PLATFORM = { win32: 'win' }[process.platform] ?? process.platform

const rows = VERSIONS.map((version) => {
  const node = programOf(version)
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  const run = (...words) => spawnSync(node, words, { env, stdio: 'inherit' }).status
  const start = Date.now()
  const failed =
    run('scripts/build.mjs') ||
    run('scripts/types.mjs') ||
    run('node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2))
  return { version, failed, seconds: Math.round((Date.now() - start) / 1000) }
})
for (const { version, failed, seconds } of rows) {
  console.log(`Node ${version.padEnd(8)}  ${failed === 0 ? 'passed' : 'FAILED'}  ${seconds} s`)
}
process.exitCode = rows.some(({ failed }) => failed !== 0) ? 1 : 0

/** This Node where it is the wanted one, else the program that a package of the registry carries. */
function programOf(version) {
  if (process.versions.node === version) return process.execPath
  const folder = resolve('node_modules/.nodes', version)
  const name = `node-${PLATFORM}-${process.arch}`
  const program = join(folder, 'node_modules', name, PLATFORM === 'win' ? 'bin/node.exe' : 'bin/node')
  if (!existsSync(program)) {
    const words = ['install', '--silent', '--no-save', '--prefix', folder, `${name}@${version}`]
    const { status } = spawnSync('npm', words, { stdio: 'inherit', shell: PLATFORM === 'win' })
    if (status !== 0) throw new Error(`${name}@${version} cannot be installed`)
  }
  return program
}
