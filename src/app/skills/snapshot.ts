import { join } from 'node:path'
import { hashText } from '../../domain/shared/hash.ts'
import { isRecord } from '../../domain/shared/record.ts'
import { readText, writeAtomically } from '../../infra/files.ts'
import { cacheFolder, type Machine } from '../../infra/machine.ts'
import type { Inventory, PlacementView, SkillView } from './inventory.ts'

/** The last inventory that was taken here: something to show while the present one is being taken. */
export function recallInventory(machine: Machine, { project }: { project: string | undefined }): Inventory | undefined {
  try {
    const json: unknown = JSON.parse(readText(snapshotPath(machine, project)))
    return isSnapshot(json) ? fromSnapshot(json) : undefined
  } catch {
    return undefined
  }
}

export function rememberInventory(machine: Machine, { inventory }: { inventory: Inventory }): void {
  try {
    writeAtomically(snapshotPath(machine, inventory.project), JSON.stringify(toSnapshot(inventory)))
  } catch {
    // Only the next start would be a little later.
  }
}

function snapshotPath(machine: Machine, project = ''): string {
  return join(cacheFolder(machine), 'inventories', `${hashText(project).toString(16).padStart(8, '0')}.json`)
}

const FORMAT = 2

/**
 * An inventory as rows, because somebody waits while it is read: where copies lie is said once per folder, and what
 * most skills have in common is left out.
 */
interface Snapshot extends Omit<Inventory, 'skills'> {
  format: typeof FORMAT
  places: Place[]
  rows: Row[]
}

type Place = [folder: string, scope: PlacementView['scope'], agents: readonly string[]]
type Copy = [place: number, state: PlacementView['state'], reason?: string]
type Row = [
  name: string,
  description: string,
  targets: string[],
  state: SkillView['state'],
  copies: Copy[],
  rest?: Partial<Pick<SkillView, 'tags' | 'problems' | 'commitsBehind'>>,
]

function toSnapshot({ skills, ...rest }: Inventory): Snapshot {
  const places: Place[] = []
  const placeOf = ({ path, scope, agents }: PlacementView, name: string): number => {
    const folder = path.slice(0, -name.length)
    const at = places.findIndex((place) => place[0] === folder && place[1] === scope)
    return at >= 0 ? at : places.push([folder, scope, agents]) - 1
  }
  const rows = skills.map((skill): Row => {
    const { name, description, targets, state, placements, tags, problems, commitsBehind } = skill
    const copies = placements.map((each): Copy => {
      const place = placeOf(each, name)
      return each.reason === undefined ? [place, each.state] : [place, each.state, each.reason]
    })
    const other = {
      ...(tags.length > 0 && { tags }),
      ...(problems.length > 0 && { problems }),
      ...(commitsBehind !== undefined && { commitsBehind }),
    }
    const isPlain = Object.keys(other).length === 0
    return isPlain ? [name, description, targets, state, copies] : [name, description, targets, state, copies, other]
  })
  return { format: FORMAT, ...rest, places, rows }
}

// Plainly built, because thousands of spread objects take longer than reading them.
function fromSnapshot({ format: _, places, rows, ...rest }: Snapshot): Inventory {
  const skills = rows.map(([name, description, targets, state, copies, other]): SkillView => {
    const placements = copies.map(([at, copyState, reason]): PlacementView => {
      const [folder, scope, agents] = places[at]!
      const placement: PlacementView = { agents, scope, state: copyState, path: folder + name }
      if (reason !== undefined) placement.reason = reason
      return placement
    })
    const { tags = [], problems = [], commitsBehind } = other ?? {}
    const skill: SkillView = { name, description, tags, targets, state, problems, placements }
    if (commitsBehind !== undefined) skill.commitsBehind = commitsBehind
    return skill
  })
  return { ...rest, skills }
}

/** Written by this program, but perhaps by another version of it, which numbers its format otherwise. */
function isSnapshot(json: unknown): json is Snapshot {
  if (!isRecord(json) || json.format !== FORMAT || !Array.isArray(json.agents)) return false
  return Array.isArray(json.places) && Array.isArray(json.rows) && json.rows.every(isRow)
}

function isRow(json: unknown): boolean {
  return Array.isArray(json) && Array.isArray(json[2]) && Array.isArray(json[4])
}
