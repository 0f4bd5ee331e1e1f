import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { exists, isFolder, readText } from '../../machine/files.ts'
import { type Machine, stateFolder } from '../../machine/machine.ts'
import { parseForeignJson } from '../../text/json.ts'
import { compareText } from '../../text/values.ts'
import type { Agent } from '../rules/agents.ts'
import { plainReading } from '../rules/plain-reading.ts'
import type { Rules } from '../rules/reading-rules.ts'
import {
  type InstalledProgram,
  nearestRow,
  newestDay,
  type RecordedFrom,
  type RuleFile,
  readRuleFile,
} from '../rules/rule-file.ts'
import { recordedRules } from '../rules/rule-files.ts'
import { findProgram } from './installed-program.ts'
import { readHead } from './sight/read-head.ts'

const LARGEST_RULES = 1024 * 1024

/** The rules of an agent, and where they come from. */
export interface KnownRules {
  rules: Rules
  /** The version and the day of the recording; absent if the rules were never recorded. */
  recordedFrom?: RecordedFrom
  /** Its program on this machine; absent if it was not found. */
  program?: InstalledProgram
}

/** The rules of the installed version, or of the nearest recorded one. */
export function rulesOf(machine: Machine, agent: Agent): KnownRules {
  const file = rulesOnMachine(machine, agent.id)
  if (file === undefined) return { rules: { reading: plainReading(agent) } }
  const program = findProgram(machine, file.program)
  const row = nearestRow(file, program?.version)
  if (row === undefined) return { rules: { reading: plainReading(agent) } }
  const { version, recorded: day, rules } = row
  return { rules, recordedFrom: { version, day }, ...(program && { program }) }
}

/** The rules that came with Loadout, or newer ones from `rules update`. */
export function rulesOnMachine(machine: Machine, agent: string): RuleFile | undefined {
  const recorded = recordedRules(agent)
  const taken = readTaken(machine, agent)
  if (taken === undefined || (recorded && newestDay(recorded) > newestDay(taken))) return recorded
  return taken
}

export function takenFile(machine: Machine, agent: string): string {
  return join(stateFolder(machine), 'rules', `${agent}.json`)
}

function readTaken(machine: Machine, agent: string): RuleFile | undefined {
  const path = takenFile(machine, agent)
  const head = readHead(path, LARGEST_RULES)
  if ('problem' in head && head.problem === 'is not there') return undefined
  const result = 'problem' in head ? { problem: `${path} ${head.problem}` } : readRules(head.text, path)
  if ('file' in result) return result.file
  machine.report?.({
    severity: 'warning',
    code: 'BAD_RULES',
    message: `${result.problem}; the rules that came with loadout are used`,
    subject: path,
    hint: 'loadout rules update <file> replaces them',
  })
  return undefined
}

/** The text of a file, or of all JSON files of a folder, sorted by name. Empty if nothing exists there. */
export function readRuleTexts(path: string): { path: string; text: string }[] {
  if (!exists(path)) return []
  if (!isFolder(path)) return [{ path, text: readText(path, LARGEST_RULES) }]
  const names = readdirSync(path).filter((name) => name.endsWith('.json'))
  return names
    .sort(compareText)
    .map((name) => ({ path: join(path, name), text: readText(join(path, name), LARGEST_RULES) }))
}

/** Parses rules; returns the first problem if they are invalid. */
export function readRules(text: string, path: string): { file: RuleFile } | { problem: string } {
  const { value, problem } = parseForeignJson(text)
  if (problem !== undefined) return { problem: `${path}: ${problem}` }
  const result = readRuleFile(value)
  if ('file' in result) return result
  const [first, ...others] = result.problems
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return { problem: `${path}: ${first?.says ?? 'it holds no rules'}${more}` }
}
