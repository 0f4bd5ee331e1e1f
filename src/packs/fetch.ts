import type { Machine } from '../machine/machine.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { readPackConfig } from './catalog.ts'
import { type FetchedSource, fetchSource } from './disk/organization.ts'

export interface FetchRequest {
  onProgress?: (done: number, total: number, what: string) => void
  signal?: AbortSignal
}

export interface PackFetch {
  sources: (Omit<FetchedSource, 'error'> & { problem?: string })[]
}

/** Updates every git repository with packs of the organization. A failure does not stop the others. */
export async function fetchPacks(machine: Machine, request: FetchRequest): Promise<Report<PackFetch>> {
  const { onProgress, signal } = request
  const wanted = readPackConfig(machine).organization.filter((source) => source.kind === 'git')
  const findings: Finding[] = []
  const sources: PackFetch['sources'] = []
  for (const [at, source] of wanted.entries()) {
    signal?.throwIfAborted()
    const { error, ...fetched } = await fetchSource(machine, source, signal === undefined ? {} : { signal })
    onProgress?.(at + 1, wanted.length, fetched.source)
    sources.push({ ...fetched, problem: error?.message })
    if (error === undefined) continue
    const { code, message, hint } = error
    findings.push({ severity: 'error', code, subject: fetched.source, message, hint })
  }
  return { value: { sources }, findings }
}
