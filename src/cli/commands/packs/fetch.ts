import type { PackFetch } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { alignRows, lines } from '../../screen.ts'

export const packsFetch = defineCommand({
  name: 'packs fetch',
  summary: 'fetch the knowledge packs of the organization',
  details:
    'Clones or updates the repositories named under "organization" in the configuration. One that cannot be fetched keeps its old copy, and stops none of the others.',
  args: [],
  flags: {},
  run: ({ onProgress, signal }, loadout) => loadout.fetchPacks({ onProgress, signal }),
  print: ({ sources }: PackFetch) =>
    sources.length === 0
      ? 'The configuration names no repository with knowledge packs.\n'
      : lines(alignRows(sources.map(({ source, state, commit = '' }) => [state, commit.slice(0, 7), source]))),
})
