import type { InstructionRules } from '../../skills/reading-rules.ts'

/** A file of instructions that is there, in the order in which the agent reads. */
export interface InstructionFile {
  path: string
  bytes: number
  /** Not of the project: it counts towards no limit. */
  isGlobal: boolean
  /** Files of one folder share this. */
  folder: string
  problem?: string
}

export interface InstructionSight {
  path: string
  bytes: number
  state: 'whole' | 'cut' | 'replaced' | 'unreadable'
  /** How much of it the agent takes in. */
  read: number
  why: string
}

/** How far each file is read. `mostBytes` is for those of the project together. */
export function decideInstructions(
  files: readonly InstructionFile[],
  { isOnePerFolder }: InstructionRules,
  mostBytes: number | undefined,
): InstructionSight[] {
  const taken = new Map<string, string>()
  let left = mostBytes ?? Number.POSITIVE_INFINITY
  return files.map(({ path, bytes, isGlobal, folder, problem }) => {
    const before = isOnePerFolder || isGlobal ? taken.get(folder) : undefined
    if (before !== undefined) return { path, bytes, state: 'replaced', read: 0, why: `${before} stands before it` }
    if (problem !== undefined) return { path, bytes, state: 'unreadable', read: 0, why: problem }
    taken.set(folder, path)
    const read = isGlobal ? bytes : Math.min(bytes, left)
    if (!isGlobal) left -= read
    if (read === bytes) return { path, bytes, state: 'whole', read, why: '' }
    return { path, bytes, state: 'cut', read, why: `no more than ${mostBytes} bytes are read of all files` }
  })
}
