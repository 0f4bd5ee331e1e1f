import type { IndexBuild } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { count, grouped, lines, printableLine } from '../screen.ts'

/** Which index: the project's, or the user's own. */
export const INDEX_FLAGS = {
  project: { kind: 'text', value: 'folder', summary: 'project folder (default: around the working folder)' },
  layer: { kind: 'choice', choices: ['project', 'global'], summary: 'whose index (default: project)' },
  global: { kind: 'text', value: 'folder', summary: 'folder of the global layer (default: ~/.ai-loadout)' },
} as const

export const indexBuild = defineCommand({
  name: 'index build',
  summary: 'derive the index from the payloads',
  details:
    'Payloads are Markdown files whose frontmatter says when they are needed. Which files is set by "payloads" in\nloadout.json (default: .claude/loadout and .claude/rules). With errors nothing is written.',
  args: [],
  flags: { ...INDEX_FLAGS, 'dry-run': { kind: 'switch', summary: 'say what would be written, write nothing' } },
  run: ({ flags }, loadout) =>
    loadout.buildIndex({
      project: flags.project,
      layer: flags.layer,
      globalDir: flags.global,
      dryRun: flags['dry-run'],
    }),
  print: ({ path, state, index }: IndexBuild, screen) => {
    const { always_loaded_est: always, on_demand_total_est: onDemand } = index.budget
    const size = `${count(index.entries.length, 'entry', 'entries')}, ${grouped(always)} tokens always, ${grouped(onDemand)} on demand`
    return lines(`${screen.strong(state === 'refused' ? 'not written' : state)}  ${printableLine(path)}`, `  ${size}`)
  },
  toJson: ({ path, state, index }) => ({ path, state, ...index }),
})
