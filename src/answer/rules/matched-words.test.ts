import { expect, it } from 'vitest'
import { type BundleFile, matchedSpans } from './bundle.ts'

const part = (excerpt: string, reason: string, sections?: BundleFile['sections']) =>
  ({ excerpt, reason, sections }) as BundleFile

it.each<[string, BundleFile, string[]]>([
  [
    'every form of a word',
    part('A refund refunds what was refunded.', 'keywords [refund]'),
    ['refund', 'refunds', 'refunded'],
  ],
  ['words of several fields', part('Order and ticket.', 'text [order], file name [ticket]'), ['Order', 'ticket']],
  ['parts of a name', part('function ordersOf(ticket)', 'defines [order]'), ['orders']],
  ['a related word', part('Cancel it.', 'name [stop as cancel]'), ['Cancel']],
  [
    'words of a section',
    part('the origin header', 'x', [{ start: 1, end: 1, score: 1, reason: 'cors: origin, allow' }]),
    ['origin'],
  ],
  ['nothing where nothing was weighed', part('control plane', 'control plane: always'), []],
  ['no letters alone', part('a b a', 'text [a]'), []],
])('%s', (_, file, words) => {
  expect(matchedSpans(file).map(([start, end]) => file.excerpt.slice(start, end))).toEqual(words)
})

it('a text of one word a million times is not marked without end', () => {
  expect(matchedSpans(part('order '.repeat(1_000_000), 'text [order]'))).toHaveLength(500)
})
