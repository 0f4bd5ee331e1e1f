import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Similar } from '../../../../loadout.ts'
import { choose, chosen } from '../../address.ts'
import type { Answer } from '../../api.ts'
import { count, grouped, line } from '../../format.ts'
import { Notices } from '../../parts/notices.tsx'
import { Answered, Badge, Command, Screen } from '../../parts/screen.tsx'
import { isNarrow, Table } from '../../parts/table.tsx'
import { useAnswer } from '../../use-answer.ts'

type Pair = Similar['pairs'][number]

const OVERLAPS_WATCH = ['library', 'installs', 'project', 'consent'] as const
/** Draws the strongest pairs, and more on request up to a readable number. The table lists all. */
const FEW_DRAWN = 20
const MOST_DRAWN = 200

export default function Overlaps({ tabs }: { tabs: ComponentChildren }) {
  const asked = useAnswer<Similar>('/api/similar', {}, OVERLAPS_WATCH)
  return (
    <Screen
      title="Skills"
      summary="Entries that answer the same questions: for each of them the agent may load the other one."
      tabs={tabs}
    >
      <Answered asked={asked}>{(similar) => <Pairs similar={similar} />}</Answered>
    </Screen>
  )
}

const keyOf = ({ a, b }: Pair) => `${a} ${b}`

function Pairs({ similar }: { similar: Answer<Similar> }) {
  const { pairs, entries, asked, findings } = similar
  const open = pairs.find((pair) => keyOf(pair) === chosen('pair'))
  if (pairs.length === 0) {
    return (
      <>
        <Notices findings={findings} />
        <p class="card">
          {asked < 2
            ? 'Nothing to compare yet: fewer than two skills, payloads or packs are known here.'
            : `No two of ${count(asked, 'entry', 'entries')} answer the same questions.`}
        </p>
      </>
    )
  }
  const untaught = entries.filter(({ examples }) => examples === 0).length
  return (
    <>
      <Notices findings={findings} />
      <div class="picture-and-pairs">
        <div class="stack">
          <section class="card stack" aria-label="Picture">
            <p>
              {count(pairs.length, 'pair')} among {count(entries.length, 'entry', 'entries')} of {grouped(asked)}.{' '}
              {untaught > 0 && (
                <>
                  <Badge tone="warn">{grouped(untaught)} without examples</Badge>{' '}
                  <Command text="loadout teach --export" />
                </>
              )}
            </p>
            <Graph similar={similar} open={open} />
            {pairs.length > FEW_DRAWN && <HowMany pairs={pairs.length} />}
          </section>
          {open && <PairView pair={open} />}
        </div>
        <section class="card stack" aria-label="Pairs">
          <Table
            label="Pairs"
            rows={pairs}
            keyOf={keyOf}
            current={chosen('pair')}
            onMove={(pair) => choose({ pair: keyOf(pair) })}
            columns={[
              { name: 'entry', width: 'minmax(5rem, 1fr)', cell: ({ a }) => <span class="clip">{line(a)}</span> },
              { name: 'and', width: 'minmax(5rem, 1fr)', cell: ({ b }) => <span class="clip">{line(b)}</span> },
              {
                name: 'questions',
                width: '5.5rem',
                cell: ({ questions }) => grouped(questions.length),
                isNumber: true,
                isExtra: true,
              },
              {
                name: 'strength',
                width: '5rem',
                cell: ({ strength }) => `${Math.round(strength * 100)} %`,
                isNumber: true,
              },
            ]}
          />
        </section>
      </div>
    </>
  )
}

function HowMany({ pairs }: { pairs: number }) {
  const isAll = chosen('drawn') === 'all'
  const most = Math.min(pairs, MOST_DRAWN)
  return (
    <p class="row">
      <span class="muted grow">
        {isAll
          ? `The ${grouped(most)} strongest pairs are drawn.`
          : `The ${FEW_DRAWN} strongest of ${grouped(pairs)} pairs are drawn.`}
      </span>
      <button type="button" class="button" onClick={() => choose({ drawn: isAll ? '' : 'all' })}>
        {isAll
          ? `Draw the ${FEW_DRAWN} strongest`
          : most < pairs
            ? `Draw ${grouped(most)}`
            : `Draw all ${grouped(pairs)}`}
      </button>
    </p>
  )
}

function PairView({ pair }: { pair: Pair }) {
  return (
    <section class="card stack" aria-label="One pair">
      <h2 class="wraps">
        {line(pair.a)} <span class="muted">and</span> {line(pair.b)}
      </h2>
      <ul class="plain-list">
        {pair.questions.map(({ of, question, words }, at) => (
          <li key={at}>
            <span class="wraps">
              “{line(question)}”{' '}
              <span class="muted">
                is a question of {line(of)}; the other answers to {words.map((word) => line(word, 40)).join(', ')}
              </span>
            </span>
          </li>
        ))}
      </ul>
      <p class="row-wrap">
        <Command text={`loadout teach ${pair.a} "…"`} />
        <Command text={`loadout teach ${pair.b} "…"`} />
      </p>
    </section>
  )
}

