import { add, type HookSettings, onlyOne, type Read, removeOutermost, requireKind } from './hook-settings.ts'
import { applyEdits, type Container, findProperty, type Item, type SettingsTree, textAt } from './settings-layout.ts'

const NAME_ONLY = 'name-only'

/** Adds settings that list only the names of skills. Keeps existing settings of a skill. */
export function addNameOnly(before: HookSettings, key: string, names: readonly string[], read: Read): HookSettings {
  let { text, blanks } = before
  for (const name of names) {
    const tree = read(text)
    const table = findTable(tree, key)
    if (table !== undefined && findProperty(table, name) !== undefined) continue
    const step =
      table === undefined
        ? add(tree, '', tree.root, { key, value: { [name]: NAME_ONLY } })
        : add(tree, key, table.value, { key: name, value: NAME_ONLY })
    text = applyEdits(text, step.edits)
    blanks = { ...blanks, ...step.blanks }
  }
  return { text, blanks }
}

/** Undoes `addNameOnly`, except for skills whose setting was changed since. */
export function removeNameOnly(before: HookSettings, key: string, names: readonly string[], read: Read): HookSettings {
  let { text } = before
  for (const name of names.toReversed()) {
    const tree = read(text)
    const table = findTable(tree, key)
    const item = table && findProperty(table, name)
    if (table === undefined || item === undefined || textAt(table, name) !== NAME_ONLY) continue
    const edits = removeOutermost(tree, before.blanks, [
      ['', tree.root as Container, table],
      [key, table.value as Container, item],
    ])
    text = applyEdits(text, edits)
  }
  return { text, blanks: before.blanks }
}

function findTable(tree: SettingsTree, key: string): Item | undefined {
  requireKind(tree, tree.root, 'object', 'the file')
  const table = onlyOne(tree, tree.root, key, `"${key}"`)
  if (table !== undefined) requireKind(tree, table.value, 'object', `"${key}"`)
  return table
}
