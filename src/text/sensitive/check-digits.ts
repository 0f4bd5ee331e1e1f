/** The digits of a written number, without spaces and dashes. */
export function digitsOf(text: string): number[] {
  return [...text.replace(/\D/g, '')].map(Number)
}

export function passesLuhn(digits: readonly number[]): boolean {
  const total = digits.reduceRight((sum, digit, at) => {
    const isDoubled = (digits.length - at) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return total % 10 === 0
}

/** The sum of the products; ignores surplus weights. */
export function weightedSum(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0)
}

/** The remainder of a number too long for an integer. Letters count from ten. */
export function restOf(text: string, divisor: number): number {
  let rest = 0
  for (const character of text) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % divisor
  }
  return rest
}

// biome-ignore format: the tables of the dihedral group and of the permutation
const TIMES = [
  [0,1,2,3,4,5,6,7,8,9], [1,2,3,4,0,6,7,8,9,5], [2,3,4,0,1,7,8,9,5,6], [3,4,0,1,2,8,9,5,6,7], [4,0,1,2,3,9,5,6,7,8],
  [5,9,8,7,6,0,4,3,2,1], [6,5,9,8,7,1,0,4,3,2], [7,6,5,9,8,2,1,0,4,3], [8,7,6,5,9,3,2,1,0,4], [9,8,7,6,5,4,3,2,1,0],
]
// biome-ignore format: as above
const MOVED = [
  [0,1,2,3,4,5,6,7,8,9], [1,5,7,6,2,8,3,0,9,4], [5,8,0,3,7,9,6,1,4,2], [8,9,1,6,0,4,3,5,2,7],
  [9,4,5,3,1,2,6,8,7,0], [4,2,8,6,5,7,3,9,0,1], [2,7,9,3,8,0,6,4,1,5], [7,0,4,6,9,1,3,2,5,8],
]

export function passesVerhoeff(digits: readonly number[]): boolean {
  const rest = digits.reduceRight((sum, digit, at) => {
    const moved = MOVED[(digits.length - 1 - at) % 8]?.[digit] ?? 0
    return TIMES[sum]?.[moved] ?? 0
  }, 0)
  return rest === 0
}

/** Whether a day of a month exists; every two-digit year may have a leap day. */
export function isDay(month: number, day: number): boolean {
  const days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return month >= 1 && day >= 1 && day <= (days[month - 1] ?? 0)
}
