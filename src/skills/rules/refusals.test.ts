import { expect, it } from 'vitest'
import { type Refusal, refusalFindings } from './operations.ts'

const refusal = (name: string, reason: string): Refusal => ({ name, folder: name, code: 'INVALID_SKILL', reason })

it('reports each cause once, with all its skills', () => {
  const many = Array.from({ length: 500 }, (_, at) => refusal(`s${at}`, 'it has no description'))
  const findings = refusalFindings([...many, refusal('x', 'it is empty')])
  expect(findings.map(({ message }) => message)).toEqual([
    '500 skills were not imported, because it has no description: s0, s1, s2, s3, s4 and 495 more',
    'x was not imported, because it is empty',
  ])
})
