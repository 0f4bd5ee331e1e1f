import type { SkillPreview } from '../../loadout.ts'
import { printableLine, type Screen } from '../screen.ts'

/** What a look through a skill found, with lines: all but what is only good to know. */
export function describeReview(review: SkillPreview['review'], screen: Screen, before = ''): string[] {
  const told = review.filter(({ severity }) => severity !== 'info')
  return told.map(({ severity, path, line, message }) => {
    const text = printableLine(`    ${before}${path}${line > 0 ? `:${line}` : ''} ${message}`)
    return severity === 'severe' ? screen.alert(text) : text
  })
}
