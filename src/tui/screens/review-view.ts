import { sheetSections } from '../../display-rules.ts'
import { insideOf, type Line, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { problemLines, textPane } from '../frame/rows.ts'
import type { Model } from '../model.ts'

export function viewReview(model: Model, size: Size): Line[] {
  const title = styled(`${model.review.name}: what it can do`, 'strong')
  return textPane(title, reviewLines(model, insideOf(size).columns), model.review.at, size)
}

/** The whole sheet, each line with its quotation: what is allowed is what was shown. */
export function reviewLines(model: Model, columns: number): Line[] {
  const { value } = model.review
  if (value === undefined) return problemLines(model.problems.review, 'looking through it…', columns)
  if (value.length === 0) return wrapped('Nothing in it needs an answer.', columns)
  return sheetSections(value).flatMap(([title, lines]): Line[] => [
    ...wrapped(title, columns, 'strong'),
    ...lines.flatMap(({ path, line, what, quote, isAlarming }): Line[] => {
      const place = `${path}${line > 0 ? `:${line}` : ''} ${what}`
      return [
        ...indented(isAlarming ? '! ' : '  ', wrapped(place, columns - 2, isAlarming ? 'alert' : undefined)),
        ...(quote === '' ? [] : indented('    ', wrapped(quote, columns - 4, 'faint'))),
      ]
    }),
    plain(' '),
  ])
}

function indented(mark: string, lines: readonly Line[]): Line[] {
  return lines.map((line, at) => [span(at === 0 ? mark : ' '.repeat(mark.length)), ...line])
}
