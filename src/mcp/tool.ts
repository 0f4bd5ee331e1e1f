import type * as z from 'zod'
import type { Loadout } from '../app/loadout.ts'

/** Who answers, and for which project when a call names none. */
export interface Desk {
  loadout: Loadout
  project: string | undefined
}

export interface Call extends Desk {
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** A client shows a model either the text or the structured answer, never surely both: each says everything. */
export type Answer = Record<string, unknown>

/** A tool as data: its listing, its checks and its answer are all made from it. */
export interface Tool<In = unknown, Out extends Answer = Answer> {
  name: string
  description: string
  input: z.ZodType<In>
  output: z.ZodType<Out>
  call(input: In, call: Call): Promise<Out>
  /** The answer for clients that show no structured content; its JSON when absent. */
  toText?(answer: Out): string
}

/** Keeps the types while a tool is written down; the table needs only the general shape. */
export function defineTool<In, Out extends Answer>(tool: Tool<In, Out>): Tool {
  return tool as unknown as Tool
}
