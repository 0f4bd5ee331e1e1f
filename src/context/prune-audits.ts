import { configPath, readConfigJson } from '../machine/config-file.ts'
import type { Machine } from '../machine/machine.ts'
import { type Pruned, pruneAudits as removeAudits } from '../machine/records.ts'
import { asRecord, badConfig } from '../machine/rules/config-keys.ts'
import { PACK_AUDITS } from '../packs/rules/resolve/audit-record.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { BUNDLE_AUDITS } from './rules/bundle-audit.ts'

export interface PruneRequest {
  /** Default: `audit.keep_days` of `config.json`, or 90. */
  days?: number | undefined
  isDry?: boolean | undefined
}

export interface PrunedAudits extends Pruned {
  days: number
  isDry: boolean
}

const KEPT_DAYS = 90
const DAY = 24 * 60 * 60 * 1000

/** An earlier version also wrote here. */
const EARLIER = 'packs/records'

/** Removes the records of bundles and pack contexts that were not delivered again for a number of days. */
export function pruneAudits(machine: Machine, { days: asked, isDry = false }: PruneRequest): Report<PrunedAudits> {
  if (asked !== undefined && !isDays(asked)) {
    throw new LoadoutError('USAGE', `${asked} is not a number of days`, { hint: 'use a whole number, 0 or more' })
  }
  const days = asked ?? keptDays(machine)
  const before = new Date(machine.now().getTime() - days * DAY)
  const pruned = removeAudits(machine, [BUNDLE_AUDITS.place, PACK_AUDITS.place, EARLIER], before, { isDry })
  return { value: { ...pruned, days, isDry }, findings: [] }
}

function keptDays(machine: Machine): number {
  const path = configPath(machine)
  const audit = asRecord(readConfigJson(machine).audit ?? {}, path, '"audit"')
  const days = audit.keep_days ?? KEPT_DAYS
  if (typeof days === 'number' && isDays(days)) return days
  throw badConfig(path, '"audit.keep_days" must be a whole number of days')
}

function isDays(days: number): boolean {
  return Number.isSafeInteger(days) && days >= 0
}
