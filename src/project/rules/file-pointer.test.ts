import { expect, it } from 'vitest'
import { pointerText } from './file-pointer.ts'

const at = { path: 'src/a.ts', start: 3, end: 9, score: 1, why: '' }

it.each([
  ['openGate', 'src/a.ts:3-9  openGate'],
  [undefined, 'src/a.ts:3-9'],
  ['bumpVersionsWithWorkspaceProtocolOnly', 'src/a.ts:3-9  bumpVersionsWithWorkspaceProtocolOnly'],
  ['Ask jane@example.org first', 'src/a.ts:3-9'],
  ['The key ghp_1a2b3c4d5e6f7a8b9c0d1e2f', 'src/a.ts:3-9'],
  ['Release 2.10.3 of 2026', 'src/a.ts:3-9  Release 2.10.3 of 2026'],
  ['x'.repeat(200), `src/a.ts:3-9  ${'x'.repeat(80)}`],
])('a pointer to %s', (symbol, text) => {
  expect(pointerText({ ...at, symbol })).toBe(text)
})
