import type { PackValidation, Validation } from '../../loadout.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import { defineCommand, LAYER_FLAGS, PACK_KIND_FLAG } from '../command.ts'
import { count, formatFindings, lines, printableLine } from '../screen.ts'

export const check = defineCommand({
  name: 'check',
  aliases: { validate: [], 'packs validate': ['--kind', 'pack'] },
  summary: 'check what agents read: instruction files against the project, payloads, skills, packs, settings',
  details:
    'Takes a path, or a name such as pack:name, skill:name or a payload, and recognises what it is. Without an argument it checks every layer in use, the library, and what AGENTS.md, CLAUDE.md, rules and skills of the project say about it: paths, links, scripts, make targets, versions, and symbols that are gone. It reports only what it can know, with the commit that made a sentence false.\nIt only reads files. Messages about a pack name a file, a line and a rule, never the text of the pack, so you can check a pack that you do not trust yet.',
  args: [{ name: 'what', summary: 'a path or a name', complete: 'file' }],
  flags: {
    ...LAYER_FLAGS,
    since: { kind: 'text', value: 'commit', summary: 'only sentences that were true at this commit and are false now' },
    github: { kind: 'switch', summary: 'print findings as annotations of GitHub Actions' },
    ...PACK_KIND_FLAG,
  },
  run: async ({ args: { what }, flags }, loadout): Promise<Report<Checked>> => {
    if (flags.kind === undefined) {
      const { since, github } = flags
      const { value, findings } = await loadout.agents.validate({
        path: what,
        layers: loadout.knowledge.nameLayers(flags),
        since,
      })
      return { value: github ? { ...value, annotations: findings.map(annotation) } : value, findings }
    }
    if (what !== undefined && what.trim() !== '') return loadout.knowledge.validatePack({ path: what })
    throw failWith('USAGE/no-pack')
  },
  print: (value, screen, findings) =>
    'annotations' in value
      ? lines(value.annotations ?? [])
      : formatFindings(findings.map(withPlace), screen) +
        lines(
          checkedIn(value).map(({ kind, path }) => `checked  ${kind}  ${printableLine(path)}`),
          isFine(value, findings) ? screen.good(statusOf(value) ?? 'valid') : totals(value),
        ),
  printsFindings: true,
})

type Checked = (Validation & { annotations?: string[] }) | PackValidation

function withPlace(finding: Finding): Finding {
  const { code, path, line, message } = finding
  return code === 'STATEMENT_FALSE' ? { ...finding, message: `${path}:${line}: ${message}` } : finding
}

/** One line of the protocol of GitHub Actions. */
function annotation({ severity, path, line, message, code }: Finding): string {
  const kind = severity === 'error' ? 'error' : 'warning'
  const escaped = (text: string) => text.replace(/[%\r\n]/g, (sign) => encodeURIComponent(sign))
  const place =
    path === undefined ? '' : ` file=${escaped(path).replace(/[:,]/g, encodeURIComponent)},line=${line ?? 1}`
  return `::${kind}${place}::${escaped(`${code} ${printableLine(message)}`)}`
}

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
