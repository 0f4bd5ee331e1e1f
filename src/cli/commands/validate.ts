import type { Validation } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { formatFindings } from '../findings.ts'
import { LAYER_FLAGS } from '../layer-flags.ts'
import { count, lines, printableLine } from '../screen.ts'

export const validate = defineCommand({
  name: 'validate',
  summary: 'check an index, payload, skill, library, pack or loadout.json',
  details: 'Recognises what it is given. Without a path, every layer in use and the library are checked.',
  args: [{ name: 'path', summary: 'what to check', complete: 'file' }],
  flags: LAYER_FLAGS,
  run: ({ args, flags }, loadout) => loadout.validate({ path: args.path, layers: loadout.nameLayers(flags) }),
  print: ({ errors, warnings, checked }: Validation, screen, findings) =>
    formatFindings(findings, screen) +
    lines(
      checked.map(({ kind, path }) => `checked  ${kind}  ${printableLine(path)}`),
      findings.length === 0 ? screen.good('valid') : `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    ),
  printsFindings: true,
})
