import type { Agent } from './agents.ts'
import type { ReadingRules } from './reading-rules.ts'
import claude from './recorded/claude.json' with { type: 'json' }
import codex from './recorded/codex.json' with { type: 'json' }
import copilot from './recorded/copilot.json' with { type: 'json' }
import gemini from './recorded/gemini.json' with { type: 'json' }
import opencode from './recorded/opencode.json' with { type: 'json' }
import { type RuleFile, readRuleFile } from './rule-file.ts'

/** The rules that `npm run record-agents` recorded, by agent. */
const RECORDED: Readonly<Record<string, unknown>> = { claude, codex, copilot, gemini, opencode }

export const RECORDED_AGENTS: readonly string[] = Object.keys(RECORDED)

const read = new Map<string, RuleFile>()

/** The rules that came with Loadout; undefined for an agent that was never recorded. */
export function recordedRules(agent: string): RuleFile | undefined {
  const known = read.get(agent)
  if (known !== undefined || !Object.hasOwn(RECORDED, agent)) return known
  const result = readRuleFile(RECORDED[agent])
  if ('problems' in result) throw new Error(`the rules of ${agent}: ${result.problems[0]?.says}`)
  read.set(agent, result.file)
  return result.file
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
