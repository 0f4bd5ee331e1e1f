import { count } from '../text/count.ts'
import { type Asking, activeProject, type Model } from './model.ts'
import { readSource } from './screens/import-state.ts'
import { meantSkills } from './screens/inventory-state.ts'
import { type Step, step } from './step.ts'

/** Asks before skills go from the library: others use it too. */
export function confirmDelete(model: Model): Step {
  const skills = meantSkills(model).filter(({ state }) => state !== 'orphaned')
  const [first] = skills
  if (first === undefined) return step(model)
  const names = skills.map(({ name }) => name)
  const what = skills.length === 1 ? first.name : count(skills.length, 'skill')
  const listed = skills.length === 1 ? '' : `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}. `
  const gone = skills.length === 1 ? 'it is gone' : 'they are gone'
  const text = `${listed}The library is shared: with the next push ${gone} for everybody who uses it. u undoes it.`
  const effect = { kind: 'delete', names, project: activeProject(model) } as const
  const question = `Delete ${what} from the library?`
  return step({ ...model, overlay: { kind: 'confirm', question, text, effect: { ...effect, names } } })
}

/** Does what was asked about. */
export function confirm(model: Model): Step {
  const { overlay } = model
  const closed: Model = { ...model, overlay: undefined }
  return overlay?.kind === 'confirm' ? step(closed, overlay.effect) : step(closed)
}

/** Takes what was typed into a box. */
export function answer(model: Model): Step {
  const { overlay } = model
  const closed: Model = { ...model, overlay: undefined }
  return overlay?.kind === 'ask' ? take(closed, overlay.asking, overlay.text.trim()) : step(closed)
}

function take(model: Model, asking: Asking, text: string): Step {
  switch (asking.for) {
    case 'profile':
      return text === ''
        ? step(model)
        : step(model, { kind: 'save profile', name: text, project: activeProject(model) })
    case 'source':
      return readSource(model, text)
    case 'folder':
      return step(model, { kind: 'set folder', agent: asking.agent, path: text })
    case 'library':
      return text === '' ? step(model) : step(model, { kind: 'set up', way: 'repo', place: text })
  }
}
