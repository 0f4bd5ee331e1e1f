import { appendFileSync, chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Content, makeFolder, makeProject, type RunOptions, runLoadout, runShell } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'
import { FULL_PACK, placed, TASK } from './canaries.ts'

interface Place {
  workspace: string
  home: string
}

const SECOND: Record<string, Content> = {
  ...FULL_PACK,
  'KNOWLEDGE.md': String(FULL_PACK['KNOWLEDGE.md'])
    .replace('name: quails', 'name: meadow')
    .replace('profile: hybrid', 'profile: wiki-first\nruntime: { mode: persona }'),
}

function makePlace(order: <T>(files: T[]) => T[] = (files) => files): Place {
  const files = { '.git/HEAD': '', 'src/deep/a.ts': '', ...placed('quails', FULL_PACK), ...placed('meadow', SECOND) }
  const workspace = makeProject(Object.fromEntries(order(Object.entries(files))))
  return approved({ workspace, home: makeFolder() })
}

function approved(place: Place): Place {
  for (const pack of ['quails', 'meadow']) {
    const { code } = runWarm(['packs', 'approve', pack], { cwd: place.workspace, home: place.home })
    expect(code).toBe(0)
  }
  return place
}

/** The output that must be the same everywhere: the text for the model and its parts. */
function resolve({ workspace, home }: Place, options: RunOptions = {}): string {
  const words = ['packs', 'resolve', TASK, '--cite', '--deep', '--project', `${workspace}/`, '--json']
  const { stdout } = runLoadout(words, { cwd: workspace, home, ...options })
  const { wrappers, compile_warnings, selected_files, source_anchors, missing } = JSON.parse(stdout)
  expect(wrappers).toHaveLength(2)
  return JSON.stringify({ wrappers, compile_warnings, selected_files, source_anchors, missing })
}

