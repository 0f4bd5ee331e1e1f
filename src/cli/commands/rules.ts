import type { KnownAgentRules, RulesUpdate } from '../../loadout.ts'
import { DRY_RUN_FLAG, defineCommand } from '../command.ts'
import { alignRows, lines } from '../screen.ts'

export const rulesList = defineCommand({
  name: 'rules list',
  summary: 'versions of agents whose rules see knows',
  details:
    'Each was recorded from the real program. see uses those of the version that is installed, or of the nearest.',
  args: [],
  flags: {},
  run: (_, loadout) => loadout.listRules({}),
  print: (rules: KnownAgentRules[]) =>
    lines(
      alignRows([
        ['agent', 'recorded', 'versions'],
        ...rules.map(({ agent, day, versions }) => [agent, day, versions.join(', ')]),
      ]),
    ),
})

const STATES = { taken: 'taken', same: 'already here', older: 'older than what is here' }

export const rulesUpdate = defineCommand({
  name: 'rules update',
  summary: 'take newer rules of agents from a file or a folder',
  details:
    'Agents change every week. Newer rules come as JSON files, one for each agent, without a new version of Loadout.\n' +
    'They are checked first; if one is bad, none is taken.',
  args: [{ name: 'from', summary: 'a JSON file, or a folder of them', required: true, complete: 'file' }],
  flags: DRY_RUN_FLAG,
  run: ({ args, flags }, loadout) => loadout.updateRules({ from: args.from ?? '', dryRun: flags['dry-run'] }),
  print: ({ rules, isDryRun }: RulesUpdate) =>
    lines(
      isDryRun && 'Nothing was changed. This would be done:',
      alignRows(
        rules.map(({ agent, versions, day, state = 'taken' }) => [
          `  ${STATES[state]}`,
          agent,
          versions.at(-1) ?? '',
          `recorded on ${day}`,
        ]),
      ),
    ),
})
