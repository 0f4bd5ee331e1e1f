/** What digest.ts does, without the module that takes longer to load than a hook to answer. For short texts. */
export function sha256(text: string): string {
  const state = Uint32Array.from(START)
  const bytes = padded(new TextEncoder().encode(text))
  const view = new DataView(bytes.buffer)
  const words = new Uint32Array(64)
  for (let from = 0; from < bytes.length; from += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getUint32(from + at * 4)
    mix(state, words)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** A one, zeros, and the length in bits, to a multiple of 64 bytes. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  whole.set(bytes)
  whole[bytes.length] = 0x80
  const view = new DataView(whole.buffer)
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(whole.length - 4, bytes.length * 8)
  return whole
}

/** One block of 64 bytes. */
function mix(state: Uint32Array, words: Uint32Array): void {
  for (let at = 16; at < 64; at++) {
    const early = words[at - 15]!
    const late = words[at - 2]!
    const small = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    words[at] = words[at - 16]! + small + words[at - 7]! + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10))
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at]! + words[at]!) | 0
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at]! += value
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** The first 32 bits behind the point of a root of each of the first primes, as the standard asks. */
function rootBits(count: number, power: number): Uint32Array {
  const bits = new Uint32Array(count)
  for (let number = 2, found = 0; found < count; number++) {
    let divisor = 2
    while (number % divisor !== 0) divisor++
    if (divisor === number) bits[found++] = (number ** power % 1) * 2 ** 32
  }
  return bits
}

const ROUNDS = rootBits(64, 1 / 3)
const START = rootBits(8, 1 / 2)
