import { HOOK_EVENTS, type HookHost } from '../hook-hosts.ts'
import { formatCommand, type ProgramCall, pathsIn } from './hook-command.ts'
import type { FoundHook, WantedHook } from './hook-settings.ts'

/** Seconds after which an agent goes on without us. An answer takes a fraction of one. */
const TIMEOUT = 10

export function wantedHooks({ agent, watchedTools }: HookHost, call: ProgramCall): WantedHook[] {
  return HOOK_EVENTS.map((event) => ({
    event,
    ...(event === 'PostToolUse' ? { matcher: watchedTools } : {}),
    command: (options) => formatCommand(call, agent, event, options),
    timeout: TIMEOUT,
  }))
}

/** Whether a hook is written as it would be today, whichever copy of the program it calls. */
export function isCurrent(hook: FoundHook, host: HookHost): boolean {
  const call = pathsIn(hook.command)
  const calls: ProgramCall[] = call === undefined ? ['named', 'named-if-there'] : [call]
  return calls.some((each) => {
    const want = wantedHooks(host, each).find(({ event }) => event === hook.event)
    const hasMatcher = want?.matcher === undefined || want.matcher === hook.matcher
    return want !== undefined && hasMatcher && want.command(hook.options) === hook.command
  })
}
