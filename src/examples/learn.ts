import { configPath, readConfigJson } from '../machine/config-file.ts'
import { type Machine, usageLogPath } from '../machine/machine.ts'
import { LoadoutError } from '../text/trouble.ts'
import { visitUsage } from '../usage/log.ts'
import { parseKeepsTasks } from '../usage/rules/config.ts'
import { changeExamplesNow, machineFile } from './disk/example-files.ts'
import { descriptionDigest, type Example, formatExample, keyOf, MOST_USED, promptKey } from './rules/example.ts'
import { type UsedPrompt, UsedPromptReader } from './rules/from-use.ts'

/** Older events were learned before, or are too old to matter. Reading this much takes a few milliseconds. */
const READ_BACK = 2 * 1024 * 1024

/**
 * Learns from the usage log which prompts led to which entries: the newest of each. Does nothing unless the user keeps
 * tasks, whose words are masked already. Skips an entry without a description here; another process may know it. An
 * error only loses what would have been learned.
 */
export function learnFromUse(machine: Machine, describe: (used: UsedPrompt) => string | undefined): void {
  try {
    if (!parseKeepsTasks(readConfigJson(machine), configPath(machine))) return
    const reader = new UsedPromptReader()
    visitUsage(usageLogPath(machine), (event) => reader.add(event), READ_BACK)
    const learned = reader.found.flatMap((used): Example[] => {
      const description = describe(used)
      if (description === undefined) return []
      const { kind, id, prompt } = used
      return [{ kind, id, prompt, digest: descriptionDigest(description), origin: 'use' }]
    })
    if (learned.length > 0) keepNewest(machine, learned)
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
  }
}

function keepNewest(machine: Machine, learned: readonly Example[]): void {
  changeExamplesNow(machine, machineFile(machine, 'from-use'), (lines) => {
    const before = lines.map(({ text }) => text)
    const known = lines.flatMap(({ example }) => example ?? [])
    const after = newestOf([...known, ...learned]).map(formatExample)
    return before.join('\n') === after.join('\n') ? undefined : after
  })
}

/** The newest for each entry and description; a repeated prompt keeps its position. */
function newestOf(examples: readonly Example[]): Example[] {
  const groups = new Map<string, Map<string, Example>>()
  for (const example of examples) {
    const key = JSON.stringify([keyOf(example), example.digest])
    const group = groups.get(key) ?? new Map<string, Example>()
    groups.set(key, group)
    if (!group.has(promptKey(example.prompt))) group.set(promptKey(example.prompt), example)
  }
  const kept = new Set([...groups.values()].flatMap((group) => [...group.values()].slice(-MOST_USED)))
  return examples.filter((example) => kept.has(example))
}
