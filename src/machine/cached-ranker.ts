import type { RankDocument } from '../search/document.ts'
import { createRanker, loadRanker, type Ranker } from '../search/ranker.ts'
import type { Finding } from '../text/trouble.ts'
import { type Codec, cached, signatureOf } from './cache.ts'
import type { Machine } from './machine.ts'

export interface OpenedRanker {
  ranker: Ranker
  /** Texts that could not be read: those documents are ranked by the rest. */
  findings: Finding[]
}

/** A ranker over documents that are read and compiled again only when a source has changed. */
export function cachedRanker(
  machine: Machine,
  kind: string,
  sources: readonly string[],
  readDocuments: (findings: Finding[]) => RankDocument[],
): OpenedRanker {
  const key = { kind, version: 2, ...signatureOf(sources, machine.now()) }
  return cached(machine, key, RANKER, () => {
    const findings: Finding[] = []
    return { ranker: createRanker(readDocuments(findings)), findings }
  })
}

// The length of the findings, the findings as JSON up to a boundary of four bytes, the ranker.
const RANKER: Codec<OpenedRanker> = {
  encode({ ranker, findings }) {
    const told = Buffer.from(JSON.stringify(findings))
    const room = Buffer.alloc(4 * Math.ceil(told.length / 4), ' ')
    told.copy(room)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(room.length)
    return Buffer.concat([length, room, ranker.save()])
  },
  decode(bytes) {
    const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
    const ranker = loadRanker(bytes.subarray(end))
    // Our own file; the cache has checked its key, version and sum.
    const findings = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as Finding[]
    return ranker === null ? undefined : { ranker, findings }
  },
}
