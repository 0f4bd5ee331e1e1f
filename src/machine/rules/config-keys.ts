import { type Finding, failWith, type LoadoutError, report } from '../../text/trouble.ts'
import { getOwn, isRecord, nearest } from '../../text/values.ts'

/** Keys and their subkeys. `*` stands for names that the user chooses. */
type Keys = { readonly [key: string]: Keys | 'value' }

/** Every key of `config.json`. A new one is a row here; its reader is beside the code that it configures. */
const KEYS: Keys = {
  $schema: 'value',
  repo_path: 'value',
  repo_actions: { import_auto_commit: 'value', delete_auto_commit: 'value', sync_push: 'value' },
  targets: { '*': { enabled: 'value', path: 'value' } },
  profiles: 'value',
  usage: { keep_tasks: 'value' },
  prices: { currency: 'value', agents: 'value', models: 'value' },
  audit: { keep_days: 'value' },
  packs: {
    maxDepth: 'value',
    maxDirectories: 'value',
    followLinks: 'value',
    builtIn: 'value',
    approvalFor: 'value',
    explicitPathIsApproval: 'value',
  },
  organization: { packs: 'value' },
}

/** Unknown keys of the file, each with the key that was probably meant. The rest of the file still counts. */
export function unknownKeys(json: unknown, path: string): Finding[] {
  return collect(json, KEYS, '').map(({ place, meant }) => {
    return report('BAD_CONFIG/key', { path, place, meant }, { subject: place })
  })
}

interface Unknown {
  place: string
  meant: string | undefined
}

function collect(json: unknown, keys: Keys, prefix: string): Unknown[] {
  if (!isRecord(json)) return []
  return Object.entries(json).flatMap(([key, value]): Unknown[] => {
    const known = getOwn(keys, key) ?? getOwn(keys, '*')
    if (known === undefined) {
      const close = nearest(key, Object.keys(keys))
      return [{ place: `${prefix}${key}`, meant: close === undefined ? undefined : `${prefix}${close}` }]
    }
    return known === 'value' ? [] : collect(value, known, `${prefix}${key}.`)
  })
}

export function asRecord(value: unknown, path: string, what: string): Record<string, unknown> {
  if (isRecord(value)) return value
  throw badConfig(path, `${what} must be a JSON object`)
}

export function asSwitch(value: unknown, otherwise: boolean, path: string, what: string): boolean {
  if (value === undefined) return otherwise
  if (typeof value === 'boolean') return value
  throw badConfig(path, `${what} must be true or false`)
}

export function badConfig(path: string, problem: string): LoadoutError {
  return failWith('BAD_CONFIG/value', { path, problem })
}
