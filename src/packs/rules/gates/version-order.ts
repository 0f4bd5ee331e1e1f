import { compareText } from '../../../text/values.ts'

const NUMBER = '(0|[1-9]\\d{0,63})'
const VERSION = new RegExp(
  `^v?${NUMBER}(?:\\.${NUMBER})?(?:\\.${NUMBER})?(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?$`,
)

interface Version {
  numbers: readonly string[]
  /** Empty for a release. */
  prerelease: readonly string[]
}

/** Compares semantic versions; a missing part counts as 0. Undefined if one is not a semantic version. */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === undefined || right === undefined) return undefined
  for (const [at, number] of left.numbers.entries()) {
    const order = compareNumbers(number, right.numbers[at] ?? '0')
    if (order !== 0) return order
  }
  return comparePrereleases(left.prerelease, right.prerelease)
}

function parseVersion(text: string | undefined): Version | undefined {
  const found = VERSION.exec(text ?? '')
  if (found === null) return undefined
  const [, major = '0', minor = '0', patch = '0', tag] = found
  const prerelease = tag?.split('.') ?? []
  if (prerelease.some((part) => part === '' || /^0\d+$/.test(part))) return undefined
  return { numbers: [major, minor, patch], prerelease }
}

/** A release is later than its prereleases, words are later than numbers, and more parts are later than fewer. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [at, part] of a.entries()) {
    const other = b[at]
    if (other === undefined) return 1
    const order = compareParts(part, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareParts(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumberA && isNumberB) return compareNumbers(a, b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  return compareText(a, b)
}

/** Compares as text: a version number may be larger than a safe integer. */
function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}

const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?=$|[T ])/

/** Whether the first of two ISO dates is the later day. An invalid date is never later. */
export function isLaterDay(a: string | undefined, b: string | undefined): boolean {
  const [day, other] = [DATE.exec(a ?? '')?.[0], DATE.exec(b ?? '')?.[0]]
  return day !== undefined && other !== undefined && day > other
}
