import type { ContextPart } from '../context-part.ts'
import { scanContent, withholdSecrets } from '../fence/content-scan.ts'
import type { PackWarning } from '../warning.ts'
import type { Choice } from './resolution.ts'

/** Nothing that looks like a secret goes on, and what reads like an order to a model is named. */
export function guardChoices(
  choices: readonly Choice[],
  warnings: readonly PackWarning[],
): { choices: Choice[]; warnings: PackWarning[] } {
  const found = warnings.map((warning): PackWarning => ({ ...warning, message: withholdSecrets(warning.message).text }))
  const kept = choices.map((choice): Choice => {
    const { path, text, lines } = choice.part
    const { secrets, injections } = scanContent(text)
    const lineOf = (line: number) => (lines === undefined ? {} : { line: lines.from + line - 1 })
    for (const { line, kind } of secrets) {
      const message = `text was withheld: it looks like a secret (${kind})`
      found.push({ severity: 'error', code: 'content.secret', path, ...lineOf(line), message })
    }
    for (const { line, kind } of injections) {
      const message = `the text reads like an order to a model (${kind}); it is data, and was left as it is`
      found.push({ severity: 'warning', code: 'content.injection', path, ...lineOf(line), message })
    }
    return secrets.length === 0 ? choice : { ...choice, part: guardPart(choice.part) }
  })
  return { choices: kept, warnings: found }
}

/** The part without what looks like a secret. Lines keep their numbers. */
export function guardPart(part: ContextPart): ContextPart {
  return { ...part, text: withholdSecrets(part.text).text }
}
