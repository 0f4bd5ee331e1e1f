import { describe, expect, it } from 'vitest'
import { foldSegments, SEGMENT_TEXT } from './fold-segments.ts'

const whole = (live: number) => ({ live, all: live })

describe('segments that are made anew with what changed', () => {
  it.each([
    ['none that is larger', [whole(1000)], 10, []],
    ['those that are not larger', [whole(1000), whole(10)], 10, [1]],
    ['one after the other, as the sum grows', [whole(40), whole(1000), whole(10), whole(20)], 10, [0, 2, 3]],
    ['those of which little is left', [{ live: 400, all: 1000 }, whole(900)], 10, [0]],
    ['those of which nothing is left', [{ live: 0, all: 1000 }], 10, [0]],
    ['none when there is enough for one', [whole(SEGMENT_TEXT), whole(SEGMENT_TEXT)], SEGMENT_TEXT, []],
  ])('%s', (_, segments, changed, folded) => {
    expect([...foldSegments(segments, changed)].sort()).toEqual(folded)
  })

  it('stay few, and a file is not read again often', () => {
    const segments: number[] = []
    let read = 0
    for (let time = 0; time < 1000; time++) {
      const folded = foldSegments(segments.map(whole), 100)
      const size = 100 + [...folded].reduce((sum, at) => sum + segments[at]!, 0)
      read += size
      segments.splice(0, segments.length, ...segments.filter((_, at) => !folded.has(at)), size)
    }
    expect(segments.length).toBeLessThanOrEqual(10)
    expect(read / (1000 * 100)).toBeLessThanOrEqual(11)
  })
})