interface Node extends SimulationNodeDatum {
  id: string
  kind: string
  isTaught: boolean
}

/** About the size on the screen, so that names are readable. */
const SIZES = { narrow: { width: 380, height: 360 }, wide: { width: 800, height: 480 } }

type Size = (typeof SIZES)['wide']

/** Computes the layout before drawing, without randomness: the same pairs always give the same picture. */
function layOut({ pairs, entries }: Similar, open: Pair | undefined, most: number, { width, height }: Size) {
  const strongest = pairs.slice(0, most)
  const drawn = open === undefined || strongest.includes(open) ? strongest : [...strongest, open]
  const inPicture = new Set(drawn.flatMap(({ a, b }) => [a, b]))
  const nodes: Node[] = entries
    .filter(({ id }) => inPicture.has(id))
    .map(({ id, kind, examples }) => ({ id, kind, isTaught: examples > 0 }))
  const links = drawn.map((pair) => ({ pair, source: pair.a, target: pair.b, strength: pair.strength }))
  const simulation = forceSimulation(nodes)
    .force(
      'link',
      forceLink<Node, (typeof links)[number]>(links)
        .id(({ id }) => id)
        .distance(60),
    )
    .force('charge', forceManyBody().strength(-90).distanceMax(260))
    .force('collide', forceCollide(16))
    .force('across', forceX(0).strength(0.05))
    .force('down', forceY(0).strength(0.1))
    .stop()
  simulation.tick(250)
  const [left, right] = extent(nodes.map(({ x = 0 }) => x))
  const [top, bottom] = extent(nodes.map(({ y = 0 }) => y))
  const scale = Math.min((width - 140) / Math.max(right - left, 1), (height - 40) / Math.max(bottom - top, 1), 3)
  const place = new Map(
    nodes.map(({ id, x = 0, y = 0 }) => [
      id,
      { x: (width - 100) / 2 + (x - (left + right) / 2) * scale, y: height / 2 + (y - (top + bottom) / 2) * scale },
    ]),
  )
  return { nodes, drawn, at: (id: string) => place.get(id) ?? { x: 0, y: 0 } }
}

function extent(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

const SHAPES: Record<string, string> = {
  skill: 'M0-6A6 6 0 1 1 0 6 6 6 0 1 1 0-6',
  payload: 'M-5-5H5V5H-5Z',
  pack: 'M0-7 6 4H-6Z',
}

function Graph({ similar, open }: { similar: Similar; open: Pair | undefined }) {
  const most = chosen('drawn') === 'all' ? MOST_DRAWN : FEW_DRAWN
  const size = isNarrow.value ? SIZES.narrow : SIZES.wide
  // Also draws the open pair, even if it is further down the table.
  const { nodes, drawn, at } = useMemo(() => layOut(similar, open, most, size), [similar, open, most, size])
  const isOpen = (id: string) => open !== undefined && (open.a === id || open.b === id)
  const label = `${count(drawn.length, 'pair')} drawn as lines; the table lists and opens them`
  return (
    <>
      <svg class="graph" viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={label}>
        {drawn.map((pair) => {
          const [from, to] = [at(pair.a), at(pair.b)]
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table does the same with the keyboard
            <line
              key={keyOf(pair)}
              class={`graph-line${pair === open ? ' is-current' : ''}`}
              x1={from.x}
              y1={from.y}
              x2={to.x}
              y2={to.y}
              style={{ strokeWidth: 1 + pair.strength * 3 }}
              onClick={() => choose({ pair: keyOf(pair) })}
            >
              <title>{`${line(pair.a)} and ${line(pair.b)}`}</title>
            </line>
          )
        })}
        {nodes.map(({ id, kind, isTaught }) => {
          const { x, y } = at(id)
          return (
            <g
              key={id}
              class={`graph-node${isTaught ? '' : ' is-untaught'}${isOpen(id) ? ' is-current' : ''}`}
              transform={`translate(${x} ${y})`}
            >
              <path d={SHAPES[kind] ?? SHAPES.skill} />
              {(nodes.length <= 40 || isOpen(id)) && (
                <text x={10} y={4}>
                  {line(id.slice(id.indexOf(':') + 1), 26)}
                </text>
              )}
              <title>{line(id)}</title>
            </g>
          )
        })}
      </svg>
      <p class="muted legend">
        circle: skill · square: payload · triangle: pack · hollow: no examples · a thicker line: more alike
      </p>
    </>
  )
}
