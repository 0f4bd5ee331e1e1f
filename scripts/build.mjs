// Builds dist/: the library as one ES module with its types, and the command line as CommonJS with code caches.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { build } from 'esbuild'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
// What Node would take of this package loads its own files in a way that cannot be bundled.
const alias = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }
const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'warning', alias }

/** Modules that take milliseconds to load are loaded when first called. */
const lateModules = {
  name: 'late-modules',
  setup({ onResolve, onLoad }) {
    const calls = {
      'node:child_process': ['execFileSync', 'spawn'],
      'node:crypto': ['createHash', 'randomBytes', 'timingSafeEqual'],
      'node:fs/promises': ['open', 'writeFile'],
      'node:tty': ['isatty'],
      marked: ['Lexer'],
    }
    onResolve({ filter: /^(node:(child_process|crypto|fs\/promises|tty)|marked)$/ }, ({ path, namespace }) => {
      if (namespace !== 'late') return { path, namespace: 'late' }
      return path === 'marked' ? undefined : { path, external: true }
    })
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      resolveDir: '.',
      contents: calls[path].map((name) => lateCall(path, name)).join('\n'),
    }))
  },
}

/** A function that is fetched when it is called; a class, by its name, when the first of its kind is made. */
function lateCall(path, name) {
  const found = `require('${path}').${name}`
  return /^[A-Z]/.test(name)
    ? `export function ${name}(...args) { return new (${found})(...args) }`
    : `export const ${name} = (...args) => ${found}(...args)`
}

const ERROR_FILE = resolve('src/domain/shared/loadout-error.ts')
/** Use cases that nobody waits for on every prompt, with the parsers they need, by the file they are built into. */
const apart = Object.fromEntries(
  ['skills', 'packs', 'context', 'delivery', 'mcp', 'session', 'ranking', 'rare'].map((file) => [file, new Set()]),
)

/** Takes use cases from other files when they are first called, and hands them our class of errors. */
const setApart = (filter, fileFor) => ({
  name: 'use-cases-apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter }, ({ path, resolveDir, kind }) => {
      if (kind !== 'dynamic-import') return undefined
      const file = fileFor(path)
      apart[file].add(resolve(resolveDir, path))
      return { path: resolve(resolveDir, path), namespace: 'apart', pluginData: file }
    })
    onResolve({ filter: /^\.\/\w+\.cjs$/ }, ({ path }) =>
      Object.keys(apart).includes(path.slice(2, -4)) ? { path, external: true } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'apart' }, ({ path, pluginData }) => ({
      resolveDir: resolve('src'),
      contents: `const { LoadoutError } = require(${JSON.stringify(ERROR_FILE)})
        module.exports = require('./${pluginData}.cjs').open('${relative('src', path)}', LoadoutError)`,
    }))
  },
})

/** In program.cjs: by the folder of the use case. */
const programApart = setApart(
  /^\.\.?\/((skills|packs|context|delivery)\/.*|usage\/(keep-tasks|erase-log|replay-prompts)|validate|sample)\.ts$|tui\/first-paint\.ts$|\/mcp\/main\.ts$/,
  (path) =>
    path === './sample.ts'
      ? 'context'
      : (/^(?:\.\.?\/|.*\/(?=mcp))(packs|context|delivery|mcp)\//.exec(path)?.[1] ?? 'skills'),
)

/** In hook.cjs: what starts a session, what ranks, and what masks the words of a task that is kept. */
const hookApart = setApart(/^\.\.?\//, (path) => {
  if (path.startsWith('../context/')) return 'context'
  return path === './session-start.ts' ? 'session' : 'ranking'
})

/** What most prompts do not need: whose functions are fetched from rare.cjs when they are called. */
const RARE = [
  'app/delivery/session/tool-use.ts',
  'app/routing/load.ts',
  'domain/delivery/index/index-line.ts',
  'domain/routing/layers.ts',
  'domain/shared/digest.ts',
  'domain/shared/fence.ts',
  'domain/shared/glob.ts',
  'domain/shared/nearest.ts',
  'infra/json-file.ts',
]

/** In hook.cjs. */
const rareFunctions = {
  name: 'rare-functions',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir, kind }) => {
      const file = resolve(resolveDir, path)
      if (kind !== 'import-statement' || !RARE.includes(relative('src', file))) return undefined
      apart.rare.add(file)
      return { path: file, namespace: 'rare' }
    })
    onLoad({ filter: /.*/, namespace: 'rare' }, ({ path }) => {
      const names = [...readFileSync(path, 'utf8').matchAll(/^export function (\w+)/gm)].map(([, name]) => name)
      const opened = `require('./rare.cjs').open('${relative('src', path)}', LoadoutError)`
      const calls = names.map((name) => `export const ${name} = (...args) => ${opened}.${name}(...args)`)
      return {
        resolveDir: resolve('src'),
        contents: `import { LoadoutError } from ${JSON.stringify(ERROR_FILE)}\n${calls.join('\n')}`,
      }
    })
  },
}

