import { isRecord, isTextList, sortedBy } from '../../text/values.ts'
import {
  PLACEMENT_STATES,
  type Placement,
  type PlacementState,
  type PlacementStatus,
  type RegisteredSkill,
  type Registry,
  type SkillStatus,
  supports,
} from './skill.ts'

/** What git reports: the commit of the library, and the skill folders that differ from it. */
export interface LibraryState {
  head: string | undefined
  uncommittedFolders: ReadonlySet<string>
}

export function stateFrom(head: string | undefined, uncommitted: readonly string[]): LibraryState {
  return { head, uncommittedFolders: new Set(uncommitted.map((path) => path.split('/').slice(0, 2).join('/'))) }
}

/** Compares the library with the installs. Leaves out unmanaged folders whose names are not in the library. */
export function reconcile(registry: Registry, placements: readonly Placement[], library: LibraryState): SkillStatus[] {
  const registered = new Map(registry.skills.map((each) => [each.skill.name, each]))
  const invalid = new Map(registry.invalid.map((each) => [each.name, each.problems]))
  const placed = new Map<string, Placement[]>()
  for (const placement of placements) {
    const isKnown = registered.has(placement.name) || invalid.has(placement.name)
    if (!isKnown && placement.marker === undefined) continue
    placed.set(placement.name, [...(placed.get(placement.name) ?? []), placement])
  }
  const names = new Set([...registered.keys(), ...invalid.keys(), ...placed.keys()])
  return sortedBy(names, (name) => name).map((name) => {
    const skill = registered.get(name)
    const problems = invalid.get(name) ?? []
    const statuses = (placed.get(name) ?? []).map((each) => judge(each, skill, problems.length > 0, library))
    // The most urgent state of all copies.
    const state =
      problems.length > 0
        ? 'invalid'
        : (PLACEMENT_STATES.find((state) => statuses.some((status) => status.state === state)) ?? 'inactive')
    return { name, state, placements: statuses, problems, registered: skill }
  })
}

function judge(
  placement: Placement,
  registered: RegisteredSkill | undefined,
  isInvalid: boolean,
  library: LibraryState,
): PlacementStatus {
  const { marker, root } = placement
  const agent = (marker !== undefined && 'commit' in marker ? marker.agent : undefined) ?? root.agents[0] ?? ''
  const verdict = (state: PlacementState, more: Partial<PlacementStatus> = {}): PlacementStatus => {
    return { state, placement, agent, isBehind: false, mayBeEdited: false, ...more }
  }
  if (placement.kind !== 'folder')
    return verdict('unmanaged', {
      reason:
        placement.kind === 'link'
          ? `a link${placement.link === undefined ? '' : ` to ${placement.link}`} is in its place`
          : 'a file is in its place',
    })
  if (marker === undefined) {
    const isIdentical = placement.contentHash !== undefined && placement.contentHash === placement.expectedHash
    return verdict('unmanaged', isIdentical ? { isIdentical } : {})
  }
  if (placement.problem !== undefined) return verdict('broken', { reason: placement.problem })
  if ('problem' in marker) return verdict('broken', { reason: `its marker is broken: ${marker.problem}` })
  if (marker.skill !== undefined && marker.skill !== placement.name) {
    const reason = `its marker is of the skill ${marker.skill}; if you copied or renamed the folder, delete ${MARKER_FILE} in it`
    return verdict('broken', { reason })
  }
  const isEdited = marker.contentHash !== undefined && marker.contentHash !== placement.contentHash
  if (registered === undefined) {
    if (isInvalid) return verdict(isEdited ? 'edited' : 'current')
    return verdict('orphaned', { mayBeEdited: isEdited || marker.contentHash === undefined })
  }
  if (!root.agents.some((each) => supports(registered.skill, each))) {
    return verdict('unsupported', { mayBeEdited: isEdited || marker.contentHash === undefined })
  }
  if (marker.contentHash === undefined) {
    // An old marker has no hashes, so this compares the folder with what Loadout would install now.
    const { contentHash, expectedHash } = placement
    const { head, uncommittedFolders } = library
    if (contentHash === expectedHash) return verdict('current')
    const commit = marker !== undefined && 'commit' in marker ? marker.commit : ''
    const isSameSource = head !== undefined && sameCommit(commit, head) && !uncommittedFolders.has(registered.folder)
    return isSameSource
      ? verdict('edited', { mayBeEdited: true })
      : verdict('outdated', { isBehind: true, mayBeEdited: true })
  }
  const isBehind =
    marker.sourceHash !== registered.sourceHash ||
    (marker.heldKeys ?? []).join(' ') !== (registered.skill.heldKeys ?? []).join(' ')
  if (isEdited) return verdict('edited', { isBehind, mayBeEdited: true })
  return verdict(isBehind ? 'outdated' : 'current', { isBehind })
}

/** Older markers contain a shortened commit. */
export function sameCommit(marked: string, head: string): boolean {
  return marked.length >= 7 ? head.startsWith(marked) : marked === head
}

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
  /** The backup of the folder or link that was in its place when Loadout took it over. */
  tookOver?: string
  /** Frontmatter keys that were left out, because the user had not allowed them. */
  heldKeys?: readonly string[]
  /** The lock of the project pins it. `commit` is then of its source. */
  isLocked?: true
}

/** A marker, or why it is invalid. */
export function parseMarker(json: unknown): InstallMarker | { problem: string } {
  if (!isRecord(json)) return { problem: 'it contains no object' }
  const {
    repo_commit,
    installed_at,
    skill,
    target,
    content_hash,
    source_hash,
    uncommitted,
    replaced,
    took_over,
    held_keys,
    locked,
  } = json
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
    tookOver: typeof took_over === 'string' && /^[\w-]+$/.test(took_over) ? took_over : undefined,
    heldKeys: isTextList(held_keys) ? held_keys : undefined,
    isLocked: locked === true || undefined,
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
    took_over: marker.tookOver,
    held_keys: marker.heldKeys,
    locked: marker.isLocked,
  }
  return `${JSON.stringify(json, null, 2)}\n`
}
