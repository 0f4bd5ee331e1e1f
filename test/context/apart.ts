import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { makeFolder } from '../cli/run.ts'
import { BOUND } from '../rights.ts'

const SOURCES = join(import.meta.dirname, '../../src')

/**
 * Evaluates an expression over the functions of these files in a separate process that file permissions bind. The
 * value is passed as JSON; `root` is the folder.
 */
export function evaluateApart(files: readonly string[], expression: string, root: string): unknown {
  const script = join(makeFolder(), 'apart.cjs')
  const imports = files.map((file, at) => `import * as _${at} from './${file}'`).join('\n')
  const names = files.map((_, at) => `..._${at}`).join(', ')
  const contents = `${imports}
    const value = new Function('it', 'root', ${JSON.stringify(`with (it) { return ${expression} }`)})
    console.log(JSON.stringify(value({ ${names} }, ${JSON.stringify(root)})))`
  buildSync({ stdin: { contents, resolveDir: SOURCES }, bundle: true, platform: 'node', outfile: script })
  const [program = '', ...args] = [...BOUND, process.execPath, script]
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' }))
}
