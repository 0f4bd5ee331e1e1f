import { writeFileSync } from 'node:fs'
import { commandReference } from '../src/cli/help.ts'
import { agentFolders } from './agent-folders.ts'
import { agentsTable } from './agents-table.ts'
import { apiReference } from './api-reference.ts'
import { errorReference } from './error-reference.ts'

writeFileSync('docs/commands.md', commandReference())
writeFileSync('docs/agents/recorded.md', agentsTable())
writeFileSync('docs/errors.md', errorReference())
writeFileSync('docs/agent-folders.md', agentFolders())
writeFileSync('docs/api.md', apiReference())
