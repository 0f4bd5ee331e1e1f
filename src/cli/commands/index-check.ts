import type { IndexCheck } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { formatFindings } from '../findings.ts'
import { count, lines, printableLine } from '../screen.ts'
import { INDEX_FLAGS } from './index-build.ts'

export const indexCheck = defineCommand({
  name: 'index check',
  summary: 'a gate for CI: is the index true, and will it route',
  details:
    'Reports drift in every field, missing and orphan payloads, duplicate ids and paths that leave the root as errors.\nWarns of keywords that cannot match, too many keywords, patterns of common words, and entries that never come first.',
  args: [],
  flags: { ...INDEX_FLAGS },
  run: ({ flags }, loadout) =>
    loadout.checkIndex({ project: flags.project, layer: flags.layer, globalDir: flags.global }),
  print: ({ path, entries }: IndexCheck, screen, findings) =>
    findings.length === 0
      ? lines(`${screen.good('in order')}  ${printableLine(path)}`, `  ${count(entries, 'entry', 'entries')}`)
      : formatFindings(findings, screen) + lines('', `${count(findings.length, 'finding')} in ${printableLine(path)}`),
  printsFindings: true,
})
