import type { SavedProfile } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { insideOf, type Line, pane, plain, type Size, styled, wrapped } from '../frame/line.ts'
import { inColumns, listLines, problemLines } from '../frame/rows.ts'
import type { Model } from '../model.ts'

export function viewProfiles({ profiles, problems }: Model, size: Size): Line[] {
  const { list, at } = profiles
  const inside = insideOf(size)
  const lines = listLines(list ?? [], at, inside, inColumns(list ?? [], cells))
  const shown = lines.length > 0 ? lines : empty(list, problems.profiles, inside.columns)
  return pane(styled('Profiles', 'strong'), shown, size, true)
}

function cells({ name, profile }: SavedProfile): Line[] {
  const agents = [...new Set(Object.values(profile).flat())]
  return [plain(name), plain(count(Object.keys(profile).length, 'skill')), styled(`for ${agents.join(', ')}`, 'faint')]
}

function empty(list: unknown, problem: Model['notice'], columns: number): Line[] {
  if (list !== undefined) return wrapped('No profile yet. n writes down which agent has which skill now.', columns)
  return problemLines(problem, 'reading…', columns)
}
