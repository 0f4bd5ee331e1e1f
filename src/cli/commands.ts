import type { Command } from './command.ts'
import { budget, dead, overlaps } from './commands/analysis.ts'
import { completion } from './commands/completion.ts'
import { evaluate } from './commands/eval.ts'
import { explain } from './commands/explain.ts'
import { indexBuild } from './commands/index-build.ts'
import { indexCheck } from './commands/index-check.ts'
import { indexMigrate } from './commands/index-migrate.ts'
import { lookup } from './commands/lookup.ts'
import { plan } from './commands/plan.ts'
import { resolve } from './commands/resolve.ts'
import { search } from './commands/search.ts'
import { tryIt } from './commands/try.ts'
import { usage } from './commands/usage.ts'
import { validate } from './commands/validate.ts'

/** Every command, in the order of the help. */
export const COMMAND_GROUPS: readonly { title: string; commands: readonly Command[] }[] = [
  { title: 'Knowledge for a task', commands: [plan, search, lookup, explain, resolve] },
  { title: 'The index', commands: [indexBuild, indexCheck, indexMigrate, validate, evaluate] },
  { title: 'What was used', commands: [usage, dead, overlaps, budget] },
  { title: 'The program', commands: [tryIt, completion] },
]

export const COMMANDS: readonly Command[] = COMMAND_GROUPS.flatMap(({ commands }) => commands)
