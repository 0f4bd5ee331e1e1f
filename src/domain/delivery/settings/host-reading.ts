import { jsonErrorPlace, parseJson } from '../../shared/json.ts'
import type { HookHost } from '../hook-hosts.ts'
import { lineAndColumn, type SettingsTree } from './settings-tree.ts'

/** Why an agent would pass over a whole file that we can read: agents are stricter about JSON than editors are. */
export function hostRefusal(
  text: string,
  tree: SettingsTree,
  { readsByteOrderMark, onlyKeys }: HookHost,
): string | undefined {
  const body = text.replace(/^\ufeff/, '')
  if (body !== text && !readsByteOrderMark) return 'it begins with a byte order mark'
  if (parseJson(body).problem !== undefined) {
    return `comments and trailing commas are not allowed in it: see ${jsonErrorPlace(body)}`
  }
  const keys = tree.root.kind === 'object' ? tree.root.items : []
  const unknown = keys.find(({ key }) => onlyKeys !== undefined && !onlyKeys.includes(key ?? ''))
  return unknown === undefined
    ? undefined
    : `"${unknown.key}" is not allowed in it: see ${lineAndColumn(body, unknown.start)}`
}
