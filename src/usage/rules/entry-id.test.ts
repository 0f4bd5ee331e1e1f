import { describe, expect, it } from 'vitest'
import { type EntryId, entryId, type NamedKind, parseEntryId } from './entry-id.ts'

describe('parseEntryId', () => {
  const rows: [text: string, id: EntryId][] = [
    ['release', { kind: undefined, name: 'release' }],
    ['payload:release', { kind: 'payload', name: 'release' }],
    ['payload:a/b', { kind: 'payload', name: 'a/b' }],
    ['payload:pack:x', { kind: 'payload', name: 'pack:x' }],
    ['pack:radio', { kind: 'pack', name: 'radio' }],
    ['pack:radio/', { kind: 'pack', name: 'radio' }],
    ['pack:radio/wiki/a.md', { kind: 'pack', name: 'radio', path: 'wiki/a.md' }],
    ['pack:radio//etc/passwd', { kind: 'pack', name: 'radio', path: '/etc/passwd' }],
    ['pack:../radio', { kind: 'pack', name: '..', path: 'radio' }],
    ['skill:deploy/references/x.md', { kind: 'skill', name: 'deploy', path: 'references/x.md' }],
    ['deploy/references/x.md', { kind: undefined, name: 'deploy', path: 'references/x.md' }],
    ['Skill:deploy', { kind: undefined, name: 'Skill:deploy' }],
    ['adapter:tickets', { kind: 'adapter', name: 'tickets' }],
    ['skill:', { kind: 'skill', name: '' }],
    ['', { kind: undefined, name: '' }],
  ]
  it.each(rows)('%s', (text, id) => expect(parseEntryId(text)).toEqual(id))
})

describe('entryId', () => {
  const rows: [kind: NamedKind, name: string, path: string | undefined, text: string][] = [
    ['payload', 'release', undefined, 'release'],
    ['payload', 'skill:deploy', undefined, 'payload:skill:deploy'],
    ['payload', 'adapter:x', undefined, 'payload:adapter:x'],
    ['adapter', 'tickets', undefined, 'adapter:tickets'],
    ['pack', 'radio', undefined, 'pack:radio'],
    ['skill', 'deploy', 'references/x.md', 'skill:deploy/references/x.md'],
  ]
  it.each(rows)('of a %s %s %s is %s, and means it again', (kind, name, path, text) => {
    expect(entryId(kind, name, path)).toBe(text)
    const again = parseEntryId(text)
    expect({ ...again, kind: again.kind ?? 'payload' }).toEqual(
      path === undefined ? { kind, name } : { kind, name, path },
    )
  })
})
