import { type Admission, admit } from '../../domain/packs/admission.ts'
import type { Collision, TrustedPack } from '../../domain/packs/catalog.ts'
import { type CatalogRow, catalogRow } from '../../domain/packs/catalog-row.ts'
import { LAYERS, type PackLayer, type Tier } from '../../domain/packs/vocabulary.ts'
import { settleWarnings } from '../../domain/packs/warning.ts'
import type { Report } from '../../domain/shared/finding.ts'
import { shellWord } from '../../domain/shared/shell-word.ts'
import type { Machine } from '../../infra/machine.ts'
import { openPack } from '../../infra/packs/pack-folder.ts'
import { type CatalogRequest, findPack, openCatalog } from './catalog.ts'

export interface PackView extends CatalogRow {
  license?: string
  maintainers: readonly string[]
  updated?: string
  primaryAnswers?: string
  /** How far it is open; absent while it is shut. */
  tier?: Tier
  approvalId?: string
  /** What happens when it is asked for by name. */
  admission: Admission['verdict']
  /** What a person types next to use it. */
  next: string
  /** Files per folder of the pack. Absent while it is shut: then not even its names are shown. */
  files?: { layer: PackLayer; count: number }[]
  collision?: Collision
}

/** One pack: all it says of itself, where it lies, and what is odd about it. Never its text. */
export function showPack(machine: Machine, request: CatalogRequest & { pack: string }): Report<PackView> {
  const { catalog, findings } = openCatalog(machine, { ...request, packs: [request.pack] })
  const pack = findPack(machine, catalog, request.pack)
  const { manifest, trust } = pack
  const { verdict, warnings } = admit(pack, { isExplicit: true, isConfirmed: false })
  const collision = catalog.collisions.find(({ name }) => name === manifest.name)
  const { license, updated, primaryAnswers, maintainers } = manifest
  const value: PackView = {
    ...catalogRow(pack),
    diagnostics: settleWarnings([...pack.warnings, ...warnings]),
    maintainers,
    ...(license === undefined ? {} : { license }),
    ...(updated === undefined ? {} : { updated }),
    ...(primaryAnswers === undefined ? {} : { primaryAnswers }),
    ...(trust.tier === undefined ? {} : { tier: trust.tier }),
    ...(trust.approvalId === undefined ? {} : { approvalId: trust.approvalId }),
    admission: verdict,
    next: nextStep(pack, verdict),
    ...(trust.isOpen ? { files: countFiles(pack) } : {}),
    ...(collision === undefined ? {} : { collision }),
  }
  return { value, findings: findings.filter(({ code }) => !code.startsWith('catalog.')) }
}

function nextStep({ manifest, root }: TrustedPack, verdict: Admission['verdict']): string {
  const word = shellWord(root)
  if (verdict === 'admitted') return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)}`
  if (verdict === 'confirmation-needed')
    return `loadout packs resolve "<task>" --pack ${shellWord(manifest.name)} --confirm ${shellWord(manifest.name)}`
  return verdict === 'approval-needed' ? `loadout packs approve ${word}` : `loadout packs why ${word}`
}

function countFiles({ root }: TrustedPack): { layer: PackLayer; count: number }[] {
  const files = openPack(root)
  return LAYERS.map((layer) => ({ layer, count: files.list(layer).length })).filter(({ count }) => count > 0)
}
