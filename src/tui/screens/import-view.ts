import { endOf, insideOf, type Line, pane, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { inColumns, listLines, problemLines, textPane } from '../frame/rows.ts'
import { renderMarkdown } from '../markdown.ts'
import { type Model, shortPath } from '../model.ts'
import { allRows, type ImportRow, importRows } from './import-state.ts'
import { splitPanes } from './regions.ts'

export function viewImport(model: Model, size: Size): Line[] {
  const { imports } = model
  const current = importRows(imports)[imports.at]
  const { list, below } = current === undefined ? { list: size } : splitPanes(size, size.rows, imports.focus)
  const upper = list === undefined ? [] : viewRows(model, list)
  if (current === undefined || below === undefined) return upper
  const lines = importText(model, insideOf(below).columns)
  return [...upper, ...textPane(styled(current.name, 'strong'), lines, imports.scroll, below, imports.focus === 'text')]
}

function viewRows(model: Model, size: Size): Line[] {
  const { imports, problems } = model
  const rows = importRows(imports)
  const inside = insideOf(size)
  const row = inColumns(rows, (each) => cells(each, imports.chosen.includes(each.name)))
  const lines = listLines(rows, imports.at, inside, row, imports.focus === 'list')
  const shown = lines.length > 0 ? lines : empty(model, problems.import, inside.columns)
  return pane(titleOf(model, inside.columns), shown, size, imports.focus === 'list')
}

function titleOf({ imports }: Model, columns: number): Line {
  const { chosen, source, filter, isFiltering } = imports
  const isRead = source === undefined ? imports.candidates !== undefined : imports.found !== undefined
  const [shown, all] = [importRows(imports).length, allRows(imports).length]
  const counts = !isRead
    ? ''
    : ` ${chosen.length > 0 ? `${chosen.length} of ` : ''}${shown === all ? all : `${shown}/${all}`}`
  const typed = filter === '' && !isFiltering ? '' : ` /${endOf(filter, 24)}${isFiltering ? '▏' : ''}`
  const from = source === undefined ? '' : ` from ${endOf(source, Math.max(8, columns - 30))}`
  return [span(`Import${counts}`, 'strong'), span(typed, 'accent'), span(from, 'faint')]
}

function cells({ name, detail, standing, problem, isKnown }: ImportRow, isChosen: boolean): Line[] {
  const tick = problem !== undefined ? '✗' : isKnown ? '●' : isChosen ? '☑' : '☐'
  const note =
    problem !== undefined
      ? styled('blocked', 'alert')
      : standing === undefined
        ? plain('new')
        : styled('known', 'faint')
  return [plain(`${tick} ${name}`), note, styled(detail, 'faint')]
}

function empty({ imports }: Model, problem: Model['notice'], columns: number): Line[] {
  const { candidates, source, found, filter } = imports
  if (problem !== undefined) return problemLines(problem, '', columns)
  if (filter !== '') return wrapped(`no skill fits "${filter}"`, columns)
  const isRead = source === undefined ? candidates !== undefined : found !== undefined
  if (!isRead) return wrapped('looking…', columns)
  if (source !== undefined) return wrapped(`${source} offers no skill.`, columns)
  return [
    ...wrapped('The folders of the agents hold no skill that Loadout could import.', columns),
    [],
    ...wrapped('f imports from another folder, an archive, a git address or owner/repo', columns),
  ]
}

/** Description of a skill, why it cannot be imported, its paths, and its text. */
export function importText(model: Model, columns: number): Line[] {
  const row = importRows(model.imports)[model.imports.at]
  if (row === undefined) return []
  const { description, problem, standing, paths, text } = row
  const leftOut = model.imports.found?.leftOut ?? []
  return [
    ...(problem === undefined ? wrapped(description, columns) : wrapped(problem, columns, 'alert')),
    ...(standing === undefined ? [] : wrapped(standing, columns, 'faint')),
    [],
    ...paths.flatMap((path) => wrapped(shortPath(model, path), columns, 'faint')),
    ...leftOut.flatMap(({ count, reason }) => wrapped(`left out: ${count}, ${reason}`, columns, 'faint')),
    ...(text === '' ? [] : [styled('─'.repeat(columns), 'faint'), ...renderMarkdown(text, columns)]),
  ]
}
