import { endOf, insideOf, type Line, pane, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { inColumns, listLines, problemLines, textPane } from '../frame/rows.ts'
import { renderMarkdown } from '../markdown.ts'
import { activeProject, type ImportState, type Model, shortPath, step, type Updated } from '../model.ts'
import { findBest, parseFilter, scoreWords } from './filter.ts'
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
  const row = inColumns(rows, (each) => importCells(each, imports.chosen.includes(each.name)))
  const lines = listLines(rows, imports.at, inside, row, imports.focus === 'list')
  const shown = lines.length > 0 ? lines : noImports(model, problems.import, inside.columns)
  return pane(importTitle(model, inside.columns), shown, size, imports.focus === 'list')
}

function importTitle({ imports }: Model, columns: number): Line {
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

function importCells({ name, detail, standing, problem, isKnown }: ImportRow, isChosen: boolean): Line[] {
  const tick = problem !== undefined ? '✗' : isKnown ? '●' : isChosen ? '☑' : '☐'
  const note =
    problem !== undefined
      ? styled('blocked', 'alert')
      : standing === undefined
        ? plain('new')
        : styled('known', 'faint')
  return [plain(`${tick} ${name}`), note, styled(detail, 'faint')]
}

function noImports({ imports }: Model, problem: Model['notice'], columns: number): Line[] {
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

/** A skill that may be imported, wherever it was found. */
export interface ImportRow {
  name: string
  description: string
  /** The agents that it supports, or its folder in the source. */
  detail: string
  paths: string[]
  text: string
  /** Its state relative to the library, if it is not new. */
  standing?: string
  /** Why it cannot be imported. */
  problem?: string
  /** There is nothing to import: the library has it, and its source has no copy that could become an install. */
  isKnown?: true
}

const rowsOf = new WeakMap<ImportState, ImportRow[]>()

/** The rows that match the filter. */
export function importRows(imports: ImportState): ImportRow[] {
  const known = rowsOf.get(imports)
  if (known !== undefined) return known
  const words = parseFilter(imports.filter).map(({ word }) => word)
  const rows = findBest(allRows(imports), ({ name, description, detail }, isLoose) =>
    scoreWords(words, { name, text: `${description} ${detail}` }, isLoose),
  )
  rowsOf.set(imports, rows)
  return rows
}

function allRows({ candidates, found, source }: ImportState): ImportRow[] {
  if (source !== undefined) {
    return (found?.offers ?? []).map(({ name, description, folder, plugin, state, reason, text = '' }) => ({
      name,
      description,
      detail: plugin === undefined ? folder : `${plugin}: ${folder}`,
      paths: [folder],
      text,
      standing: state === 'unchanged' ? 'in the library already: U updates it' : undefined,
      isKnown: state === 'unchanged' || undefined,
      problem: state === 'taken' || state === 'blocked' ? (reason ?? state) : undefined,
    }))
  }
  return (candidates ?? []).map(({ name, description, targets, paths, state, problem, manager, text = '' }) => ({
    name,
    description,
    detail: targets.join(', '),
    paths: [...paths, ...(manager === undefined ? [] : [`from ${manager}`])],
    text,
    standing: state === 'identical' || state === 'same' ? 'as in the library: to be managed' : undefined,
    problem,
  }))
}

/** Chooses the skill under the cursor, or leaves it. */
export function chooseOne(model: Model): Updated {
  const { imports } = model
  const row = importRows(imports)[imports.at]
  if (row === undefined) return step(model)
  if (row.problem !== undefined) return step({ ...model, notice: { tone: 'alert', text: row.problem } })
  if (row.isKnown) return step({ ...model, notice: { tone: 'plain', text: `${row.name} is ${row.standing}` } })
  const isChosen = imports.chosen.includes(row.name)
  const chosen = isChosen ? imports.chosen.filter((name) => name !== row.name) : [...imports.chosen, row.name]
  return step({ ...model, imports: { ...imports, chosen } })
}

/** Chooses all matching skills that can be imported; again: none of them. */
export function chooseAll(model: Model): Updated {
  const { imports } = model
  const free = importRows(imports).flatMap(({ problem, isKnown, name }) =>
    problem === undefined && !isKnown ? [name] : [],
  )
  const others = imports.chosen.filter((name) => !free.includes(name))
  const isAll = free.every((name) => imports.chosen.includes(name))
  return step({ ...model, imports: { ...imports, chosen: isAll ? others : [...others, ...free] } })
}

/** Imports the chosen skills, or the one under the cursor. Copies in the agents' folders become managed installs. */
export function importChosen(model: Model): Updated {
  const { imports } = model
  const { chosen, at, source } = imports
  const current = importRows(imports)[at]
  if (chosen.length === 0 && current?.problem !== undefined) {
    return step({ ...model, notice: { tone: 'alert', text: `${current.name}: ${current.problem}` } })
  }
  if (chosen.length === 0 && current?.isKnown) return chooseOne(model)
  const names = chosen.length > 0 ? [...chosen] : current === undefined ? [] : [current.name]
  if (names.length === 0) return step(model)
  return step({ ...model, notice: undefined }, { kind: 'import', names, source, project: activeProject(model) })
}

export function askSource(model: Model): Updated {
  const question = 'Import from: folder, archive, git address or owner/repo'
  const overlay = { kind: 'ask', question, text: model.imports.source ?? '', asking: { for: 'source' } } as const
  return step({ ...model, overlay })
}

/** Shows the skills of a source; without a source, those in the agents' folders. */
export function readSource(model: Model, typed: string): Updated {
  const source = typed.trim() === '' ? undefined : typed.trim()
  const imports = { ...model.imports, source, found: undefined, chosen: [], filter: '', at: 0, scroll: 0 }
  const problems = { ...model.problems, import: undefined }
  const next: Model = { ...model, imports: { ...imports, focus: 'list' }, problems, screen: 'import' }
  const project = activeProject(model)
  return step(
    next,
    source === undefined ? { kind: 'load candidates', project } : { kind: 'load offers', source, project },
  )
}

export function setImportFilter(model: Model, filter: string): Updated {
  return step({ ...model, imports: { ...model.imports, filter, at: 0, scroll: 0 } })
}
