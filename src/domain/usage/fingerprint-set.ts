import { hashText } from '../shared/hash.ts'

const OTHER_SEED = 0x01234567

/** How many different texts were added, at eight bytes each: a log has more tasks than memory has room for their names. */
export class FingerprintSet {
  size = 0
  private slots = new Uint32Array(2 * 1024)

  add(text: string): void {
    if (this.size * 5 > this.slots.length * 2) this.grow()
    // Zero marks a free slot.
    if (insert(this.slots, hashText(text) || 1, hashText(text, OTHER_SEED))) this.size++
  }

  private grow(): void {
    const larger = new Uint32Array(this.slots.length * 2)
    for (let at = 0; at < this.slots.length; at += 2) {
      if (this.slots[at] !== 0) insert(larger, this.slots[at]!, this.slots[at + 1]!)
    }
    this.slots = larger
  }
}

/** False when the pair was there already. */
function insert(slots: Uint32Array, a: number, b: number): boolean {
  const mask = slots.length / 2 - 1
  for (let slot = b & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2
    if (slots[at] === 0) {
      slots[at] = a
      slots[at + 1] = b
      return true
    }
    if (slots[at] === a && slots[at + 1] === b) return false
  }
}
