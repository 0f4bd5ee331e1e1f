import { parseForeignJson } from '../../text/json.ts'
import { isRecord, isTextList } from '../../text/values.ts'

/** How often a prompt opened a skill, in one row of results. */
export interface CaseOutcome {
  prompt: string
  expects: 'fires' | 'quiet'
  fired: number
  of: number
}

/** A task without and with the skill: how many assertions held, over all runs. */
interface TaskOutcome {
  prompt: string
  without: { held: number; of: number }
  with: { held: number; of: number }
}

/** What one version of a client did with one version of a skill. */
export interface ResultRow {
  agent: string
  version: string
  /** Absent if the client does not name it. */
  model?: string
  /** Of the skill's files. */
  skill: string
  cases: CaseOutcome[]
  tasks?: TaskOutcome[]
}

/** `results/<skill>.json` at the root of a library: of each agent the last rows, in the order in which they were measured. */
export interface SkillResults {
  skill: string
  rows: ResultRow[]
}

const MOST_ROWS = 6

/** A row replaces one of the same agent, version, model and skill. Cases that it did not ask stay. */
export function withRow({ skill, rows }: SkillResults, fresh: ResultRow): SkillResults {
  const isSame = (row: ResultRow) =>
    row.agent === fresh.agent && row.version === fresh.version && row.model === fresh.model && row.skill === fresh.skill
  const before = rows.find(isSame)
  const join = <T extends { prompt: string }>(old: readonly T[] = [], now: readonly T[] = []): T[] =>
    [...old.filter(({ prompt }) => !now.some((each) => each.prompt === prompt)), ...now].sort((a, b) =>
      a.prompt < b.prompt ? -1 : 1,
    )
  const tasks = join(before?.tasks, fresh.tasks)
  const row = { ...fresh, cases: join(before?.cases, fresh.cases), tasks: tasks.length > 0 ? tasks : undefined }
  const others = rows.filter((each) => !isSame(each))
  const own = [...others.filter(({ agent }) => agent === fresh.agent), row].slice(-MOST_ROWS)
  const all = [...others.filter(({ agent }) => agent !== fresh.agent), ...own]
  // Stable: rows of one agent keep their order.
  return { skill, rows: all.sort((a, b) => (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : 0)) }
}

/** A line for each case, so that a change of one is a change of one line. */
export function formatResults({ skill, rows }: SkillResults): string {
  const list = (values: readonly unknown[], indent: string) =>
    values.length === 0
      ? '[]'
      : `[\n${values.map((value) => `${indent}  ${JSON.stringify(value)}`).join(',\n')}\n${indent}]`
  const shown = rows.map(({ agent, version, model, skill: digest, cases, tasks }) => {
    const head = JSON.stringify({ agent, version, model, skill: digest }).slice(0, -1)
    return `    ${head}, "cases": ${list(cases, '    ')}${tasks === undefined ? '' : `, "tasks": ${list(tasks, '    ')}`}}`
  })
  return `{\n  "skill": ${JSON.stringify(skill)},\n  "rows": [\n${shown.join(',\n')}\n  ]\n}\n`
}

/** A file that a person or a merge broke counts as none. */
export function parseResults(text: string, skill: string): SkillResults {
  const { value } = parseForeignJson(text)
  const rows = isRecord(value) && Array.isArray(value.rows) ? value.rows.filter(isRow) : []
  return { skill, rows }
}

function isRow(row: unknown): row is ResultRow {
  if (!isRecord(row) || !Array.isArray(row.cases)) return false
  const { agent, version, skill, model } = row
  const isCase = (each: unknown) =>
    isRecord(each) && typeof each.prompt === 'string' && typeof each.fired === 'number' && typeof each.of === 'number'
  const names = model === undefined ? [agent, version, skill] : [agent, version, skill, model]
  return isTextList(names) && row.cases.every(isCase)
}

/** At least half of the runs count: a model need not do the same each time. */
export function isAsExpected({ expects, fired, of }: CaseOutcome): boolean {
  return expects === 'fires' ? fired * 2 >= of : fired * 2 < of
}

/** A case that was as expected once, and is not in the last row that asked it. */
export interface Regression {
  skill: string
  agent: string
  prompt: string
  expects: CaseOutcome['expects']
  /** The row with which it began to fail, and the last one before. */
  since: { version: string; isOtherSkill: boolean }
  before: string
  fired: number
  of: number
}

export function findRegressions({ skill, rows }: SkillResults): Regression[] {
  return [...new Set(rows.map(({ agent }) => agent))].flatMap((agent) => {
    const own = rows.filter((row) => row.agent === agent)
    const prompts = new Set(own.flatMap(({ cases }) => cases.map(({ prompt }) => prompt)))
    return [...prompts].flatMap((prompt): Regression[] => {
      const asked = own.flatMap((row) => {
        const outcome = row.cases.find((each) => each.prompt === prompt)
        return outcome === undefined ? [] : [{ row, outcome }]
      })
      const at = asked.findLastIndex(({ outcome }) => isAsExpected(outcome))
      const [good, first, last] = [asked[at], asked[at + 1], asked.at(-1)]
      if (good === undefined || first === undefined || last === undefined) return []
      const { expects, fired, of } = last.outcome
      const since = { version: first.row.version, isOtherSkill: first.row.skill !== good.row.skill }
      return [{ skill, agent, prompt, expects, since, before: good.row.version, fired, of }]
    })
  })
}
