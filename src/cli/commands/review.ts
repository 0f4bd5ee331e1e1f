import type { SkillPreview } from '../../loadout.ts'
import { printableLine, type Screen } from '../screen.ts'

/** The findings of a skill review, with lines, except those that are only informative. */
export function describeReview(review: SkillPreview['review'], screen: Screen, before = ''): string[] {
  const told = review.filter(({ severity }) => severity !== 'info')
  return told.map(({ severity, path, line, message }) => {
    const text = printableLine(`    ${before}${path}${line > 0 ? `:${line}` : ''} ${message}`)
    return severity === 'severe' ? screen.alert(text) : text
  })
}
