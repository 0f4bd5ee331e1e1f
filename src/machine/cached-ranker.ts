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
  const key = { kind, version: 1, ...signatureOf(sources, machine.now()) }
  return cached(machine, key, RANKER, () => {
    const findings: Finding[] = []
    return { ranker: createRanker(readDocuments(findings)), findings }
  })
}

const RANKER: Codec<OpenedRanker> = {
  // Findings have to be reported each time, so a ranker with findings is built each time.
  encode: ({ ranker, findings }) => (findings.length === 0 ? ranker.save() : undefined),
  decode(bytes) {
    const ranker = loadRanker(bytes)
    return ranker === null ? undefined : { ranker, findings: [] }
  },
}
