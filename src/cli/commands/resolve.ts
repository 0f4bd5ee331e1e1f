import type { Resolution } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { alignRows, count, grouped, lines, printableLine } from '../screen.ts'

export const resolve = defineCommand({
  name: 'resolve',
  summary: 'the layers that were found and what they come to together',
  args: [],
  flags: LAYER_FLAGS,
  run: ({ flags }, loadout) => loadout.resolve(loadout.nameLayers(flags)),
  print: ({ layers, entries, conflicts, budget }: Resolution, screen) =>
    lines(
      alignRows(
        layers.map(({ name, path, found, problem }) => [
          `  ${name}`,
          found ? 'found' : problem === undefined ? 'none' : 'broken',
          path,
        ]),
      ),
      '',
      entries.length === 0
        ? 'No entries. Start with: loadout index build, or loadout try'
        : [
            ...alignRows(
              entries.map(({ id, priority, tokens, source }) => [`  ${id}`, priority, grouped(tokens), source]),
              [2],
            ),
            '',
            ...conflicts.map(({ entryId, layers: names }) => `  ${printableLine(entryId)}: ${names.join(' → ')}`),
            screen.strong(
              `${count(entries.length, 'entry', 'entries')} · ${grouped(budget.always_loaded_est)} tokens always · ${grouped(budget.on_demand_total_est)} on demand · ${count(conflicts.length, 'override')}`,
            ),
          ],
    ),
})
