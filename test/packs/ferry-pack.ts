import type { Files } from './resolving.ts'

/** A small wiki-first pack about a ferry, layer by layer. */
export const VIEWS: Files = {
  'compiled/briefing.md': '# Briefing\n\nThe ferry runs from Easter to October.\n',
  'compiled/facts.md': '# Facts\n\n- The ferry carries forty people. [source: sources/log.md#L3]\n',
  'compiled/boundaries.md': '# Boundaries\n\n- Never promise a crossing in fog.\n',
}
export const WIKI: Files = {
  'wiki/index.md': '# Pages\n\n- [Ferry](entities/ferry.md) - the boat\n- [Pier](entities/pier.md) - where it lands\n',
  'wiki/entities/ferry.md': '# Ferry\n\nBuilt in 1931, it carries forty people. See [pier](pier.md).\n',
  'wiki/entities/pier.md': '# Pier\n\nOak piles, renewed in 1990.\n',
  'wiki/concepts/tariff.md': '# Tariff\n\nChildren pay half.\n',
  'wiki/contradictions/first-year.md': '# First year\n\nThe plate says 1931, the log says 1934.\n',
}
export const SOURCES: Files = {
  'sources/log.md': '# Log\n\nForty people crossed on the first day.\nA line that nothing rests on.\n',
}
export const FERRY: Files = { ...VIEWS, ...WIKI, ...SOURCES }
export const CAPACITY = 'How many people does the ferry carry?'

/** A document of the same ferry, whole and in slices. */
export const MANUAL: Files = {
  'documents/manual.md':
    '# Manual\n\n## Boiler\n\nThe boiler takes rain water.\n\n## Rudder\n\nThe rudder is of teak.\n\n## Paint\n\nTwo coats a year.\n',
}
export const SPLITS: Files = {
  'compiled/splits/manual/010_boiler.md': '## Boiler\n\nThe boiler takes rain water.\n',
  'compiled/splits/manual/020_rudder.md': '## Rudder\n\nThe rudder is of teak.\n',
  'compiled/splits/manual/030_paint.md': '## Paint\n\nTwo coats a year.\n',
}
export const DOCUMENT_FIRST = { profile: 'document-first', primaryDocument: 'documents/manual.md' } as const
export const HYBRID = { profile: 'hybrid' } as const
export const PERSONA = { mode: 'persona' } as const