describe('the same task on the same packs', () => {
  const place = makePlace()
  const once = resolve(place)

  const WAYS: [way: string, options: () => RunOptions][] = [
    ['again', () => ({})],
    ['case 86: from a folder of the workspace', () => ({ cwd: join(place.workspace, 'src/deep') })],
    ['case 86: from inside the pack', () => ({ cwd: join(place.workspace, '.agents/knowledge/quails/wiki') })],
    ['case 86: from elsewhere', () => ({ cwd: makeFolder() })],
    ['case 146: in the C locale', () => ({ env: { LC_ALL: 'C', LANG: 'C' } })],
    ['case 146: in Turkish', () => ({ env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' } })],
    ['case 146: in Chinese', () => ({ env: { LC_ALL: 'zh_CN.UTF-8' } })],
    ['case 146: far east', () => ({ env: { TZ: 'Pacific/Kiritimati' } })],
    ['case 146: far west', () => ({ env: { TZ: 'America/Adak' } })],
    ['without its cache', () => ({ env: { XDG_CACHE_HOME: makeFolder() } })],
    ['by another user name', () => ({ env: { USER: 'somebody', LOGNAME: 'somebody' } })],
  ]
  it.each(WAYS)('case 91: %s: the same bytes', (_, options) => {
    expect(resolve(place, options())).toBe(once)
  })

  it('on a copy whose files were made in another order: the same bytes, and no path of this machine', () => {
    expect(resolve(makePlace((files) => files.toReversed()))).toBe(once)
    expect(once).not.toContain(place.workspace)
    expect(once).not.toContain(place.home)
  })

  it('on a read-only copy: the same bytes', () => {
    const workspace = makeFolder()
    cpSync(place.workspace, workspace, { recursive: true })
    for (const file of Object.keys(FULL_PACK)) chmodSync(join(workspace, '.agents/knowledge/quails', file), 0o444)
    const copy = approved({ workspace, home: makeFolder() })
    expect(resolve(copy)).toBe(once)
    const { workspace: cwd, home } = copy
    const masked = runShell(`umask 077; loadout packs resolve '${TASK}' --cite --deep --format prompt`, { cwd, home })
    const options = { cwd: place.workspace, home: place.home }
    const plain = runLoadout(['packs', 'resolve', TASK, '--cite', '--deep', '--format', 'prompt'], options)
    expect(plain.stdout).toContain('</knowledge_pack>')
    expect(masked.stdout).toBe(plain.stdout)
  })
})

describe('packs rehydrate', () => {
  function record(): Place & { id: string; prompt: string } {
    const place = makePlace()
    const words = ['packs', 'resolve', TASK, '--cite', '--pack', 'quails', '--pack', 'meadow']
    const options = { cwd: place.workspace, home: place.home }
    const { audit: id } = JSON.parse(runWarm([...words, '--json'], options).stdout)
    return { ...place, id, prompt: runWarm([...words, '--format', 'prompt'], options).stdout }
  }
  const packOf = ({ workspace }: Place, name: string, file: string) => join(workspace, '.agents/knowledge', name, file)

  it('case 139: the same bytes once more, from anywhere', () => {
    const { id, prompt, home } = record()
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(prompt).toContain('</knowledge_pack>')
    for (const env of [{}, { TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8' }]) {
      expect(runLoadout(['packs', 'rehydrate', id.slice(0, 8)], { home, env })).toEqual({
        code: 0,
        stdout: prompt,
        stderr: '',
      })
    }
  })

  it('cases 140 and 142: not a byte when a file was changed that is in it; else the same', () => {
    const recorded = record()
    const { id, prompt, home } = recorded
    writeFileSync(packOf(recorded, 'quails', 'assets/note.md'), 'other')
    expect(runWarm(['packs', 'rehydrate', id], { home }).stdout).toBe(prompt)
    appendFileSync(packOf(recorded, 'quails', 'compiled/facts.md'), '\nmore\n')
    const { code, stdout, stderr } = runWarm(['packs', 'rehydrate', id], { home })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('quails has changed since: compiled/facts.md')
  })

  it.each(['revoke', 'deny'])('case 141: refused after %s', (answer) => {
    const { id, home, workspace } = record()
    runWarm(['packs', answer, 'quails'], { home, cwd: workspace })
    const { code, stdout, stderr } = runWarm(['packs', 'rehydrate', id], { home })
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toContain('may not be used any more')
    expect(runWarm(['packs', 'rehydrate', id, '--json'], { home }).stdout).not.toContain('knowledge_pack')
  })

  it('a record that was edited is refused', () => {
    const { id, home } = record()
    const path = join(home, '.local/state/loadout/audit', `${id}.json`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('quails', 'wolves'))
    const { code, stdout, stderr } = runWarm(['packs', 'rehydrate', id], { home })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('was changed after it was written')
  })
})

it('a pack that is indexed in parts gives an edited page at once, with the bytes that an empty cache gives', () => {
  const pages = Array.from({ length: 1100 }, (_, at): [string, string] => {
    return [`docs/page-${at}.md`, `# Page ${at}\n\nThe code of page ${at} is zeta${at}.\n`]
  })
  const [cwd, home] = [makeProject(Object.fromEntries(pages)), makeFolder()]
  expect(runWarm(['packs', 'new', 'book', '--from', 'docs', '--follow'], { cwd, home }).code).toBe(0)
  const ask = (options: RunOptions = {}) =>
    runLoadout(['packs', 'resolve', 'the code of page 711', '--format', 'prompt'], { cwd, home, ...options }).stdout
  expect(ask()).toContain('zeta711')
  writeFileSync(join(cwd, 'docs/page-711.md'), '# Page 711\n\nThe code of page 711 is omega.\n')
  writeFileSync(join(cwd, 'docs/page-new.md'), '# A new page\n\nIt also mentions the code of page 711: kappa.\n')
  const edited = ask()
  for (const word of ['omega', 'kappa']) expect(edited).toContain(word)
  expect(edited).not.toContain('zeta711')
  expect(ask({ env: { XDG_CACHE_HOME: makeFolder() } })).toBe(edited)
})
