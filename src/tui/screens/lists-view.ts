import type { ListingRoom } from '../../loadout.ts'
import { grouped } from '../../text/count.ts'
import { insideOf, type Line, type Size, span, styled, wrapped } from '../frame/line.ts'
import { textPane } from '../frame/rows.ts'
import type { Model } from '../model.ts'

/** How full the list of skills is that each agent shows its model, and what helps if it is too full. */
export function viewLists(model: Model, size: Size): Line[] {
  const title = styled('What the agents list', 'strong')
  return textPane(title, listsLines(model, insideOf(size).columns), model.lists.at, size)
}

export function listsLines({ attention }: Model, columns: number): Line[] {
  if (attention === undefined) return wrapped('reading…', columns)
  const { rooms } = attention
  if (rooms.length === 0) return wrapped('No enabled agent is known to limit its list of skills.', columns)
  return rooms.flatMap((room, at) => [...(at === 0 ? [] : [[]]), ...roomLines(room, columns)])
}

const GAUGE = 12

function roomLines(
  { label, agent, skills, cut, dropped, used, room, unit, problem }: ListingRoom,
  columns: number,
): Line[] {
  const isFull = dropped + cut > 0
  const share = room === 0 ? 0 : used / room
  const filled = isFull ? GAUGE : Math.min(GAUGE, Math.round(share * GAUGE))
  const style = isFull ? 'alert' : 'good'
  const gauge = span(`${'█'.repeat(filled)}${'░'.repeat(GAUGE - filled)}`, style)
  const how = span(isFull ? ' full' : ` ${Math.round(share * 100)}%`, style)
  const whole = skills - cut - dropped
  const counts = `${grouped(whole)} shown whole, ${grouped(cut)} cut, ${grouped(dropped)} without a description`
  return [
    [span(`${label}  `, 'strong'), gauge, how],
    ...wrapped(`${grouped(used)} of ${grouped(room)} ${unit}`, columns, 'faint'),
    ...wrapped(counts, columns),
    ...(problem === undefined ? [] : wrapped(problem.message, columns, 'alert')),
    ...(problem?.hint ?? '').split('; ').flatMap((hint) => wrapped(hint, columns, 'accent')),
    ...wrapped(`loadout see ${agent} lists every one`, columns, 'faint'),
  ]
}