/** In rare.cjs: a digest that needs no module of Node. */
const plainDigest = {
  name: 'plain-digest',
  setup({ onResolve }) {
    onResolve({ filter: /\/digest\.ts$/ }, () => ({ path: resolve('src/domain/shared/plain-digest.ts') }))
  },
}

/** In an ES module, what is CommonJS inside still calls require for built-in modules. */
const requireInside = {
  js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
}

const ENCODINGS = ['o200k_base', 'cl100k_base']

/** Packages that are large or slow to load, by the file each is built into, so that only who needs one reads it. */
const LARGE_PACKAGES = {
  ...Object.fromEntries(ENCODINGS.map((name) => [`gpt-tokenizer/encoding/${name}`, name])),
  '@secretlint/core': 'secretlint',
  '@secretlint/profiler': 'secretlint',
  '@secretlint/secretlint-rule-preset-recommend': 'secretlint',
}

const largePackages = (format) => ({
  name: 'large-packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(gpt-tokenizer|@secretlint)\// }, ({ path }) => {
      const name = LARGE_PACKAGES[path]
      if (name === undefined) return undefined
      const file = `./${name}.cjs`
      return format === 'esm' ? { path: file, external: true } : { path: file, namespace: 'large-package' }
    })
    // A script cannot import, only require.
    onLoad({ filter: /.*/, namespace: 'large-package' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
    onResolve({ filter: /.*/, namespace: 'large-package' }, ({ path }) => ({ path, external: true }))
  },
})

/** In those files: an error must be the same class in both files, or nobody would recognise it. */
const errorsFromProgram = {
  name: 'errors-from-program',
  setup({ onLoad }) {
    onLoad({ filter: /loadout-error\.ts$/ }, () => ({
      contents: 'export let LoadoutError; export const share = (theirs) => { LoadoutError = theirs }',
    }))
  },
}

/** Ink without its developer tools, which wait for modules while loading, and with a layout engine that does not. */
const leanInk = {
  name: 'lean-ink',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^yoga-layout$/ }, () => ({ path: resolve('src/tui/yoga.ts') }))
    onLoad({ filter: /ink[\\/]build[\\/]reconciler\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const lean = source
        .replace(/if \(isDev\(\)\) \{[\s\S]*?\n\}\n/, '')
        .replace(/isDev\(\)\s*\? await loadPackageJson\(\)\s*: /, '')
      if (lean.includes('await loadPackageJson') || lean.includes("import('./devtools"))
        throw new Error('Ink has changed: see lean-ink')
      return { contents: lean, loader: 'js' }
    })
  },
}

rmSync('dist', { recursive: true, force: true })

await build({
  ...common,
  // Two files: who only plans does not read what everything else needs.
  entryPoints: ['src/index.ts', 'src/api.ts'],
  outdir: 'dist',
  format: 'esm',
  banner: requireInside,
  plugins: [largePackages('esm')],
})

// CommonJS, because starting Node with an ES module costs a fifth more, and a person waits for it on every prompt.
const program = {
  ...common,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minify: true,
  keepNames: false,
  define: { LOADOUT_VERSION: JSON.stringify(version), 'import.meta.dirname': '__dirname' },
}
await build({
  ...program,
  entryPoints: { program: 'src/cli/entry.ts', cli: 'src/cli/start.ts' },
  plugins: [lateModules, programApart, largePackages('cjs')],
})
await build({
  ...program,
  entryPoints: { hook: 'src/hooks/entry.ts' },
  plugins: [lateModules, hookApart, rareFunctions],
})
if (apart.rare.size !== RARE.length) throw new Error('a file of RARE is not there, or is not used by hooks')
for (const [file, paths] of Object.entries(apart)) {
  const useCases = [...paths].map((path) => `'${relative('src', path)}': () => require(${JSON.stringify(path)})`)
  await build({
    ...program,
    stdin: {
      resolveDir: resolve('src'),
      sourcefile: `${file}.js`,
      contents: `import { share } from ${JSON.stringify(ERROR_FILE)}
        const useCases = { ${useCases.join(', ')} }
        export const open = (name, LoadoutError) => { share(LoadoutError); return useCases[name]() }`,
    },
    outdir: undefined,
    outExtension: undefined,
    outfile: `dist/${file}.cjs`,
    plugins: [lateModules, errorsFromProgram, largePackages('cjs'), ...(file === 'rare' ? [plainDigest] : [])],
  })
}
// Half of a table is other scripts: with escapes the file would be a third larger, and slower to read.
await build({
  ...program,
  charset: 'utf8',
  entryPoints: Object.fromEntries(ENCODINGS.map((name) => [name, `gpt-tokenizer/encoding/${name}`])),
})
await build({
  ...program,
  stdin: {
    resolveDir: resolve('.'),
    contents: `export { lintSource } from '@secretlint/core'
      export { secretLintProfiler } from '@secretlint/profiler'
      export { rules } from '@secretlint/secretlint-rule-preset-recommend'`,
  },
  outdir: undefined,
  outExtension: undefined,
  outfile: 'dist/secretlint.cjs',
})
// esbuild cannot escape regular expressions, and one letter beyond ASCII doubles what V8 has to read on every start.
for (const name of ['program', 'hook', ...Object.keys(apart)]) {
  const file = `dist/${name}.cjs`
  const stray = /\P{ASCII}+/u.exec(readFileSync(file, 'utf8'))
  if (stray !== null) throw new Error(`write "${stray[0]}" as an escape in its regular expression`)
}
// Modules of their own, because Ink is one: loaded only when somebody looks at the screen.
await build({
  ...common,
  entryPoints: { tui: 'src/tui/main.tsx', 'tui-worker': 'src/tui/worker.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  minify: true,
  jsx: 'automatic',
  plugins: [leanInk, largePackages('esm')],
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: requireInside,
})
chmodSync('dist/cli.cjs', 0o755)
// In an ES package a plain .js file is an ES module; under this name Node finds the real file and keeps its speed.
try {
  symlinkSync('cli.cjs', 'dist/cli.js')
} catch {
  writeFileSync('dist/cli.js', "import './cli.cjs'\n")
}
leaveCodeCaches()

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { stdio: 'inherit' })

