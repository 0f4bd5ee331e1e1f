import type { AgentsMd } from '../../loadout.ts'
import { defineCommand, LAYER_FLAGS } from '../command.ts'
import { count, grouped, lines, printableLine } from '../screen.ts'

export const agentsMd = defineCommand({
  name: 'agents-md',
  summary: 'an index for agents that read no more than a file',
  details:
    'A block for AGENTS.md between two markers, one line for each thing that can be loaded. Only what comes with the\n' +
    'project is listed, because the file is shared; name a layer, or give --all, for a file of your own. The order is\n' +
    'fixed: core, packs, the rest by phases and keywords, manual entries. Without a flag the block is printed.',
  args: [{ name: 'file', summary: 'the file (default: AGENTS.md of the project)', complete: 'file' }],
  flags: {
    write: { kind: 'switch', summary: 'put the block into the file' },
    check: { kind: 'switch', summary: 'only say whether the block in the file is up to date' },
    remove: { kind: 'switch', summary: 'take the block out again; the rest stays byte for byte' },
    budget: { kind: 'number', value: 'tokens', summary: 'the most the lines may cost (default: 1000)' },
    all: { kind: 'switch', summary: 'also what is not part of the project, from every layer' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) => {
    const { write, check, remove, budget, all } = flags
    const task = check ? 'check' : remove ? 'remove' : write ? 'write' : undefined
    return loadout.writeAgentsMd({ task, file: args.file, budget, all, layers: loadout.nameLayers(flags) })
  },
  print: (value: AgentsMd, screen) => {
    const { block, state, file = '', listed, left, tokens } = value
    if (state === undefined) return `${block}\n`
    const size = `${count(listed, 'line')}, about ${grouped(tokens)} tokens${left > 0 ? `; ${grouped(left)} did not fit` : ''}`
    const isThere = state === 'created' || state === 'written' || state === 'unchanged' || state === 'current'
    return lines(`${screen.strong(SAID[state])}  ${printableLine(file)}`, isThere && `  ${size}`)
  },
})

const SAID: Record<NonNullable<AgentsMd['state']>, string> = {
  created: 'created',
  written: 'written',
  unchanged: 'unchanged',
  current: 'up to date',
  stale: 'out of date',
  missing: 'no block in',
  removed: 'removed from',
  deleted: 'deleted, nothing else was in it:',
  absent: 'no block in',
}
