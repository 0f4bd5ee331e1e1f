import { isAbsolute, join, relative, resolve } from 'node:path'
import { AGENTS } from '../../agents/rules/agents.ts'
import type { HookCall } from '../../agents/rules/hook-call.ts'
import { readingOf } from '../../agents/rules/recorded-rules.ts'
import { bodyTokens, skillFile } from '../../agents/see.ts'
import type { Machine } from '../../machine/machine.ts'
import { claimant } from '../../machine/sessions.ts'
import { LARGEST_IN_A_HOOK, layerPlaces, readKnowledge } from '../../payloads/knowledge.ts'
import { tokensOf } from '../../payloads/rules/loadout-index.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { recordUsage } from '../../usage/record.ts'
import { formatClaim, readState, wonBy } from '../../usage/rules/session-state.ts'
import { shareWhenDue } from '../../usage/sharing.ts'
import { fileHolds } from '../disk/transcript.ts'

/** Records what the agent itself used: a skill it called or read, a payload it read. */
export function recordToolUse(machine: Machine, call: HookCall): void {
  const { host, use } = call
  if (use.skill !== undefined) recordSkill(machine, call, use.skill)
  const named = use.file === undefined ? filesRead(use.command) : [use.file]
  for (const file of new Set(named.map((name) => resolve(machine.cwd, name)))) {
    const read = skillOfFile(host.agent, file, machine.env)
    if (read === undefined) recordRead(machine, file)
    else recordSkill(machine, call, read, file)
  }
}

function recordSkill(machine: Machine, { host, session }: HookCall, name: string, read?: string): void {
  const id = name.replace(/^\//, '').slice(0, 200)
  if (id === '') return
  const file = read ?? skillFile(machine, host.agent, id)
  const tokens = file === undefined || !isFirstUse(machine, host.agent, session, file) ? 0 : bodyTokens(file)
  const entry = { id, kind: 'skill' as const, trigger: 'skill', mode: 'manual' as const, tokens }
  recordUsage(machine, { task: `skill ${id}`, stage: 'used', entries: [entry], project: machine.openProject() })
  shareWhenDue(machine)
}

/** A conversation keeps the text of a skill: a second use does not load it again. */
function isFirstUse(machine: Machine, agent: string, session: string, file: string): boolean {
  try {
    const by = claimant()
    const at = machine.now().toISOString()
    const line = formatClaim({ by, parts: [{ form: 'file', path: file, sum: '' }], at })
    return wonBy(readState(machine.sessions.claimLine(agent, session, line)), by)?.length !== 0
  } catch (error) {
    if (error instanceof LoadoutError) return true
    throw error
  }
}

/** Most files that an agent reads are not payloads, so that is checked without parsing an index. */
function recordRead(machine: Machine, file: string): void {
  const holders = layerPlaces(machine, {}).filter(({ root, path }) => {
    const inside = relative(root, file)
    return (
      inside !== '' && !inside.startsWith('..') && !isAbsolute(inside) && fileHolds(path, inside, LARGEST_IN_A_HOOK)
    )
  })
  if (holders.length === 0) return
  const knowledge = readKnowledge(machine, {}, true)
  for (const entry of knowledge.entries) {
    if (join(knowledge.rootOf(entry), entry.path) !== file) continue
    const { id } = entry
    const used = { id, kind: 'payload' as const, trigger: 'read', mode: 'manual' as const, tokens: tokensOf(entry) }
    const entries = [{ ...used, layer: knowledge.layerOf(entry) }]
    recordUsage(machine, { task: `read ${id}`, stage: 'used', entries })
  }
}

const READERS = new Set(['cat', 'head', 'tail', 'less', 'more', 'nl', 'sed', 'bat'])

/** The files that a shell command shows, in clear cases only. */
export function filesRead(command: unknown): string[] {
  const text = Array.isArray(command) ? command.at(-1) : command
  if (typeof text !== 'string' || text.length > 4096) return []
  return text.split(/&&|\|\||[;|\n]/).flatMap((part) => {
    const [program = '', ...words] = wordsOf(part)
    return READERS.has(program.replace(/^.*\//, '')) ? words.filter((word) => !word.startsWith('-')) : []
  })
}

function wordsOf(part: string): string[] {
  const words = part.matchAll(/"([^"$`\\]*)"|'([^']*)'|([^\s"']+)/g)
  return [...words]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    .filter((word) => !/[$`\\<>(){}*?]/.test(word))
}

/** The skill that a `SKILL.md` belongs to, if it is in a folder that the agent reads. */
export function skillOfFile(
  agentId: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, root, name] = /^(.*)\/([^/]+)\/SKILL\.md$/.exec(file) ?? []
  const agent = AGENTS.find(({ id }) => id === agentId)
  if (root === undefined || agent === undefined) return undefined
  const { userFolder, projectFolder, home } = agent
  const moved = home && env[home.variable]
  const own = moved === undefined || moved === '' ? [home?.folder ?? ''] : [home?.folder ?? '', moved]
  const places = readingOf(agent).places.flatMap(({ from, path }) =>
    from === 'own' ? own.map((folder) => `${folder}/${path}`) : [path],
  )
  const folders = [...(userFolder === undefined ? [] : [userFolder]), projectFolder, ...places]
  return folders.some((folder) => `${root}/`.endsWith(`/${folder.replace(/^\//, '')}/`)) ? name : undefined
}
