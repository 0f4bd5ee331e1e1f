import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import { grouped } from '../format.ts'

export interface Series {
  name: string
  /** A colour of `tokens.css`. */
  colour: string
  values: readonly number[]
  isDashed?: boolean
}

interface ChartProps {
  /** A one-sentence description; the table below has the numbers. */
  label: string
  /** Seconds since 1970. */
  times: readonly number[]
  series: readonly Series[]
  height?: number
}

/** Lines over time, which differ in colour and dash; the legend shows the values under the pointer. */
export function Chart({ label, times, series, height = 220 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const box = place.current
    if (box === null) return
    let chart = draw(box, { times, series, height })
    const again = () => {
      chart.destroy()
      chart = draw(box, { times, series, height })
    }
    const sizes = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
    sizes.observe(box)
    // The chart reads its colours once: draw it again when the theme changes.
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', again)
    return () => {
      sizes.disconnect()
      dark.removeEventListener('change', again)
      chart.destroy()
    }
  }, [times, series, height])
  return <div class="chart" role="img" aria-label={label} ref={place} />
}

function draw(
  box: HTMLElement,
  { times, series, height }: Required<Pick<ChartProps, 'times' | 'series' | 'height'>>,
): UPlot {
  const colour = (name: string) => resolved(box, `var(--${name})`)
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } }
  const lines = series.map(({ name, colour: of, isDashed }) => ({
    label: name,
    stroke: colour(of),
    width: 2,
    points: { show: times.length < 3 },
    ...(isDashed && { dash: [6, 4] }),
    value: (_: UPlot, value: number | null) => (value === null ? '' : grouped(value)),
  }))
  return new UPlot(
    {
      width: Math.max(box.clientWidth, 200),
      height,
      tzDate: (time) => UPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
      cursor: { y: false, points: { size: 6 } },
      scales: { y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.05] } },
      axes: [
        axis,
        {
          ...axis,
          size: 56,
          values: (_, values) => values.map((value) => (Number.isInteger(value) ? grouped(value) : '')),
        },
      ],
      series: [
        {
          label: 'time (UTC)',
          value: (_, time) => (time === null ? '' : new Date(time * 1000).toISOString().slice(0, 16).replace('T', ' ')),
        },
        ...lines,
      ],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    box,
  )
}

/** A colour for a canvas, which does not understand `light-dark`. */
function resolved(box: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  box.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
