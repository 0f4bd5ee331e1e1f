import type { Agent } from './agents.ts'
import type { ReadingRules, Rules } from './reading-rules.ts'
import claude from './recorded/claude.json' with { type: 'json' }
import cline from './recorded/cline.json' with { type: 'json' }
import codex from './recorded/codex.json' with { type: 'json' }
import continued from './recorded/continue.json' with { type: 'json' }
import copilot from './recorded/copilot.json' with { type: 'json' }
import droid from './recorded/droid.json' with { type: 'json' }
import gemini from './recorded/gemini.json' with { type: 'json' }
import grok from './recorded/grok.json' with { type: 'json' }
import kilo from './recorded/kilo.json' with { type: 'json' }
import kimi from './recorded/kimi.json' with { type: 'json' }
import opencode from './recorded/opencode.json' with { type: 'json' }
import pi from './recorded/pi.json' with { type: 'json' }
import qwen from './recorded/qwen.json' with { type: 'json' }

/** The program of an agent: its command, its npm package, and other folders in the home that may have the package. */
export interface Program {
  command: string
  package: string
  folders?: readonly string[]
}

/** The program of an agent on this machine. */
export interface InstalledProgram {
  path: string
  /** Absent if it is unknown. */
  version?: string
  /** Why the version is unknown. */
  problem?: string
}

/** The recorded version, and the day of the recording. */
export interface RecordedFrom {
  version: string
  day: string
}

/** The rules of one agent: a row for each recorded version, the oldest first. */
export interface RuleFile {
  agent: string
  program: Program
  rows: readonly RuleRow[]
}

interface RuleRow {
  version: string
  /** The day of the recording. */
  recorded: string
  rules: Rules
}

/** As recorded: each row has only the differences to the one before. */
export interface RecordedFile extends Omit<RuleFile, 'rows'> {
  rows: readonly (Omit<RuleRow, 'rules'> & { [Section in keyof Rules]?: object })[]
}

/** What `npm run record-agents` recorded, by agent. A test checks every value, so that no run has to. */
export const RECORDED: Readonly<Record<string, RecordedFile>> = {
  claude,
  codex,
  copilot,
  gemini,
  opencode,
  qwen,
  cline,
  continue: continued,
  droid,
  grok,
  kilo,
  kimi,
  pi,
}

export const RECORDED_AGENTS: readonly string[] = Object.keys(RECORDED)

/** The rules of an agent; undefined if it was never recorded. */
export function recordedRules(agent: string): RuleFile | undefined {
  return Object.hasOwn(RECORDED, agent) ? joinRows(RECORDED[agent]!) : undefined
}

/** Merges the sections of each row with those of the rows before it, key by key. */
export function joinRows({ rows, ...file }: RecordedFile): RuleFile {
  let whole = {}
  return {
    ...file,
    rows: rows.map(({ version, recorded, ...sections }) => {
      const before: Record<string, object> = whole
      const joined = Object.entries(sections).map(([name, section]) => [name, { ...before[name], ...section }])
      whole = { ...before, ...Object.fromEntries(joined) }
      return { version, recorded, rules: whole as Rules }
    }),
  }
}

/** The row for an installed version: the newest one up to it, else the oldest. For an unknown version: the newest. */
export function nearestRow({ rows }: RuleFile, installed: string | undefined): RuleRow | undefined {
  if (installed === undefined) return rows.at(-1)
  return rows.findLast(({ version }) => compareVersions(version, installed) <= 0) ?? rows[0]
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** How an agent reads skills: by its newest recording, else by the public format. */
export function readingOf(agent: Agent): ReadingRules {
  return recordedRules(agent.id)?.rows.at(-1)?.rules.reading ?? plainReading(agent)
}

/** For agents of which Loadout knows only the folders. */
export function plainReading({ userFolder, projectFolder }: Agent): ReadingRules {
  return {
    places: [
      ...(userFolder === undefined ? [] : [{ from: 'home', path: userFolder, scope: 'user' } as const]),
      { from: 'project', path: projectFolder, scope: 'project' },
    ],
    depth: 1,
    skipsDotFolders: false,
    followsLinkedFiles: true,
    needsUtf8: false,
    readsBehindMark: true,
    joinsBlanks: true,
    namedBy: 'frontmatter',
    guessesDescription: false,
    hiding: [],
    sameName: 'unknown',
    climbsWithoutRepository: false,
  }
}
