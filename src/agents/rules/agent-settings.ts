import { getOwn } from '../../text/values.ts'
import type { InstructionRules, Listing, ModelRow } from './reading-rules.ts'

/** The settings of an agent on this machine that change what it lists and reads. */
export interface AgentSettings {
  share?: number
  perSkill?: number
  model?: string
  window?: number
  /** A budget in columns that replaces every calculation. */
  budget?: number
  /** Skill → `name-only`, `user-invocable-only`, `off`. */
  overrides: Readonly<Record<string, string>>
  withoutOwn: boolean
  /** Enabled plugins, by their full names. */
  plugins: readonly string[]
  /** The maximum bytes of all instruction files. */
  mostBytes?: number
  /** Names of instruction files instead of the default ones, and additional names. */
  names?: readonly string[]
  moreNames: readonly string[]
  /** Disabled skills, by the path of their file or by their name. */
  off: readonly { path?: string; name?: string }[]
  /** Patterns of names; the last match decides whether a skill is off. */
  permissions: readonly { pattern: string; isOff: boolean }[]
  /** Skill → a score of its recent use. */
  usage: Readonly<Record<string, number>>
}

export const NO_SETTINGS: AgentSettings = {
  overrides: {},
  withoutOwn: false,
  plugins: [],
  moreNames: [],
  off: [],
  permissions: [],
  usage: {},
}

export interface Limits {
  /** Absent if the limit does not depend on the model. */
  window?: number
  model?: string
  /** In the unit of the listing. */
  budget: number
  /** Absent: a description may be as long as the list. */
  perSkill?: number
}

/** The maximum size of a list on this machine. A named value overrides the configured one. */
export function limitsOf(
  listing: Listing,
  settings: AgentSettings,
  named: { window?: number; model?: string } = {},
): Limits | undefined {
  const { share, longWindow, overflow } = listing
  if (overflow === 'never') return undefined
  const perSkill = settings.perSkill ?? listing.perSkill
  const model = named.model ?? settings.model ?? listing.defaultModel
  if (share === undefined) return { budget: settings.budget ?? listing.budget ?? 1, perSkill }
  const row = modelRow(listing, model)
  const isLong = longWindow !== undefined && model?.includes(longWindow.mark)
  const usual = isLong ? longWindow.window : (row?.window ?? listing.window ?? 1)
  const window = named.window ?? settings.window ?? usual
  const perToken = row?.perToken ?? listing.perToken ?? 1
  // A product of decimals: 200,000 * 0.01 * 4 must not become 7,999.
  const budget = settings.budget ?? Math.floor(Number((window * perToken * (settings.share ?? share)).toFixed(6)))
  return { window, budget: Math.max(1, budget), model, perSkill }
}

/** The row with the values of a model. */
export function modelRow({ models = [] }: Listing, model = ''): ModelRow | undefined {
  return models.find(({ marks }) => marks.some((mark) => model.includes(mark)))
}

/** Whether the settings hide a skill from the model. */
export function isSwitchedOff(
  { overrides, off, permissions }: AgentSettings,
  skill: { name: string; path: string; realPath: string },
): boolean {
  const override = getOwn(overrides, skill.name)
  if (override === 'off' || override === 'user-invocable-only') return true
  if (off.some(({ path, name }) => path === skill.path || path === skill.realPath || name === skill.name)) return true
  return permissions.findLast(({ pattern }) => fitsPattern(pattern, skill.name))?.isOff === true
}

/** `*` matches any text and `?` any character. */
function fitsPattern(pattern: string, name: string): boolean {
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 's').test(name)
}

const HALF_LIFE_DAYS = 7
/** Halves the weight for each week since the last use, down to a tenth. */
export function usageScore(count: number, lastUsed: number, now: number): number {
  const days = (now - lastUsed) / 86_400_000
  return count * Math.max(0.5 ** (days / HALF_LIFE_DAYS), 0.1)
}

/** An existing instruction file. */
export interface InstructionFile {
  path: string
  bytes: number
  /** Not in the project: it does not count for the limit. */
  isGlobal: boolean
  /** Files of one folder share this. */
  folder: string
  problem?: string
}

export interface SeenInstructions {
  path: string
  bytes: number
  state: 'whole' | 'cut' | 'replaced' | 'unreadable'
  /** How many bytes the agent reads. */
  read: number
  why: string
}

/** Decides how much of each file the agent reads. `mostBytes` limits the files of the project together. */
export function decideInstructions(
  files: readonly InstructionFile[],
  { isOnePerFolder }: InstructionRules,
  mostBytes: number | undefined,
): SeenInstructions[] {
  const taken = new Map<string, string>()
  let left = mostBytes ?? Number.POSITIVE_INFINITY
  return files.map(({ path, bytes, isGlobal, folder, problem }) => {
    const before = isOnePerFolder || isGlobal ? taken.get(folder) : undefined
    if (before !== undefined) return { path, bytes, state: 'replaced', read: 0, why: `${before} is read instead` }
    if (problem !== undefined) return { path, bytes, state: 'unreadable', read: 0, why: problem }
    taken.set(folder, path)
    const read = isGlobal ? bytes : Math.min(bytes, left)
    if (!isGlobal) left -= read
    if (read === bytes) return { path, bytes, state: 'whole', read, why: '' }
    return { path, bytes, state: 'cut', read, why: `no more than ${mostBytes} bytes are read of all files` }
  })
}
