import type { Machine } from '../machine/machine.ts'
import { shellWord } from '../text/printable.ts'
import type { Report } from '../text/trouble.ts'
import { type CatalogRequest, type Discovery, openCatalog } from './catalog.ts'
import {
  type CatalogRow,
  type Collision,
  catalogRow,
  type DisclosedPack,
  discloseCatalog,
} from './rules/gates/catalog.ts'
import { isUndecided, type TrustedPack, type TrustState } from './rules/gates/trust.ts'
import type { Scope } from './rules/pack.ts'

export interface ListedPack extends CatalogRow {
  /** Another pack has its name. */
  isShadowed: boolean
}

export interface WaitingPack {
  name: string
  scope: Scope
  root: string
  trust: TrustState
  /** Whether approving it would replace another pack of the same name. */
  wouldShadow: boolean
  /** The command that approves it. */
  command: string
}

export interface PackList {
  packs: ListedPack[]
  /** Packs that only `--all` lists. */
  hidden: { archived: number; shadowed: number }
  waiting: WaitingPack[]
  collisions: readonly Collision[]
  quarantined: Discovery['quarantined']
  roots: Discovery['roots']
  skipped: Discovery['skipped']
  /** The fenced list of packs for a model; empty without packs. */
  disclosure: string
}

/** Lists the packs by name. `all` adds archived packs and those that another pack of the same name shadows. */
export function listPacks(machine: Machine, request: CatalogRequest & { all?: boolean }): Report<PackList> {
  const { catalog, discovery, findings } = openCatalog(machine, request)
  const winners = catalog.entries.map(({ pack }) => pack)
  const isShadowed = (pack: TrustedPack) => !winners.includes(pack)
  const isArchived = ({ manifest }: TrustedPack) => manifest.status === 'archived'
  const ordered = catalog.entries.flatMap(({ pack, shadowed }) => [pack, ...shadowed])
  const shown = request.all ? ordered : ordered.filter((pack) => !isShadowed(pack) && !isArchived(pack))
  const { quarantined, roots, skipped } = discovery
  const value = {
    packs: shown.map((pack) => ({ ...catalogRow(pack), isShadowed: isShadowed(pack) })),
    hidden: request.all
      ? { archived: 0, shadowed: 0 }
      : { archived: winners.filter(isArchived).length, shadowed: ordered.length - winners.length },
    waiting: [
      ...winners.filter(isUndecided).map((pack) => describeWaiting(pack, false)),
      ...catalog.waiting.map((pack) => describeWaiting(pack, true)),
    ],
    collisions: catalog.collisions,
    quarantined,
    roots,
    skipped,
    disclosure: discloseCatalog(
      winners.filter(({ trust }) => trust.state !== 'denied' && trust.state !== 'held').map(toDisclose),
    ),
  }
  return { value, findings }
}

function toDisclose(pack: TrustedPack): DisclosedPack {
  const { name, description, type, status = 'unknown' } = pack.manifest
  const { scope, trust } = pack
  return { name, description, type, status, trust: trust.state, scope, needsApproval: isUndecided(pack) }
}

function describeWaiting({ manifest, scope, root, trust }: TrustedPack, wouldShadow: boolean): WaitingPack {
  const command = `loadout approve ${shellWord(root)}`
  return { name: manifest.name, scope, root, trust: trust.state, wouldShadow, command }
}
