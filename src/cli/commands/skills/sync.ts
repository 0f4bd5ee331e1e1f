import type { SyncResult } from '../../../app/loadout.ts'
import type { SyncStep } from '../../../domain/skills/sync-decision.ts'
import { defineCommand } from '../../command.ts'
import { printOperations } from '../../operations.ts'
import { count, lines } from '../../screen.ts'
import { DRY_RUN_FLAG, SCOPE_FLAGS } from '../../skill-flags.ts'

const BEFORE_TAKING = 'Below, installs are compared with the library as it is before that.'

export const sync = defineCommand({
  name: 'sync',
  summary: 'update the library from its remote, and all installs from it',
  details:
    'Fast-forward only: nothing is merged or forced. Whatever git meets, installs are refreshed.\n' +
    'Edited copies go to the backup folder before they are replaced. A dry run still fetches.',
  args: [],
  flags: {
    push: { kind: 'switch', summary: 'also push commits that wait' },
    'keep-edits': { kind: 'switch', summary: 'leave edited copies as they are' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ flags, onProgress, signal }, loadout) =>
    loadout.sync({
      project: flags.project,
      push: flags.push,
      keepEdits: flags['keep-edits'],
      dryRun: flags['dry-run'],
      onProgress,
      signal,
    }),
  print: (result: SyncResult, screen, findings) =>
    lines(
      result.steps.map((step) => describe(step, result.isDryRun)),
      result.isDryRun && result.steps.some(({ kind }) => kind === 'fast-forward') && BEFORE_TAKING,
    ) + printOperations(result, screen, findings, 'Every install is as the library has it.'),
})

function describe(step: SyncStep, isDryRun: boolean): string {
  const verb = isDryRun ? 'would be ' : ''
  const commits = step.commits === undefined ? 'all commits' : count(step.commits, 'commit')
  if (step.kind === 'fast-forward') return `library: ${commits} ${verb}taken from the remote`
  return `library: ${commits} ${verb}pushed to ${step.remote}`
}
