import { failWith, type LoadoutError } from '../../../text/trouble.ts'
import { readCommand, type Shell } from './hook-command.ts'
import {
  appendItem,
  applyEdits,
  type Container,
  type Edit,
  findProperty,
  type Item,
  isAlone,
  lineAndColumn,
  type NewItem,
  removeItem,
  type SettingsTree,
  type SettingsValue,
  textAt,
} from './settings-layout.ts'

/** A hook that should be in a settings file. */
export interface WantedHook {
  event: string
  /** The tools that it applies to; absent for all tools, and for events without tools. */
  matcher?: string
  /** The command for a shell, with the options that the user added. */
  command(shell: Shell, options: string): string
  /** Fields before and after the command. */
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>>
}

/** The format of an agent's hooks. */
export interface HookForm {
  agent: string
  layout: 'groups' | 'list' | 'tables' | 'plugin'
  commands: Readonly<Record<string, Shell>>
  events: Readonly<Record<string, string>>
}

/** One of our hooks in a settings file. */
export interface FoundHook {
  /** The event that it is listed under. */
  event: string
  /** Commands by key. */
  commands: Readonly<Record<string, string>>
  matcher: string | undefined
  /** Options that the user added. */
  options: string
  timeout: unknown
  /** It has only the keys that Loadout writes. */
  isPlain: boolean
  /** Its position among the hooks of the event. */
  group: number
  handler: number
}

/** The blanks inside of formerly empty objects and lists, by their path, such as `hooks.SessionStart`. */
type Blanks = Readonly<Record<string, string>>

export interface HookSettings {
  text: string
  blanks: Blanks
}

export type Read = (text: string) => SettingsTree

/**
 * Changes our hooks to the wanted ones, and nothing else. If none are wanted, removes all of ours and the containers that
 * were created for them.
 */
export function reconcileHooks(
  before: HookSettings,
  form: HookForm,
  wanted: readonly WantedHook[],
  read: Read,
): HookSettings {
  let { text, blanks } = before
  requireShape(read(text), form)
  for (;;) {
    const tree = read(text)
    // Removes a hook that is under the wrong event, is a duplicate, or lacks its matcher. The last one first.
    const own = ownHooks(tree, form)
    const stray = own.findLast((hook, at) => {
      const want = wanted.find(({ event }) => event === hook.event)
      const isFirst = own.findIndex(({ event, isAsked }) => event === hook.event && isAsked) === at
      return want === undefined || !isFirst || (want.matcher !== undefined && hook.matcher === undefined)
    })
    const step =
      (stray === undefined ? undefined : { edits: takeOut(tree, stray, blanks) }) ??
      renew(tree, form, wanted) ??
      addMissing(tree, form, wanted)
    if (step === undefined) return { text, blanks }
    text = applyEdits(text, step.edits)
    blanks = { ...blanks, ...step.blanks }
  }
}

interface Step {
  edits: Edit[]
  blanks?: Blanks
}

interface OwnHook extends FoundHook {
  nodes: { handler: Item; handlers: Container; group: Item; event: Item }
  /** Its command names the event that it is listed under. */
  isAsked: boolean
}

export function findHooks(tree: SettingsTree, form: HookForm): FoundHook[] {
  requireShape(tree, form)
  return ownHooks(tree, form).map(({ nodes, isAsked, ...hook }) => hook)
}

/** In the order of the file. In a list, each hook is its own group. */
function ownHooks(tree: SettingsTree, { agent, layout, commands }: HookForm): OwnHook[] {
  const hooks = findProperty({ value: tree.root }, 'hooks')
  if (hooks?.value.kind !== 'object') return []
  return hooks.value.items.flatMap((event) =>
    (event.value.kind === 'array' ? event.value.items : []).flatMap((group, at) => {
      const handlers = layout === 'groups' ? findProperty(group, 'hooks')?.value : alone(group)
      if (handlers?.kind !== 'array') return []
      return handlers.items.flatMap((handler, within): OwnHook[] => {
        const texts = Object.keys(commands).flatMap((key) => {
          const text = textAt(handler, key)
          return text === undefined ? [] : [[key, text] as const]
        })
        const [own, ...others] = texts.map(([, text]) => readCommand(text, agent))
        // Loadout would remove the whole entry, so one with a command of another program is not ours.
        if (own === undefined || others.includes(undefined)) return []
        const timeout = findProperty(handler, 'timeout')?.value
        return [
          {
            event: event.key ?? '',
            commands: Object.fromEntries(texts),
            matcher: textAt(group, 'matcher'),
            options: own.options,
            timeout: timeout?.kind === 'literal' ? timeout.value : undefined,
            isPlain: hasOnly(handler, ['type', 'command', 'timeout']) && hasOnly(group, ['matcher', 'hooks']),
            group: at,
            handler: within,
            nodes: { handler, handlers, group, event },
            isAsked: own.event === event.key,
          },
        ]
      })
    }),
  )
}

function alone(item: Item): Container {
  return { kind: 'array', start: item.start, end: item.end, items: [item], commas: [] }
}

function hasOnly({ value }: Item, keys: readonly string[]): boolean {
  return value.kind === 'object' && value.items.every(({ key }) => keys.includes(key ?? ''))
}

