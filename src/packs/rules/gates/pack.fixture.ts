import type { KnowledgePack, PackManifest } from '../pack.ts'
import type { Trust, TrustedPack } from './trust.ts'

/** A ready pack of the user; pass only the fields that matter. */
export function makePack(
  manifest: Partial<PackManifest> = {},
  place: Partial<Omit<KnowledgePack, 'manifest'>> = {},
): KnowledgePack {
  const scope = place.scope ?? 'user'
  return {
    manifest: {
      name: 'handbook',
      description: 'How things are done here',
      type: 'domain-reference',
      status: 'ready',
      profile: 'wiki-first',
      mode: 'data',
      trust: 'user-confirmed',
      grounding: undefined,
      version: undefined,
      language: undefined,
      license: undefined,
      maintainers: [],
      ownership: undefined,
      updated: undefined,
      compatibility: undefined,
      primaryDocument: undefined,
      primaryOntology: undefined,
      primaryAnswers: undefined,
      producedBy: undefined,
      linked: undefined,
      isProposed: false,
      ...manifest,
    },
    scope,
    root: `/${scope}/${manifest.name ?? 'handbook'}`,
    depth: 1,
    warnings: [],
    ...place,
  }
}

const TRUSTED: Trust = { state: 'trusted', isOpen: true, warnings: [] }
export const APPROVED: Trust = { state: 'approved', isOpen: true, approvalId: 'a', warnings: [] }
export const UNAPPROVED: Trust = { state: 'unapproved', isOpen: false, isUndecided: true, warnings: [] }
export const DENIED: Trust = { state: 'denied', isOpen: false, approvalId: 'd', warnings: [] }

export function makeTrusted(
  manifest: Partial<PackManifest> = {},
  place: Partial<Omit<TrustedPack, 'manifest'>> = {},
): TrustedPack {
  return { ...makePack(manifest, place), trust: place.trust ?? TRUSTED }
}
