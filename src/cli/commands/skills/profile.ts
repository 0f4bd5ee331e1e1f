import type { ProfileSaving, SavedProfile } from '../../../app/loadout.ts'
import { shellWord } from '../../../domain/shared/shell-word.ts'
import { defineCommand } from '../../command.ts'
import { printOperations } from '../../operations.ts'
import { alignRows, count, lines, printableLine } from '../../screen.ts'
import { DRY_RUN_FLAG, SCOPE_FLAGS } from '../../skill-flags.ts'

const NAME = [{ name: 'name', summary: 'the profile', required: true }] as const

export const profileSave = defineCommand({
  name: 'profile save',
  summary: 'write down which agent has which skill now',
  args: NAME,
  flags: { ...SCOPE_FLAGS, ...DRY_RUN_FLAG },
  run: ({ args, flags }, loadout) =>
    loadout.saveProfile({ name: args.name ?? '', project: flags.project, dryRun: flags['dry-run'] }),
  print: (saved: ProfileSaving) =>
    lines(
      saved.isDryRun && 'Nothing was changed. This would be saved:',
      alignRows([row(saved)]),
      !saved.isDryRun && printableLine(`to use it: loadout profile apply ${shellWord(saved.name)}`),
    ),
})

export const profileApply = defineCommand({
  name: 'profile apply',
  summary: 'equip everything that a profile names',
  args: NAME,
  flags: {
    exact: { kind: 'switch', summary: 'also unequip what it does not name' },
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ args, flags, onProgress, signal }, loadout) =>
    loadout.applyProfile({
      name: args.name ?? '',
      exact: flags.exact,
      project: flags.project,
      dryRun: flags['dry-run'],
      onProgress,
      signal,
    }),
  print: (outcome, screen, findings) =>
    printOperations(outcome, screen, findings, 'Everything is equipped as the profile says.'),
})

export const profileList = defineCommand({
  name: 'profile list',
  summary: 'the profiles of this machine',
  args: [],
  flags: {},
  run: (_, loadout) => loadout.listProfiles({}),
  print: (profiles: SavedProfile[]) =>
    profiles.length === 0
      ? lines('There is no profile yet: loadout profile save <name>')
      : lines(alignRows(profiles.map((saved) => row(saved).map((cell, at) => (at === 0 ? `  ${cell}` : cell))))),
})

function row({ name, profile }: SavedProfile): string[] {
  const agents = new Set(Object.values(profile).flat())
  return [name, count(Object.keys(profile).length, 'skill'), [...agents].join(', ')]
}
