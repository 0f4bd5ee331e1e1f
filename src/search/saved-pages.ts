/** Reads bytes of a stored value; returns fewer than requested at its end. */
export type ReadBytes = (from: number, length: number) => Uint8Array

/** The stored bytes differ from the saved ones: the caller compiles again. */
export class DamagedForm extends Error {}

const PAGE = 4096
// Read at once: reading page by page would touch most pages anyway.
const SMALL = 16 * PAGE

/** Contiguous bytes in memory: a run of pages. */
interface Run {
  readonly first: number
  readonly end: number
  readonly bytes: Uint8Array
}

/** Reads parts of a stored value and verifies every page that it reads against its saved checksum. */
export class Pages {
  private readonly runs: Run[] = []
  private readonly read: ReadBytes
  private readonly start: number
  private readonly length: number
  private readonly sums: Uint32Array

  /** Returns `length` bytes from `start`; `length` is a multiple of four. */
  constructor(read: ReadBytes, start: number, length: number, sums: Uint32Array) {
    this.read = read
    this.start = start
    this.length = length
    this.sums = sums
  }

  bytes(from: number, length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0)
    if (length < 0 || from + length > this.length) throw new DamagedForm('a part lies beyond the end')
    const run = this.runFor(Math.floor(from / PAGE), Math.ceil((from + length) / PAGE))
    return run.bytes.subarray(from - run.first * PAGE, from - run.first * PAGE + length)
  }

  /** Starts at a multiple of four bytes. */
  words(from: number, length: number): Uint32Array {
    const bytes = this.bytes(from * 4, length * 4)
    return new Uint32Array(bytes.buffer, bytes.byteOffset, length)
  }

  units(fromByte: number, length: number): Uint16Array {
    const bytes = this.bytes(fromByte, length * 2)
    return new Uint16Array(bytes.buffer, bytes.byteOffset, length)
  }

  /** Every byte. */
  checkAll(): void {
    if (this.length === 0) return
    const { bytes } = this.runFor(0, pageCount(this.length))
    if (sumPages(bytes).some((sum, i) => sum !== this.sums[i])) throw new DamagedForm('a page is damaged')
  }

  private runFor(first: number, end: number): Run {
    const known = this.runs[first]
    if (known !== undefined && known.end >= end) return known
    return this.length <= SMALL ? this.readRun(0, pageCount(this.length)) : this.readRun(first, end)
  }

  private readRun(first: number, end: number): Run {
    const length = Math.min(end * PAGE, this.length) - first * PAGE
    const read = this.read(this.start + first * PAGE, length)
    if (read.length !== length) throw new DamagedForm('it ends early')
    const run = { first, end, bytes: aligned(read) }
    for (let page = first; page < end; page++) {
      const sum = sumOf(wordsOfPage(run.bytes, page - first), STRIDE)
      if (sum !== this.sums[SUMS * page]) throw new DamagedForm('a page is damaged')
      this.runs[page] = run
    }
    return run
  }
}

/** The same bytes, aligned for reading words. Not `slice`, which does not copy a Buffer. */
export function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
}

/** Checksums of one page: of one word in STRIDE, for a reader of parts, and of all words. */
export const SUMS = 2

// The first finds what really happens to files: a truncated file or a lost block. Summing every word makes V8 compile
// the loop, which costs a hook 4 ms.
const STRIDE = 16

/** The checksums of every page; the number of bytes is a multiple of four. */
export function sumPages(bytes: Uint8Array): Uint32Array {
  const sums = new Uint32Array(SUMS * pageCount(bytes.length))
  for (let page = 0; page < sums.length / SUMS; page++) {
    const words = wordsOfPage(bytes, page)
    sums[SUMS * page] = sumOf(words, STRIDE)
    sums[SUMS * page + 1] = sumOf(words)
  }
  return sums
}

function wordsOfPage({ buffer, byteOffset, length }: Uint8Array, page: number): Uint32Array {
  return new Uint32Array(buffer, byteOffset + page * PAGE, Math.min(PAGE, length - page * PAGE) / 4)
}

export function pageCount(bytes: number): number {
  return Math.ceil(bytes / PAGE)
}

/** FNV-1a over 32-bit words. */
export function sumOf(words: Uint32Array, stride = 1): number {
  let sum = 0x811c9dc5
  for (let i = 0; i < words.length; i += stride) sum = Math.imul(sum ^ words[i]!, 0x01000193)
  return sum >>> 0
}
