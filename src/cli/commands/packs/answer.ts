import type { Answered } from '../../../app/loadout.ts'
import { lines, printableLine, type Screen } from '../../screen.ts'

/** What approving, denying and revoking say. */
export function printAnswer(answer: Answered, screen: Screen): string {
  const name = printableLine(answer.name)
  return lines(screen.strong(sentence(name, answer)), `  ${printableLine(answer.root)}`)
}

function sentence(name: string, { decision, tier, isWholeTree }: Answered): string {
  switch (decision) {
    case 'approved':
      return `${name} is approved up to ${tier}${isWholeTree ? ', for exactly these files' : ''}.`
    case 'denied':
      return `${name} is denied: it is not read, and not asked about again.`
    case 'revoked':
      return `The answer for ${name} is taken back.`
    case 'unchanged':
      return `Nothing was changed for ${name}.`
  }
}
