import { graphemes } from '../text/text-width.ts'
import { type Model, step, type Updated } from './model.ts'
import { setImportFilter } from './screens/import.ts'
import { setFilter } from './screens/inventory.ts'

/** Adds to the text that is being typed. Line ends and other controls become blanks: it is one line. */
export function typeText(model: Model, added: string): Updated {
  return putText(model, readText(model) + added.replace(/\p{Cc}+/gu, ' '))
}

/** Removes the last visible character. */
export function eraseLast(model: Model): Updated {
  return putText(model, graphemes(readText(model)).slice(0, -1).join(''))
}

export function eraseAll(model: Model): Updated {
  return putText(model, '')
}

function readText({ overlay, screen, setup, inventory, imports }: Model): string {
  if (overlay?.kind === 'palette') return overlay.query
  if (overlay?.kind === 'ask') return overlay.text
  if (screen === 'import') return imports.filter
  return screen === 'setup' ? setup.place : inventory.filter
}

function putText(model: Model, text: string): Updated {
  const { overlay, setup } = model
  if (overlay?.kind === 'palette') return step({ ...model, overlay: { ...overlay, query: text, at: 0 } })
  if (overlay?.kind === 'ask') return step({ ...model, overlay: { ...overlay, text } })
  if (model.screen === 'setup') return step({ ...model, setup: { ...setup, place: text } })
  return model.screen === 'import' ? setImportFilter(model, text) : setFilter(model, text)
}
