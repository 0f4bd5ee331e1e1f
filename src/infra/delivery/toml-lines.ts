import { setOwn } from '../../domain/shared/record.ts'

/** Values of a TOML file that stand on a line of their own: what a few settings need, and no more of the format. */
export interface TomlLines {
  /** Before the first table. */
  top: Record<string, unknown>
  /** Tables of a name that may come more than once: `[[name]]`. */
  tables(name: string): Record<string, unknown>[]
}

const LINE = /^\s*([A-Za-z0-9_-]+)\s*=\s*(.+?)\s*$/
const TABLE = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/

/** Never throws; a value that is not understood is not there. */
export function readTomlLines(text: string): TomlLines {
  const top: Record<string, unknown> = {}
  const tables: { name: string; fields: Record<string, unknown> }[] = []
  let fields = top
  for (const line of joinLists(text)) {
    const table = TABLE.exec(line)?.[1]
    const [, key, value] = LINE.exec(line) ?? []
    if (table !== undefined && key === undefined) {
      fields = {}
      tables.push({ name: table, fields })
    } else if (key !== undefined && value !== undefined) {
      const read = readValue(value)
      if (read !== undefined) setOwn(fields, key, read)
    }
  }
  return { top, tables: (name) => tables.filter((each) => each.name === name).map((each) => each.fields) }
}

/** Lists may go over several lines. */
function joinLists(text: string): string[] {
  return text.replace(/=\s*\[[^\]]*\]/g, (list) => list.replace(/\s*\n\s*/g, ' ')).split(/\r?\n/)
}

function readValue(text: string): unknown {
  const [, list] = /^\[(.*)\]\s*(?:#.*)?$/.exec(text) ?? []
  if (list !== undefined) {
    return [...list.matchAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g)].flatMap(([item]) => readText(item) ?? [])
  }
  const [plain = ''] = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#\s]+)/.exec(text) ?? []
  if (plain === 'true' || plain === 'false') return plain === 'true'
  return /^[+-]?\d[\d_]*$/.test(plain) ? Number(plain.replaceAll('_', '')) : readText(plain)
}

function readText(quoted: string): string | undefined {
  if (quoted.startsWith("'")) return quoted.slice(1, -1)
  try {
    const text: unknown = quoted.startsWith('"') ? JSON.parse(quoted) : undefined
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}
