import { isUtf8 } from 'node:buffer'
import { readInside } from '../../machine/inside.ts'
import type { Machine } from '../../machine/machine.ts'
import { parseForeignJson } from '../../text/json.ts'
import { pathProblem } from '../../text/paths.ts'
import type { AdapterSettings } from '../rules/context-settings.ts'
import { type Failure, runProgram } from './adapter-process.ts'

export interface FetchOptions {
  /** Whether a person approved this command on this machine, in its current form. */
  isAllowed: boolean
  signal?: AbortSignal | undefined
}

export type Fetched = { payload: unknown; failure?: undefined } | { payload?: undefined; failure: Failure }

/** A larger output is not a summary. */
export const LARGEST_PAYLOAD = 1024 * 1024

/** The output of an adapter as JSON of any shape, or why there is none. Never rejects. */
export async function fetchAdapter(
  machine: Machine,
  projectRoot: string,
  adapter: AdapterSettings,
  options: FetchOptions,
): Promise<Fetched> {
  const { file, command, timeoutMs } = adapter
  if (file !== undefined) {
    const problem = pathProblem(file)
    if (problem !== undefined) return { failure: { code: 'PATH_ESCAPE', message: `its file is refused: ${problem}` } }
    const { bytes, failure } = readInside(projectRoot, file, { most: LARGEST_PAYLOAD })
    return bytes === undefined ? { failure } : parse(bytes)
  }
  if (command === undefined || command.length === 0) {
    return { failure: { code: 'ADAPTER_FAILED', message: 'it names neither a file nor a command' } }
  }
  if (!options.isAllowed) {
    return { failure: { code: 'ADAPTER_NOT_ALLOWED', message: 'its command was not allowed on this machine' } }
  }
  const limits = { timeoutMs, largestOutput: LARGEST_PAYLOAD, signal: options.signal }
  const { stdout, failure } = await runProgram(machine, projectRoot, command, limits)
  return stdout === undefined ? { failure } : parse(stdout)
}

function parse(bytes: Buffer): Fetched {
  if (!isUtf8(bytes)) return { failure: { code: 'NOT_TEXT', message: 'what it gives is not UTF-8' } }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  const { value, problem } = parseForeignJson(text)
  return problem === undefined
    ? { payload: value }
    : { failure: { code: 'BAD_JSON', message: `its output cannot be read: ${problem}` } }
}