/** Runs a plan, an inventory and a resolution once, so that the compiled code of what they need, and no more, lies beside the program. */
function leaveCodeCaches() {
  const project = mkdtempSync(join(tmpdir(), 'loadout-build-'))
  const runWith = (input, part, ...args) =>
    execFileSync(process.execPath, [resolve('dist/cli.cjs'), ...args], {
      cwd: project,
      env: { PATH: process.env.PATH, HOME: project, LOADOUT_WRITE_CODE_CACHE: part },
      input,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
  const run = (part, ...args) => runWith('', part, ...args)
  writeSampleIndex(join(project, '.claude', 'loadout'))
  run('program', 'plan', 'publish the release', '--global=', '--org=', '--session=')
  writeSampleSkills(project)
  run('skills', 'inventory')
  writeSamplePack(join(project, '.agents', 'knowledge', 'sample'))
  writeFileSync(join(project, 'AGENTS.md'), '# Rules\n\nBe kind.\n')
  run('context', 'context', 'publish the release')
  run('secretlint', 'context', 'publish the release')
  run('packs', 'packs', 'resolve', 'publish the release and say why', '--pack', 'sample', '--cite')
  run('delivery', 'search', 'publish the release')
  const greeting = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'build', version: '' },
  }
  runWith(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: greeting })}\n`, 'mcp', 'mcp')
  const event = { cwd: project, prompt: 'publish the release as the skill one says' }
  const hook = (part, name) => runWith(JSON.stringify({ ...event, session_id: part }), part, 'hook', 'claude', name)
  writeFileSync(join(project, 'a.md'), '---\nid: one\nkeywords: [release]\n---\n# One\n\nA text.\n')
  hook('session', 'SessionStart')
  hook('rare', 'UserPromptSubmit')
  hook('hook', 'UserPromptSubmit')
  writeFileSync(join(project, 'loadout.json'), '{ "routing": { "strategy": "ranked" } }')
  hook('ranking', 'UserPromptSubmit')
  rmSync(project, { recursive: true })
}

function writeSampleIndex(layer) {
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
}

/** A pack with a view, a page and a source. */
function writeSamplePack(folder) {
  const files = {
    'KNOWLEDGE.md':
      '---\nname: sample\ndescription: Releases.\ntype: domain-reference\nstatus: ready\ngrounding: required\n---\n# Sample\n\n## Context map\n\n- Facts: `compiled/facts.md`\n',
    'compiled/facts.md': '# Facts\n\n- A release is published. [source: sources/log.md#L1]\n',
    'wiki/concepts/release.md': '# Release\n\nIt is published. See [docs](docs.md).\n',
    'wiki/index.md': '# Pages\n\n- [Release](concepts/release.md)\n',
    'sources/log.md': 'Published.\n',
    'indexes/source-map.json':
      '{"claims":[{"claim_id":"a","text":"A release.","status":"stale","source":{"path":"sources/log.md","anchor":"L1"},"compiled_into":["compiled/facts.md"]}]}',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A library with one skill, and the same skill beside it as if it had been installed. */
function writeSampleSkills(home) {
  for (const folder of ['library/skills/one', '.claude/skills/one']) {
    mkdirSync(join(home, folder), { recursive: true })
    writeFileSync(join(home, folder, 'SKILL.md'), '---\nname: one\ndescription: one\n---\none\n')
    writeFileSync(join(home, folder, 'skill.json'), '{"name":"one","description":"one","targets":["claude"]}')
  }
  const marker = { repo_commit: '', installed_at: '', target: 'claude', content_hash: '0', source_hash: '0' }
  writeFileSync(join(home, '.claude/skills/one/.loadout'), JSON.stringify(marker))
  mkdirSync(join(home, 'library', '.git'))
  mkdirSync(join(home, '.config', 'loadout'), { recursive: true })
  writeFileSync(join(home, '.config', 'loadout', 'config.json'), '{"repo_path":"~/library"}')
}
