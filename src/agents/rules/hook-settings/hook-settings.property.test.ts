import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../disk/hook-settings/settings-file.ts'
import { HOOK_HOSTS, wantedHooks } from '../hook-hosts.ts'
import { type HookSettings, reconcileHooks } from './hook-settings.ts'

const read = (text: string) => readSettings(text, 'settings.json')

/** JSON with comments and trailing commas, in any layout. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\n  ', '\n\t\t', '\n   ', '\r') },
  { weight: 1, arbitrary: fc.constantFrom('// c, "x": [{\n', ' /* d } ] */ ', '/**/', ' // e\r\n\t') },
)
const scalar = fc.oneof(
  fc.constantFrom('1', '-0.5e3', 'true', 'false', 'null', '"//no"', '"/*"', '"\\u00e9\\"]"'),
  fc.string().map((text) => JSON.stringify(text)),
)
const list = (items: fc.Arbitrary<string>, brackets: string, minLength = 0) =>
  fc
    .tuple(fc.array(fc.tuple(gap, items, gap), { minLength, maxLength: 4 }), gap, fc.boolean(), gap)
    .map(([parts, end, hasTrailing, more]) => {
      const inner = parts.map((part) => part.join('')).join(',')
      return `${brackets[0]}${inner}${hasTrailing && parts.length > 0 ? `,${more}` : ''}${end}${brackets[1]}`
    })
const property = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc
    .tuple(key, gap, gap, value)
    .map(([name, before, after, text]) => `${JSON.stringify(name)}${before}:${after}${text}`)
const anything = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    list(tie('value'), '[]'),
    list(property(fc.string({ maxLength: 4 }), tie('value')), '{}'),
  ),
})).value

const handler = fc.constantFrom(
  '{"type": "command", "command": "echo hello"}',
  '{ "command":"loadout plan" }',
  '{ "bash": "echo", "powershell" :"echo"}',
  '{"type":"http","url":"http://localhost"}',
)
const group = fc.oneof(
  list(property(fc.constant('hooks'), list(handler, '[]')), '{}', 1).filter((text) => isUnique(text)),
  fc.constant('{"matcher": "Bash", "hooks": []}'),
  anything,
)
const settingsWith = (events: readonly string[], entry: fc.Arbitrary<string>) => {
  const hooks = fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...events, 'Stop')),
      fc.array(list(entry, '[]'), { minLength: 4, maxLength: 4 }),
    )
    .chain(([names, groups]) => spread(names.map((name, at) => [name, groups[at] ?? '[]'])))
  return fc
    .tuple(
      fc.uniqueArray(fc.constantFrom('model', 'env', 'version', '$schema')),
      fc.array(anything, { minLength: 4, maxLength: 4 }),
      fc.option(hooks, { nil: undefined }),
      fc.nat(4),
    )
    .chain(([names, values, own, at]) => {
      const parts = names.map((name, index): [string, string] => [name, values[index] ?? '1'])
      if (own !== undefined) parts.splice(at, 0, ['hooks', own])
      return fc.tuple(gap, spread(parts), gap).map((texts) => texts.join(''))
    })
}

/** An object with these properties, in a random layout. */
function spread(parts: [string, string][]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(fc.tuple(gap, gap, gap), { minLength: 6, maxLength: 6 }), fc.boolean(), gap)
    .map(([gaps, hasTrailing, end]) => {
      const inner = parts.map(([key, value], at) => {
        const [a, b, c] = gaps[at] ?? ['', '', '']
        return `${a}${JSON.stringify(key)}:${b}${value}${c}`
      })
      return `{${inner.join(',')}${hasTrailing && inner.length > 0 ? ',' : ''}${end}}`
    })
}

function isUnique(text: string): boolean {
  return text.split('"hooks"').length === 2
}

const IN_SETTINGS = HOOK_HOSTS.filter(({ layout }) => layout === 'groups' || layout === 'list')

describe.each(IN_SETTINGS.map((host) => [host.agent, host] as const))('any settings file of %s', (agent, host) => {
  const events = Object.values(host.events)
  const settings = settingsWith(events, host.layout === 'groups' ? group : fc.oneof(handler, anything))
  const install = (before: HookSettings) => reconcileHooks(before, host, wantedHooks(host, 'named'), read)
  const remove = (before: HookSettings) => reconcileHooks(before, host, [], read)

  it('is the same, byte for byte, after install and remove', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const installed = install({ text, blanks: {} })
        expect(installed.text).not.toBe(text)
        expect(remove(installed).text).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it('is the same without the record, except for empty containers', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const installed = install({ text, blanks: {} })
        const removed = remove({ text: installed.text, blanks: {} }).text
        if (Object.keys(installed.blanks).length === 0) expect(removed).toBe(text)
        expect(withoutEmpty(readable(removed))).toEqual(withoutEmpty(readable(text)))
      }),
      { numRuns: 100 },
    )
  })

  it('is not changed by a second install', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const once = install({ text, blanks: {} })
        expect(install(once)).toEqual(once)
      }),
      { numRuns: 100 },
    )
  })

  it('keeps its meaning, with our hooks after the others', () => {
    fc.assert(
      fc.property(settings, (text) => {
        const before = readable(text) as { hooks?: Record<string, unknown[]> }
        const after = readable(install({ text, blanks: {} }).text) as typeof before
        for (const event of events) {
          const groups = after.hooks?.[event] ?? []
          expect(groups.slice(0, -1)).toEqual(before.hooks?.[event] ?? [])
          expect(JSON.stringify(groups.at(-1))).toContain(`loadout hook ${agent} ${event}`)
        }
        expect({ ...after, hooks: after.hooks?.Stop }).toEqual({ ...before, hooks: before.hooks?.Stop })
      }),
      { numRuns: 100 },
    )
  })

  it('keeps edits that the user made meanwhile', () => {
    fc.assert(
      fc.property(settings, fc.nat(), scalar, (text, where, value) => {
        const installed = install({ text, blanks: {} })
        const before = withEdit(text, where, value)
        const between = withEdit(installed.text, where, value)
        const removed = remove({ text: between, blanks: installed.blanks }).text
        // In a formerly empty file, the end has moved to its own line.
        if (installed.blanks[''] === undefined) expect(removed).toBe(before)
        else expect(readable(removed)).toEqual(readable(before))
      }),
      { numRuns: 200 },
    )
  })
})

/** Adds a property or a comment at the beginning of the root, on its own line or not. */
function withEdit(text: string, where: number, value: string): string {
  const tree = read(text)
  const at = tree.root.start + 1
  const comma = tree.root.kind === 'object' && tree.root.items.length === 0 ? '' : ','
  const edits = [`"new": ${value}${comma}`, `\n  "new": ${value}${comma}`, ' // mine\n', ' /* mine */ ']
  return `${text.slice(0, at)}${edits[where % edits.length]}${text.slice(at)}`
}

function readable(text: string): unknown {
  return plain(read(text).root)
}

type Value = ReturnType<typeof read>['root']

function plain(value: Value): unknown {
  if (value.kind === 'literal') return value.value
  if (value.kind === 'array') return value.items.map((item) => plain(item.value))
  return Object.fromEntries(value.items.map((item) => [item.key, plain(item.value)]))
}

function withoutEmpty(value: unknown): unknown {
  const { hooks, ...rest } = value as { hooks?: Record<string, unknown> }
  if (hooks === undefined) return rest
  const full = Object.entries(hooks).filter(
    ([event, groups]) => event === 'Stop' || !Array.isArray(groups) || groups.length > 0,
  )
  return { ...rest, hooks: full.length > 0 ? Object.fromEntries(full) : undefined }
}
