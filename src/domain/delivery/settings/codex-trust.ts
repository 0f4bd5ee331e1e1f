import { sha256 } from '../../shared/digest.ts'
import { getDeep } from '../../shared/record.ts'
import type { FoundHook } from './hook-settings.ts'

/** Seconds that Codex takes for a hook without a timeout. */
const DEFAULT_TIMEOUT = 600

/** Whether Codex will run a hook: its user trusts each one by its content, under its place in the file. */
export function codexRuns(config: unknown, paths: readonly string[], hook: FoundHook): 'yes' | 'untrusted' | 'off' {
  const event = snakeCase(hook.event)
  for (const path of paths) {
    const state = ['hooks', 'state', `${path}:${event}:${hook.group}:${hook.handler}`]
    if (getDeep(config, ...state, 'enabled') === false) return 'off'
    const trusted = getDeep(config, ...state, 'trusted_hash')
    // Of a hook with more in it than we write we know only that it was looked at.
    if (trusted !== undefined && (!hook.isPlain || trusted === trustHash(hook))) return 'yes'
  }
  return 'untrusted'
}

/** As Codex 0.166.0 makes it: over the hook in one fixed spelling. */
export function trustHash({ event, command, timeout, matcher }: FoundHook): string {
  const handler = { async: false, command, timeout: timeout ?? DEFAULT_TIMEOUT, type: 'command' }
  const hasMatcher = matcher !== undefined && event !== 'UserPromptSubmit'
  const hook = { event_name: snakeCase(event), hooks: [handler], ...(hasMatcher ? { matcher } : {}) }
  return `sha256:${sha256(JSON.stringify(hook))}`
}

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
