import { relative, resolve } from 'node:path'
import { build } from 'esbuild'

/**
 * Finds the files that `import()` loads and assigns each to the part whose row names the beginning of its path; a file of
 * no row is a part alone. Returns, for each file, the files of its part.
 */
export async function findLateFiles(options, rows) {
  const { metafile } = await build({ ...options, packages: 'external', write: false })
  const entries = Object.values(options.entryPoints)
  const files = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint && !entries.includes(entryPoint))
  const partOf = (file) => Object.keys(rows).find((name) => rows[name].some((row) => file.startsWith(row))) ?? file
  const parts = new Map()
  for (const { entryPoint: file, exports } of files) {
    const part = parts.get(partOf(file)) ?? { name: partOf(file), files: [], exports: new Set() }
    const twice = exports.find((name) => part.exports.has(name))
    if (twice) throw new Error(`${file} exports ${twice}, and so does another file of its part, ${part.name}`)
    for (const name of exports) part.exports.add(name)
    part.files.push(file)
    parts.set(part.name, part)
  }
  return new Map([...parts.values()].flatMap((part) => part.files.map((file) => [file, part])))
}

/**
 * Makes one module of each part. It imports the root too, which is always loaded before it: so esbuild keeps all that the
 * root needs in one file, instead of one for each set of parts that share something.
 */
export const lateParts = (late, root) => ({
  name: 'late-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      const part = kind === 'dynamic-import' && late.get(relative('.', resolve(resolveDir, path)))
      return part ? { path: part.name, namespace: 'part', pluginData: part } : undefined
    })
    onLoad({ filter: /.*/, namespace: 'part' }, ({ pluginData: { files } }) => ({
      resolveDir: resolve('.'),
      contents: [`import './${root}'`, ...files.map((file) => `export * from './${file}'`)].join('\n'),
    }))
  },
})

/** Takes packages, and files of the source, from scripts that are built once and shared. */
export const sharedPackages = (packages) => ({
  name: 'shared-packages',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, resolveDir }) => {
      const name = packages[path.startsWith('.') ? relative('.', resolve(resolveDir, path)) : path]
      return name ? { path: `./${name}.cjs`, external: true } : undefined
    })
  },
})

/** Loads modules when one of the named functions is called, or one of the classes named with `new` is made. */
export const lateCalls = (modules) => ({
  name: 'late-calls',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, namespace }) =>
      modules[path] && namespace !== 'late-calls' ? { path, namespace: 'late-calls' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'late-calls' }, ({ path }) => ({
      resolveDir: resolve('.'),
      contents: modules[path].map((name) => lateCall(path, name)).join('\n'),
    }))
  },
})

/** `default scan`: the module itself is a function, and has another one of this name. */
function lateCall(path, call) {
  const [first, second] = call.split(' ')
  const load = `require('${path}')`
  if (first === 'new') return `export function ${second}(...args) { return new (${load}.${second})(...args) }`
  if (first !== 'default') return `export function ${first}(...args) { return ${load}.${first}(...args) }`
  return `export default Object.assign((...args) => ${load}(...args), { ${second}: (...args) => ${load}.${second}(...args) })`
}
