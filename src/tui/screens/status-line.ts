import { grouped } from '../../text/count.ts'
import { clipLine, type Line, lineWidth, type Style, span } from '../frame/line.ts'
import type { Model } from '../model.ts'
import { needsAttention, SIGNS } from '../signs.ts'

/** One thing that the status line tells, in words and in signs. */
interface Part {
  words: string
  signs: string
  style?: Style
  /** The order in which problems are written out, if not all fit. */
  rank?: number
}

/** Branch, remote and working tree of the library; merges and copies that need a decision; what the agents list. */
export function statusLine(model: Model, columns: number): Line {
  const parts = [...libraryParts(model), ...waitingParts(model), ...listParts(model)]
  const shown = parts.map(({ signs, style }): Line => [span(signs, style)])
  // As many in words as fit: the most costly problem first.
  const order = [...parts.keys()].sort((a, b) => (parts[a]?.rank ?? 9) - (parts[b]?.rank ?? 9))
  for (const at of order) {
    const { words, style } = parts[at] ?? { words: '' }
    const longer = shown.with(at, [span(words, style)])
    if (lineWidth(join(longer)) < columns) shown[at] = longer[at] ?? []
  }
  return clipLine(join(shown), columns)
}

/** The part of it that fits beside the scope. */
export function shortStatus(model: Model): Line {
  const parts = [...libraryParts(model), ...waitingParts(model)].filter(({ style }) => style === 'alert')
  return parts.flatMap(({ signs, style }) => [span(' '), span(signs, style)])
}

function join(parts: readonly Line[]): Line {
  return parts.flatMap((part, at) => (at === 0 ? [span(' '), ...part] : [span('  '), ...part]))
}

function libraryParts({ attention }: Model): Part[] {
  const library = attention?.library
  if (library === undefined) return []
  const { branch = 'no branch', remote, ahead, behind, dirty, merges } = library
  const name = remote === undefined ? `${branch}, no remote` : branch
  return [
    { words: name, signs: branch, style: 'faint' },
    ...some(ahead, `↑${ahead} to push`, `↑${ahead}`, 5),
    ...some(behind, `↓${behind} to pull (s)`, `↓${behind}`, 3),
    ...some(dirty, `±${dirty} uncommitted`, `±${dirty}`, 6),
    ...some(merges.length, `⚑${merges.length} to decide (m)`, `⚑${merges.length}`, 1),
  ]
}

/** Installed copies that are not as the library has them, and skills that are not in it. */
function waitingParts({ inventory, scope }: Model): Part[] {
  const { value } = inventory
  if (value === undefined) return []
  const placements = value.skills.flatMap((skill) => skill.placements)
  const drift = placements.filter(({ state }) => state !== 'current' && state !== 'unmanaged').length
  const loose = scope === 'project' ? (value.unmanagedInProject ?? 0) : value.unmanaged
  const where = scope === 'project' ? ' in this project' : ''
  return [
    ...some(loose, `+${loose} to import${where} (i)`, `+${loose}`, 4),
    ...some(drift, drift === 1 ? '≠1 copy differs' : `≠${drift} copies differ`, `≠${drift}`, 7),
  ]
}

function some(number: number, words: string, signs: string, rank: number): Part[] {
  return number === 0 ? [] : [{ words, signs, style: 'alert', rank }]
}

/** How full the list of each agent is; where it drops skills, how many. */
function listParts({ attention }: Model): Part[] {
  return (attention?.rooms ?? []).map(({ agent, skills, cut, dropped, used, room }): Part => {
    const lost = dropped > 0 ? `drops ${grouped(dropped)}` : `cuts ${grouped(cut)}`
    if (dropped + cut > 0) {
      return { words: `${agent} ${lost} of ${grouped(skills)} (b)`, signs: `${agent} ${lost}`, style: 'alert', rank: 2 }
    }
    const full = `${agent} ${room === 0 ? 0 : Math.round((100 * used) / room)}%`
    return { words: `${full} full`, signs: full, style: 'faint' }
  })
}

/** How many skills are in each state that asks for attention. */
export function stateCounts({ inventory }: Model, isWorded: boolean): Line {
  const counts = new Map<string, number>()
  for (const { state } of inventory.value?.skills ?? []) {
    if (!needsAttention(state)) continue
    const { sign, word } = SIGNS[state]
    const key = isWorded ? `${sign} ${word}` : sign
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const texts = [...counts].map(([key, number]) => key.replace(/^(\S)/, `$1${number}`))
  return [span(`${texts.join('  ')} `, 'alert')]
}
