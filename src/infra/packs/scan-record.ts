import { isRecord, isTextList } from '../../domain/shared/record.ts'
import { type Listing, PACK_FILE_KINDS, type PackFileKind } from './folder-listing.ts'

/** The exact state of a folder or file, without reading it: inode, size, modified, changed. */
export type Stamp = readonly [inode: number, size: number, modifiedAt: number, changedAt: number]

type Fields = Record<string, unknown>
type Names = readonly string[]

const WIDTH = 4
const NONE: Names = []
const PLAIN = new Map(
  PACK_FILE_KINDS.map((packFile): [PackFileKind, Listing] => [
    packFile,
    { packFile, folders: NONE, skipped: NONE, links: NONE },
  ]),
)

/**
 * A scan as it went: one row for every folder, in the order of the visit. The folders in a folder are visited one after
 * the other, so a row needs only to say how many they are.
 */
export class ScanRecord {
  readonly stamps: number[] = []
  readonly counts: number[] = []
  readonly kinds: number[] = []
  readonly names: string[] = []
  /** Of the few folders that have them. Not visited are the folders at the deepest level, for one. */
  readonly extras: [row: number, skipped: Names, links: Names, unvisited: Names][] = []
  readonly heads: [row: number, fields: Fields][] = []
  readonly headStamps: number[] = []

  get size(): number {
    return this.counts.length
  }

  /** Without a stamp the folder will be listed again. */
  addFolder(stamp: Stamp | undefined, { packFile, folders, skipped, links }: Listing, isDescended: boolean): void {
    const unvisited = isDescended ? NONE : folders
    if (skipped.length + links.length + unvisited.length > 0) this.extras.push([this.size, skipped, links, unvisited])
    if (isDescended) for (const name of folders) this.names.push(name)
    this.stamps.push(...(stamp ?? [Number.NaN, 0, 0, 0]))
    this.kinds.push(PACK_FILE_KINDS.indexOf(packFile))
    this.counts.push(isDescended ? folders.length : 0)
  }

  /** Of the pack in the folder that was added last. */
  addHead(stamp: Stamp, fields: Fields): void {
    this.heads.push([this.size - 1, fields])
    this.headStamps.push(...stamp)
  }
}

/** A record of an earlier process. */
export class RecalledScan {
  private readonly stamps: Float64Array
  private readonly kinds: Uint8Array
  private readonly names: Names
  /** The number of the first folder in each folder, and one more at the end. */
  private readonly first: Uint32Array
  private readonly extras: ReadonlyMap<number, readonly [Names, Names, Names]>
  private readonly heads: ReadonlyMap<number, { stamp: Float64Array; fields: Fields }>

  constructor(body: Buffer, key: string) {
    const [rows = 0, headCount = 0, jsonLength = 0] = new Uint32Array(copyOf(body, 0, HEAD_BYTES))
    let from = HEAD_BYTES
    const take = (bytes: number) => {
      from += bytes
      return copyOf(body, from - bytes, from)
    }
    this.stamps = new Float64Array(take(rows * WIDTH * 8))
    const headStamps = new Float64Array(take(headCount * WIDTH * 8))
    const counts = new Uint32Array(take(rows * 4))
    this.kinds = new Uint8Array(take(rows))
    const json: unknown = JSON.parse(Buffer.from(take(jsonLength)).toString('utf8'))
    if (!isRecord(json) || json.key !== key || typeof json.names !== 'string') throw new RangeError('another record')
    this.names = json.names === '' ? NONE : json.names.split('/')
    this.first = runningSums(counts)
    if (this.first[rows] !== this.names.length + 1) throw new RangeError('a broken record')
    this.extras = new Map(asList(json.extras).map(readExtra))
    this.heads = new Map(
      asList(json.heads).map((head, at) => {
        const [row, fields] = asList(head)
        if (typeof row !== 'number' || !isRecord(fields)) throw new RangeError('a broken record')
        return [row, { stamp: headStamps.subarray(at * WIDTH, (at + 1) * WIDTH), fields }]
      }),
    )
  }

  /** What the folder in a row held, if it is still in that state. */
  listing(row: number, stamp: Stamp): Listing | undefined {
    const start = row * WIDTH
    if (row < 0 || row >= this.kinds.length || !isEqual(this.stamps, start, stamp)) return undefined
    const packFile = PACK_FILE_KINDS[this.kinds[row] ?? 0] ?? 'none'
    const [skipped, links, unvisited] = this.extras.get(row) ?? [NONE, NONE, NONE]
    const { names } = this.children(row)
    if (names.length + skipped.length + links.length + unvisited.length === 0) return PLAIN.get(packFile)
    return { packFile, folders: names.length > 0 ? names : unvisited, skipped, links }
  }

  head(row: number, stamp: Stamp): Fields | undefined {
    const head = this.heads.get(row)
    return head !== undefined && isEqual(head.stamp, 0, stamp) ? head.fields : undefined
  }

  /** The folders in the folder of a row, and the row of the first of them. */
  children(row: number): { first: number; names: Names } {
    const [first = 1, end = 1] = row < 0 ? [] : [this.first[row], this.first[row + 1]]
    return { first, names: first < end ? this.names.slice(first - 1, end - 1) : NONE }
  }
}

const HEAD_BYTES = 16

export function writeRecord(record: ScanRecord, key: string): Buffer {
  const { names, extras, heads } = record
  const json = Buffer.from(JSON.stringify({ key, names: names.join('/'), extras, heads }))
  return Buffer.concat([
    bytesOf(new Uint32Array([record.size, heads.length, json.length, 0])),
    bytesOf(new Float64Array(record.stamps)),
    bytesOf(new Float64Array(record.headStamps)),
    bytesOf(new Uint32Array(record.counts)),
    new Uint8Array(record.kinds),
    json,
  ])
}

function isEqual(stamps: Float64Array, start: number, stamp: Stamp): boolean {
  return (
    stamps[start] === stamp[0] &&
    stamps[start + 1] === stamp[1] &&
    stamps[start + 2] === stamp[2] &&
    stamps[start + 3] === stamp[3]
  )
}

function runningSums(counts: Uint32Array): Uint32Array {
  const sums = new Uint32Array(counts.length + 1)
  let sum = 1
  for (let at = 0; at < counts.length; at++) {
    sums[at] = sum
    sum += counts[at] ?? 0
  }
  sums[counts.length] = sum
  return sums
}

function readExtra(json: unknown): [number, [Names, Names, Names]] {
  const [row, skipped, links, unvisited] = asList(json)
  if (typeof row !== 'number' || !isTextList(skipped) || !isTextList(links) || !isTextList(unvisited)) {
    throw new RangeError('a broken record')
  }
  return [row, [skipped, links, unvisited]]
}

function asList(json: unknown): unknown[] {
  if (Array.isArray(json)) return json
  throw new RangeError('a broken record')
}

/** A copy of its own: arrays of numbers need an aligned start. */
function copyOf(body: Buffer, from: number, to: number): ArrayBuffer {
  if (to > body.length) throw new RangeError('a broken record')
  const copy = new ArrayBuffer(to - from)
  new Uint8Array(copy).set(body.subarray(from, to))
  return copy
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
