import type { CandidateView } from '../../loadout.ts'
import { insideOf, type Line, pane, type Size, span, styled, wrapped } from '../frame/line.ts'
import { listLines } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { problemLines } from './problem-lines.ts'
import { withPaneBelow } from './regions.ts'

export function viewImport({ imports, problems }: Model, size: Size): Line[] {
  const { candidates, chosen, at } = imports
  const current = candidates?.[at]
  const { list, below } = current === undefined ? { list: size } : withPaneBelow(size, 10)
  const inside = insideOf(list)
  const lines = listLines(candidates ?? [], at, inside, (candidate) => row(candidate, chosen.includes(candidate.name)))
  const title = `Import ${chosen.length > 0 ? `${chosen.length} of ` : ''}${candidates?.length ?? ''}`.trimEnd()
  const shown = lines.length > 0 ? lines : empty(candidates, problems.import, inside.columns)
  const upper = pane(styled(title, 'strong'), shown, list, true)
  return current === undefined || below === undefined ? upper : [...upper, ...viewCandidate(current, below)]
}

function row({ name, targets, problem }: CandidateView, isChosen: boolean): Line {
  const blocked = problem === undefined ? [] : styled('  ✗ blocked', 'alert')
  return [span(`${isChosen ? '☑' : '☐'} ${name}  `), span(targets.join(', '), 'faint'), ...blocked]
}

function empty(candidates: unknown, problem: Model['notice'], columns: number): Line[] {
  if (candidates !== undefined) return wrapped('Every skill in the folders of the agents is in the library.', columns)
  return problemLines(problem, 'looking…', columns)
}

function viewCandidate({ name, description, problem, paths }: CandidateView, size: Size): Line[] {
  const { columns } = insideOf(size)
  const about = problem === undefined ? wrapped(description, columns) : wrapped(problem, columns, 'alert')
  const lines = [...about, [], ...paths.map((path) => styled(path, 'faint'))]
  return pane(styled(name, 'strong'), lines, size, false)
}
