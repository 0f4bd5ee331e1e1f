import { getOwn, isRecord } from '../domain/shared/record.ts'
import { configPath } from './config-path.ts'
import { exists, readText } from './files.ts'
import type { Machine } from './machine.ts'

/**
 * Whether the user asked to keep the words of tasks: `usage.keep_tasks` in the machine's configuration. Anything unclear
 * is a no; who changes the file is told what is wrong with it.
 */
export function keepsTasks(machine: Machine): boolean {
  try {
    const path = configPath(machine)
    const text = exists(path) ? readText(path) : ''
    // A person waits for this on every prompt, and hardly any file has it.
    if (!text.includes('"keep_tasks"')) return false
    const json: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    const usage = isRecord(json) ? getOwn(json, 'usage') : undefined
    return isRecord(usage) && getOwn(usage, 'keep_tasks') === true
  } catch {
    return false
  }
}
