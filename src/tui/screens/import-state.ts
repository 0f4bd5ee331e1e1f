import { clamp } from '../frame/rows.ts'
import { activeProject, type ImportState, type Model, type Step, step } from '../model.ts'
import { findBest, parseFilter, scoreWords } from './filter.ts'

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

export function allRows({ candidates, found, source }: ImportState): ImportRow[] {
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

/** Chooses the skill under the cursor and moves to the next one. */
export function chooseOne(model: Model): Step {
  const { imports } = model
  const row = importRows(imports)[imports.at]
  if (row === undefined) return step(model)
  if (row.problem !== undefined) return step({ ...model, notice: { tone: 'alert', text: row.problem } })
  if (row.isKnown) return step({ ...model, notice: { tone: 'plain', text: `${row.name} is ${row.standing}` } })
  const isChosen = imports.chosen.includes(row.name)
  const chosen = isChosen ? imports.chosen.filter((name) => name !== row.name) : [...imports.chosen, row.name]
  const at = clamp(imports.at + 1, importRows(imports).length)
  return step({ ...model, imports: { ...imports, chosen, at, scroll: 0 } })
}

/** Chooses all matching skills that can be imported; again: none of them. */
export function chooseAll(model: Model): Step {
  const { imports } = model
  const free = importRows(imports).flatMap(({ problem, isKnown, name }) =>
    problem === undefined && !isKnown ? [name] : [],
  )
  const others = imports.chosen.filter((name) => !free.includes(name))
  const isAll = free.every((name) => imports.chosen.includes(name))
  return step({ ...model, imports: { ...imports, chosen: isAll ? others : [...others, ...free] } })
}

/** Imports the chosen skills, or the one under the cursor. Copies in the agents' folders become managed installs. */
export function importChosen(model: Model): Step {
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

export function askSource(model: Model): Step {
  const question = 'Import from: folder, archive, git address or owner/repo'
  const overlay = { kind: 'ask', question, text: model.imports.source ?? '', asking: { for: 'source' } } as const
  return step({ ...model, overlay })
}

/** Shows the skills of a source; without a source, those in the agents' folders. */
export function readSource(model: Model, typed: string): Step {
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

export function setImportFilter(model: Model, filter: string): Step {
  return step({ ...model, imports: { ...model.imports, filter, at: 0, scroll: 0 } })
}
