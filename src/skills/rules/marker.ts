import { isRecord, isTextList } from '../../text/values.ts'

/** The file that marks an installed folder as ours. */
export const MARKER_FILE = '.loadout'

/** Records the version of an install. Markers of older programs have only the first two fields. */
export interface InstallMarker {
  /** The library's commit; empty in a library without commits. */
  commit: string
  installedAt: string
  skill?: string
  agent?: string
  /** Hash of the installed files, without the marker. */
  contentHash?: string
  /** Hash of the library's folder at that time. */
  sourceHash?: string
  /** The library's files were not committed when they were installed. */
  isUncommitted?: true
  /** The hash of the edited copy that this install replaced on request. A backup has it. */
  replaced?: string
  /** Frontmatter keys that were left out, because the user had not allowed them. */
  heldKeys?: readonly string[]
}

/** A marker, or why it is invalid. */
export function parseMarker(json: unknown): InstallMarker | { problem: string } {
  if (!isRecord(json)) return { problem: 'it contains no object' }
  const { repo_commit, installed_at, skill, target, content_hash, source_hash, uncommitted, replaced, held_keys } = json
  if (typeof repo_commit !== 'string') return { problem: '"repo_commit" is missing' }
  if (typeof installed_at !== 'string') return { problem: '"installed_at" is missing' }
  return {
    commit: repo_commit,
    installedAt: installed_at,
    skill: typeof skill === 'string' ? skill : undefined,
    agent: typeof target === 'string' ? target : undefined,
    contentHash: typeof content_hash === 'string' ? content_hash : undefined,
    sourceHash: typeof source_hash === 'string' ? source_hash : undefined,
    isUncommitted: uncommitted === true || undefined,
    replaced: typeof replaced === 'string' ? replaced : undefined,
    heldKeys: isTextList(held_keys) ? held_keys : undefined,
  }
}

export function formatMarker(marker: InstallMarker): string {
  const json = {
    repo_commit: marker.commit,
    installed_at: marker.installedAt,
    skill: marker.skill,
    target: marker.agent,
    content_hash: marker.contentHash,
    source_hash: marker.sourceHash,
    uncommitted: marker.isUncommitted,
    replaced: marker.replaced,
    held_keys: marker.heldKeys,
  }
  return `${JSON.stringify(json, null, 2)}\n`
}
