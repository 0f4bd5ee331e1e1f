/** How much text the files of a segment have: all of them, and those that are still as they were. */
export interface SegmentText {
  all: number
  live: number
}

/**
 * Which segments are made anew together with what changed. Small ones are, as long as they are not larger than what is
 * made anew already: so there are few segments, and a file is read again only each time that their size has doubled. And
 * those of which less than half is left.
 */
export function foldSegments(segments: readonly SegmentText[], changed: number): Set<number> {
  const bySize = segments.map(({ live }, at) => ({ live, at })).sort((a, b) => a.live - b.live || a.at - b.at)
  const folded = new Set<number>()
  let size = changed
  for (const { live, at } of bySize) {
    const isMostlyGone = 2 * live < segments[at]!.all
    if (live > size && !isMostlyGone) continue
    if (size >= SEGMENT_TEXT && !isMostlyGone) continue
    folded.add(at)
    size += live
  }
  return folded
}

/** Bytes of text in one segment: what is kept in memory while an index is built grows with it. */
export const SEGMENT_TEXT = 16 * 1024 * 1024
