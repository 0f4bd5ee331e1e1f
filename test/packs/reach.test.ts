import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { approve } from '../../src/answer/approve.ts'
import { answerFromPacks, rehydrate } from '../../src/answer/packs.ts'
import type { PackAudit } from '../../src/answer/record.ts'
import { readAudit } from '../../src/machine/audits.ts'
import { Machine } from '../../src/machine/machine.ts'
import { startPack, startPackFrom } from '../../src/packs/new-pack.ts'

import { declareExamples, validatePackAt } from '../../src/packs/validate.ts'
import { type Content, makeFolder, makeProject } from '../cli/run.ts'
import { packText } from './machine.ts'

const ROOT = '.agents/knowledge/a'

function machineIn(files: Record<string, Content>): Machine {
  return new Machine({
    cwd: makeProject({ '.git/HEAD': '', ...files }),
    home: makeFolder(),
    env: {},
    now: () => new Date(),
  })
}

function issuesOf(machine: Machine, path = ROOT): string[] {
  const { issues } = validatePackAt(machine, { path })
  return issues.map(({ severity, code, path: at, line }) => `${severity} ${code} ${at}${line ? `:${line}` : ''}`)
}

const CITING = '# Facts\n\n- A fact. [source: sources/a.md#L1]\n'

describe('validate flags what can never answer', () => {
  it.each<[string, Record<string, Content>, string[]]>([
    ['nothing', { 'wiki/a.md': '# A\n\nText.\n', LICENSE: 'x', 'README.md': 'x', 'evals/x.md': 'x' }, []],
    [
      'a file in no layer',
      { 'wiki/a.md': 'Text.', 'notes/b.md': 'x', 'c.md': 'x' },
      ['warning discovery.skipped c.md'],
    ],
    [
      'a picture among documents',
      { 'wiki/a.md': 'Text.', 'documents/b.png': 'x' },
      ['warning discovery.skipped documents/b.png'],
    ],
    [
      'a source that nobody names, beside one that is',
      { 'compiled/facts.md': CITING, 'sources/a.md': 'A fact.', 'sources/b.md': 'x' },
      ['info discovery.skipped sources/b.md'],
    ],
    ['an empty pack', {}, ['warning pack.incomplete KNOWLEDGE.md']],
    ['an empty page only', { 'wiki/a.md': '' }, ['warning pack.incomplete KNOWLEDGE.md']],
  ])('%s', (_, files, expected) => {
    const inside = Object.fromEntries(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text]))
    expect(issuesOf(machineIn({ [`${ROOT}/KNOWLEDGE.md`]: packText(), ...inside }))).toEqual(expected)
  })

  it('the texts of a new pack, as soon as it is said to be ready', async () => {
    const machine = machineIn({})
    await startPack(machine, { name: 'a' })
    expect(issuesOf(machine)).toEqual(['info pack.incomplete KNOWLEDGE.md'])
    const path = join(machine.cwd, ROOT, 'KNOWLEDGE.md')
    writeFileSync(path, readFileSync(path, 'utf8').replace('status: draft', 'status: ready'))
    expect(issuesOf(machine)).toEqual(['warning pack.incomplete KNOWLEDGE.md'])
  })

  it('a description that is not confirmed', async () => {
    const machine = machineIn({ 'docs/a.md': '# A\n\nText.\n' })
    await startPackFrom(machine, { from: 'docs', name: 'a' })
    expect(issuesOf(machine)).toEqual(['warning pack.incomplete KNOWLEDGE.md'])
  })
})

describe('a secret that is an example', () => {
  const LINE = 'curl -d "user=a&password=Password123!" http://localhost'
  const DOCS = { 'docs/api.md': `# Login\n\nSend the form to log in:\n\n${LINE}\n` }
  const secrets = (machine: Machine) => issuesOf(machine).filter((issue) => issue.includes('content.secret'))

  async function aPack(): Promise<Machine> {
    const machine = machineIn(DOCS)
    await startPackFrom(machine, { from: 'docs', name: 'a' })
    return machine
  }

  it('is no finding once it is declared, and one again when the line changes', async () => {
    const machine = await aPack()
    expect(secrets(machine)).toEqual(['error content.secret documents/api.md:5'])
    const request = { pack: ROOT, places: ['documents/api.md:5'] }
    expect(declareExamples(machine, request)).toMatchObject({ declared: [{ line: 5 }], count: 1 })
    expect(declareExamples(machine, request)).toMatchObject({ declared: [], count: 1 })
    expect(secrets(machine)).toEqual([])
    expect(readFileSync(join(machine.cwd, ROOT, 'secret-examples.json'), 'utf8')).not.toContain('Password')
    writeFileSync(join(machine.cwd, 'docs/api.md'), DOCS['docs/api.md'].replace('123!', '124!'))
    expect(secrets(machine)).toEqual(['error content.secret documents/api.md:5'])
  })

  it('is given to a model, and given again', async () => {
    const machine = await aPack()
    const ask = async () => {
      await approve(machine, { what: 'pack:a' })
      return answerFromPacks(machine, { task: 'send the form to log in', packs: ['a'] })
    }
    expect((await ask()).active[0]?.presented.wrapper).toContain('[withheld: ')
    declareExamples(machine, { pack: ROOT, places: ['documents/api.md:5'] })
    const { active, auditId = '' } = await ask()
    expect(active[0]?.presented.wrapper).toContain(LINE)
    const again = rehydrate(machine, auditId, readAudit<PackAudit>(machine, auditId).record)
    expect(again.wrappers[0]?.text).toBe(active[0]?.presented.wrapper)
  })

  it.each(['documents/api.md:3', 'documents/none.md:1', 'documents/api.md', '../../../etc/passwd:1'])(
    '%s is nothing to declare',
    async (place) => {
      const machine = await aPack()
      expect(() => declareExamples(machine, { pack: ROOT, places: [place] })).toThrow(/looks like a secret/)
    },
  )

  it('nonsense in the file of declarations declares nothing', async () => {
    const machine = await aPack()
    for (const text of ['{', '[1, {"path": 2}]', '{"path": "documents/api.md"}']) {
      writeFileSync(join(machine.cwd, ROOT, 'secret-examples.json'), text)
      expect(secrets(machine)).toHaveLength(1)
    }
  })
})
