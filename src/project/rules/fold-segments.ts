/** The amount of text in the files of a segment: all of them, and the unchanged ones. */
export interface SegmentText {
  all: number
  live: number
}

/**
 * The segments that are rebuilt together with the changes. Small ones, as long as they are not larger than what is
 * already rebuilt: so there are few segments, and a file is read again only each time their size has doubled. And those
 * of which less than half is left.
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

/** Bytes of text in one segment: memory during a build grows with it. */
export const SEGMENT_TEXT = 16 * 1024 * 1024
