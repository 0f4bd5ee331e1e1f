import { expect, it } from 'vitest'
import { type Finding, report } from '../../../text/trouble.ts'
import { toFinding } from '../pack.ts'
import { type ActivePack, isToldElsewhere } from './pack-context.ts'

const active = [{ pack: { manifest: { name: 'water' } } }] as ActivePack[]
const changed = report('TEXT_CHANGED/pack-bytes', {}, { path: 'wiki/tide.md' })

it.each<[string, Finding, boolean]>([
  ['a warning about a file of an active pack', toFinding(changed, 'water'), true],
  ['an error about a file of an active pack', toFinding({ ...changed, severity: 'error' }, 'water'), false],
  ['a warning about a file of another pack', toFinding(changed, 'fire'), false],
  ['a place without packs', report('discovery.skipped/more-places', { unreported: 2 }), true],
  [
    'a refused pack',
    { severity: 'warning', code: 'APPROVAL_NEEDED', message: 'the pack water', subject: 'water' },
    false,
  ],
])('tells whether the text or the list of packs has %s already', (_, finding, isTold) => {
  expect(isToldElsewhere(finding, { active })).toBe(isTold)
})
