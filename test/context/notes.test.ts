import { chmodSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readNotes } from '../../src/answer/disk/notes-file.ts'
import { addNote, listNotes, pruneProjectNotes, readTacticalSlice } from '../../src/answer/notes.ts'
import { encodeRecord, makeRecord } from '../../src/answer/rules/advice/note-records.ts'
import type { Trail } from '../../src/answer/rules/bundle.ts'
import { Machine } from '../../src/machine/machine.ts'
import { aFolder, aLinkTo, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'

const PATH = '.loadout/notes.jsonl'
const NOW = new Date('2026-03-01T12:00:00Z')

function machineAt(cwd: string, now = NOW): Machine {
  return new Machine({ cwd, home: makeFolder(), env: {}, now: () => now })
}

const later = (days: number) => new Date(NOW.getTime() + days * 86_400_000)

function lineOf(text: string, expiresAt = later(1)): string {
  const content = { text, class: 'note', tags: [] }
  return encodeRecord(makeRecord({ content, capturedAt: NOW, expiresAt, source: 'test' }))
}

const textsOf = (project: string) => readNotes(project, PATH).records.map(({ content }) => content.text)

describe('adding', () => {
  it('writes one line, and says that no context holds it yet', async () => {
    const project = makeFolder()
    const { value, findings } = await machineAt(project).collect((listening) =>
      addNote(listening, {
        text: 'The build is red.',
        tags: ['ci'],
        ttl: '2d',
      }),
    )
    expect(JSON.parse(readFileSync(join(project, PATH), 'utf8'))).toEqual({
      record_id: value.record.recordId,
      captured_at: '2026-03-01T12:00:00.000Z',
      content: { text: 'The build is red.', class: 'note', tags: ['ci'] },
      policy: { ttl_expires_at: '2026-03-03T12:00:00.000Z' },
      source: 'loadout note',
    })
    expect(findings.map(({ code }) => code)).toEqual(['LEFT_OUT'])
    expect(readdirSync(join(project, '.loadout'))).toEqual(['notes.jsonl'])
  })

  it('uses the file that the project names', async () => {
    const project = makeProject({ 'loadout.json': '{"tactical": {"path": "work/now.jsonl"}}' })
    const { value, findings } = await machineAt(project).collect((listening) => addNote(listening, { text: 'a' }))
    expect([value.path, findings]).toEqual(['work/now.jsonl', []])
    expect(existsSync(join(project, 'work/now.jsonl'))).toBe(true)
  })

  it('ends a last line that lacks its end', async () => {
    const project = makeProject({ [PATH]: `${lineOf('one')}\n{"torn": ` })
    await addNote(machineAt(project), { text: 'two' })
    expect(textsOf(project)).toEqual(['one', 'two'])
    expect(readNotes(project, PATH).badLines).toMatchObject([{ line: 2 }])
  })

  it('said again, a note is renewed', async () => {
    const project = makeFolder()
    await addNote(machineAt(project), { text: 'a', ttl: '1d' })
    await addNote(machineAt(project, later(2)), { text: 'a', ttl: '1d' })
    expect(listNotes(machineAt(project, later(2)), {}).notes).toMatchObject([{ isExpired: false }])
  })

  it('by many at the same time, every note arrives whole', async () => {
    const project = makeFolder()
    const machine = machineAt(project)
    const texts = Array.from({ length: 30 }, (_, at) => `note ${at} x${'x'.repeat(at * 100)}`)
    await Promise.all(texts.map((text) => addNote(machine, { text })))
    expect(textsOf(project).sort()).toEqual([...texts].sort())
  })

  const refused: [what: string, request: { text: string; ttl?: string; tags?: string[] }, code: string][] = [
    ['nothing', { text: ' \u0000 ' }, 'USAGE'],
    ['too much', { text: 'x'.repeat(4001) }, 'USAGE'],
    ['an end that is none', { text: 'a', ttl: 'soon' }, 'USAGE'],
    ['too many tags', { text: 'a', tags: Array.from({ length: 17 }, String) }, 'USAGE'],
    ['a tag like a book', { text: 'a', tags: ['x'.repeat(65)] }, 'USAGE'],
  ]
  it.each(refused)('refuses %s', async (_, request, code) => {
    const project = makeFolder()
    await expect(addNote(machineAt(project), request)).rejects.toMatchObject({ code })
    expect(readdirSync(project)).toEqual([])
  })

  const outside = makeProject({ 'notes.jsonl': '', empty: aFolder })
  const places: [what: string, files: Record<string, Content>, code: string][] = [
    ['a link out of the project', { [PATH]: aLinkTo(join(outside, 'notes.jsonl')) }, 'PATH_ESCAPE'],
    ['a link to nothing', { [PATH]: aLinkTo(join(outside, 'new.jsonl')) }, 'FILE_NOT_FOUND'],
    ['a folder that leads out', { '.loadout': aLinkTo(join(outside, 'empty')) }, 'PATH_ESCAPE'],
    ['a pipe', { [PATH]: aPipe }, 'NOT_A_FILE'],
    ['a folder', { [PATH]: aFolder }, 'NOT_A_FILE'],
    ['a file in place of the folder', { '.loadout': 'x' }, 'WRITE_FAILED'],
  ]
  it.each(places)('never writes through %s', async (_, files, code) => {
    const project = makeProject(files)
    await expect(addNote(machineAt(project), { text: 'a' })).rejects.toMatchObject({ code })
    expect([readdirSync(outside), readdirSync(join(outside, 'empty'))]).toEqual([['empty', 'notes.jsonl'], []])
    expect(readFileSync(join(outside, 'notes.jsonl'), 'utf8')).toBe('')
  })

  it('a full file asks for pruning', async () => {
    const project = makeProject({ [PATH]: `${' '.repeat(4 * 1024 * 1024 - 10)}\n` })
    await expect(addNote(machineAt(project), { text: 'a' })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    await pruneProjectNotes(machineAt(project), {})
  })
})

describe('reading for a task', () => {
  const slice = (project: string) => {
    const trail: Trail = { omitted: [], warnings: [], adviceWarnings: [], degraded: [], missing: [], sourceAnchors: [] }
    return { candidates: readTacticalSlice(project, PATH, 'publish the release', NOW, trail), ...trail }
  }

  it('a line that is none costs that line, whatever it holds', () => {
    const lines = [
      lineOf('The release waits.'),
      '{"torn": ',
      '\u0000\u0000\u0000',
      `"${'x'.repeat(200_000)}"`,
      '[[[[',
      '',
      lineOf('Two.'),
    ]
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.from(lineOf('Three.')),
    ])
    const { candidates, adviceWarnings, degraded } = slice(makeProject({ [PATH]: bytes }))
    expect(candidates.map(({ text }) => text.split('\n')[1]).sort()).toEqual(['The release waits.', 'Three.', 'Two.'])
    expect(candidates[0]).toMatchObject({
      path: expect.stringMatching(/^note:[0-9a-f]{16}$/),
      sourceClass: 'tactical',
      provenance: { match: 'ranked', source: 'test' },
    })
    expect(adviceWarnings).toEqual([expect.stringMatching(/line 2 .*: loadout note prune$/)])
    expect(degraded).toEqual([])
  })

  it('expired and repeated notes are left out with the reason', () => {
    const text = [lineOf('old', later(-1)), lineOf('same'), lineOf('same')].join('\n')
    const { candidates, omitted } = slice(makeProject({ [PATH]: text }))
    expect(candidates).toHaveLength(1)
    expect(omitted.map(({ reason }) => reason)).toEqual(['expired', 'duplicate'])
  })

  it('no file means no notes', () => {
    expect(slice(makeFolder())).toMatchObject({ candidates: [], omitted: [], adviceWarnings: [], degraded: [] })
  })

  const huge = (path: string) => {
    writeFileSync(path, '')
    truncateSync(path, 300 * 1024 * 1024)
  }
  const rows: [what: string, content: Content, code: string][] = [
    ['a pipe', aPipe, 'NOT_A_FILE'],
    ['a folder', aFolder, 'NOT_A_FILE'],
    ['a link out of the project', aLinkTo('/etc/hosts'), 'PATH_ESCAPE'],
    ['300 MB', huge, 'FILE_TOO_LARGE'],
    ['no notes at all', '\u0000\u0001\u0002', 'FILE_UNREADABLE'],
  ]
  it.each(rows)('%s is a degradation, and nothing waits or throws', (_, content, code) => {
    const { candidates, degraded, adviceWarnings } = slice(makeProject({ [PATH]: content }))
    expect(candidates).toEqual([])
    expect(degraded).toMatchObject([{ source: 'tactical', code }])
    expect(adviceWarnings).toEqual([expect.stringContaining(degraded[0]?.reason ?? '')])
  })
})

