// Packs Loadout as npm would publish it and checks the result: size, types, licences, and that it installs and runs in an
// empty home. Prints the path of the tarball. npm run package [-- <folder for the tarball>]
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const MOST_BYTES = 6_000_000
const { name, version, repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const work = mkdtempSync(join(tmpdir(), 'loadout-package-'))

try {
  const tarball = pack()
  run('npx', ['--no-install', 'publint', tarball, '--strict'])
  // CommonJS programs load the library with `await import('loadout')`; the README says so.
  run('npx', ['--no-install', 'attw', tarball, '--profile', 'esm-only'])
  tryInstalled(tarball)
  const folder = resolve(process.argv[2] ?? '.')
  cpSync(tarball, join(folder, `${name}-${version}.tgz`))
  console.log(`\n${join(folder, `${name}-${version}.tgz`)} is ready`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Where the repository is known, links of the README become absolute: a registry's page has no other files. */
function pack() {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', work], { stdio: 'pipe' }))[0]
  const counted = packed.files.filter(({ path }) => !path.endsWith('.map'))
  const bytes = counted.reduce((sum, { size }) => sum + size, 0)
  console.log(`${counted.length} files, ${bytes.toLocaleString('en')} bytes without source maps`)
  if (bytes > MOST_BYTES) throw new Error(`the package may have ${MOST_BYTES.toLocaleString('en')} bytes`)
  for (const wanted of ['LICENSE', 'README.md', 'dist/THIRD-PARTY.md', 'dist/index.d.ts', 'dist/api.d.ts']) {
    if (!counted.some(({ path }) => path === wanted)) throw new Error(`the package lacks ${wanted}`)
  }
  const tarball = join(work, packed.filename)
  if (repository === undefined) return tarball
  run('tar', ['-xzf', tarball, '-C', work])
  const readme = join(work, 'package/README.md')
  const base = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${version}/`
  writeFileSync(readme, readFileSync(readme, 'utf8').replace(/\]\((?!https?:|#)([^)\s]+)\)/g, `](${base}$1)`))
  run('npm', ['pack', '--ignore-scripts', join(work, 'package'), '--pack-destination', work])
  return tarball
}

function tryInstalled(tarball) {
  const [home, prefix] = [join(work, 'home'), join(work, 'prefix')]
  for (const folder of [home, prefix]) mkdirSync(folder)
  const env = { PATH: `${join(prefix, 'bin')}:${process.env.PATH}`, HOME: home }
  run('npm', ['install', '--global', '--prefix', prefix, '--silent', tarball], { env })
  run('loadout', ['--version'], { env, cwd: home })
  run('loadout', ['try'], { env, cwd: home, stdio: 'ignore' })
  run('npx', ['--yes', '--package', tarball, 'loadout', '--version'], { env, cwd: home })
  const library = `import { createLoadout } from '${name}/api'; import { matchLoadout } from '${name}'
    if (typeof createLoadout !== 'function' || typeof matchLoadout !== 'function') process.exit(1)`
  // A package of its own, or Node would take a package.json of a folder above for it.
  writeFileSync(join(home, 'package.json'), '{}')
  run('npm', ['install', '--silent', '--no-save', '--prefix', home, tarball], { env })
  run(process.execPath, ['--input-type=module', '--eval', library], { env, cwd: home })
}

function run(program, words, options = {}) {
  return execFileSync(program, words, { stdio: 'inherit', encoding: 'utf8', ...options })
}
