import { ProtocolError, ProtocolErrorCode, type Variables } from '@modelcontextprotocol/server'

export const INDEX_URI = 'loadout://index'
export const ENTRY_TEMPLATE = 'loadout://entry/{id}'
export const PACK_TEMPLATE = 'loadout://pack/{name}/{+path}'

export function entryUri(id: string): string {
  return `loadout://entry/${encodeURIComponent(id)}`
}

export function packUri(name: string, path: string): string {
  return `loadout://pack/${[name, ...path.split('/')].map(encodeURIComponent).join('/')}`
}

/** A template gives its variables as they stand in the address. */
export function readVariable(value: Variables[string] | undefined): string {
  const text = Array.isArray(value) ? value.join(',') : (value ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${JSON.stringify(text.slice(0, 80))} is badly encoded`)
  }
}
