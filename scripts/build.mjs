// Builds dist/: the library as one ES module with its types, and the command line as CommonJS with a code cache.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' }

/** Built-in modules that take milliseconds to load are loaded when first called. */
const lateBuiltins = {
  name: 'late-builtins',
  setup({ onResolve, onLoad }) {
    const calls = { 'node:crypto': ['createHash', 'randomBytes'], 'node:tty': ['isatty'] }
    onResolve({ filter: /^node:(crypto|tty)$/ }, ({ path, namespace }) =>
      namespace === 'late' ? { path, external: true } : { path, namespace: 'late' },
    )
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: calls[path]
        .map((name) => `export const ${name} = (...args) => require('${path}').${name}(...args)`)
        .join('\n'),
    }))
  },
}

rmSync('dist', { recursive: true, force: true })

await build({ ...common, entryPoints: ['src/index.ts'], outfile: 'dist/index.js', format: 'esm' })

// CommonJS, because starting Node with an ES module costs a fifth more, and a person waits for it on every prompt.
await build({
  ...common,
  entryPoints: { program: 'src/cli/entry.ts', cli: 'src/cli/start.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minify: true,
  keepNames: false,
  plugins: [lateBuiltins],
  define: { LOADOUT_VERSION: JSON.stringify(version), 'import.meta.dirname': '__dirname' },
})
// esbuild cannot escape regular expressions, and one letter beyond ASCII doubles what V8 has to read on every start.
const stray = /\P{ASCII}+/u.exec(readFileSync('dist/program.cjs', 'utf8'))
if (stray !== null) throw new Error(`write "${stray[0]}" as an escape in its regular expression`)
chmodSync('dist/cli.cjs', 0o755)
// In an ES package a plain .js file is an ES module; under this name Node finds the real file and keeps its speed.
try {
  symlinkSync('cli.cjs', 'dist/cli.js')
} catch {
  writeFileSync('dist/cli.js', "import './cli.cjs'\n")
}
leaveCodeCache()

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })

/** Runs a plan once, so that the compiled code of what a plan needs, and no more, lies beside the program. */
function leaveCodeCache() {
  const project = mkdtempSync(join(tmpdir(), 'loadout-build-'))
  const layer = join(project, '.claude', 'loadout')
  mkdirSync(layer, { recursive: true })
  const triggers = { task: true, plan: true, edit: false }
  const entry = {
    path: 'a.md',
    patterns: ['a_pattern'],
    priority: 'domain',
    summary: 'a',
    triggers,
    tokens_est: 1,
    lines: 1,
  }
  const entries = [
    { ...entry, id: 'one', keywords: ['release'] },
    { ...entry, id: 'two', keywords: ['docs', 'two words'], priority: 'core' },
  ]
  writeFileSync(join(layer, 'index.json'), JSON.stringify({ version: '1.0.0', generated: '', entries, budget: {} }))
  execFileSync(
    process.execPath,
    [resolve('dist/cli.cjs'), 'plan', 'publish the release', '--global=', '--org=', '--session='],
    {
      cwd: project,
      env: { ...process.env, LOADOUT_WRITE_CODE_CACHE: '1' },
    },
  )
  rmSync(project, { recursive: true })
}
