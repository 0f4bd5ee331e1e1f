import type { AgentsMd } from '../../loadout.ts'
import { defineCommand, LAYER_FLAGS } from '../command.ts'
import { count, grouped, lines, printableLine } from '../screen.ts'

export const agentsMd = defineCommand({
  name: 'agents-md',
  keepsPaths: true,
  summary: 'write an index into AGENTS.md, for agents that only read files',
  details:
    'Writes a block between two markers into AGENTS.md, with one line for each item that can be loaded. It lists only\n' +
    'items of the project, because the file is shared; name a layer, or use --all, for a private file. The order is\n' +
    'fixed: core, packs, the rest by phases and keywords, manual entries. Without a flag it prints the block.',
  args: [{ name: 'file', summary: 'the file (default: AGENTS.md of the project)', complete: 'file' }],
  flags: {
    write: { kind: 'switch', summary: 'write the block into the file' },
    check: { kind: 'switch', summary: 'only check whether the block is up to date' },
    remove: { kind: 'switch', summary: 'remove the block; the rest stays byte for byte' },
    budget: { kind: 'number', value: 'tokens', summary: 'maximum size of all lines (default: 1000)' },
    all: { kind: 'switch', summary: 'include every layer, not only the project' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags }, loadout) => {
    const { write, check, remove, ...request } = flags
    const task = check ? 'check' : remove ? 'remove' : write ? 'write' : undefined
    return loadout.context.writeAgentsMd({
      ...request,
      task,
      file: args.file,
      layers: loadout.knowledge.nameLayers(flags),
    })
  },
  print: (value, screen) => {
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
  deleted: 'deleted, it had no other content:',
  absent: 'no block in',
}
