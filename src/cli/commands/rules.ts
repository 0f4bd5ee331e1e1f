import type { KnownAgentRules, RulesUpdate } from '../../loadout.ts'
import { DRY_RUN_FLAG, defineCommand } from '../command.ts'
import { alignRows, lines } from '../screen.ts'

export const rulesList = defineCommand({
  name: 'rules list',
  summary: 'list the agent versions that "loadout see" knows',
  details:
    'Each set of rules was recorded from the real program. loadout see uses those of the installed version, or the nearest.',
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

const STATES = { taken: 'installed', same: 'already here', older: 'older than the current one' }

export const rulesUpdate = defineCommand({
  name: 'rules update',
  summary: 'install newer rules of agents from a file or a folder',
  details:
    'Agents change every week. Newer rules come as JSON files, one for each agent, without a new version of Loadout.\n' +
    'Loadout checks them first; if one is invalid, it installs none.',
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
