import { LoadoutError } from '../shared/loadout-error.ts'

const HOUR = 3_600_000
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR }

/** The instant that `30d`, `12h`, `2w` or a date means, as the log writes it. */
export function parseSince(text: string, now: Date): string {
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const isDate = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text)
  const instant = count === undefined ? Date.parse(isDate ? text : '') : now.getTime() - Number(count) * UNITS[unit]!
  if (!Number.isNaN(instant)) return new Date(instant).toISOString()
  throw new LoadoutError('USAGE', `"${text}" is not a time`, { hint: 'give --since 30d, 12h, 2w or 2026-01-31' })
}
