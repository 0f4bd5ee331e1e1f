import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../cli/run.ts'
import { SECRET } from '../packs/pack-world.ts'
import { connect, type HttpServer, makeMcpWorld, ODD_ID, startHttp, textOf } from './mcp-world.ts'

const TASK = 'why does the flood gauge read zero?'
const world = makeMcpWorld()
const outside = join(makeFolder(), 'outside.txt')
writeFileSync(outside, SECRET)
symlinkSync(outside, join(world.home, 'library/skills/linked/outside.txt'))

let http: HttpServer
beforeAll(async () => {
  http = await startHttp(world)
})
afterAll(() => {
  http.child.kill()
})

describe.each([
  ['stdio, the older protocol', { mode: 'legacy', isHttp: false }],
  ['stdio, the newer protocol', { mode: 'auto', isHttp: false }],
  ['HTTP, the older protocol', { mode: 'legacy', isHttp: true }],
  ['HTTP, the newer protocol', { mode: 'auto', isHttp: true }],
] as const)('over %s', (_, { mode, isHttp }) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(world, { mode, http: isHttp ? http : undefined })
  })
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args })

  it('every tool is listed, with schemas and whether it changes anything, and the list is cheap', async () => {
    const list = await client.listTools()
    expect(list.tools.map(({ name }) => name)).toEqual([
      'load_context',
      'plan_context',
      'search_knowledge',
      'read_entry',
      'activate_pack',
      'compile_pack',
      'teach_examples',
    ])
    for (const { name, inputSchema, outputSchema, annotations } of list.tools) {
      expect([inputSchema.type, outputSchema]).toEqual(['object', undefined])
      const isReading = name !== 'teach_examples' && name !== 'compile_pack'
      expect(annotations).toMatchObject({ readOnlyHint: isReading, openWorldHint: false })
    }
    expect(countTokens(JSON.stringify(list))).toBeLessThan(1_500)
  })

  it('load_context gives the bundle as text, once, and plan_context says what is in it and why', async () => {
    const result = await call('load_context', { task: TASK })
    const text = textOf(result)
    expect(text.startsWith(world.run(['context', TASK, '--format', 'markdown']).stdout)).toBe(true)
    expect(text).toContain('loadout approve closed')
    expect(text).not.toContain(SECRET)
    expect(JSON.stringify(result).length).toBeLessThan(1.2 * text.length)
    const planned = await call('plan_context', { task: TASK })
    expect(JSON.parse(textOf(planned))).toMatchObject({
      files: expect.arrayContaining([
        { path: 'payload:flood', why: 'ranked (text, 90 %): keywords [flood, gauge, flood gauge], name [flood]' },
      ]),
      omitted: expect.arrayContaining([{ path: 'pack:closed', why: 'gate: the pack closed is not approved' }]),
      warnings: expect.arrayContaining([expect.stringContaining('loadout approve closed')]),
    })
    expect(textOf(planned)).not.toContain('The body of flood.')
  })

  it('a smaller budget gives a smaller text', async () => {
    const small = textOf(await call('load_context', { task: TASK, max_tokens: 400 }))
    expect(small.length).toBeLessThan(textOf(await call('load_context', { task: TASK })).length)
    expect(small).toMatch(/Left out: +[1-9]/)
  })

  it('search_knowledge finds payloads, packs and skills, and read_entry reads each', async () => {
    const found = textOf(await call('search_knowledge', { query: 'flood gauge reading' }))
    const { hits } = JSON.parse(found) as { hits: { id: string; kind: string; needs?: string }[] }
    expect(new Set(hits.map(({ kind }) => kind))).toEqual(new Set(['payload', 'pack', 'skill']))
    expect(hits.filter(({ needs }) => needs !== undefined)).toEqual([
      expect.objectContaining({
        id: 'pack:closed',
        trust: 'unapproved',
        needs: `loadout approve ${join(world.project, '.agents/knowledge/closed')}`,
      }),
    ])
    const texts: Record<string, string> = {
      flood: 'The body of flood.',
      'skill:gauge-reading': 'Look at the water.',
      'pack:water': 'A gauge measures the height of water.',
      'pack:water/wiki/high tide.md': 'Twice a day.',
    }
    for (const [id, text] of Object.entries(texts)) {
      expect(textOf(await call('read_entry', { id })), id).toContain(text)
    }
  })

  it('a long text is cut, and says so', async () => {
    const text = textOf(await call('read_entry', { id: 'long' }))
    expect(text.length).toBeLessThanOrEqual(60_000)
    expect(text).toContain('</loadout_payload>\n[cut: ')
  })

  it('activate_pack gives the guide of an open pack with the names of its files', async () => {
    const result = await call('activate_pack', { pack: 'water' })
    expect(textOf(result)).toContain('A gauge measures the height of water.')
    expect(textOf(result)).toContain('wiki/high tide.md')
  })

  it('activate_pack with a question gives what the pack knows about it, and what it does not', async () => {
    const result = await call('activate_pack', {
      pack: 'water',
      question: 'how often is high tide',
      need: ['the price'],
    })
    expect(textOf(result)).toContain('Twice a day.')
    expect(textOf(result)).toContain('the price')
  })

  it('a pack that is not approved answers with the command, never with content', async () => {
    for (const [name, args] of [
      ['activate_pack', { pack: 'closed' }],
      ['activate_pack', { pack: 'closed', question: 'how is the gauge read', confirm: true }],
      ['read_entry', { id: 'pack:closed' }],
      ['read_entry', { id: 'pack:closed/KNOWLEDGE.md' }],
    ] as const) {
      const result = await call(name, args)
      expect(result.isError, name).toBe(true)
      expect(textOf(result)).toMatch(/^APPROVAL_NEEDED: the pack closed is not approved\n.*loadout approve /)
    }
    await expect(client.readResource({ uri: 'loadout://pack/closed/KNOWLEDGE.md' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('loadout approve'),
    })
  })

  it.each([
    ['no such tool', 'no_tool', {}],
    ['a missing argument', 'load_context', {}],
    ['an empty task', 'load_context', { task: ' \n' }],
    ['a task that is no text', 'load_context', { task: 7 }],
    ['an argument that does not exist', 'plan_context', { task: 'x', max_tokens: 5 }],
    ['a number out of range', 'load_context', { task: 'x', max_tokens: 0 }],
    ['a limit out of range', 'search_knowledge', { query: 'x', limit: 1000 }],
    ['no arguments at all', 'read_entry', undefined],
  ])('%s is an error of the protocol, and the next call is answered', async (_, name, args) => {
    await expect(client.callTool({ name, ...(args && { arguments: args }) })).rejects.toMatchObject({ code: -32602 })
    expect((await call('activate_pack', { pack: 'water' })).isError).toBeFalsy()
  })

  it.each([
    ['read_entry', { id: 'nothing-of-that-name' }, 'ENTRY_NOT_FOUND'],
    ['read_entry', { id: 'pack:water/../closed/KNOWLEDGE.md' }, ''],
    ['activate_pack', { pack: 'no-such-pack' }, 'PACK_NOT_FOUND'],
    ['load_context', { task: 'x', project: '/no/such/folder' }, 'NOT_A_FOLDER'],
    ['search_knowledge', { query: 'x', project: '/no/such/folder' }, 'NOT_A_FOLDER'],
  ])('what is not there is reported in the answer: %s %j', async (name, args, code) => {
    const result = await call(name, args)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(new RegExp(`^${code || '[A-Z_]+'}: .+`))
    expect(textOf(result)).not.toContain(SECRET)
  })

  it('resources are listed, completed and read, also by odd names', async () => {
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    const odd = `loadout://entry/${encodeURIComponent(ODD_ID)}`
    expect(uris).toEqual(expect.arrayContaining(['loadout://index', 'loadout://entry/flood', odd]))
    expect(uris).toContain('loadout://pack/water/KNOWLEDGE.md')
    expect(uris).not.toContain('loadout://pack/closed/KNOWLEDGE.md')
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'loadout://entry/{id}',
      'loadout://pack/{name}/{+path}',
      'skill://{+path}',
    ])
    const read = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return content !== undefined && 'text' in content ? content.text : ''
    }
    expect(await read('loadout://index')).toMatch(/- flood \(domain, \d+ tokens\): [\s\S]*skill:gauge-reading/)
    expect(await read('loadout://index')).toContain('name="closed"')
    expect(await read('loadout://entry/flood')).toContain('The body of flood.')
    expect(await read(odd)).toContain('The body of')
    expect(await read('loadout://pack/water/wiki/high%20tide.md')).toContain('Twice a day.')
    const complete = async (uri: string, name: string, value: string) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values
    expect(await complete('loadout://entry/{id}', 'id', 'fl')).toEqual(['flood'])
    expect(await complete('loadout://pack/{name}/{+path}', 'name', '')).toContain('water')
  })

  it.each([
    'loadout://entry/nothing-of-that-name',
    'loadout://entry/%E0%A4%A',
    'loadout://pack/water/no-such-file.md',
    'loadout://pack/water/%2e%2e%2fclosed%2fKNOWLEDGE.md',
    'loadout://nothing',
    'skill://no-such-skill/SKILL.md',
    'skill://gauge-reading/../../secret',
    'no address',
  ])('%s is an error of the protocol', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: expect.any(Number) })
  })

  it('the prompt carries what the task needs, and the task', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts).toMatchObject([
      { name: 'load-context', arguments: [{ name: 'task', required: true }] },
      { name: 'teach' },
    ])
    const { messages } = await client.getPrompt({ name: 'load-context', arguments: { task: TASK } })
    const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : ''))
    expect(texts).toEqual([expect.stringContaining('The body of flood.'), TASK])
    await expect(client.getPrompt({ name: 'load-context' })).rejects.toMatchObject({ code: -32602 })
    await expect(client.getPrompt({ name: 'none' })).rejects.toMatchObject({ code: -32602 })
  })

  it('the skills of the library come through the extension, every byte as its digest says', async () => {
    const skills = new SkillsClient(client)
    expect([skills.supported, skills.directoryRead]).toEqual([true, true])
    const listing = await skills.list()
    expect(listing.skills.map(({ frontmatter }) => frontmatter)).toEqual([
      { name: 'gauge-reading', description: 'How to gauge-reading.' },
    ])
    const { skill } = await skills.get('skill://gauge-reading/SKILL.md')
    expect(skill).toEqual(listing.skills[0])
    expect(await skills.read(skill)).toMatchObject({
      verified: true,
      body: expect.stringContaining('Look at the water.'),
    })
    expect(await skills.read(skill, 'references/tide table.md')).toMatchObject({ verified: true })
    expect(await skills.read(skill, 'picture.bin')).toMatchObject({ verified: true })
    const children = async (uri: string) => (await skills.readDirectory(uri)).resources.map(({ name }) => name)
    expect(await children('skill://gauge-reading')).toEqual(['SKILL.md', 'picture.bin', 'references', 'skill.json'])
    expect(await children('skill://gauge-reading/references')).toEqual(['tide table.md'])
    await expect(skills.get('skill://linked/SKILL.md')).rejects.toMatchObject({ code: -32602 })
    await expect(client.readResource({ uri: 'skill://linked/outside.txt' })).rejects.toThrow()
  })
})
