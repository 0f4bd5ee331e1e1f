import type { InitResult, Loadout } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine } from '../../screen.ts'
import { DRY_RUN_FLAG } from '../../skill-flags.ts'

const HOW = { taken: 'Using the library', cloned: 'Cloned the library to', made: 'Made a new library in' } as const

const DEFAULT_PLACE = '~/skills'

type Request = Parameters<Loadout['initialize']>[0]

export const init = defineCommand({
  name: 'init',
  summary: 'connect this machine with a library of skills',
  details: 'Takes a library that is here, clones one, or makes a new one, and writes it into the configuration.',
  args: [],
  flags: {
    repo: { kind: 'text', value: 'folder', summary: 'a library that is on this machine' },
    clone: { kind: 'text', value: 'url', summary: 'a library to clone' },
    into: { kind: 'text', value: 'folder', summary: 'where the clone goes (default: in your home)' },
    new: { kind: 'text', value: 'folder', summary: 'make a new library' },
    targets: { kind: 'list', value: 'a,b', summary: 'agents to equip (default: claude,codex)' },
    yes: { kind: 'switch', summary: `without a library named: make one in ${DEFAULT_PLACE}` },
    ...DRY_RUN_FLAG,
  },
  run: ({ flags, ask, signal }, loadout) => {
    const { repo, clone, into, targets } = flags
    const request: Request = { repo, clone, create: flags.new, into, targets, dryRun: flags['dry-run'], signal }
    const isNamed = [repo, clone, flags.new].some((way) => way !== undefined)
    if (!isNamed && flags.yes) request.create = DEFAULT_PLACE
    else if (!isNamed && ask !== undefined) Object.assign(request, askWhich(ask))
    return loadout.initialize(request)
  },
  print: ({ config, library, how, skills, agents, isDryRun }: InitResult, screen) =>
    lines(
      isDryRun && 'Nothing was changed. This would be said:',
      `${HOW[how]} ${screen.strong(printableLine(library))}${isDryRun ? '' : ` (${count(skills, 'skill')})`}`,
      `agents: ${agents.join(', ')}   (loadout agents lists all)`,
      `configuration: ${printableLine(config)}`,
      !isDryRun && '',
      !isDryRun &&
        (skills > 0
          ? 'Next: loadout inventory, then loadout equip <name>'
          : 'Next: loadout new <name>, or loadout import'),
    ),
})

/** A path is a library that is here or a new one; anything like a URL is cloned. */
function askWhich(ask: (question: string) => string): Partial<Request> {
  const answer = ask(`A folder for a new library, or the URL of one to clone [${DEFAULT_PLACE}]: `) || DEFAULT_PLACE
  return /^[a-z+]+:\/\/|^[\w.-]+@[\w.-]+:/i.test(answer) ? { clone: answer } : { create: answer }
}
