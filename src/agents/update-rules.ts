import { basename, resolve } from 'node:path'
import { expandHome } from '../machine/config-file.ts'
import { isFolder, writeAtomically } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { readRules, readRuleTexts, rulesOnMachine, takenFile } from './disk/rules-on-machine.ts'
import { isAgent } from './rules/agents.ts'
import { RECORDED_AGENTS } from './rules/recorded-rules.ts'
import { newestDay, type RuleFile } from './rules/rule-file.ts'

/** The recorded rules of one agent. */
export interface KnownAgentRules {
  agent: string
  /** The recorded versions, the oldest first. */
  versions: string[]
  /** The day of the newest recording. */
  day: string
  /** The result of an update. `older`: the rules on this machine are newer, and stay. */
  state?: 'taken' | 'same' | 'older'
}

export interface RulesUpdate {
  rules: KnownAgentRules[]
  isDryRun: boolean
}

/** The rules that `see` uses. */
export function listRules(machine: Machine, _request: object): Report<KnownAgentRules[]> {
  const files = RECORDED_AGENTS.flatMap((agent) => rulesOnMachine(machine, agent) ?? [])
  return { value: files.map(summaryOf), findings: [] }
}

/** Installs newer rules from a file, or from all JSON files of a folder. If one is invalid, installs none. */
export function updateRules(
  machine: Machine,
  { from, dryRun = false }: { from: string; dryRun?: boolean | undefined },
): Report<RulesUpdate> {
  const path = resolve(machine.cwd, expandHome(machine, from))
  const texts = readRuleTexts(path)
  if (texts.length === 0) {
    const what = isFolder(path) ? 'has no JSON file' : 'does not exist'
    throw new LoadoutError('FILE_NOT_FOUND', `${from} ${what}`, { hint: 'name a file of rules, or a folder of them' })
  }
  const files = texts.map(({ path: each, text }) => ({ text, file: checked(text, each) }))
  const twice = files.find(({ file }, at) => files.findIndex((other) => other.file.agent === file.agent) !== at)
  if (twice !== undefined) throw refused(`two files of ${basename(path)} are about ${twice.file.agent}`)
  const rules = files.map(({ file, text }) => {
    const state = stateOf(machine, file)
    if (state === 'taken' && !dryRun) writeAtomically(takenFile(machine, file.agent), text)
    return { ...summaryOf(file), state }
  })
  return { value: { rules, isDryRun: dryRun }, findings: [] }
}

function checked(text: string, path: string): RuleFile {
  const result = readRules(text, path)
  if ('problem' in result) throw refused(result.problem)
  if (!isAgent(result.file.agent)) throw refused(`${path}: there is no agent "${result.file.agent}"`)
  return result.file
}

function refused(problem: string): LoadoutError {
  return new LoadoutError('BAD_RULES', problem, { hint: 'no rules were installed' })
}

function stateOf(machine: Machine, file: RuleFile): 'taken' | 'same' | 'older' {
  const here = rulesOnMachine(machine, file.agent)
  if (here === undefined) return 'taken'
  if (JSON.stringify(here) === JSON.stringify(file)) return 'same'
  return newestDay(file) < newestDay(here) ? 'older' : 'taken'
}

function summaryOf(file: RuleFile): KnownAgentRules {
  return { agent: file.agent, versions: file.rows.map(({ version }) => version), day: newestDay(file) }
}
