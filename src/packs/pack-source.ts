import { join } from 'node:path'
import type { Examples } from '../examples/examples.ts'
import type { Machine } from '../machine/machine.ts'
import type { Project } from '../machine/open-project.ts'
import type { Segment, Source } from '../machine/ranking.ts'
import { quickDigest } from '../text/values.ts'
import { entryId } from '../usage/rules/entry-id.ts'
import { openCatalog, taughtPack } from './catalog.ts'
import { type Admission, admit } from './rules/gates/admission.ts'
import type { Catalog } from './rules/gates/catalog.ts'
import type { TrustedPack, TrustState } from './rules/gates/trust.ts'
import { PACK_FILE, type PackStatus, type Scope } from './rules/pack.ts'
import { nextStep } from './show.ts'

export interface PackDetails {
  summary: string
  status: PackStatus | 'unknown'
  trust: TrustState
  /** Where it was found. */
  scope: Scope
  /** The decision of the gates when a user names it. */
  admission: Admission['verdict']
  /** The command to run next. */
  next: string
}

export interface PackSource extends Source<PackDetails> {
  kind: 'pack'
  catalog: Catalog
  /** Finds also packs that are not offered. */
  find(name: string): TrustedPack | undefined
}

/** The packs by name, from their metadata. Offers no denied, held back or archived pack. */
export function openPacks(machine: Machine, project: Project): PackSource {
  const { catalog, examples, findings } = openCatalog(machine, { project })
  const all = catalog.entries.map(({ pack }) => pack)
  const offered = all.filter(isOffered)
  const find = (name: string) => all.find(({ manifest }) => manifest.name === name)
  return {
    kind: 'pack',
    catalog,
    names: offered.map(({ manifest }) => manifest.name),
    segments: [cardSegments(all, examples).offered],
    describe: (name) => {
      const pack = find(name)
      return pack && describePack(pack)
    },
    find,
    // `packs list` reports the other findings. Unreadable approvals close packs, so they are reported here too.
    findings: findings.filter(({ code }) => code === 'BAD_APPROVALS'),
  }
}

function isOffered({ trust, manifest }: TrustedPack): boolean {
  return trust.state !== 'denied' && trust.state !== 'held' && manifest.status !== 'archived'
}

/** Stored with the document of a pack. */
export interface KeptPack {
  kind: 'pack'
  name: string
  description: string
}

/** Packs as their metadata describes them. */
export function cardSegments(packs: readonly TrustedPack[], examples: Examples): Record<'offered' | 'others', Segment> {
  const segmentOf = (some: readonly TrustedPack[]): Segment => {
    const files = some.map(({ root }) => join(root, PACK_FILE)).sort()
    return {
      kind: 'packs',
      isPrivate: examples.isPrivate,
      name: [quickDigest(JSON.stringify(files))],
      paths: [...files, ...examples.paths],
      readDocuments: () =>
        some.map((pack) => {
          const { name, description } = pack.manifest
          const kept: KeptPack = { kind: 'pack', name, description }
          return { ...taughtPack(examples, pack), id: entryId('pack', name), kept }
        }),
    }
  }
  return { offered: segmentOf(packs.filter(isOffered)), others: segmentOf(packs.filter((pack) => !isOffered(pack))) }
}

function describePack(pack: TrustedPack): PackDetails {
  const { manifest, trust, scope } = pack
  const { verdict } = admit(pack, { isExplicit: true, isConfirmed: false })
  return {
    summary: manifest.description,
    status: manifest.status ?? 'unknown',
    trust: trust.state,
    scope,
    admission: verdict,
    next: nextStep(pack, verdict),
  }
}
