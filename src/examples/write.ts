import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import type { Finding } from '../text/trouble.ts'
import { changedText, changeExamples, type ExampleFile, type ExampleLine } from './disk/example-files.ts'
import type { Proposal } from './rules/admit.ts'
import { type Example, formatExample, keyOf, promptKey } from './rules/example.ts'

export { type ExampleFile, libraryFile, machineFile, projectFile } from './disk/example-files.ts'

/** Appends examples to a file of the project or of this machine, as `textWith` does. */
export async function writeExamples(machine: Machine, file: ExampleFile, fresh: readonly Example[]): Promise<void> {
  await changeExamples(machine, file, (lines) => linesWith(lines, fresh))
}

/** The text of a file with more examples. Replaces a line with the same prompt for an older description; all others stay. */
export function textWith(file: ExampleFile, fresh: readonly Example[]): string {
  return changedText(file, (lines) => linesWith(lines, fresh)) ?? ''
}

function linesWith(lines: readonly ExampleLine[], fresh: readonly Example[]): string[] {
  const renewed = new Set(fresh.map(sameness))
  const kept = lines.filter(({ example }) => example === undefined || !renewed.has(sameness(example)))
  return [...kept.map(({ text }) => text), ...fresh.map(formatExample)]
}

function sameness(example: Example): string {
  return JSON.stringify([keyOf(example), promptKey(example.prompt), example.not ?? false])
}

export function pathOf({ root, path }: ExampleFile): string {
  return join(root, path)
}

/** Prompts scanned as one text; single prompts are scanned only if that text has a finding. */
const SCANNED_AT_ONCE = 200

/** Removes proposals with secret or personal data. A message never quotes them. */
export async function withoutSecrets(
  proposals: readonly Proposal[],
): Promise<{ clean: Proposal[]; findings: Finding[] }> {
  const { detectPrivate } = await import('../machine/secret-scanner.ts')
  const isClean = async (text: string) => (await detectPrivate(text)).length === 0
  const clean: Proposal[] = []
  const refused = new Map<string, number>()
  for (let from = 0; from < proposals.length; from += SCANNED_AT_ONCE) {
    const part = proposals.slice(from, from + SCANNED_AT_ONCE)
    const isAllClean = await isClean(part.map(({ prompt }) => prompt).join('\n\n'))
    for (const proposal of part) {
      if (isAllClean || (await isClean(proposal.prompt))) clean.push(proposal)
      else refused.set(keyOf(proposal.entry), (refused.get(keyOf(proposal.entry)) ?? 0) + 1)
    }
  }
  const findings = [...refused].map(([entry, times]): Finding => {
    const what = times === 1 ? 'a prompt was not added: it contains' : `${times} prompts were not added: they contain`
    return {
      severity: 'error',
      code: 'EXAMPLE_REFUSED',
      message: `${entry}: ${what} a secret or personal data`,
      subject: entry,
      hint: 'examples are shared with the library: write the prompt without the value',
    }
  })
  return { clean, findings }
}
