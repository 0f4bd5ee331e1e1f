import { readFileSync } from 'node:fs'
import { rollup } from 'rollup'

/**
 * Makes CommonJS of the ES modules that an entry reaches, and a late `require` of each `import()`. Rollup exports by plain
 * assignment and keeps the entry and what its late parts share in one file; esbuild defines two getters for each name and
 * makes two files, which costs every start a millisecond.
 */
export async function writeCommonJs(input, dir) {
  const modules = await rollup({
    input,
    external: (id) => !id.endsWith('.js'),
    makeAbsoluteExternalsRelative: false,
    treeshake: false,
    logLevel: 'silent',
    preserveEntrySignatures: 'allow-extension',
    plugins: [{ name: 'with-map', load: withMap }],
  })
  await modules.write({
    dir,
    format: 'cjs',
    interop: 'default',
    dynamicImportInCjs: false,
    esModule: false,
    compact: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
}

const withMap = (file) => ({ code: readFileSync(file, 'utf8'), map: readFileSync(`${file}.map`, 'utf8') })
