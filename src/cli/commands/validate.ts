import type { PackValidation, Validation } from '../../loadout.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, LAYER_FLAGS } from '../command.ts'
import { count, formatFindings, lines, printableLine } from '../screen.ts'

export const check = defineCommand({
  name: 'check',
  aliases: { validate: [], 'packs validate': ['--kind', 'pack'] },
  summary: 'check an index, payload, skill, library, pack or loadout.json',
  details:
    'Takes a path, or a name such as pack:name, skill:name or a payload, and recognises what it is. Without an argument it checks every layer in use and the library.\nIt only reads files. Messages about a pack name a file, a line and a rule, never the text of the pack, so you can check a pack that you do not trust yet.',
  args: [{ name: 'what', summary: 'a path or a name', complete: 'file' }],
  flags: {
    ...LAYER_FLAGS,
    kind: { kind: 'choice', choices: ['pack'], summary: 'the path is a pack', isUnlisted: true },
  },
  run: ({ args: { what }, flags }, loadout): Promise<Report<Validation | PackValidation>> => {
    if (flags.kind === undefined) return loadout.validate({ path: what, layers: loadout.nameLayers(flags) })
    if (what !== undefined && what.trim() !== '') return loadout.validatePack({ path: what })
    throw failWith('USAGE/no-pack')
  },
  print: (value: Validation | PackValidation, screen, findings) =>
    formatFindings(findings, screen) +
    lines(
      checkedIn(value).map(({ kind, path }) => `checked  ${kind}  ${printableLine(path)}`),
      isFine(value, findings) ? screen.good(statusOf(value) ?? 'valid') : totals(value),
    ),
  printsFindings: true,
})

function checkedIn(value: Validation | PackValidation): readonly { kind: string; path: string }[] {
  return 'checked' in value ? value.checked : [{ kind: 'pack', path: value.path }]
}

/** Informative findings do not make a pack fail. */
function isFine(value: Validation | PackValidation, findings: readonly Finding[]): boolean {
  return findings.length === 0 || statusOf(value) === 'passed'
}

function statusOf(value: Validation | PackValidation): string | undefined {
  return 'status' in value ? value.status : undefined
}

function totals(value: Validation | PackValidation): string {
  const status = statusOf(value)
  const sums = `${count(value.errors, 'error')}, ${count(value.warnings, 'warning')}`
  return status === undefined ? sums : `${status}: ${sums}`
}
