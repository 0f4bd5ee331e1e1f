// Shows the walk of one call through the code: npm run walk -- plan "publish the release"
// Every function of src/ gets a probe, the command runs once from that copy, and the calls are summed up.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import ts from '@typescript/typescript6'
import { build } from 'esbuild'

const source = resolve('src')
const args = process.argv.slice(2)
if (args.length === 0) {
  console.error('usage: npm run walk -- <command…>   (standard input is passed on)')
  process.exit(2)
}

/** Puts a call of the probe at the start of every function body, and before the value of every short arrow. */
function withProbes(path) {
  const text = readFileSync(path, 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const file = JSON.stringify(relative(source, path))
  const insertions = []
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const { body } = node
      if (ts.isBlock(body)) insertions.push([body.getStart() + 1, `__walk(${file});`])
      else insertions.push([body.getStart(), `(__walk(${file}),`], [body.getEnd(), ')'])
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  // From the end, so that earlier positions stay true; at one position, in the order of the walk.
  return insertions
    .map(([at, code], order) => ({ at, code, order }))
    .sort((a, b) => b.at - a.at || b.order - a.order)
    .reduce((whole, { at, code }) => whole.slice(0, at) + code + whole.slice(at), text)
}

/** One line per call would fill the memory; what is kept is the way from file to file. */
const PROBE = `
const __way = []; let __calls = 0
globalThis.__walk = (file) => { __calls++; if (__way[__way.length - 1] !== file) __way.push(file) }
process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.LOADOUT_WALK, JSON.stringify({ calls: __calls, way: __way }))
})`

const folder = mkdtempSync(join(tmpdir(), 'loadout-walk-'))
try {
  const isHook = args[0] === 'hook'
  await build({
    stdin: {
      resolveDir: resolve('src'),
      contents: isHook
        ? "import { run } from './hooks/entry.ts'; run()"
        : "import { run } from './cli/entry.ts'; run()",
    },
    outfile: join(folder, 'walk.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    banner: { js: PROBE },
    mainFields: ['module', 'main'],
    // The package's own folder is found from where the program lies.
    define: { 'import.meta.dirname': JSON.stringify(resolve('dist')), 'import.meta.url': '"file:///walk"' },
    plugins: [
      {
        name: 'probes',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path.startsWith(source) ? { contents: withProbes(path), loader: 'ts' } : undefined,
          ),
      },
    ],
  })
  const record = join(folder, 'walk.json')
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const run = spawnSync(process.execPath, [join(folder, 'walk.cjs'), ...args], {
    cwd,
    env: { ...process.env, LOADOUT_WALK: record },
    stdio: ['inherit', 'ignore', 'inherit'],
  })
  report(JSON.parse(readFileSync(record, 'utf8')), run.status)
} finally {
  rmSync(folder, { recursive: true })
}

function report({ calls, way }, status) {
  const files = [...new Set(way)]
  const folders = way.map((file) => file.split('/')[0])
  const crossings = folders.filter((name, at) => at > 0 && name !== folders[at - 1]).length
  if (process.env.WALK_FILES) writeFileSync(process.env.WALK_FILES, `${files.join('\n')}\n`)
  console.log(`loadout ${args.join(' ')} (exit ${status})`)
  console.log(`  ${files.length} files, ${calls} calls, ${way.length - 1} jumps, ${crossings} crossings of top folders`)
  for (const name of [...new Set(folders)]) {
    const inside = files.filter((file) => file.split('/')[0] === name)
    console.log(
      `  ${name.padEnd(10)} ${String(inside.length).padStart(3)}  ${inside.map((file) => file.slice(name.length + 1)).join(' ')}`,
    )
  }
}
