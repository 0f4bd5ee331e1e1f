import { endOf, insideOf, type Line, pane, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import type { Model } from '../model.ts'
import { SETUP_WAYS, typedPlace } from './setup-state.ts'

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
