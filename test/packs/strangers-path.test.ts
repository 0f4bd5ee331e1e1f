import { expect, it } from 'vitest'
import { runWarm } from '../cli/warm.ts'
import { makeContextWorld } from '../context/context-world.ts'
import { connect } from '../mcp/mcp-world.ts'

const DOCS = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  'docs/refunds.md': '# Refunds\n\n## Deadlines\n\nAn article can be returned within 30 days.\n',
  'docs/ops/carriers.rst':
    'Carriers\n========\n\nHeavy parcels\n-------------\n\nHeavy parcels travel with the Kestrel line.\n',
  'docs/ops/cellar.adoc': '= Cellar\n\n== Crates\n\nThe cellar holds 400 crates.\n',
  'docs/plan.pdf': 'x',
}
const QUESTION = 'which carriers take heavy parcels?'
const ANSWER = 'Heavy parcels travel with the Kestrel line.'

it('a folder of documents answers an agent over MCP and through a hook after two commands', async () => {
  const world = makeContextWorld(DOCS)
  const { project: cwd, home } = world
  const made = runWarm(['packs', 'new', 'shop', '--from', 'docs'], { cwd, home })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toContain('made shop: 3 documents, document-first')
  expect(runWarm(['approve', 'shop'], { cwd, home }).code).toBe(0)

  const client = await connect(world, { mode: 'auto' })
  const call = async (name: string, args: object) => {
    const { content } = await client.callTool({ name, arguments: { ...args } })
    return JSON.stringify(content)
  }
  const answer = await call('activate_pack', { pack: 'shop', question: QUESTION, cite: true, need: ['the price'] })
  expect(answer).toContain(ANSWER)
  expect(answer).toContain('documents/ops/carriers.rst')
  expect(answer).toContain('the price')
  expect(answer).not.toContain('400 crates')
  expect(await call('search_knowledge', { query: 'heavy parcels' })).toContain(
    'pack:shop/documents/ops/carriers.rst#L4-L7',
  )
  expect(await call('read_entry', { id: 'pack:shop/documents/ops/carriers.rst#L4-L7' })).toContain(ANSWER)

  const task = await call('compile_pack', { pack: 'shop' })
  const id = /"task\\*": \\*"(\w{16})/.exec(task)?.[1]
  const facts = ['documents/ops/carriers.rst#L7']
  const wrong = { task: id, facts: ['documents/refunds.md#L50'] }
  expect(await call('compile_pack', { pack: 'shop', answer: wrong })).toContain('Nothing was written.')
  expect(await call('compile_pack', { pack: 'shop', answer: { task: id, facts } })).toContain('compiled/facts.md')
  expect(await call('activate_pack', { pack: 'shop', question: QUESTION })).toContain(
    'wait for approval: compiled/facts.md',
  )
  expect(runWarm(['approve', 'shop'], { cwd, home }).code).toBe(0)

  const stdin = JSON.stringify({
    session_id: 's',
    transcript_path: '/none',
    cwd,
    hook_event_name: 'UserPromptSubmit',
    prompt: QUESTION,
  })
  const { hookSpecificOutput } = JSON.parse(
    runWarm(['hook', 'claude', 'UserPromptSubmit'], { cwd, home, stdin }).stdout,
  )
  const told: string = hookSpecificOutput.additionalContext
  expect(told).toContain('`loadout packs resolve "the question" --pack shop`')
  const words = ['packs', 'resolve', QUESTION, '--pack', 'shop', '--format', 'prompt']
  expect(runWarm(words, { cwd, home }).stdout).toContain(ANSWER)
})
