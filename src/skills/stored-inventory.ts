import { join } from 'node:path'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { approvalsPath } from '../machine/approvals.ts'
import { type CacheKey, signatureOf } from '../machine/cache.ts'
import type { Machine } from '../machine/machine.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { isUnchanged, type Listed, readFolders, stampFolder, writeFolders } from './disk/stamped-folders.ts'
import type { Inventory, PlacementView, SkillView } from './inventory.ts'
import type { Setup } from './setup.ts'

/** The last inventory, to show while Loadout takes the current one. */
export function recallInventory(machine: Machine, { project }: { project: string | undefined }): Inventory | undefined {
  const stored = readStored(machine, project)
  return stored && fromSnapshot(stored.snapshot)
}

/** The last inventory, if it is still current: all its source folders are unchanged. */
export function recallCurrent(setup: Setup, roots: readonly TargetRoot[]): Report<Inventory> | undefined {
  const stored = readStored(setup.machine, setup.project)
  if (stored === undefined || stored.folders.size === 0 || stored.made !== madeFrom(setup, roots)) return undefined
  for (const [folder, listed] of stored.folders) if (!isUnchanged(folder, listed)) return undefined
  return { value: fromSnapshot(stored.snapshot), findings: stored.findings }
}

/** The source folders of an inventory; undefined if it depends on more than folders. */
export type JudgedBy = ReadonlyMap<string, Listed> | undefined

/** The folders whose entries determine what to read. The caller stamps them before it reads them. */
export function stampPlaces({ machine, library }: Setup, roots: readonly TargetRoot[]): JudgedBy {
  const places = [join(library, SKILLS_FOLDER), ...roots.map(({ path }) => path)]
  const stamped = places.map((path) => [path, stampFolder(path, machine.now())] as const)
  const sure = stamped.flatMap(([path, listed]) => (listed === undefined ? [] : [[path, listed] as const]))
  return sure.length === places.length ? new Map(sure) : undefined
}

export function rememberInventory(
  setup: Setup,
  roots: readonly TargetRoot[],
  { value, findings }: Report<Inventory>,
  judgedBy: JudgedBy,
): void {
  const rest: Rest = { snapshot: toSnapshot(value), findings, made: madeFrom(setup, roots) }
  writeFolders(setup.machine, keyOf(setup.project), judgedBy ?? new Map(), rest)
}

/** Increase the version whenever the evaluation of placements changes, because its result is stored. */
function keyOf(project = ''): CacheKey {
  return { kind: 'inventories', version: 8, name: [project] }
}

function madeFrom({ machine, library, verdicts }: Setup, roots: readonly TargetRoot[]): string {
  const { state } = signatureOf([approvalsPath(machine)], machine.now())
  return JSON.stringify([library, roots, verdicts, state])
}

interface Rest {
  snapshot: Snapshot
  findings: Finding[]
  /** The library, the agents' folders, the verdicts of the catalog, and the state of the approvals. */
  made: string
}

function readStored(
  machine: Machine,
  project: string | undefined,
): (Rest & { folders: ReadonlyMap<string, Listed> }) | undefined {
  const { folders, rest } = readFolders(machine, keyOf(project)) ?? {}
  return folders !== undefined && isRest(rest) ? { ...rest, folders } : undefined
}

function isRest(json: unknown): json is Rest {
  return isRecord(json) && isSnapshot(json.snapshot) && Array.isArray(json.findings) && typeof json.made === 'string'
}

/** An inventory as compact rows, because the user waits while it is read. Stores equal lists only once. */
interface Snapshot extends Inventory {
  /** Always empty; `rows` has the skills. The key stays, because the order of keys is visible. */
  skills: []
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
  rest?: Partial<Pick<SkillView, 'tags' | 'source' | 'problems' | 'commitsBehind'>>,
]

function toSnapshot(inventory: Inventory): Snapshot {
  const targets = createTable<string[]>()
  const copies = createTable<Copy[]>()
  const rows = inventory.skills.map((skill): Row => {
    const { name, description, state, tags, source, problems, commitsBehind } = skill
    const placed = skill.placements.map(({ path, ...each }) => ({ ...each, folder: path.slice(0, -name.length) }))
    const other = {
      ...(tags.length > 0 && { tags }),
      ...(source !== undefined && { source }),
      ...(problems.length > 0 && { problems }),
      ...(commitsBehind !== undefined && { commitsBehind }),
    }
    const row: Row = [name, description, state, targets.put(skill.targets), copies.put(placed)]
    if (Object.keys(other).length > 0) row[5] = other
    return row
  })
  return { ...inventory, skills: [], targets: targets.values, copies: copies.values, rows }
}

/** Stores equal values once. */
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

// Without spreading: for thousands of skills, spread objects take longer than reading the file.
function fromSnapshot({ targets, copies, rows, ...rest }: Snapshot): Inventory {
  const skills = rows.map(([name, description, state, targetsAt, copiesAt, other]): SkillView => {
    const placements = copies[copiesAt]!.map(({ agents, scope, state: copyState, folder, reason, edit }) => {
      const placement: PlacementView = { agents, scope, state: copyState, path: folder + name }
      if (reason !== undefined) placement.reason = reason
      if (edit !== undefined) placement.edit = edit
      return placement
    })
    const { tags = NONE, source, problems = NONE, commitsBehind } = other ?? {}
    const start = { name, description, tags, targets: targets[targetsAt]! }
    const skill: SkillView = source
      ? { ...start, source, state, problems, placements }
      : { ...start, state, problems, placements }
    if (commitsBehind !== undefined) skill.commitsBehind = commitsBehind
    return skill
  })
  return { ...rest, skills }
}

function isSnapshot(json: unknown): json is Snapshot {
  if (!isRecord(json) || !Array.isArray(json.agents)) return false
  const { targets, copies, rows } = json
  if (!Array.isArray(targets) || !Array.isArray(copies) || !Array.isArray(rows)) return false
  return rows.every((row) => Array.isArray(row) && row[3] in targets && row[4] in copies)
}
