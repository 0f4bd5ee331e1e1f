import type { SkillView } from '../../loadout.ts'
import { fitLine, type Line, span } from '../frame/line.ts'
import type { Model } from '../model.ts'
import { SIGNS } from '../signs.ts'
import { agentState, hasUserCopy } from './inventory-state.ts'

/** One column for every agent: its head, and how many columns of the screen it takes with the gap before it. */
export interface AgentColumn {
  agent: string
  head: string
  width: number
}

/** Heads as long as the room allows: whole names, three letters, or one letter each. */
export function agentColumns({ inventory, scope }: Model, columns: number): AgentColumn[] {
  const agents = inventory.value?.agents ?? []
  // The state, and in a project whether the user's own copy is there as well.
  const cell = scope === 'project' ? 2 : 1
  const headed = (heads: readonly string[]) =>
    agents.map((agent, at) => ({ agent, head: heads[at] ?? '', width: Math.max(heads[at]?.length ?? 0, cell) + 1 }))
  const whole = headed(agents)
  if (widthOf(whole) <= columns * 0.4) return whole
  // Names of agents differ in three letters.
  const short = headed(agents.map((agent) => agent.slice(0, 3)))
  if (widthOf(short) <= columns * 0.5) return short
  const least = headed(letters(agents))
  return cell === 1 ? least.map((each) => ({ ...each, width: 1 })) : least
}

// The keys that equip for these agents.
const KEYS: Readonly<Record<string, string>> = { claude: 'c', codex: 'x' }

/** A letter for each: that of its key, else the first of its name that no other has. */
function letters(agents: readonly string[]): string[] {
  const taken = new Set(agents.flatMap((agent) => KEYS[agent] ?? []))
  return agents.map((agent) => {
    const letter = KEYS[agent] ?? [...agent].find((each) => /[a-z]/.test(each) && !taken.has(each)) ?? '·'
    taken.add(letter)
    return letter
  })
}

export function widthOf(columns: readonly AgentColumn[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0)
}

/** The heads, above the cells. Where one letter has to do and there is room, three stand below each other. */
export function headLines(columns: readonly AgentColumn[], rows: number): Line[] {
  const isShort = columns.some(({ head }) => head.length === 1)
  const count = isShort && rows >= ROWS_FOR_LETTERS ? 3 : 1
  return Array.from({ length: count }, (_, row) =>
    columns.flatMap(({ agent, head, width }) => {
      const text = count === 1 ? head : (agent[row] ?? ' ')
      return inCell([span(text, 'faint')], head.length, width)
    }),
  )
}

const ROWS_FOR_LETTERS = 12

export function cellLine(model: Model, columns: readonly AgentColumn[], skill: SkillView): Line {
  return columns.flatMap(({ agent, head, width }) => {
    const { sign, style } = SIGNS[agentState(model, skill, agent)]
    const copy = hasUserCopy(model, skill, agent) ? [span(SIGNS.user.sign, 'faint')] : []
    return inCell([span(sign, style), ...copy], head.length, width)
  })
}

/** The gap stands before the cell, and its content under the head. */
function inCell(content: Line, letters: number, width: number): Line {
  const room = Math.max(letters, width - 1)
  const gap = width - room
  return [...(gap > 0 ? [span(' '.repeat(gap))] : []), ...fitLine(content, room)]
}
