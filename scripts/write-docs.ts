import { writeFileSync } from 'node:fs'
import { commandReference } from '../src/cli/help.ts'

writeFileSync('docs/commands.md', commandReference())
