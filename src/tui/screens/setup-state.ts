import { type Model, type Step, step } from '../model.ts'

/** The three ways to set up a library. */
export const SETUP_WAYS = [
  { way: 'new', label: 'Make a new library', ask: 'folder', initial: '~/skills' },
  { way: 'clone', label: 'Clone one with git', ask: 'URL', initial: '' },
  { way: 'repo', label: 'Use one that is on this machine', ask: 'folder', initial: '' },
] as const

export function typedPlace({ setup }: Model): string {
  return setup.place === '' ? (SETUP_WAYS[setup.at]?.initial ?? '') : setup.place
}

/** The next way; after the last one the first. The typed text stays. */
export function nextWay(model: Model): Step {
  return step({ ...model, setup: { ...model.setup, at: (model.setup.at + 1) % SETUP_WAYS.length } })
}

export function setUp(model: Model): Step {
  const way = SETUP_WAYS[model.setup.at]?.way ?? 'new'
  const place = typedPlace(model).trim()
  if (place === '') return step({ ...model, notice: { tone: 'alert', text: 'type where it is' } })
  return step({ ...model, notice: undefined }, { kind: 'set up', way, place })
}
