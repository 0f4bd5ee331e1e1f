import { parseJson } from '../../../text/json.ts'
import { isTextList, sha256 } from '../../../text/values.ts'
import type { ProgramCall } from './hook-command.ts'

/** A plugin of ours for an agent without hooks. */
export interface OwnPlugin {
  /** The program it calls, with its first arguments. */
  program: readonly string[]
  /** Whether it is unchanged since Loadout wrote it. */
  isIntact: boolean
}

/** The file that an agent loads: it passes events to `loadout hook`, and the answers to the model. */
export function pluginText(agent: string, call: ProgramCall): string {
  const program = typeof call === 'string' ? ['loadout'] : [call.node, call.script]
  return sealed(agent, `${IMPORT}${PROGRAM}${JSON.stringify(program)}\n${ASKING(agent)}${BODIES[agent] ?? OPENCODE}`)
}

/** Undefined for a file that is not ours. */
export function readPlugin(agent: string, text: string): OwnPlugin | undefined {
  const [seal = '', ...rest] = text.split('\n')
  if (!seal.startsWith(sealOf(agent))) return undefined
  const body = rest.join('\n')
  const line = rest.find((each) => each.startsWith(PROGRAM)) ?? ''
  const program = parseJson(line.slice(PROGRAM.length)).value
  return { program: isTextList(program) ? program : [], isIntact: sealed(agent, body) === text }
}

const sealOf = (agent: string) =>
  `// Written by "loadout connect ${agent}", removed by "loadout hooks remove ${agent}". `
const IMPORT = 'import { spawn } from "node:child_process"\n\n'
const PROGRAM = 'const PROGRAM = '

function sealed(agent: string, body: string): string {
  return `${sealOf(agent)}${sha256(body).slice(0, 16)}\n${body}`
}

// Ignores every failure: a slow, broken or wrong answer must not delay a prompt.
const ASKING = (agent: string) => `const PATIENCE_MS = 10_000

function ask(event, fields) {
  return new Promise((settle) => {
    try {
      const child = spawn(PROGRAM[0], [...PROGRAM.slice(1), 'hook', '${agent}', event], {
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

const started = new Set()
const compacted = new Set()

async function startOf(about) {
  const isAgain = compacted.delete(about.session_id)
  if (started.has(about.session_id) && !isAgain) return ''
  started.add(about.session_id)
  return ask('SessionStart', { ...about, source: isAgain ? 'compact' : 'resume' })
}

`

const OPENCODE = `export const Loadout = async ({ directory }) => {
  const about = (sessionID) => ({ session_id: sessionID, cwd: directory })

  async function add({ sessionID }, { message, parts }) {
    const said = parts.filter(({ type, synthetic }) => type === 'text' && !synthetic)
    const prompt = said.map(({ text }) => text).join('\\n')
    if (prompt === '') return
    const texts = [await startOf(about(sessionID)), await ask('UserPromptSubmit', { ...about(sessionID), prompt })]
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

const BODIES: Readonly<Record<string, string>> = {
  pi: `export default function (pi) {
  const about = (context) => ({
    session_id: context.sessionManager.getSessionId(),
    cwd: context.cwd,
    model: context.model?.id,
  })

  pi.on('before_agent_start', async ({ prompt }, context) => {
    try {
      const texts = [await startOf(about(context)), await ask('UserPromptSubmit', { ...about(context), prompt })]
      const content = texts.filter((text) => text !== '').join('\\n\\n')
      if (content !== '') return { message: { customType: 'loadout', content, display: false } }
    } catch {}
  })
  pi.on('tool_result', async ({ toolName, input }, context) => {
    if (['read', 'bash'].includes(toolName)) {
      ask('PostToolUse', { ...about(context), tool_name: toolName, tool_input: input })
    }
  })
  pi.on('session_compact', async (_event, context) => {
    compacted.add(about(context).session_id)
  })
}
`,
}
