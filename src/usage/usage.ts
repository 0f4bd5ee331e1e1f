import { resolve } from 'node:path'
import { LEARNING_CACHES } from '../machine/cache.ts'
import { requireFile } from '../machine/files.ts'
import { LEARNED_PROMPTS, type Machine } from '../machine/machine.ts'
import { asFinding, type Finding, report } from '../text/trouble.ts'
import { eraseLog, logSize, scanEvents } from './disk/usage-log.ts'
import { CostMeter, type Prices, parsePrices } from './rules/cost.ts'
import { EntryTally, type EntryUsage } from './rules/entry-usage.ts'
import { parseSince, UsageTally } from './rules/summary.ts'
import { kindOf, type UsageEvent } from './rules/usage-event.ts'
import { changeUsageSettings } from './usage-settings.ts'

/** A named log must exist; the machine's own may not exist yet. */
export function openLog(machine: Machine, named: string | undefined): string {
  if (named === undefined) return machine.usageLog
  const path = resolve(machine.cwd, named)
  requireFile(path)
  return path
}

/** Summarises the loads of payloads in a log of any size. */
export function tallyLog(
  machine: Machine,
  named: string | undefined,
  isCounted: (event: UsageEvent) => boolean = () => true,
): { tally: UsageTally; findings: Finding[] } {
  const path = openLog(machine, named)
  const tally = new UsageTally()
  const { junkLines } = scanEvents(path, (event) => {
    if (kindOf(event) === 'payload' && isCounted(event)) tally.add(event)
  })
  return { tally, findings: junkLines > 0 ? [junkFinding(junkLines, path)] : [] }
}

/** Per entry, how often it was planned, delivered and used, the most loaded first. */
export function summarizeLog(machine: Machine, request: { log?: string; since?: string }): EntryUsage[] {
  const path = openLog(machine, request.log)
  const since = request.since === undefined ? '' : parseSince(request.since, machine.now())
  const tally = new EntryTally()
  const meter = new CostMeter(readPrices(machine))
  const { junkLines } = scanEvents(path, (event) => {
    const costs = meter.read(event)
    if (event.timestamp < since) return
    tally.charge(costs)
    tally.add(event)
  })
  const value = tally.entries()
  machine.report(...(junkLines > 0 ? [junkFinding(junkLines, path)] : []))
  return value
}

/** Reports wrong prices. Without a readable `config.json` there are none. */
export function readPrices(machine: Machine): Prices | undefined {
  try {
    const { prices, findings } = parsePrices(machine.config.read().prices, machine.config.path)
    machine.report(...findings)
    return prices
  } catch (error) {
    machine.report(asFinding(error))
    return undefined
  }
}

export function junkFinding(count: number, path: string): Finding {
  return report(
    'FILE_UNREADABLE/usage-lines',
    { count, what: count === 1 ? 'line' : 'lines', path, what2: count === 1 ? 'was' : 'were' },
    { subject: path },
  )
}

export interface Erasure {
  log: string
  /** Size of the log; 0 without one. */
  bytes: number
  isErased: boolean
  /** The file of prompts learned from the log, if any. It is erased with the log. */
  learned?: string
}

/** Removes this machine's usage log; with `dryRun` only reports its size. */
export function eraseUsage(machine: Machine, { dryRun = false }: { dryRun?: boolean }): Erasure {
  const log = machine.usageLog
  const bytes = logSize(log)
  const isErased = bytes !== undefined && !dryRun
  if (isErased) eraseLog(log)
  const learned = machine.records.path(LEARNED_PROMPTS)
  const hasLearned = logSize(learned) !== undefined
  if (hasLearned && !dryRun) {
    eraseLog(learned)
    machine.cache.forget(LEARNING_CACHES)
  }
  return { log, bytes: bytes ?? 0, isErased, learned: hasLearned ? learned : undefined }
}

export interface TaskKeeping {
  keepsTasks: boolean
  config: string
  log: string
}

/** Sets whether the usage log stores the words of tasks from now on. Earlier entries stay. */
export async function switchTaskKeeping(machine: Machine, { isOn }: { isOn: boolean }): Promise<TaskKeeping> {
  await changeUsageSettings(machine, { keepsTasks: isOn })
  return { keepsTasks: isOn, config: machine.config.path, log: machine.usageLog }
}
