import { endOf, insideOf, type Line, pane, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { type Model, step, type Updated } from '../model.ts'

const INTRODUCTION = 'A library is a git repository of skills. Loadout installs copies for your agents from it.'

export function viewSetup(model: Model, size: Size): Line[] {
  const { at } = model.setup
  const { columns, rows } = insideOf(size)
  const ways = SETUP_WAYS.map(({ label }, row) => (row === at ? styled(`▸ ${label}`, 'strong') : plain(`  ${label}`)))
  const question = `${SETUP_WAYS[at]?.ask ?? ''}: `
  const answer: Line = [span(question, 'faint'), span(`${endOf(typedPlace(model), columns - question.length - 1)}▏`)]
  const introduction = [...wrapped(INTRODUCTION, columns), []]
  const essential = [...ways, answer]
  const lines = rows < introduction.length + essential.length + 1 ? essential : [...introduction, ...ways, [], answer]
  // If not even that fits: the chosen way and the typed text.
  const shown = rows >= essential.length ? lines : rows > 1 ? [ways[at] ?? [], answer] : [ways[at] ?? []]
  return pane(styled('Welcome to Loadout', 'strong'), shown, size, true)
}

/** The three ways to set up a library. */
export const SETUP_WAYS = [
  { way: 'new', label: 'Make a new library', ask: 'folder', initial: '~/skills' },
  { way: 'clone', label: 'Clone one with git', ask: 'URL', initial: '' },
  { way: 'repo', label: 'Use one that is on this machine', ask: 'folder', initial: '' },
] as const

function typedPlace({ setup }: Model): string {
  return setup.place === '' ? (SETUP_WAYS[setup.at]?.initial ?? '') : setup.place
}

/** The next way; after the last one the first. The typed text stays. */
export function nextWay(model: Model): Updated {
  return step({ ...model, setup: { ...model.setup, at: (model.setup.at + 1) % SETUP_WAYS.length } })
}

export function setUp(model: Model): Updated {
  const way = SETUP_WAYS[model.setup.at]?.way ?? 'new'
  const place = typedPlace(model).trim()
  if (place === '') return step({ ...model, notice: { tone: 'alert', text: 'type where it is' } })
  return step({ ...model, notice: undefined }, { kind: 'set up', way, place })
}
