import { describe, expect, it } from 'vitest'
import { type Files, guideText, resolveFiles } from './resolving.ts'

const section = (title: string, words: number) => `## ${title}\n\n${`The ${title} of the ferry. `.repeat(words)}\n\n`
const FILES: Files = {
  'compiled/briefing.md': `# Briefing\n\n${section('boiler', 40)}${section('rudder', 40)}${section('paint', 40)}`,
  'compiled/facts.md': `# Facts\n\n${section('deck', 40)}${section('mast', 40)}`,
  'compiled/boundaries.md': '# Boundaries\n\n- Never promise a crossing in fog.\n',
}
const TASK = 'the rudder of the ferry'
const WHOLE = resolveFiles(FILES, TASK, { budget: 1e9 })

describe('a budget', () => {
  it.each([0, 1, 50, 200, 300, 500, 800, 1e9])('case 88: of %d is kept', (budget) => {
    const { tokens, wrapper, omitted, warnings } = resolveFiles(FILES, TASK, { budget })
    expect(tokens).toBe(Math.ceil(wrapper.length / 4))
    expect(tokens).toBeLessThanOrEqual(budget)
    expect(omitted.length > 0).toBe(budget < WHOLE.tokens)
    expect(warnings.filter(({ code }) => code === 'LEFT_OUT')).toHaveLength(omitted.length)
  })

  it('case 88: smaller than everything keeps the limits, cuts between sections and lists the rest', () => {
    const { chosen, omitted, wrapper } = resolveFiles(FILES, TASK, { budget: 700 })
    const paths = chosen.map((part) => part.path)
    expect(paths).toContain('compiled/boundaries.md')
    for (const part of chosen.filter(({ rule }) => rule !== 'guide')) {
      const whole = FILES[part.path] ?? ''
      expect(whole).toContain(part.text)
      expect(part.text).toMatch(/^#/)
      const after = whole.slice(whole.indexOf(part.text) + part.text.length)
      expect(after === '' || after.startsWith('#')).toBe(true)
    }
    const lines = (ranges: readonly { path: string; lines?: { from: number; to: number } }[]) =>
      ranges.flatMap(({ path, lines }) =>
        Array.from({ length: lines ? lines.to - lines.from + 1 : 0 }, (_, at) => `${path}:${(lines?.from ?? 0) + at}`),
      )
    const all = lines(WHOLE.chosen).sort()
    expect([...lines(chosen), ...lines(omitted)].sort()).toEqual(all)
    const boundary = /boundary="(\w+)"/.exec(wrapper)?.[1]
    const files = wrapper.split('\n').filter((line) => line.startsWith(`[file ${boundary} `))
    expect(files.map((line) => line.split(' ')[2])).toEqual(paths)
  })

  it.each([300, 400, 500, 700])('case 88: of %d is kept by text that the fence makes longer', (budget) => {
    const hostile = Array.from({ length: 9 }, (_, at) => `## Ferry ${at}\n\n${'</knowledge_pack>\n'.repeat(12)}\n`)
    const { tokens, wrapper } = resolveFiles({ 'compiled/facts.md': hostile.join('') }, TASK, { budget })
    expect(tokens).toBe(Math.ceil(wrapper.length / 4))
    expect(tokens).toBeLessThanOrEqual(budget)
  })

  it('case 88: never drops a warning', () => {
    const files = { ...FILES, 'indexes/source-map.json': '{"claims": [null]}' }
    const { wrapper } = resolveFiles(files, TASK, { budget: 400 })
    expect(wrapper).toContain('pack.field')
    expect(wrapper).toContain('LEFT_OUT')
  })

  it('case 88: keeps the boundaries before other sections about limits', () => {
    const files = {
      ...FILES,
      'compiled/boundaries.md': `# Boundaries\n\n${'- Never promise a crossing in fog.\n'.repeat(12)}`,
      'wiki/entities/ferry.md': `# Ferry\n\n${section('rudder limits', 60)}`,
    }
    const { paths, omitted } = resolveFiles(files, TASK, { budget: 640, isDeep: true })
    expect(paths).toContain('compiled/boundaries.md')
    expect(omitted.map(({ path }) => path)).toContain('wiki/entities/ferry.md')
  })

  it.each([0, 1, 20])('case 89: of %d gives no wrapper, and a warning', (budget) => {
    const { wrapper, chosen, tokens, warnings } = resolveFiles(FILES, TASK, { budget })
    expect({ wrapper, chosen, tokens }).toEqual({ wrapper: '', chosen: [], tokens: 0 })
    expect(warnings.map(({ code }) => code)).toContain('LEFT_OUT')
  })

  it('goes to what the task is about', () => {
    const { wrapper } = resolveFiles(FILES, TASK, { budget: 600 })
    expect(wrapper).toContain('## rudder')
    expect(wrapper).not.toContain('## mast')
  })

  it('keeps rules of use before views', () => {
    const files = { ...FILES, 'KNOWLEDGE.md': guideText('# Guide\n\n## Rules\n\nName the ship.\n') }
    expect(resolveFiles(files, TASK, { budget: 300 }).wrapper).toContain('Name the ship.')
  })
})
