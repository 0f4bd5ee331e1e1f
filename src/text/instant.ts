const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * The milliseconds of an ISO 8601 time, or undefined. A time without a zone is UTC: with the zone of the machine, the
 * same text would mean different times on different machines.
 */
export function parseInstant(text: string): number | undefined {
  const found = INSTANT.exec(text)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  // A leap second counts as the last second of its minute, as in most clocks.
  if (hour > 23 || minute > 59 || second > 60) return undefined
  // At the ends of the calendar an offset would give years in another format.
  if (year < 1 || year > 9998) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const offset = offsetOf(found[8])
  if (offset === undefined) return undefined
  const milliseconds = Math.floor(Number(`0.${found[7] ?? 0}`) * 1000)
  return date.setUTCHours(hour, minute, Math.min(second, 59), milliseconds) - offset
}

const MINUTE = 60_000

function offsetOf(zone: string | undefined): number | undefined {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? '') ?? []
  if (sign === undefined) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE
}

/** The format in which Loadout writes times. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
