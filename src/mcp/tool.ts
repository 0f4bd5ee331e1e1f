import { writeSync } from 'node:fs'
import { ProtocolError, ProtocolErrorCode, type Variables } from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { Loadout } from '../loadout.ts'
import { printableLine } from '../text/printable.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'

/** The use cases that answer a call, and the default project. */
export interface ToolContext {
  loadout: Loadout
  project: string | undefined
  /** The client's own name, as it says when it connects. */
  client?(): string | undefined
}

export interface Call extends ToolContext {
  /** Fires when the client no longer waits for the answer. */
  signal: AbortSignal
}

/** A tool as data: the source of its listing, its checks and its answer. */
export interface Tool<In = unknown> {
  name: string
  description: string
  input: z.ZodType<In>
  /**
   * A text, or what is sent as JSON. Only as text content: a client that is also sent structured content shows a model that
   * one, with every line break and quote escaped, or both.
   */
  call(input: In, call: Call): Promise<string | object>
  /** It writes to disk. */
  isWriting?: true
}

/** Keeps the types in a tool's definition; the table needs only the general type. */
export function defineTool<In>(tool: Tool<In>): Tool {
  return tool as unknown as Tool
}

/** The first items of a list, and a sentence about the rest. */
export function cap<T>(items: readonly T[], most: number, what: string): { shown: T[]; cut: string[] } {
  const more = items.length - most
  return { shown: items.slice(0, most), cut: more > 0 ? [`${more} more ${what} not listed`] : [] }
}

export function formatFinding({ message, hint }: Finding): string {
  return hint === undefined ? message : `${message}: ${hint}`
}

/** The findings of a reply, after what else there is to warn of. */
export function warningsOf(findings: readonly Finding[], before: readonly string[] = []): string[] {
  const { shown, cut } = cap([...before, ...findings.map(formatFinding)], MOST_WARNINGS, 'warnings are')
  return [...shown, ...cut]
}

/** Limits of a reply. */
export const MOST_WARNINGS = 40
export const MOST_CHARACTERS = 60_000

/** Arguments that several tools take. */
export const TASK = z.string().regex(/\S/).max(100_000)
export const NAME = z.string().min(1).max(1_000)
export const PROJECT = NAME.optional().describe('Folder, if not the usual one')

/** The project of a call, and its layers. */
export function placeOf({ loadout, project: usual }: ToolContext, project = usual) {
  return { project, layers: loadout.knowledge.nameLayers({ project }) }
}

/** For requests whose answer cannot contain a problem, such as reading a resource. */
export async function orProtocolError<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const { code, message, hint } = error
    const text = printableLine(hint === undefined ? message : `${message}; ${hint}`)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { code })
  }
}

/** Prints to the person who started the server. Standard output belongs to the protocol. */
export function printLine(text: string): void {
  try {
    writeSync(2, `loadout mcp: ${printableLine(text)}\n`)
  } catch {
    // Standard error is closed.
  }
}

export const INDEX_URI = 'loadout://index'
export const ENTRY_TEMPLATE = 'loadout://entry/{id}'
export const PACK_TEMPLATE = 'loadout://pack/{name}/{+path}'

export function entryUri(id: string): string {
  return `loadout://entry/${encodeURIComponent(id)}`
}

export function packUri(name: string, path: string): string {
  return `loadout://pack/${[name, ...path.split('/')].map(encodeURIComponent).join('/')}`
}

/** A template returns its variables as they are in the address. */
export function readVariable(value: Variables[string] | undefined): string {
  const text = Array.isArray(value) ? value.join(',') : (value ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${JSON.stringify(text.slice(0, 80))} is badly encoded`)
  }
}
