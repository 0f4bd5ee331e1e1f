import { add, type HookSettings, onlyOne, type Read, removeOutermost, requireKind } from './hook-settings.ts'
import { applyEdits, type Container, findProperty, type Item, type SettingsTree, textAt } from './settings-layout.ts'

/** Skill → what the settings should say about it. */
export type Switches = Readonly<Record<string, 'name-only' | 'on' | 'off'>>

/** The form of the setting: a table of words, a list of names, or tables in TOML. */
export type SwitchForm = 'overrides' | 'disabled' | 'switches'

/** Adds a setting for each skill that has none yet. */
export function addSwitches(
  before: HookSettings,
  { form, key }: { form: SwitchForm; key: string },
  switches: Switches,
  read: Read,
): HookSettings {
  if (form === 'switches') return addTables(before, key, Object.keys(switches))
  let { text, blanks } = before
  const kind = form === 'overrides' ? 'object' : 'array'
  const contentOf = (names: readonly string[]) =>
    form === 'overrides' ? Object.fromEntries(names.map((name) => [name, switches[name]])) : names
  const setting = findSetting(read(text), key, kind)
  const missing = Object.keys(switches).filter((name) => itemOf(setting, name) === undefined)
  const steps = setting === undefined && missing.length > 0 ? [missing] : missing.map((name) => [name])
  for (const names of steps) {
    const tree = read(text)
    const at = findSetting(tree, key, kind)
    const name = names[0]!
    const item = form === 'overrides' ? { key: name, value: switches[name] } : { value: name }
    const step =
      at === undefined ? add(tree, '', tree.root, { key, value: contentOf(names) }) : add(tree, key, at.value, item)
    text = applyEdits(text, step.edits)
    blanks = { ...blanks, ...step.blanks }
  }
  return { text, blanks }
}

/** Undoes `addSwitches`, except for skills whose setting was changed since. */
export function removeSwitches(
  before: HookSettings,
  { form, key }: { form: SwitchForm; key: string },
  switches: Switches,
  read: Read,
): HookSettings {
  if (form === 'switches') return removeTables(before, key, Object.keys(switches))
  let { text } = before
  const kind = form === 'overrides' ? 'object' : 'array'
  const isOurs = (setting: Item, name: string) =>
    form === 'overrides' ? textAt(setting, name) === switches[name] : itemOf(setting, name) !== undefined
  const setting = findSetting(read(text), key, kind)
  if (setting === undefined) return before
  const ours = Object.keys(switches).filter((name) => isOurs(setting, name))
  const { items } = setting.value as Container
  const isWhole = ours.length === items.length && before.blanks[key] === undefined
  // Without another item, the setting leaves with its last one.
  for (const name of isWhole ? ours.slice(0, 1) : ours.toReversed()) {
    const tree = read(text)
    const at = findSetting(tree, key, kind)!
    const levels: [string, Container, Item][] = [['', tree.root as Container, at]]
    if (!isWhole) levels.push([key, at.value as Container, itemOf(at, name)!])
    text = applyEdits(text, removeOutermost(tree, before.blanks, levels))
  }
  return { text, blanks: before.blanks }
}

function itemOf(setting: Item | undefined, name: string): Item | undefined {
  if (setting?.value.kind === 'object') return findProperty(setting, name)
  if (setting?.value.kind !== 'array') return undefined
  return setting.value.items.find(({ value }) => value.kind === 'literal' && value.value === name)
}

/** The container under a key at the top of a file. Throws if it has another form. */
export function findSetting(tree: SettingsTree, key: string, kind: Container['kind']): Item | undefined {
  requireKind(tree, tree.root, 'object', 'the file')
  const setting = onlyOne(tree, tree.root, key, `"${key}"`)
  if (setting !== undefined) requireKind(tree, setting.value, kind, `"${key}"`)
  return setting
}

/** Tables at the end of the file. A skill with a table of its own keeps it. */
function addTables({ text, blanks }: HookSettings, key: string, names: readonly string[]): HookSettings {
  const missing = names.filter((name) => !text.includes(`name = ${JSON.stringify(name)}`))
  if (missing.length === 0) return { text, blanks }
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = blanks[key] ?? (text === '' ? '' : /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? eol : eol + eol)
  const isFirst = blanks[key] === undefined
  return {
    text: text + (isFirst ? gap : '') + missing.map((name) => tableOf(key, name, eol)).join(''),
    blanks: { ...blanks, [key]: gap },
  }
}

function removeTables({ text, blanks }: HookSettings, key: string, names: readonly string[]): HookSettings {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const tables = names.map((name) => tableOf(key, name, eol))
  const gap = blanks[key] ?? ''
  const whole = gap + tables.join('')
  if (text.includes(whole)) return { text: text.replace(whole, () => ''), blanks }
  return { text: tables.reduce((rest, table) => rest.replace(table, () => ''), text), blanks }
}

function tableOf(key: string, name: string, eol: string): string {
  return [`[[${key}]]`, `name = ${JSON.stringify(name)}`, 'enabled = false', ''].join(eol)
}
