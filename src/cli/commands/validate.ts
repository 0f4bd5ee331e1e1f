import type { PackValidation, Validation } from '../../app/loadout.ts'
import { defineCommand } from '../command.ts'
import { LAYER_FLAGS } from '../flags.ts'
import { count, formatFindings, lines, printableLine } from '../screen.ts'

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

export const packsValidate = defineCommand({
  name: 'packs validate',
  summary: 'check a pack: its metadata, map, sources, runs and evals',
  details:
    'Opens the files of the pack and runs nothing. Messages name a file, a line and a rule, never what the pack says, so a pack that you do not trust yet may be checked. Ends with 1 when something is wrong, also when the path is no pack.',
  args: [{ name: 'path', summary: 'the folder of the pack, or its KNOWLEDGE.md', required: true, complete: 'file' }],
  flags: {},
  run: ({ args }, loadout) => loadout.validatePack({ path: args.path ?? '' }),
  print: ({ status, path, errors, warnings }: PackValidation, screen, findings) =>
    formatFindings(findings, screen) +
    lines(
      `checked  pack  ${printableLine(path)}`,
      status === 'passed'
        ? screen.good('passed')
        : `${status}: ${count(errors, 'error')}, ${count(warnings, 'warning')}`,
    ),
  printsFindings: true,
})
