import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TargetRoot } from '../../agents/rules/agents.ts'
import { asLoadoutError, isFile, isFolder } from '../../machine/files.ts'
import { realOrSame } from '../../machine/open-project.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { type InstallMarker, MARKER_FILE, parseMarker } from '../rules/marker.ts'
import { type Placement, type RegisteredSkill, supports } from '../rules/skill.ts'
import { buildFor, hashBuild } from './build.ts'
import { skillPlace } from './registry.ts'
import type { FolderState, TreeCache } from './tree-cache.ts'

/** Reads everything in a root except hidden entries. A missing root is empty. */
export function readPlacements(root: TargetRoot, cache: TreeCache): Placement[] {
  if (!isFolder(root.path)) return []
  try {
    const entries = readdirSync(root.path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
    entries.sort((a, b) => compareText(a.name, b.name))
    return entries.flatMap((entry) => {
      if (entry.isDirectory()) return readPlacement(root, entry.name, cache)
      return entry.isSymbolicLink() ? readLink(root, entry.name) : { name: entry.name, root, kind: 'file' }
    })
  } catch (error) {
    throw asLoadoutError(error, root.path, 'read')
  }
}

/** Usually an install of another manager: a link to a folder elsewhere. */
function readLink(root: TargetRoot, name: string): Placement {
  const path = join(root.path, name)
  const link = realOrSame(path)
  return { name, root, kind: 'link', link, isSkill: isFile(join(path, DOCUMENT_FILE)) }
}

const MOST_READINGS = 5

/** A writer may swap the folder while Loadout reads it, so a wrong state counts only if two readings agree. */
function readPlacement(root: TargetRoot, name: string, cache: TreeCache): Placement[] {
  let placement = readOnce(root, name, cache)
  for (let reading = 1; reading < MOST_READINGS && looksWrong(placement); reading++) {
    if (!isFolder(`${root.path}/${name}`)) return []
    const again = readOnce(root, name, cache)
    if (JSON.stringify(again) === JSON.stringify(placement)) break
    placement = again
  }
  return [placement]
}

function looksWrong({ marker, contentHash }: Placement): boolean {
  return marker !== undefined && ('problem' in marker || marker.contentHash !== contentHash)
}

function readOnce(root: TargetRoot, name: string, cache: TreeCache): Placement {
  const placement = { name, root, kind: 'folder' as const }
  try {
    const state = cache.read(`${root.path}/${name}`)
    const marker = markerOf(state)
    const isSkill = state.has(DOCUMENT_FILE)
    return { ...placement, isSkill, contentHash: state.hash, marker }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    // Loadout cannot tell whether it installed this folder, so it reports it as broken and does not change it.
    return { ...placement, marker: { problem: error.message }, problem: error.message }
  }
}

function markerOf({ marker, label }: FolderState): InstallMarker | { problem: string } | undefined {
  if (marker === undefined) return undefined
  if (marker.kind !== 'file') return { problem: `${MARKER_FILE} is not a file` }
  if (label === undefined) return { problem: `${MARKER_FILE} cannot be read as text` }
  return 'json' in label ? parseMarker(label.json) : { problem: `${MARKER_FILE} is not valid JSON` }
}

/**
 * Adds the hash of what an install would contain now: for a marker of an older program, and before a change for an
 * unmanaged folder, because Loadout can take over an identical one.
 */
export function withExpectation(
  library: string,
  placement: Placement,
  registered: RegisteredSkill | undefined,
  willChange: boolean,
): Placement {
  const { marker, root, kind } = placement
  const isLoose = marker === undefined && kind === 'folder'
  const isAsked = isLoose ? willChange : marker !== undefined && !('problem' in marker) && !marker.contentHash
  if (registered === undefined || !isAsked) return placement
  try {
    const marked = marker !== undefined && 'commit' in marker ? marker.agent : undefined
    const agent = marked ?? root.agents.find((id) => supports(registered.skill, id)) ?? root.agents[0] ?? ''
    const build = buildFor(skillPlace(library, registered), registered.skill, agent)
    return { ...placement, expectedHash: hashBuild(build) }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    return { ...placement, expectedHash: '' }
  }
}
