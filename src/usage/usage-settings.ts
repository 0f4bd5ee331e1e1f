import { changeConfig } from '../change/edits.ts'
import type { Machine } from '../machine/machine.ts'
import { retell } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { parseKeepsTasks, parseReadsTranscripts } from './rules/config.ts'
import { parsePrices } from './rules/cost.ts'
import { SHIPPED_ON, shippedPrices } from './rules/shipped-prices.ts'

/** Prices as `config.json` says them: of one million input tokens, by agent and by model. */
export interface PriceTable {
  currency: string
  /** The day on which they were looked up. */
  as_of?: string
  agents?: Readonly<Record<string, number>>
  models?: Readonly<Record<string, number>>
  /** Whether Loadout's own prices count for models that have none here. */
  shipped?: boolean
}

/** What `config.json` says about the log, transcripts and money. */
export interface UsageSettings {
  config: string
  keepsTasks: boolean
  readsTranscripts: boolean
  /** Undefined: no money is shown. */
  prices: PriceTable | undefined
  /** Loadout's own, with their day. */
  shipped: PriceTable
}

export function showUsageSettings(machine: Machine, _: object): UsageSettings {
  return settingsFrom(machine, machine.config.read())
}

function settingsFrom(machine: Machine, json: Record<string, unknown>): UsageSettings {
  const { path } = machine.config
  const { prices, findings } = parsePrices(json.prices, path)
  machine.report(...findings)
  const asOf = isRecord(json.prices) ? json.prices.as_of : undefined
  return {
    config: path,
    keepsTasks: parseKeepsTasks(json, path),
    readsTranscripts: parseReadsTranscripts(json, path),
    prices: prices && {
      currency: prices.currency,
      agents: prices.agents,
      models: prices.models,
      shipped: prices.isShipped ?? false,
      as_of: typeof asOf === 'string' ? asOf : undefined,
    },
    shipped: { currency: 'USD', as_of: SHIPPED_ON, models: shippedPrices() },
  }
}

export interface UsageSettingsChange {
  keepsTasks?: boolean
  readsTranscripts?: boolean
  /** Null removes all prices. */
  prices?: PriceTable | null
  dryRun?: boolean
}

/** Changes what it names; returns how the settings were before, for an undo, and how they are then. */
export async function changeUsageSettings(
  machine: Machine,
  { keepsTasks, readsTranscripts, prices, dryRun }: UsageSettingsChange,
): Promise<{ before: UsageSettings; after: UsageSettings; isDryRun: boolean }> {
  const before = settingsFrom(machine.quiet(), machine.config.read())
  if (prices) {
    const [wrong] = parsePrices(prices, machine.config.path).findings
    if (wrong !== undefined) throw retell(wrong)
  }
  const change = (json: Record<string, unknown>) => {
    const usage = isRecord(json.usage) ? json.usage : {}
    const switches = {
      keep_tasks: keepsTasks ?? usage.keep_tasks,
      read_transcripts: readsTranscripts ?? usage.read_transcripts,
    }
    return {
      ...json,
      usage: { ...usage, ...switches },
      prices: prices === undefined ? json.prices : (prices ?? undefined),
    }
  }
  const after = settingsFrom(machine.quiet(), JSON.parse(JSON.stringify(change(machine.config.read()))))
  if (!dryRun) await changeConfig(machine, parseKeepsTasks, change)
  return { before, after, isDryRun: dryRun ?? false }
}
