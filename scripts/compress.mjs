import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

/** Turns a script that is mostly a table into one that unpacks itself when it is loaded: a third of the size, 10 ms more. */
export function compressScript(path) {
  const packed = path.replace(/\.cjs$/, '.br')
  writeFileSync(packed, brotliCompressSync(readFileSync(path)))
  const name = JSON.stringify(`/${packed.split('/').at(-1)}`)
  const unpack = `require('node:zlib').brotliDecompressSync(require('node:fs').readFileSync(__dirname + ${name}))`
  writeFileSync(path, `Function('exports', 'module', 'require', String(${unpack}))(exports, module, require)\n`)
}
