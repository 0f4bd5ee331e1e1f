/** Cells that a number is a sum of, one bit for each. */
export type Cells = bigint

const PRIME = 2_147_483_647n

function inverse(value: bigint): bigint {
  let [base, power, result] = [value % PRIME, PRIME - 2n, 1n]
  for (; power > 0n; power >>= 1n) {
    if (power & 1n) result = (result * base) % PRIME
    base = (base * base) % PRIME
  }
  return result
}

/** Everything that adding, subtracting and scaling the seen numbers can give. */
export class Attacker {
  private readonly basis = new Map<number, bigint[]>()
  readonly seen = new Set<Cells>()
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  see(number: Cells): void {
    if (this.seen.has(number)) return
    this.seen.add(number)
    const row = this.reduce(number)
    const at = row.findIndex((value) => value !== 0n)
    if (at < 0) return
    const scale = inverse(row[at]!)
    this.basis.set(
      at,
      row.map((value) => (value * scale) % PRIME),
    )
  }

  canWorkOut(cells: Cells): boolean {
    return cells !== 0n && this.reduce(cells).every((value) => value === 0n)
  }

  private reduce(number: Cells): bigint[] {
    const row = Array.from({ length: this.size }, (_, at) => (number >> BigInt(at)) & 1n)
    for (let at = 0; at < this.size; at++) {
      const value = row[at]!
      const known = value === 0n ? undefined : this.basis.get(at)
      if (known === undefined) continue
      for (let column = at; column < this.size; column++)
        row[column] = (((row[column]! - value * known[column]!) % PRIME) + PRIME) % PRIME
    }
    return row
  }
}
