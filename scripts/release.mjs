// Checks everything that a release needs, makes the tarball, and stops before publishing. npm run release
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { version } = manifest
const changelog = readFileSync('CHANGELOG.md', 'utf8')

/** What only the owner of the project can fill in: see RELEASING.md. */
const OWNED = ['repository', 'homepage', 'bugs', 'author']

const problems = [
  ...OWNED.filter((field) => manifest[field] === undefined).map((field) => `package.json has no "${field}"`),
  manifest.private === true && 'package.json is private',
  !/^\d+\.\d+\.\d+$/.test(version) && `${version} is not a released version`,
  !changelog.includes(`\n## ${version} - `) && `CHANGELOG.md has no section "## ${version} - <date>"`,
  /^## Next\n+- /m.test(changelog) && 'CHANGELOG.md has changes under "Next" that belong to no version',
  git('status', '--porcelain') !== '' && 'there are changes that are not committed',
  git('tag', '--list', `v${version}`) !== '' && `the tag v${version} already exists`,
].filter(Boolean)

if (problems.length > 0) {
  console.error(`${version} cannot be released (RELEASING.md explains each step):`)
  for (const problem of problems) console.error(`  ${problem}`)
  process.exit(1)
}
if (process.argv[2] !== '--check') {
  for (const script of ['test', 'test:nodes', 'package']) run('npm', ['run', script])
  console.log(`
Nothing is published yet. To publish:
  git tag v${version} && git push origin v${version}
  npm publish loadout-${version}.tgz --provenance --access public`)
}

function git(...words) {
  return execFileSync('git', words, { encoding: 'utf8' }).trim()
}

function run(program, words) {
  execFileSync(program, words, { stdio: 'inherit' })
}
