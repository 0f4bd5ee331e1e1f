import { formatReply, type HookCall, readCall } from '../../agents/rules/hook-call.ts'
import { isFolder } from '../../machine/files.ts'
import { describeTrouble, logLine } from '../../machine/hook-log.ts'
import { localMachine, Machine } from '../../machine/machine.ts'
import { type Finding, failWith } from '../../text/trouble.ts'
import { answerPrompt } from './prompt.ts'

export interface HookRequest {
  agent: string
  event: string
  /** The agent's JSON. */
  input: string
  /** Tokens for one prompt. */
  budget?: number
}

export interface HookAnswer {
  /** The output for the agent; empty if there is nothing to say. */
  reply: string
}

/** Answers one hook event of an agent. Never fails: a problem is one line in a log, and no output. */
export async function answerHook(machine: Machine, request: HookRequest): Promise<HookAnswer> {
  const reported = new Set<string>()
  try {
    const call = readCall(request.agent, request.event, request.input, machine.env)
    if (call === undefined) return { reply: '' }
    if (!isFolder(call.cwd)) throw failWith('NOT_A_FOLDER/hook', { cwd: call.cwd })
    // All events of one call have the same time.
    const moment = machine.now()
    const { host, session, parent, model } = call
    const caller = { via: host.agent, session, parent, model }
    const report = (...findings: Finding[]) => {
      for (const { code, message } of findings) reported.add(`${code} ${message}`)
    }
    const asker = new Machine({
      cwd: call.cwd,
      home: machine.home,
      env: machine.env,
      now: () => moment,
      caller,
      report,
    })
    return { reply: formatReply(call, await answer(asker, call, request)) }
  } catch (error) {
    logLine(machine, aboutCall(request), describeTrouble(error))
    return { reply: '' }
  } finally {
    if (reported.size > 0) logLine(machine, aboutCall(request), [...reported].join('; '))
  }
}

/** Answers a hook on this machine. */
export function answerHere(request: HookRequest): Promise<HookAnswer> {
  return answerHook(localMachine(), request)
}

async function answer(machine: Machine, call: HookCall, { budget }: HookRequest): Promise<string> {
  switch (call.event) {
    case 'UserPromptSubmit': {
      const { host, session } = call
      const isStart = host.events.SessionStart === undefined && machine.sessions.read(host.agent, session) === ''
      const start = isStart ? await (await import('./session-start.ts')).answerStart(machine, call) : ''
      return start + (await answerPrompt(machine, call, budget))
    }
    case 'PostToolUse':
      ;(await import('./tool-use.ts')).recordToolUse(machine, call)
      return ''
    case 'PreToolUse':
      return (await import('./subagent.ts')).answerSubagentTask(machine, call, budget)
    case 'SubagentStart':
      return (await import('./subagent.ts')).answerSubagentStart(machine, call, budget)
    case 'SessionStart':
      return (await import('./session-start.ts')).answerStart(machine, call)
  }
}

/** Agent and event for the log; `?` for anything that is not a plain word. */
function aboutCall({ agent, event }: HookRequest): string {
  const known = (word: string) => (/^\w{1,32}$/.test(word) ? word : '?')
  return `${known(agent)} ${known(event)}`
}
