import { grouped } from '../format.ts'
import type { Tone } from './screen.tsx'

export interface Segment {
  id: string
  label: string
  size: number
  tone: Tone
  isOff?: boolean
}

/** More segments than this are thinner than a pixel: neighbours of one tone become one. */
const MOST = 160

interface BarProps {
  /** A text version of the bar for screen readers. */
  label: string
  segments: readonly Segment[]
  /** The budget; the segments may exceed it. */
  room: number
  unit: string
  current?: string
  onPoint?(id: string | undefined): void
  onPick?(id: string): void
}

/** A budget and the share of each part. The table below it shows the same, and can change it. */
export function Bar({ label, segments, room, unit, current, onPoint, onPick }: BarProps) {
  const used = segments.reduce((sum, { size }) => sum + size, 0)
  const whole = Math.max(room, used, 1)
  const share = (size: number) => `${(size / whole) * 100}%`
  return (
    <div class="bar" role="img" aria-label={label}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the table below does the same with the keyboard */}
      <div class="bar-track" onMouseLeave={() => onPoint?.(undefined)}>
        {joined(segments, whole).map(({ id, label: name, size, tone, isOff }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: as above
          // biome-ignore lint/a11y/useKeyWithClickEvents: as above
          <span
            key={id}
            class={`bar-part tone-${tone}${isOff ? ' is-off' : ''}${current === id ? ' is-current' : ''}${size > whole / MOST ? ' has-edge' : ''}`}
            style={{ width: share(size) }}
            title={`${name}: ${grouped(size)} ${unit}`}
            onMouseEnter={() => onPoint?.(id)}
            onClick={() => onPick?.(id)}
          />
        ))}
        {used > room && <span class="bar-limit" style={{ left: share(room) }} />}
      </div>
    </div>
  )
}

function joined(segments: readonly Segment[], whole: number): Segment[] {
  if (segments.length <= MOST) return segments.filter(({ size }) => size > 0)
  const groups: (Segment & { count: number })[] = []
  for (const segment of segments) {
    const last = groups.at(-1)
    const isSame = last?.tone === segment.tone && last.isOff === segment.isOff
    if (last && isSame && last.size < whole / MOST) {
      last.size += segment.size
      last.count += 1
      last.label = `${grouped(last.count)} entries`
    } else groups.push({ ...segment, count: 1 })
  }
  return groups
}
