import { writeFileSync } from 'node:fs'
import { commandReference } from '../src/cli/reference.ts'

writeFileSync('docs/commands.md', commandReference())
