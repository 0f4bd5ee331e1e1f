import { type CacheKey, jsonCodec, readCached, writeCached } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import { isRecord } from '../text/values.ts'
import type { Inventory, PlacementView, SkillView } from './inventory.ts'

/** The last inventory that was taken here: something to show while the present one is being taken. */
export function recallInventory(machine: Machine, { project }: { project: string | undefined }): Inventory | undefined {
  const snapshot = readCached(machine, keyOf(project), SNAPSHOT.decode)
  return snapshot && fromSnapshot(snapshot)
}

export function rememberInventory(machine: Machine, { inventory }: { inventory: Inventory }): void {
  const bytes = SNAPSHOT.encode(toSnapshot(inventory))
  if (bytes !== undefined) writeCached(machine, keyOf(inventory.project), bytes)
}

function keyOf(project = ''): CacheKey {
  return { kind: 'inventories', version: 3, name: [project] }
}

/**
 * An inventory as short rows, because somebody waits while it is read: what skills have in common, where their copies
 * lie and in which state, is said once.
 */
interface Snapshot extends Omit<Inventory, 'skills'> {
  targets: string[][]
  copies: Copy[][]
  rows: Row[]
}

type Copy = Omit<PlacementView, 'path'> & { folder: string }
type Row = [
  name: string,
  description: string,
  state: SkillView['state'],
  targets: number,
  copies: number,
  rest?: Partial<Pick<SkillView, 'tags' | 'problems' | 'commitsBehind'>>,
]

function toSnapshot({ skills, ...rest }: Inventory): Snapshot {
  const targets = createTable<string[]>()
  const copies = createTable<Copy[]>()
  const rows = skills.map((skill): Row => {
    const { name, description, state, tags, problems, commitsBehind } = skill
    const placed = skill.placements.map(({ path, ...each }) => ({ ...each, folder: path.slice(0, -name.length) }))
    const other = {
      ...(tags.length > 0 && { tags }),
      ...(problems.length > 0 && { problems }),
      ...(commitsBehind !== undefined && { commitsBehind }),
    }
    const row: Row = [name, description, state, targets.put(skill.targets), copies.put(placed)]
    if (Object.keys(other).length > 0) row[5] = other
    return row
  })
  return { ...rest, targets: targets.values, copies: copies.values, rows }
}

/** Equal values have one place. */
function createTable<T>() {
  const places = new Map<string, number>()
  const values: T[] = []
  const put = (value: T): number => {
    const key = JSON.stringify(value)
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, values.length)
    return values.push(value) - 1
  }
  return { values, put }
}

const NONE: never[] = []

// Plainly built, because thousands of spread objects take longer than reading them.
function fromSnapshot({ targets, copies, rows, ...rest }: Snapshot): Inventory {
  const skills = rows.map(([name, description, state, targetsAt, copiesAt, other]): SkillView => {
    const placements = copies[copiesAt]!.map(({ agents, scope, state: copyState, folder, reason }) => {
      const placement: PlacementView = { agents, scope, state: copyState, path: folder + name }
      if (reason !== undefined) placement.reason = reason
      return placement
    })
    const { tags = NONE, problems = NONE, commitsBehind } = other ?? {}
    const skill: SkillView = { name, description, tags, targets: targets[targetsAt]!, state, problems, placements }
    if (commitsBehind !== undefined) skill.commitsBehind = commitsBehind
    return skill
  })
  return { ...rest, skills }
}

const SNAPSHOT = jsonCodec((json): json is Snapshot => {
  if (!isRecord(json) || !Array.isArray(json.agents)) return false
  const { targets, copies, rows } = json
  if (!Array.isArray(targets) || !Array.isArray(copies) || !Array.isArray(rows)) return false
  return rows.every((row) => Array.isArray(row) && row[3] in targets && row[4] in copies)
})
