import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approve, revoke } from '../../src/answer/approve.ts'
import { answerFromPacks } from '../../src/answer/packs.ts'
import { readEntry as read } from '../../src/answer/read.ts'
import { searchAll } from '../../src/answer/search.ts'
import { answerHook } from '../../src/answer/session/hook.ts'
import { Machine } from '../../src/machine/machine.ts'
import { startPackFrom } from '../../src/packs/new-pack.ts'
import { openGuide } from '../../src/packs/read.ts'
import { makeFolder, makeProject } from '../cli/run.ts'

const DOCS = {
  'docs/errors.md':
    '# Errors\n\n## Codes\n\nFST_ERR_DOCK_TIMEOUT means that the dock did not answer.\n\n## Other\n\nCake.\n',
  'docs/carriers.rst':
    'Carriers\n========\n\nHeavy parcels\n-------------\n\nHeavy parcels travel with the Kestrel line.\n',
}

/** Files that changed a moment ago are not cached. */
function settled(): Promise<void> {
  return new Promise((done) => setTimeout(done, 150))
}

async function shop(isApproved = true): Promise<Machine> {
  const cwd = makeProject({ '.git/HEAD': 'ref: refs/heads/main\n', ...DOCS })
  const machine: Machine = new Machine({ cwd, home: makeFolder(), env: {}, now: () => new Date() })
  await startPackFrom(machine, { from: 'docs', name: 'shop' })
  await settled()
  if (isApproved) await approve(machine, { what: 'pack:shop' })
  return machine
}

describe('search', () => {
  const sections = async (machine: Machine, query: string) => {
    const value = await searchAll(machine, { query, kinds: ['pack'], layers: { projectRoot: machine.cwd } })
    return value.sections.map(({ id, title }) => [id, title])
  }

  it.each([
    ['FST_ERR_DOCK_TIMEOUT', 'pack:shop/documents/errors.md#L3-L6', 'Errors > Codes', 'did not answer'],
    ['heavy parcels kestrel', 'pack:shop/documents/carriers.rst#L4-L7', 'Carriers > Heavy parcels', 'Kestrel line'],
  ])('%s finds a section, which can be read by its id', async (query, id, title, text) => {
    const machine = await shop()
    expect(await sections(machine, query)).toEqual([[id, title]])
    const value = read(machine, { id, layers: { projectRoot: machine.cwd } })
    expect(value.text).toContain(text)
    expect(value.text).not.toContain('Cake')
  })

  it('finds nothing in a pack that is not approved, and nothing that shares one word of four', async () => {
    expect(await sections(await shop(false), 'FST_ERR_DOCK_TIMEOUT')).toEqual([])
    expect(await sections(await shop(), 'harbour crane parcels lamp')).toEqual([])
  })

  it('lines that a file does not have are reported', async () => {
    const machine = await shop()
    const request = { id: 'pack:shop/documents/errors.md#L90-L99', layers: { projectRoot: machine.cwd } }
    expect(() => read(machine, request)).toThrow(/has 9 lines/)
  })
})

