import { type Trial, type TrialRequest, tryClient, type Work } from '../agents/try-client.ts'
import { exists } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { visitUsage } from '../usage/log.ts'
import { moneyFor } from '../usage/rules/cost.ts'
import { kindOf, stageOf } from '../usage/rules/usage-event.ts'
import { readPrices } from '../usage/usage.ts'
import type { Tested } from './tested.ts'

/** The bounds of one call: of each run, and of all together. */
export interface Bounds {
  /** Of the agent; default: the one that its user has. */
  model?: string
  /** Calls of tools in a run. */
  turns: number
  /** Length of a run. */
  seconds: number
  /** US dollars of all runs. */
  maxCost: number
  signal?: AbortSignal
  onProgress?(done: number, what: string): void
}

/** A run, or why there was none. */
export interface Ran extends Omit<Trial, 'ended'> {
  ended: Trial['ended'] | 'skipped'
  /** What the hook named, as `kind:name`. */
  pointers: string[]
}

interface Wanted extends Pick<TrialRequest, 'client' | 'prompt' | 'files' | 'edits'> {
  entries: readonly Tested[]
  /** Of the first entry, instead of its own. */
  describedAs?: string
  /** The rest of the run does not matter when one of these is opened. */
  counts?: readonly string[]
}

/** Runs clients within the bounds. */
export class Runner {
  readonly spent: { runs: number; tokens: number; dollars?: number } = { runs: 0, tokens: 0 }
  private readonly failures = new Map<string, { count: number; problem: string }>()
  private readonly machine: Machine
  private readonly bounds: Bounds

  constructor(machine: Machine, bounds: Bounds) {
    this.machine = machine
    this.bounds = bounds
  }

  /** `look` sees the working folder before it is removed. */
  async run(wanted: Wanted, look?: (ran: Ran, work: Work) => void | Promise<void>): Promise<Ran> {
    const { turns, seconds, maxCost, model, signal, onProgress } = this.bounds
    const { client, entries, counts = [] } = wanted
    const { agent } = client
    signal?.throwIfAborted()
    const left = maxCost - (this.spent.dollars ?? 0)
    const failed = this.failures.get(agent.id)
    // A client without a login fails each time.
    const skipped =
      left <= 0
        ? `the limit of ${maxCost} US dollars was reached`
        : failed !== undefined && failed.count >= 2
          ? failed.problem
          : undefined
    if (skipped !== undefined)
      return { calls: [], opened: [], pointers: [], seconds: 0, answer: '', problem: skipped, ended: 'skipped' }
    const bounds = {
      turns: wanted.edits ? turns * 6 : turns,
      seconds: wanted.edits ? seconds * 3 : seconds,
      dollars: left,
    }
    const request: TrialRequest = {
      ...wanted,
      ...bounds,
      model,
      signal,
      skills: entries.flatMap(({ name, files }, at) =>
        files === undefined ? [] : [{ name, files: files(agent.id, at === 0 ? wanted.describedAs : undefined) }],
      ),
      marks: new Map(entries.flatMap(({ name, marks }) => (marks === undefined ? [] : [[name, marks] as const]))),
      connects: client.isConnected || entries.some(({ kind }) => kind !== 'skill'),
      prepare: async (there) => {
        for (const { put } of entries) await put?.(there)
      },
      isEnough: (opened, there) =>
        [...opened, ...(counts.length > 0 ? reachedBy(there).opened : [])].some((name) => counts.includes(name)),
    }
    return tryClient(this.machine, request, async (trial, work) => {
      const { tokens, dollars, ended } = trial
      const { opened, pointers } = reachedBy(work.there)
      const problem =
        ended === 'time'
          ? `it was stopped after ${bounds.seconds} seconds`
          : ended === 'dollars' && trial.opened.length === 0
            ? 'it was stopped because it spent too much'
            : ended === 'failed'
              ? (trial.problem ?? 'it failed')
              : undefined
      // One that was stopped for its turns has a result: in so many it opened nothing.
      const ran: Ran = { ...trial, problem, pointers, opened: [...new Set([...trial.opened, ...opened])] }
      this.spent.runs++
      this.spent.tokens += tokensOf(trial) ?? 0
      const priced = tokens && moneyFor(tokens.input + tokens.output, readPrices(this.machine), agent.id, trial.model)
      const money = dollars ?? (priced?.currency === 'USD' ? priced.amount : undefined)
      if (money !== undefined) this.spent.dollars = Math.round(((this.spent.dollars ?? 0) + money) * 1e6) / 1e6
      if (ended === 'failed')
        this.failures.set(agent.id, { count: (this.failures.get(agent.id)?.count ?? 0) + 1, problem: problem ?? '' })
      else this.failures.delete(agent.id)
      onProgress?.(this.spent.runs, agent.label)
      await look?.(ran, work)
      return ran
    })
  }
}

export function tokensOf({ tokens }: Pick<Trial, 'tokens'>): number | undefined {
  return tokens && tokens.input + tokens.output
}

/** What Loadout itself told the model in a run: entries whose text it gave, and those that it named. */
function reachedBy({ usageLog }: Machine): { opened: string[]; pointers: string[] } {
  const opened = new Set<string>()
  const pointers = new Set<string>()
  if (!exists(usageLog)) return { opened: [], pointers: [] }
  visitUsage(usageLog, (event) => {
    if (
      event.entryId !== '' &&
      stageOf(event) !== 'planned' &&
      (kindOf(event) !== 'skill' || stageOf(event) === 'used')
    )
      opened.add(event.entryId)
    if (!event.isStart) for (const id of Object.keys(event.listed ?? {})) pointers.add(id)
  })
  return { opened: [...opened], pointers: [...pointers] }
}