describe('pruning', () => {
  const broken = '{"torn": '
  const foreign = `${lineOf('kept').slice(0, -1)},"extra":1}`
  const file = [foreign, lineOf('old', later(-1)), broken, lineOf('again'), lineOf('again')].join('\n')

  it('keeps the bytes of what stays, and moves what it cannot read', async () => {
    const project = makeProject({ [PATH]: file })
    chmodSync(join(project, PATH), 0o640)
    const value = await pruneProjectNotes(machineAt(project), {})
    expect(value).toMatchObject({ kept: 2, expired: [{}], superseded: [{}], badLines: [{ line: 3 }] })
    expect(readFileSync(join(project, PATH), 'utf8')).toBe(`${foreign}\n${lineOf('again')}\n`)
    expect(readFileSync(join(project, `${PATH}.corrupt`), 'utf8')).toBe(`${broken}\n`)
    expect(readdirSync(join(project, '.loadout')).sort()).toEqual(['notes.jsonl', 'notes.jsonl.corrupt'])
  })

  it('once interrupted, moves nothing twice', async () => {
    const project = makeProject({ [PATH]: file, [`${PATH}.corrupt`]: `${broken}\nearlier` })
    await pruneProjectNotes(machineAt(project), {})
    expect(readFileSync(join(project, `${PATH}.corrupt`), 'utf8')).toBe(`${broken}\nearlier\n`)
  })

  it('with --dry-run changes nothing', async () => {
    const project = makeProject({ [PATH]: file })
    const value = await pruneProjectNotes(machineAt(project), { dryRun: true })
    expect(value).toMatchObject({ isDryRun: true, kept: 2 })
    expect(readFileSync(join(project, PATH), 'utf8')).toBe(file)
    expect(readdirSync(join(project, '.loadout'))).toEqual(['notes.jsonl'])
  })

  it('writes nothing when there is nothing to do', async () => {
    const project = makeFolder()
    expect(await pruneProjectNotes(machineAt(project), {})).toMatchObject({ kept: 0, expired: [] })
    expect(readdirSync(project)).toEqual([])
  })

  it('while notes are added loses none', async () => {
    const project = makeProject({ [PATH]: file })
    const machine = machineAt(project)
    const texts = Array.from({ length: 10 }, (_, at) => `new ${at}`)
    await Promise.all([
      ...texts.map((text) => addNote(machine, { text })),
      ...texts.map(() => pruneProjectNotes(machine, {})),
    ])
    expect(textsOf(project)).toEqual(expect.arrayContaining(['kept', 'again', ...texts]))
  })
})
