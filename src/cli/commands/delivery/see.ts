import type { AgentSight } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { printLongest, printSight } from './print-sight.ts'

export const see = defineCommand({
  name: 'see',
  summary: 'which skills an agent really shows its model',
  details:
    'Replays what the agent’s own program does on this machine: the folders it reads, in its order, what hides what, and\n' +
    'what fits into its list. With --project also what it reads in a project, from the working folder up.',
  args: [{ name: 'agent', summary: 'claude, codex, … (loadout agents lists them)', required: true }],
  flags: {
    project: { kind: 'place', value: 'folder', summary: 'as if the agent was started in this folder' },
    window: { kind: 'number', value: 'tokens', summary: 'the context window of the model' },
    longest: { kind: 'switch', summary: 'list the longest descriptions and what they cost' },
  },
  run: async ({ args, flags }, loadout) => {
    const { project, window, longest } = flags
    const { value, findings } = await loadout.see({ agent: args.agent ?? '', project, window })
    return { value: { ...value, isLongest: longest === true }, findings }
  },
  print: ({ isLongest, ...sight }: AgentSight & { isLongest: boolean }, screen) =>
    isLongest ? printLongest(sight, screen) : printSight(sight, screen),
  toJson: ({ isLongest: _, ...sight }) => sight,
  printsFindings: true,
})
