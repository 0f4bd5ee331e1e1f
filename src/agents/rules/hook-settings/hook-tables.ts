import { attempt } from '../../../text/values.ts'
import { readCommand } from './hook-command.ts'
import type { FoundHook, HookSettings, WantedHook } from './hook-settings.ts'

/** A table up to its last key. */
const TABLE = /^\[\[hooks\]\][ \t]*\r?\n(?:[\w-]+[ \t]*=.*(?:\r?\n|$))+/gm

interface OwnTable extends FoundHook {
  start: number
  text: string
}

/** Our hooks among the `[[hooks]]` tables of a TOML file. */
export function findTables(text: string, agent: string): OwnTable[] {
  return [...text.matchAll(TABLE)].flatMap(({ 0: table, index: start }, group) => {
    const fieldOf = (key: string) => {
      const word = new RegExp(`^${key}[ \\t]*=[ \\t]*(".*"|\\d+)[ \\t]*\\r?$`, 'm').exec(table)?.[1]
      return word === undefined ? undefined : attempt((): unknown => JSON.parse(word), undefined)
    }
    const [command, event, matcher] = ['command', 'event', 'matcher'].map(fieldOf)
    const own = typeof command === 'string' ? readCommand(command, agent) : undefined
    if (own === undefined || typeof command !== 'string' || typeof event !== 'string') return []
    return {
      event,
      commands: { command },
      matcher: typeof matcher === 'string' ? matcher : undefined,
      options: own.options,
      timeout: fieldOf('timeout'),
      isPlain: true,
      group,
      handler: 0,
      start,
      text: table,
    }
  })
}

/** Replaces our tables by the wanted ones, behind all others. */
export function reconcileTables(before: HookSettings, agent: string, wanted: readonly WantedHook[]): HookSettings {
  const own = findTables(before.text, agent)
  const eol = before.text.includes('\r\n') ? '\r\n' : '\n'
  const tables = wanted.map(({ event, matcher, command, after }) => {
    const options = own.find((each) => each.event === event)?.options ?? ''
    const fields = { event, matcher, command: command('sh', options), ...after }
    const lines = Object.entries(fields).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key} = ${JSON.stringify(value)}`],
    )
    return ['[[hooks]]', ...lines, ''].join(eol)
  })
  if (own.map(({ text }) => text).join('') === tables.join('')) return before
  // What was added before them stands before the first.
  const rest = own.reduceRight((settings, table, at) => cutTable(settings, at === 0 ? 'hooks' : '', table), before)
  return tables.length === 0 ? rest : appendTables(rest, 'hooks', tables.join(''))
}

/** Adds tables at the end of a TOML file. `blanks` has what was added before them. */
export function appendTables({ text, blanks }: HookSettings, key: string, tables: string): HookSettings {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' || /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? eol : eol + eol
  return { text: text + gap + tables, blanks: { ...blanks, [key]: gap } }
}

/** Undoes `appendTables`. */
export function cutTable(
  { text, blanks }: HookSettings,
  key: string,
  table: { start: number; text: string },
): HookSettings {
  const gap = blanks[key] ?? ''
  const start = text.slice(0, table.start).endsWith(gap) ? table.start - gap.length : table.start
  return { text: text.slice(0, start) + text.slice(table.start + table.text.length), blanks }
}
