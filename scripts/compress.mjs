import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

/** Turns a large script into one that unpacks itself when it is loaded: a third of the size, 10 ms more. */
export function compressScript(path) {
  const packed = path.replace(/\.cjs$/, '.br')
  const script = readFileSync(path, 'utf8')
  writeFileSync(packed, brotliCompressSync(script))
  // The names for ES modules that import it, as esbuild notes them.
  const names = /0&&\(module\.exports=\{[\w,$]*\}\)/.exec(script)?.[0] ?? ''
  const name = JSON.stringify(`/${packed.split('/').at(-1)}`)
  const unpack = `require('node:zlib').brotliDecompressSync(require('node:fs').readFileSync(__dirname + ${name}))`
  writeFileSync(
    path,
    `Function('exports', 'module', 'require', String(${unpack}))(exports, module, require)\n${names}\n`,
  )
}