describe('hooks and guides', () => {
  const hook = async (machine: Machine, event: string, more: object) => {
    const common = { session_id: 's1', transcript_path: '/none', cwd: machine.cwd, hook_event_name: event }
    const input = JSON.stringify({ ...common, ...more })
    const { reply } = await answerHook(machine, { agent: 'claude', event, input })
    return reply === '' ? '' : String(JSON.parse(reply).hookSpecificOutput.additionalContext)
  }

  it('name what resolves', async () => {
    const machine = await shop()
    await hook(machine, 'SessionStart', { source: 'startup' })
    const told = await hook(machine, 'UserPromptSubmit', { prompt: 'which carriers take heavy parcels?' })
    expect(told).toContain('`loadout packs resolve "the question" --pack shop`')
    const { guide } = openGuide(machine, { pack: 'shop' })
    expect(guide).toContain('loadout packs resolve "<question>" --pack shop')
    expect(guide).toContain('activate_pack')
  })

  describe('a prompt is pointed to the section that speaks of it', () => {
    const ASKED = 'what does FST_ERR_DOCK_TIMEOUT mean'
    const OTHER = 'do heavy parcels travel with the kestrel line'
    const prompt = (machine: Machine, text: string, session = 's1') =>
      hook(machine, 'UserPromptSubmit', { prompt: text, session_id: session })

    it('once, by words that its description does not have; everyday work is left alone', async () => {
      const machine = await shop()
      await settled()
      const told = await prompt(machine, ASKED)
      expect(told).toContain('section: Errors \u203a Codes')
      expect(told).toContain('`loadout packs resolve "the question" --pack shop`')
      expect(await prompt(machine, ASKED)).toBe('')
      expect(await prompt(machine, 'fix the failing test', 's2')).toBe('')
    })

    it('again for another section of the pack, and after a compaction', async () => {
      const machine = await shop()
      await settled()
      await hook(machine, 'SessionStart', { source: 'startup' })
      await prompt(machine, ASKED)
      expect(await prompt(machine, OTHER)).toContain('section: Carriers \u203a Heavy parcels')
      expect(await prompt(machine, OTHER)).toBe('')
      const again = await hook(machine, 'SessionStart', { source: 'compact' })
      expect(again.split('may help here')[1]?.match(/- pack shop:/g), 'named once').toHaveLength(1)
      expect(await prompt(machine, ASKED)).toContain('section: Errors')
    })

    it('of a pack that needs no approval, from the first session on; a large one waits for a question', async () => {
      const machine = await shop(false)
      const own = join(machine.home, '.agents', 'knowledge', 'shop')
      await startPackFrom(machine, { from: 'docs', name: 'shop', isUser: true, copy: true })
      rmSync(join(machine.cwd, '.agents'), { recursive: true })
      await settled()
      await hook(machine, 'SessionStart', { source: 'startup' })
      expect(await prompt(machine, ASKED)).toContain('section: Errors')
      writeFileSync(join(own, 'documents', 'long.md'), 'More cake. '.repeat(100_000))
      await settled()
      await hook(machine, 'SessionStart', { source: 'startup', session_id: 's2' })
      expect(await prompt(machine, ASKED, 's2')).toBe('')
    })

    it('a damaged index of sections loses only itself, and the next session has it again', async () => {
      const machine = await shop()
      await settled()
      await hook(machine, 'SessionStart', { source: 'startup' })
      const cache = join(machine.home, '.cache', 'loadout')
      const damage = () => {
        for (const name of readdirSync(join(cache, 'pack-sections'))) {
          const file = join(cache, 'pack-sections', name)
          const bytes = readFileSync(file)
          writeFileSync(file, bytes.fill(255, bytes.length >> 2, (bytes.length >> 2) + 64))
        }
      }
      damage()
      rmSync(join(cache, 'pack-terms'), { recursive: true })
      expect(await hook(machine, 'SessionStart', { source: 'startup', session_id: 's2' })).toContain('- shop:')
      expect(await prompt(machine, ASKED, 's2')).not.toContain('section: Errors')
      await hook(machine, 'SessionStart', { source: 'startup', session_id: 's3' })
      expect(await prompt(machine, ASKED, 's3')).toContain('section: Errors')
    })

    it('no section is ranked at a prompt, and none of a pack whose approval was taken back is reported', async () => {
      const machine = await shop()
      rmSync(join(machine.home, '.cache', 'loadout', 'pack-sections'), { recursive: true })
      await settled()
      expect(await prompt(machine, ASKED)).toBe('')
      expect(existsSync(join(machine.home, '.cache', 'loadout', 'pack-sections'))).toBe(false)
      answerFromPacks(machine, { task: ASKED })
      expect(await prompt(machine, ASKED)).toContain('section: Errors')
      await revoke(machine, { what: 'pack:shop' })
      expect(await prompt(machine, ASKED, 's3')).not.toContain('Errors')
    })
  })

  it('a session gets its packs again after a compaction, as often as it happens', async () => {
    const machine = await shop()
    await hook(machine, 'SessionStart', { source: 'startup' })
    const ask = () =>
      answerFromPacks(machine, { task: 'which carriers take heavy parcels', packs: ['shop'], session: 's1' })
    const wrapper = ask().active[0]?.presented.wrapper ?? ''
    expect(wrapper).toContain('Kestrel line')
    expect(ask().active[0]?.isRepeated).toBe(true)
    for (const _ of [1, 2]) {
      expect(await hook(machine, 'SessionStart', { source: 'compact' })).toContain(wrapper)
      expect(ask().active[0]?.isRepeated, 'it has it again').toBe(true)
    }
  })

  it('a session that was asked before its hooks told of it gets its packs again, too', async () => {
    const machine = await shop()
    const ask = () => answerFromPacks(machine, { task: 'heavy parcels', packs: ['shop'], session: 's1' }).active[0]
    const wrapper = ask()?.presented.wrapper ?? ''
    expect(await hook(machine, 'SessionStart', { source: 'compact' })).toContain(wrapper)
    expect(ask()?.isRepeated).toBe(true)
  })

  it('what has changed is not given again, and can be asked for anew', async () => {
    const machine = await shop()
    await hook(machine, 'SessionStart', { source: 'startup' })
    const ask = () => answerFromPacks(machine, { task: 'heavy parcels', packs: ['shop'], session: 's1' })
    ask()
    const path = join(machine.cwd, 'docs/carriers.rst')
    const before = DOCS['docs/carriers.rst']
    writeFileSync(path, `${before}\nNew.\n`)
    expect(await hook(machine, 'SessionStart', { source: 'compact' })).not.toContain('Kestrel')
    writeFileSync(path, before)
    expect(ask().active[0]).toMatchObject({ isRepeated: false })
  })
})