/** Removes a hook, and the containers that were created only for it: its group, the list of its event, `hooks` itself. */
function takeOut(tree: SettingsTree, { event, nodes }: OwnHook, blanks: Blanks): Edit[] {
  const hooks = findProperty({ value: tree.root }, 'hooks')!
  if (nodes.handlers.items.length > 1) return removeItem(tree, nodes.handlers, nodes.handler, undefined)
  return removeOutermost(tree, blanks, [
    ['', tree.root as Container, hooks],
    ['hooks', hooks.value as Container, nodes.event],
    [`hooks.${event}`, nodes.event.value as Container, nodes.group],
  ])
}

/** `levels` are nested items, the outermost first: removes the outermost one that contains nothing else. */
export function removeOutermost(
  tree: SettingsTree,
  blanks: Blanks,
  levels: readonly [path: string, container: Container, item: Item][],
): Edit[] {
  const level = levels.findLastIndex(
    ([path, container, item]) => path === '' || blanks[path] !== undefined || !isAlone(tree, container, item),
  )
  const [path, container, item] = levels[level]!
  const isEmptied = path === '' && isAlone(tree, container, item)
  return removeItem(tree, container, item, blanks[path] ?? (isEmptied ? '' : undefined))
}

/** Updates an older form of a hook. Keeps other changes of the user. */
function renew(tree: SettingsTree, form: HookForm, wanted: readonly WantedHook[]): Step | undefined {
  for (const { event, matcher, nodes, options, commands } of ownHooks(tree, form)) {
    const want = wanted.find((each) => each.event === event)
    if (want === undefined) continue
    for (const [key, shell] of Object.entries(form.commands)) {
      const value = want.command(shell, options)
      if (commands[key] === undefined) return add(tree, '', nodes.handler.value, { key, value })
      if (commands[key] !== value) return replaceText(nodes.handler, key, value)
    }
    const isOnlyOurs = nodes.handlers.items.length === 1
    if (isOnlyOurs && want.matcher !== undefined && matcher !== want.matcher) {
      return replaceText(nodes.group, 'matcher', want.matcher)
    }
  }
  return undefined
}

function replaceText(owner: Item, key: string, text: string): Step {
  const { start, end } = findProperty(owner, key)!.value
  return { edits: [{ start, end, text: JSON.stringify(text) }] }
}

function addMissing(tree: SettingsTree, form: HookForm, wanted: readonly WantedHook[]): Step | undefined {
  const own = ownHooks(tree, form)
  const missing = wanted.find(({ event }) => !own.some((hook) => hook.event === event))
  if (missing === undefined) return undefined
  const { event } = missing
  const group = newEntry(form, missing)
  const hooks = findProperty({ value: tree.root }, 'hooks')
  if (hooks === undefined) return add(tree, '', tree.root, { key: 'hooks', value: { [event]: [group] } })
  const groups = findProperty(hooks, event)
  if (groups === undefined) return add(tree, 'hooks', hooks.value, { key: event, value: [group] })
  return add(tree, `hooks.${event}`, groups.value, { value: group })
}

/** The JSON of a new hook. */
export function newEntry({ layout, commands }: HookForm, { matcher, command, before, after }: WantedHook): object {
  const about = matcher === undefined ? {} : { matcher }
  const lines = Object.entries(commands).map(([key, shell]) => [key, command(shell, '')])
  const handler = { ...before, ...Object.fromEntries(lines), ...after }
  return layout === 'groups' ? { ...about, hooks: [handler] } : { ...about, ...handler }
}

export function add(tree: SettingsTree, path: string, container: SettingsValue, item: NewItem): Step {
  const { edits, blanks } = appendItem(tree, container as Container, item)
  return { edits, blanks: blanks === undefined ? undefined : { [path]: blanks } }
}

const KINDS = { object: 'an object', array: 'a list', literal: 'a single value' }

/** Throws for a file that the agent could not read either, or with duplicate keys. */
function requireShape(tree: SettingsTree, { events }: HookForm): void {
  requireKind(tree, tree.root, 'object', 'the file')
  const hooks = onlyOne(tree, tree.root, 'hooks', '"hooks"')
  if (hooks === undefined) return
  requireKind(tree, hooks.value, 'object', '"hooks"')
  for (const event of Object.values(events)) {
    const groups = onlyOne(tree, hooks.value, event, `"hooks.${event}"`)
    if (groups !== undefined) requireKind(tree, groups.value, 'array', `"hooks.${event}"`)
  }
}

export function requireKind(tree: SettingsTree, value: SettingsValue, kind: Container['kind'], what: string): void {
  if (value.kind === kind) return
  throw refusal(`${what} is ${KINDS[value.kind]}, not ${KINDS[kind]}`, tree, value.start)
}

export function onlyOne(tree: SettingsTree, owner: SettingsValue, key: string, what: string): Item | undefined {
  const [first, second] = owner.kind === 'object' ? owner.items.filter((item) => item.key === key) : []
  if (second === undefined) return first
  throw refusal(`${what} is there twice`, tree, second.start)
}

function refusal(problem: string, { path, text }: SettingsTree, offset: number): LoadoutError {
  return failWith('BAD_SETTINGS/hooks', { path, problem, text: lineAndColumn(text, offset) })
}
