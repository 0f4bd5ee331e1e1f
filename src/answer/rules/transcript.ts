import { estimateTokens } from '../../text/tokens.ts'
import { isRecord } from '../../text/values.ts'

/** What an agent's own file of a conversation says that its model had. */
export interface TranscriptItem {
  at: string
  what: 'prompt' | 'answer' | 'skills' | 'instructions' | 'hook' | 'mcp' | 'skill' | 'tool' | 'other'
  /** The name of a tool, an event of a hook, a skill. */
  name: string
  /** Cut when it is long: `tokens` are those of all of it. */
  text: string
  tokens: number
  model?: string
}

/** Of each text. */
const MOST_SHOWN = 40_000

type Json = Record<string, unknown>

/** Reads the lines of one file, in order: some name what an earlier line began. Lines of another form say nothing. */
export class TranscriptReader {
  private readonly tools = new Map<string, string>()
  private last = ''

  /** What one line adds. */
  read(json: unknown): TranscriptItem[] {
    if (!isRecord(json)) return []
    if (typeof json.timestamp === 'string') this.last = json.timestamp
    return isRecord(json.payload) ? this.readCodex(json.payload) : this.readClaude(json)
  }

  private item(what: TranscriptItem['what'], name: string, text: string, model?: unknown): TranscriptItem[] {
    if (text === '') return []
    const tokens = estimateTokens(text)
    const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n…` : text
    return [{ at: this.last, what, name, text: shown, tokens, model: typeof model === 'string' ? model : undefined }]
  }

  private readClaude({ type, attachment, message, isMeta }: Json): TranscriptItem[] {
    if (type === 'attachment' && isRecord(attachment)) return this.readAttachment(attachment)
    if (!isRecord(message) || (type !== 'user' && type !== 'assistant')) return []
    const { content, model } = message
    const pieces =
      typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : []
    return pieces.filter(isRecord).flatMap((piece): TranscriptItem[] => {
      const text = textIn(piece.type === 'tool_result' ? piece.content : piece.text)
      if (piece.type === 'tool_use') {
        this.tools.set(`${piece.id}`, `${piece.name}`)
        return []
      }
      if (piece.type === 'tool_result') {
        const name = this.tools.get(`${piece.tool_use_id}`) ?? ''
        return this.item(name.startsWith('mcp__') ? 'mcp' : 'tool', name, text)
      }
      if (type === 'assistant') return this.item('answer', '', text, model)
      const skill = /^Base directory for this skill: .*\/([^/\n]+)\n/.exec(text)?.[1]
      if (skill !== undefined) return this.item('skill', skill, text)
      return this.item(isMeta === true ? 'other' : 'prompt', '', text)
    })
  }

  private readAttachment(attachment: Json): TranscriptItem[] {
    const { type, content, hookEvent } = attachment
    if (type === 'hook_additional_context') return this.item('hook', `${hookEvent ?? ''}`, textIn(content))
    if (type === 'skill_listing') return this.item('skills', 'list of skills', textIn(content))
    if (type === 'nested_memory' || type === 'memory') {
      const path = isRecord(content) ? `${content.path ?? ''}` : `${attachment.path ?? ''}`
      return this.item('instructions', path, textIn(isRecord(content) ? content.content : content))
    }
    if (type === 'session_context' && isRecord(attachment.context)) {
      return Object.entries(attachment.context).flatMap(([name, text]) => {
        return this.item(/claudeMd|memory|instruction/i.test(name) ? 'instructions' : 'other', name, textIn(text))
      })
    }
    if (type === 'mcp_instructions_delta') {
      return this.item('mcp', 'instructions of servers', textIn(attachment.addedBlocks))
    }
    return []
  }

  private readCodex(payload: Json): TranscriptItem[] {
    const { type, role, content, name } = payload
    if (type === 'function_call' || type === 'custom_tool_call') {
      this.tools.set(`${payload.call_id}`, `${name}`)
      return []
    }
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const tool = this.tools.get(`${payload.call_id}`) ?? ''
      return this.item(/^mcp__|__/.test(tool) ? 'mcp' : 'tool', tool, textIn(payload.output))
    }
    if (type !== 'message') return []
    const text = textIn(content)
    if (role === 'assistant') return this.item('answer', '', text)
    if (text.startsWith('<skills_instructions>')) return this.item('skills', 'list of skills', text)
    if (/^(?:Loadout: |<loadout_)/.test(text)) return this.item('hook', '', text)
    if (role === 'developer' || role === 'system') return this.item('instructions', `${role}`, text)
    if (/^(?:# AGENTS\.md|<user_instructions>)/.test(text)) return this.item('instructions', 'AGENTS.md', text)
    const skill = /^<skill>\s*<name>([^<]*)/.exec(text)?.[1]
    if (skill !== undefined) return this.item('skill', skill, text)
    return this.item(text.startsWith('<') ? 'other' : 'prompt', '', text)
  }
}

/** All texts of a content, one below the other. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content))
    return content
      .map(textIn)
      .filter((text) => text !== '')
      .join('\n')
  if (!isRecord(content)) return ''
  return textIn(content.text ?? content.content ?? content.output ?? '')
}
