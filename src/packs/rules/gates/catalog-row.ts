import {
  type Grounding,
  type PackStatus,
  type PackWarning,
  type Producer,
  type Profile,
  type RuntimeMode,
  type Scope,
  settleWarnings,
  type TrustLabel,
} from '../pack.ts'
import type { TrustedPack } from './catalog.ts'
import type { TrustState } from './trust.ts'

/** A pack on one level, for programs: named fields only, never a body and never a mapping as it stood in the file. */
export interface CatalogRow {
  name: string
  description: string
  type: string
  status: PackStatus | 'unknown'
  /** What the pack says of itself. */
  trust: TrustLabel
  /** What we make of it. */
  effectiveTrust: TrustState
  profile: Profile
  runtime_mode: RuntimeMode
  primaryDocument?: string
  primaryOntology?: string
  producedBy?: Partial<Producer>
  version?: string
  language?: string
  grounding?: Grounding
  /** Where it was found. */
  scope: Scope
  /** Whose it is, in its own words. */
  ownership?: string
  compatibility?: string
  location: string
  packRoot: string
  diagnostics: readonly PackWarning[]
}

export function catalogRow({ manifest, scope, root, trust, warnings }: TrustedPack): CatalogRow {
  const { name, description, type, status, profile, mode, primaryDocument, primaryOntology, producedBy } = manifest
  const { version, language, grounding, ownership, compatibility } = manifest
  const optional = { primaryDocument, primaryOntology, version, language, grounding, ownership, compatibility }
  return {
    name,
    description,
    type,
    status: status ?? 'unknown',
    trust: manifest.trust,
    effectiveTrust: trust.state,
    profile,
    runtime_mode: mode,
    scope,
    location: `${root}/KNOWLEDGE.md`,
    packRoot: root,
    ...present(optional),
    ...(producedBy === undefined ? {} : { producedBy: present(producerFields(producedBy)) }),
    diagnostics: settleWarnings([...warnings, ...trust.warnings]),
  }
}

function producerFields({ kind, name, version, digest }: Producer): Producer {
  return { kind, name, version, digest }
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
