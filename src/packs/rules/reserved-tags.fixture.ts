// An independent check of the fence: it rewrites whole strings until nothing changes, and finds tags with one regular
// expression. It shares no code and no table with the detector that it tests.

const NAMES = [
  'available_knowledge_packs',
  'knowledge_pack_guide',
  'knowledge_resources',
  'knowledge_pack',
  'loadout_payload',
  'loadout_skill',
  'loadout_index',
  'loadout_context',
  'loadout_file',
]

const TAG = new RegExp(
  `[<\\u2039\\u3008\\u27e8\\u276e]([\\s/]*)(${NAMES.map((name) => name.replaceAll('_', '[\\s_-]')).join('|')})(?![a-z0-9_])`,
  'g',
)

const NAMED: Record<string, string> = { lt: '<', amp: '&', sol: '/', lowbar: '_', nbsp: ' ', num: '#', semi: ';' }

type Rewrite = (text: string) => string

/** Skips printable ASCII, which never contains dropped characters. */
const dropped = (letters: RegExp): Rewrite => {
  return (text) => text.replace(/[^\n -~]+/g, (unusual) => unusual.replace(letters, ''))
}

const hidden = dropped(/(?![\t\n\v\f\r\u0085])[\p{Cf}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu)
const marks = dropped(/\p{M}/gu)
const folded: Rewrite = (text) => text.normalize('NFKC').toLowerCase()
const bare: Rewrite = (text) => marks(text.normalize('NFKD')).toLowerCase()

function decoded(semicolon: ';' | ';?'): Rewrite {
  const entity = new RegExp(`&(?:#([0-9]+)|#x([0-9a-f]+)|(lt|amp|sol|lowbar|nbsp|num|semi))${semicolon}`, 'gi')
  const decode = (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  }
  return (text) => text.replace(entity, decode)
}

/** Readers that drop and decode different characters, in a different order. */
const READERS: readonly (readonly Rewrite[])[] = [
  [folded],
  [folded, hidden, decoded(';?')],
  [folded, hidden, decoded(';')],
  [decoded(';?'), hidden, bare],
  [bare, hidden, decoded(';')],
]

/** The reserved tags of a text, by the reader that finds most of them. */
export function readReservedTags(text: string): string[] {
  const readings = READERS.map((rewrites) =>
    [...settle(text, rewrites).matchAll(TAG)].map(
      ([, before = '', name = '']) => `${before.includes('/') ? '/' : ''}${name.replace(/[\s-]/g, '_')}`,
    ),
  )
  return readings.reduce((most, reading) => (reading.length > most.length ? reading : most))
}

function settle(text: string, rewrites: readonly Rewrite[]): string {
  const next = rewrites.reduce((current, rewrite) => rewrite(current), text)
  return next === text ? text : settle(next, rewrites)
}
