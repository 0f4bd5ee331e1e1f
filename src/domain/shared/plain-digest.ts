import { createHash } from 'node:crypto'

// From here on, loading what is built in takes less time than doing without it.
const LONGEST = 6_000

/** What digest.ts does. For short texts without the module that takes longer to load than a hook takes to answer. */
export function sha256(text: string): string {
  if (text.length > LONGEST) return createHash('sha256').update(text).digest('hex')
  const state = Int32Array.from(START)
  const words = new Int32Array(64)
  const bytes = new TextEncoder().encode(text)
  const blocks = (bytes.length + 72) >> 6
  for (let block = 0; block < blocks; block++) {
    fill(words, bytes, block << 6)
    if (block === blocks - 1) words[15] = bytes.length << 3
    mix(state, words)
  }
  let digest = ''
  for (let at = 0; at < 8; at++) digest += ((state[at] ?? 0) >>> 0).toString(16).padStart(8, '0')
  return digest
}

/** Sixteen words of the text; behind its end a one, then zeros. */
function fill(words: Int32Array, bytes: Uint8Array, from: number): void {
  const { length } = bytes
  for (let at = 0, place = from; at < 16; at++, place += 4) {
    words[at] =
      place + 3 < length
        ? (bytes[place]! << 24) | (bytes[place + 1]! << 16) | (bytes[place + 2]! << 8) | bytes[place + 3]!
        : (byteAt(bytes, place) << 24) |
          (byteAt(bytes, place + 1) << 16) |
          (byteAt(bytes, place + 2) << 8) |
          byteAt(bytes, place + 3)
  }
}

function byteAt(bytes: Uint8Array, place: number): number {
  return place < bytes.length ? bytes[place]! : place === bytes.length ? 0x80 : 0
}

/** One block of 64 bytes. */
function mix(state: Int32Array, words: Int32Array): void {
  for (let at = 16; at < 64; at++) {
    const early = words[at - 15]!
    const late = words[at - 2]!
    words[at] =
      words[at - 16]! +
      (((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)) +
      words[at - 7]! +
      (((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10))
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let at = 0; at < 64; at++) {
    const turned = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + turned + ((e & f) ^ (~e & g)) + ROUNDS[at]! + words[at]!) | 0
    const second =
      (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

// The standard's constants: bits of the roots of the first primes.
// biome-ignore format: a table to scan
const ROUNDS: readonly number[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]
// biome-ignore format: a table to scan
const START: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]
