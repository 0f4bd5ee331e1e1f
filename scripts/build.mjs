// Builds dist/: the command line as CommonJS, which Node starts fastest; the library and the workers of the terminal
// interface and of document readers as ES modules; the licences of the packages inside. types.mjs writes the types of the library.
// With --packed: as small as what is published.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { build } from 'esbuild'
import { writeCommonJs } from './common-js.mjs'
import { compressScript } from './compress.mjs'
import { findLateFiles, lateCalls, lateParts, sharedPackages } from './late.mjs'
import { writeLicences } from './licences.mjs'
import { buildPage } from './page.mjs'

const COMMANDS = { program: 'src/cli/entry.ts', hook: 'src/hooks/entry.ts' }
const MODULES = {
  index: 'src/index.ts',
  api: 'src/api.ts',
  worker: 'src/tui/worker.ts',
  'page-worker': 'src/web/worker.ts',
  reader: 'src/machine/documents/worker.ts',
  'index-worker': 'src/project/disk/index-worker.ts',
}

/** Files that `import()` loads late, by the beginnings of their paths: each row is one part, every other file its own. */
const PARTS = {
  commands: ['src/cli/'],
  web: ['src/web/'],
  inventory: ['src/skills/inventory.ts'],
  skills: ['src/skills/', 'src/health/validate.ts', 'src/health/doctor.ts'],
  catalog: ['src/team/catalog.ts', 'src/team/publish.ts'],
  team: ['src/team/'],
  mask: ['src/machine/secret-scanner.ts'],
  agents: ['src/agents/', 'src/answer/agents-md.ts', 'src/health/status.ts'],
  pointers: ['src/answer/own-files.ts'],
  sections: ['src/packs/stored-sections.ts'],
  use: ['src/answer/session/tool-use.ts'],
  again: ['src/answer/packs.ts', 'src/machine/audits.ts'],
  packs: ['src/packs/'],
  session: ['src/answer/session/'],
  entries: [
    'src/answer/approve.ts',
    'src/answer/explain.ts',
    'src/answer/sources.ts',
    'src/answer/read.ts',
    'src/answer/search.ts',
    'src/health/',
  ],
  lab: ['src/lab/'],
  context: ['src/answer/', 'src/project/'],
  upkeep: ['src/payloads/', 'src/usage/'],
}

/** Large packages, by the file that they become. The programs and the library share it. */
const TABLES = {
  'gpt-tokenizer/encoding/o200k_base': 'o200k_base',
  'gpt-tokenizer/encoding/cl100k_base': 'cl100k_base',
}
const PDF = { 'src/machine/documents/pdf.ts': 'pdf' }
const SHARED = { ...TABLES, ...PDF, pg: 'pg', 'src/machine/secretlint.ts': 'secretlint', yaml: 'yaml' }

/** Modules that take milliseconds to load: each of these functions and classes loads its module when it is called. */
const LATE_CALLS = {
  'node:child_process': ['execFileSync', 'spawn'],
  'node:crypto': ['createHash', 'createHmac', 'randomBytes', 'timingSafeEqual'],
  'node:fs/promises': ['open', 'writeFile'],
  'node:os': ['availableParallelism', 'homedir', 'hostname', 'tmpdir', 'userInfo'],
  'node:tty': ['isatty'],
  'node:worker_threads': ['receiveMessageOnPort', 'new MessageChannel', 'new Worker'],
  marked: ['new Lexer'],
  picomatch: ['default scan'],
  yaml: ['isMap', 'isNode', 'isScalar', 'parseDocument', 'visit', 'new Document', 'new Lexer', 'new LineCounter'],
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const define = { LOADOUT_VERSION: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' }
// The entry of jsonc-parser that Node would take cannot be bundled.
const alias = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }
const output = {
  platform: 'node',
  target: 'node20',
  outdir: 'dist',
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
}
// The driver of PostgreSQL looks for a native half of itself, which is never there.
const external = ['pg-native']
const asModules = { ...output, bundle: true, splitting: true, format: 'esm', define, alias, external }
const asScripts = { ...output, bundle: true, format: 'cjs', outExtension: { '.js': '.cjs' } }

const late = await findLateFiles({ ...asModules, entryPoints: { ...COMMANDS, ...MODULES } }, PARTS)
// The types may be written at the same time.
for (const name of existsSync('dist') ? readdirSync('dist') : []) {
  if (!name.endsWith('.d.ts')) rmSync(`dist/${name}`, { recursive: true })
}
// Packages that are CommonJS inside still call require for built-in modules.
const banner = {
  js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
}
const asChunks = { chunkNames: 'module-[name]-[hash]', banner }
const plugins = [sharedPackages(SHARED), lateParts(late, 'src/loadout.ts')]
const built = [await build({ ...asModules, ...asChunks, entryPoints: MODULES, plugins })]
const packages = Object.entries(SHARED).map(([path, out]) => ({ in: path === 'yaml' ? 'scripts/yaml.mjs' : path, out }))
// Escapes would make the tables of the tokenizers a third larger.
built.push(await build({ ...asScripts, entryPoints: packages, external, charset: 'utf8', sourcemap: false }))
for (const name of Object.values({ ...TABLES, ...PDF })) {
  compressScript(`dist/${name}.cjs`, process.argv.includes('--packed'))
}
for (const [name, entry] of Object.entries(COMMANDS)) built.push(await buildCommand(name, entry))
const scripts = readdirSync('dist').filter((name) => name.endsWith('.cjs'))
const hash = createHash('sha256')
for (const name of scripts) hash.update(readFileSync(`dist/${name}`))
const start = {
  entryPoints: { cli: 'src/cli/start.ts' },
  define: { LOADOUT_BUILD: JSON.stringify(hash.digest('hex').slice(0, 16)) },
  plugins: [lateCalls(LATE_CALLS)],
}
built.push(await build({ ...asScripts, ...start }))
chmodSync('dist/cli.cjs', 0o755)
symlinkSync('cli.cjs', 'dist/cli.js')
built.push(await buildPage('dist/web'))
writeLicences('dist/THIRD-PARTY.md', built)

/** esbuild splits only ES modules: they become CommonJS in a second step. */
async function buildCommand(name, entry) {
  const split = await build({
    ...asModules,
    entryPoints: { [name]: entry },
    outdir: 'dist/split',
    chunkNames: `${name}-[name]-[hash]`,
    define: { ...define, 'import.meta.dirname': '__dirname' },
    plugins: [lateCalls(LATE_CALLS), sharedPackages(SHARED), lateParts(late, entry)],
  })
  await writeCommonJs(`dist/split/${name}.js`, 'dist')
  rmSync('dist/split', { recursive: true })
  return split
}
