import { dirname, join } from 'node:path'
import { HOOK_HOSTS } from '../../agents/rules/hook-hosts.ts'
import { readAudit } from '../../machine/audits.ts'
import { exists, isFolder, readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { openProject } from '../../machine/open-project.ts'
import { maskText } from '../../machine/secret-scanner.ts'
import { readKnowledge } from '../../payloads/knowledge.ts'
import { estimateTokens } from '../../text/tokens.ts'
import { asFinding, LoadoutError, unlessTrouble } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'
import { showConversation } from '../../usage/look-back.ts'
import { parseReadsTranscripts } from '../../usage/rules/config.ts'
import type { Conversation, ConversationTurn, ConversationView } from '../../usage/rules/conversation.ts'
import { type Claim, type DeliveredPart, readClaims } from '../../usage/rules/session-state.ts'
import { type RecalledTranscript, recallTranscript } from '../disk/transcript.ts'
import { rehydrate } from '../packs.ts'
import type { PackAudit } from '../record.ts'
import { type GivenPart, measureIn, renderParts } from '../rules/session-text.ts'
import { PartsNow } from './parts-now.ts'
import { offeredPacks } from './start-parts.ts'

/** One thing that Loadout gave, as it is now. */
export interface RecalledPart {
  form: DeliveredPart['form']
  id: string
  kind?: string
  tokens: number
  /** `changed` and `gone`: since it was given. `unknown`: a place in a file, which is found again for each prompt. */
  state: 'same' | 'changed' | 'gone' | 'unknown'
  /** What was given; of a skill that was opened, its file as it is now. Absent if it has changed. */
  text?: string
  /** The file that it comes from. */
  source?: string
}

export interface RecalledTurn extends ConversationTurn {
  given: RecalledPart[]
  /** The whole reply, byte for byte; absent if any part of it has changed. */
  text?: string
}

export interface RecalledConversation extends Omit<ConversationView, 'turns'> {
  turns: RecalledTurn[]
  cwd?: string
  /** The agent's own file of it: read only if the user allows it. */
  transcript?: RecalledTranscript | { path: string; isAllowed: false } | { path: string; problem: string }
  /** The conversation that started it. */
  above?: Pick<Conversation, 'via' | 'session'>
}

/** What a conversation was given at each turn, made again from its sources, and what the agent's own file says it had. */
export async function recallConversation(
  machine: Machine,
  request: { via: string; session: string },
): Promise<RecalledConversation> {
  const { via, session } = request
  const view = showConversation(machine, request)
  const claims = readClaims(machine.sessions.read(via, session))
  const cwd = claims.findLast((claim) => claim.cwd !== undefined)?.cwd
  const project = cwd !== undefined && isFolder(cwd) ? cwd : view.project
  const remake = project !== undefined && isFolder(project) ? remakeIn(machine, via, project) : undefined
  const turns: RecalledTurn[] = []
  for (const turn of view.turns) {
    const own = claims.filter(({ at }) => at === turn.at)
    const parts = own.flatMap((claim) => claim.parts.map((part) => ({ part, claim })))
    const made = parts.map(({ part, claim }) => remake?.(part, claim))
    const given = parts.map(({ part }, at) => recalled(part, made[at], remake !== undefined))
    const isSame = given.length > 0 && given.every(({ state }) => state === 'same')
    const text = isSame ? renderParts(made.flatMap((each) => each ?? [])) : undefined
    turns.push({ ...turn, given, text })
  }
  const above = view.parent === undefined ? undefined : { via, session: view.parent }
  return { ...view, turns, cwd, above, transcript: await transcriptOf(machine, request, claims) }
}

/** Makes parts of a session again, as its next start would. */
function remakeIn(machine: Machine, via: string, cwd: string) {
  const host = HOOK_HOSTS.find(({ agent }) => agent === via)
  if (host === undefined) return undefined
  const quiet: Machine = Object.create(machine.quiet(), { cwd: { value: cwd } })
  const project = openProject(quiet)
  const { characters, tokens, counts } = host.replyLimit
  const now = new PartsNow({
    ...{ machine: quiet, host, project, log: () => {} },
    knowledge: readKnowledge(quiet, { projectRoot: project }, true),
    packs: offeredPacks(quiet, project),
    ...{ room: Math.min(characters, tokens * 4), sizeOf: measureIn(counts) },
  })
  return (part: DeliveredPart, claim: Claim): GivenPart | undefined => {
    if (part.form === 'text') return now.text(part.id)
    if (part.form === 'index') return now.index(claim.parts)
    if (part.form === 'pointer') return now.pointer(part)
    return part.form === 'pack' ? packText(quiet, part) : undefined
  }
}

function packText(machine: Machine, part: DeliveredPart & { form: 'pack' }): GivenPart | undefined {
  if (part.audit === undefined) return undefined
  try {
    const { record } = readAudit<PackAudit>(machine, part.audit)
    const text = rehydrate(machine, part.audit, record).wrappers.find((each) => sha256(each.text) === part.sum)?.text
    return text === undefined ? undefined : { part, text }
  } catch (error) {
    if (error instanceof LoadoutError) return undefined
    throw error
  }
}

function recalled(part: DeliveredPart, now: GivenPart | undefined, isKnown: boolean): RecalledPart {
  const id =
    part.form === 'index' ? 'index' : part.form === 'file' ? part.path : part.form === 'pack' ? part.sum : part.id
  const kind = part.form === 'pointer' ? part.kind : part.form === 'text' ? 'payload' : undefined
  const isFile = part.form === 'file'
  // A section of a pack is named by its digest alone.
  const isSame = now !== undefined && now.part.sum === part.sum
  const state = isSame ? 'same' : isFile || !isKnown ? 'unknown' : now === undefined ? 'gone' : 'changed'
  const isBody = isFile && part.sum === ''
  const source = isFile ? part.path : / path="([^"]*)"/.exec(now?.text.slice(0, 500) ?? '')?.[1]
  const text = isBody ? unlessTrouble(() => readText(part.path), undefined) : isSame ? now.text : undefined
  const tokens = estimateTokens(text ?? now?.text ?? '')
  return { form: part.form, id, kind, tokens, state, text, source }
}

async function transcriptOf(
  machine: Machine,
  { session }: { session: string },
  claims: readonly Claim[],
): Promise<RecalledConversation['transcript']> {
  const named = claims.findLast(({ transcript }) => transcript !== undefined)?.transcript
  if (named === undefined) return undefined
  // A subagent of Claude Code has a file of its own beside that of its parent.
  const [parent = '', agent] = session.split('/')
  const own = join(dirname(named), parent, 'subagents', `agent-${agent}.jsonl`)
  const path = agent !== undefined && exists(own) ? own : named
  if (!parseReadsTranscripts(machine.config.read(), machine.config.path)) return { path, isAllowed: false }
  try {
    const read = recallTranscript(path)
    const masked = await maskText(JSON.stringify(read.items))
    return { ...read, items: maskedItems(masked, read.items) }
  } catch (error) {
    return { path, problem: asFinding(error).message }
  }
}

function maskedItems(masked: string, items: RecalledTranscript['items']): RecalledTranscript['items'] {
  try {
    return JSON.parse(masked)
  } catch {
    // A mask broke the form: rather nothing than a secret.
    return items.map((item) => ({ ...item, text: '' }))
  }
}
