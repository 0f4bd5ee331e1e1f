import { parseJson } from '../../../text/json.ts'
import { isTextList, sha256 } from '../../../text/values.ts'
import type { ProgramCall } from './hook-command.ts'

/** Our plugin for OpenCode. */
export interface OwnPlugin {
  /** The program it calls, with its first arguments. */
  program: readonly string[]
  /** Whether it is unchanged since Loadout wrote it. */
  isIntact: boolean
}

/** The file that OpenCode loads: it passes events to `loadout hook`, and the answers to the model. */
export function pluginText(call: ProgramCall): string {
  const program = typeof call === 'string' ? ['loadout'] : [call.node, call.script]
  return sealed(`${IMPORT}${PROGRAM}${JSON.stringify(program)}\n${BODY}`)
}

/** Undefined for a file that is not ours. */
export function readPlugin(text: string): OwnPlugin | undefined {
  const [seal = '', ...rest] = text.split('\n')
  if (!seal.startsWith(SEAL)) return undefined
  const body = rest.join('\n')
  const line = rest.find((each) => each.startsWith(PROGRAM)) ?? ''
  const program = parseJson(line.slice(PROGRAM.length)).value
  return { program: isTextList(program) ? program : [], isIntact: sealed(body) === text }
}

const SEAL = '// Written by "loadout connect opencode", removed by "loadout hooks remove opencode". '
const IMPORT = 'import { spawn } from "node:child_process"\n\n'
const PROGRAM = 'const PROGRAM = '

function sealed(body: string): string {
  return `${SEAL}${sha256(body).slice(0, 16)}\n${body}`
}

// Ignores every failure: a slow, broken or wrong answer must not delay a prompt.
const BODY = `const PATIENCE_MS = 10_000

function ask(event, fields) {
  return new Promise((settle) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), 'hook', 'opencode', event], {
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: PATIENCE_MS,
      })
      let reply = ''
      child.stdout.on('data', (bytes) => {
        reply += bytes
      })
      child.once('error', () => settle(''))
      child.once('close', () => settle(contextOf(reply)))
      child.stdin.once('error', () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...fields }))
    } catch {
      settle('')
    }
  })
}

function contextOf(reply) {
  try {
    return JSON.parse(reply).additionalContext ?? ''
  } catch {
    return ''
  }
}

export const Loadout = async ({ directory }) => {
  const started = new Set()
  const compacted = new Set()
  const about = (sessionID) => ({ session_id: sessionID, cwd: directory })

  async function startOf(sessionID) {
    const isAgain = compacted.delete(sessionID)
    if (started.has(sessionID) && !isAgain) return ''
    started.add(sessionID)
    return ask('SessionStart', { ...about(sessionID), source: isAgain ? 'compact' : 'resume' })
  }

  async function add({ sessionID }, { message, parts }) {
    const said = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic)
    const prompt = said.map(({ text }) => text).join('\\n')
    if (prompt === '') return
    const texts = [await startOf(sessionID), await ask('UserPromptSubmit', { ...about(sessionID), prompt })]
    for (const [at, text] of texts.entries()) {
      if (text === '') continue
      const id = \`prt_loadout\${at}\${message.id.replace(/^msg_/, '')}\`
      parts.push({ id, sessionID, messageID: message.id, type: 'text', synthetic: true, text })
    }
  }

  return {
    'chat.message': (input, output) => add(input, output).catch(() => {}),
    'tool.execute.after': async ({ tool, sessionID, args }) => {
      if (['skill', 'read', 'bash'].includes(tool)) {
        ask('PostToolUse', { ...about(sessionID), tool_name: tool, tool_input: args })
      }
    },
    event: async ({ event }) => {
      if (event.type === 'session.compacted') compacted.add(event.properties?.sessionID)
    },
  }
}
`
