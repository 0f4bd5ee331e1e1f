import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force'
import { useMemo } from 'preact/hooks'
import type { Similar } from '../../../loadout.ts'
import { choose, chosen } from '../address.ts'
import type { Answer } from '../api.ts'
import { count, grouped, line } from '../format.ts'
import { Badge } from '../parts/badge.tsx'
import { Command } from '../parts/command.tsx'
import { Notices } from '../parts/notices.tsx'
import { Answered, Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../use-answer.ts'

type Pair = Similar['pairs'][number]

const ABOUT = ['library', 'installs', 'project', 'consent'] as const
/** More lines than this are a ball of wool; the table has them all. */
const MOST_DRAWN = 120

export default function OverlapsScreen() {
  const asked = useAnswer<Similar>('/api/similar', {}, ABOUT)
  return (
    <Screen
      title="Overlaps"
      summary="Entries that answer the same questions: for each of them the agent may load the other one."
    >
      <Answered asked={asked}>{(similar) => <Overlaps similar={similar} />}</Answered>
    </Screen>
  )
}

const keyOf = ({ a, b }: Pair) => `${a} ${b}`

function Overlaps({ similar }: { similar: Answer<Similar> }) {
  const { pairs, entries, asked, findings } = similar
  const open = pairs.find((pair) => keyOf(pair) === chosen('pair'))
  if (pairs.length === 0) {
    return (
      <>
        <Notices findings={findings} />
        <p class="card">
          {asked === 0
            ? 'Nothing is known here yet: no skills, payloads or packs.'
            : `No two of ${count(asked, 'entry', 'entries')} answer the same questions.`}
        </p>
      </>
    )
  }
  const untaught = entries.filter(({ examples }) => examples === 0).length
  return (
    <>
      <Notices findings={findings} />
      <section class="card stack" aria-label="Picture">
        <p>
          {count(pairs.length, 'pair')} among {count(entries.length, 'entry', 'entries')} of {grouped(asked)}.{' '}
          {untaught > 0 && (
            <>
              <Badge tone="warn">{grouped(untaught)} without examples</Badge> <Command text="loadout teach --export" />
            </>
          )}
        </p>
        <Graph similar={similar} open={open} />
      </section>
      {open && <PairView pair={open} />}
      <section class="card stack" aria-label="Pairs">
        <Table
          label="Pairs"
          rows={pairs}
          keyOf={keyOf}
          current={chosen('pair')}
          onMove={(pair) => choose({ pair: keyOf(pair) })}
          columns={[
            { name: 'entry', width: 'minmax(7rem, 1fr)', cell: ({ a }) => <span class="clip">{line(a)}</span> },
            { name: 'and', width: 'minmax(7rem, 1fr)', cell: ({ b }) => <span class="clip">{line(b)}</span> },
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
    </>
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

const [WIDTH, HEIGHT] = [900, 480]

/** The same picture for the same pairs: it is laid out before it is shown, and nothing moves. */
function layOut({ pairs, entries }: Similar) {
  const drawn = pairs.slice(0, MOST_DRAWN)
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
  const scale = Math.min((WIDTH - 180) / Math.max(right - left, 1), (HEIGHT - 40) / Math.max(bottom - top, 1), 2)
  const place = new Map(
    nodes.map(({ id, x = 0, y = 0 }) => [
      id,
      { x: WIDTH / 2 + (x - (left + right) / 2) * scale, y: HEIGHT / 2 + (y - (top + bottom) / 2) * scale },
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
const MOST_NAMED = 40

function Graph({ similar, open }: { similar: Similar; open: Pair | undefined }) {
  const { nodes, drawn, at } = useMemo(() => layOut(similar), [similar])
  const isOpen = (id: string) => open !== undefined && (open.a === id || open.b === id)
  const label = `${count(drawn.length, 'pair')} drawn as lines; the table below lists and opens them`
  return (
    <>
      <svg class="graph" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {drawn.map((pair) => {
          const [from, to] = [at(pair.a), at(pair.b)]
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table below does the same with the keyboard
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
              {(nodes.length <= MOST_NAMED || isOpen(id)) && (
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
