import { hashText } from '../shared/hash.ts'

const OTHER_SEED = 0x01234567
const MOST_KEPT = 2 ** 20

/**
 * How many different texts were added, in bounded memory: a log may have more tasks than memory has room for.
 * Exact up to a million. Beyond, only every second, fourth, eighth … fingerprint is kept and the count is scaled up,
 * which is right to a fraction of a per cent and the same for the same texts in any order.
 */
export class DistinctCounter {
  private kept = 0
  private slots = new Uint32Array(2 * 1024)
  private readonly mostKept: number
  /** A fingerprint is kept if these bits of it are zero. */
  private skipMask = 0

  constructor(mostKept = MOST_KEPT) {
    this.mostKept = mostKept
  }

  get count(): number {
    return this.kept * (this.skipMask + 1)
  }

  add(text: string): void {
    this.insert(hashText(text), hashText(text, OTHER_SEED))
    if (this.kept > this.mostKept) {
      this.skipMask = this.skipMask * 2 + 1
      this.rebuild(this.slots.length)
    } else if (this.kept * 5 > this.slots.length * 2) this.rebuild(this.slots.length * 2)
  }

  private insert(a: number, b: number): void {
    if ((a & this.skipMask) !== 0) return
    const mask = this.slots.length / 2 - 1
    // Zero marks a free slot, so a fingerprint of zero is stored as one.
    const stored = b === 0 ? 1 : b
    for (let slot = (a ^ b) & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 2
      if (this.slots[at + 1] === 0) {
        this.slots[at] = a
        this.slots[at + 1] = stored
        this.kept++
        return
      }
      if (this.slots[at] === a && this.slots[at + 1] === stored) return
    }
  }

  private rebuild(length: number): void {
    const before = this.slots
    this.slots = new Uint32Array(length)
    this.kept = 0
    for (let at = 0; at < before.length; at += 2) if (before[at + 1] !== 0) this.insert(before[at]!, before[at + 1]!)
  }
}
