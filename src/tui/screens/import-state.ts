import { activeProject, type Model } from '../model.ts'
import { type Step, step } from '../step.ts'

export function chooseOne(model: Model): Step {
  const { imports } = model
  const candidate = imports.candidates?.[imports.at]
  if (candidate === undefined) return step(model)
  if (candidate.problem !== undefined) return step({ ...model, notice: { tone: 'alert', text: candidate.problem } })
  const isChosen = imports.chosen.includes(candidate.name)
  const chosen = isChosen
    ? imports.chosen.filter((name) => name !== candidate.name)
    : [...imports.chosen, candidate.name]
  return step({ ...model, imports: { ...imports, chosen } })
}

/** All that can be imported; once more takes that back. */
export function chooseAll(model: Model): Step {
  const { imports } = model
  const free = (imports.candidates ?? []).filter(({ problem }) => problem === undefined).map(({ name }) => name)
  const chosen = imports.chosen.length === free.length ? [] : free
  return step({ ...model, imports: { ...imports, chosen } })
}

/** Imports what is chosen, or else what is under the cursor. The copies become managed installs. */
export function importChosen(model: Model): Step {
  const { candidates = [], chosen, at } = model.imports
  const current = candidates[at]
  if (chosen.length === 0 && current?.problem !== undefined) {
    return step({ ...model, notice: { tone: 'alert', text: `${current.name}: ${current.problem}` } })
  }
  const names = chosen.length > 0 ? [...chosen] : current === undefined ? [] : [current.name]
  if (names.length === 0) return step(model)
  return step({ ...model, notice: undefined }, { kind: 'import', names, project: activeProject(model) })
}
