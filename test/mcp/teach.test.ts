import type { Client } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { makeMachine } from '../cli/skills-machine.ts'
import { makeContextWorld } from '../context/context-world.ts'
import { connect, textOf } from './mcp-world.ts'

interface Reply {
  taught: number
  entries: { id: string; description: string; wanted: number }[]
  left: number
  how?: string
  warnings: string[]
}

const SUBJECTS = [
  'invoices',
  'gardens',
  'bridges',
  'violins',
  'recipes',
  'glaciers',
  'satellites',
  'pottery',
  'tunnels',
  'bees',
]

function makeWorld() {
  const skills = Object.fromEntries(
    SUBJECTS.flatMap((subject) => [
      [
        `on-${subject}/skill.json`,
        JSON.stringify({ name: `on-${subject}`, description: `All about ${subject}.`, targets: ['claude'] }),
      ],
      [`on-${subject}/SKILL.md`, `# ${subject}\n`],
    ]),
  )
  const machine = makeMachine({ skills })
  return { machine, world: makeContextWorld({ 'README.md': '# Shop\n' }, { home: machine.home }) }
}

describe('teaching over MCP', () => {
  it('goes through a whole library in one conversation', async () => {
    const { machine, world } = makeWorld()
    const client: Client = await connect(world, { mode: 'auto', http: undefined })
    const call = async (args: Record<string, unknown>) => {
      const result = await client.callTool({ name: 'teach_examples', arguments: args })
      const reply: Reply = JSON.parse(textOf(result))
      expect(JSON.stringify(result).length).toBeLessThan(20_000)
      return reply
    }
    const { messages } = await client.getPrompt({ name: 'teach' })
    expect(JSON.stringify(messages)).toContain('teach_examples')
    let reply = await call({ limit: 4 })
    expect(reply).toMatchObject({ taught: 0, entries: { length: 4 }, left: 6, how: expect.stringContaining('wanted') })
    let calls = 0
    while (reply.entries.length > 0 && calls++ < 10) {
      const examples = reply.entries.map(({ id, description, wanted }) => ({
        id,
        prompts: Array.from(
          { length: wanted },
          (_, at) => `question ${'abcdefghij'[at]} of ${description.slice(10, -1)}`,
        ),
      }))
      reply = await call({ limit: 4, examples })
    }
    expect(reply).toMatchObject({ entries: [], left: 0, warnings: [] })
    expect(
      machine.json<{ entries: { written: number }[] }>('teach', '--status').entries.map(({ written }) => written),
    ).toEqual(SUBJECTS.map(() => 10))
    expect(machine.git('status', '--short')).toBe('')
    expect(machine.git('log', '--format=%s', '-3').trim().split('\n')).toHaveLength(3)
  })

  it('says what it did not take, and goes on', async () => {
    const { world } = makeWorld()
    const client: Client = await connect(world, { mode: 'auto', http: undefined })
    const result = await client.callTool({
      name: 'teach_examples',
      arguments: {
        limit: 0,
        examples: [
          { id: 'on-bees', prompts: ['why do they dance', 'bees'], not: ['sell me honey'] },
          { id: 'on-wasps', prompts: ['why do they sting'] },
        ],
      },
    })
    expect(JSON.parse(textOf(result))).toMatchObject({ taught: 2, entries: [], left: 10, warnings: { length: 2 } })
  })
})
