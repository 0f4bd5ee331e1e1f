import { describe, expect, it } from 'vitest'
import { openBuilt, SegmentBuilder } from '../../search/segment-builder.ts'
import { readTask } from '../../search/task.ts'
import { documentOf, PROJECT_TUNING } from './file-document.ts'
import { type History, NO_HISTORY, readLog } from './history.ts'
import { rankFiles } from './rank-files.ts'

const FILES = {
  'src/middleware/cors/index.ts': 'export const cors = (options) => {\n  const origin = options.origin\n}\n',
  'src/middleware/csrf/index.ts': 'export const csrf = () => {\n  const origin = read()\n}\n',
  'src/middleware/cors/index.test.ts': 'describe("cors", () => { it("sets the origin") })\n',
  'src/hono.ts': 'export class Hono {}\n',
  'src/on_node/serve.ts': 'export const listen = () => {}\n',
  'docs/api/routing.md': '# Paths\n\nThe middleware.\n',
  'docs/routing.md': '# Routing\n\nRouting, and the middleware.\n',
  'src/router.ts': 'export const route = (paths) => paths\n',
  'src/macros.rs': 'macro_rules! bat_warning {\n}\n',
  'docs/cors.md': '# CORS\n\nHow to set the origin.\n',
  'tsconfig.json': '{ "compilerOptions": {} }\n',
  LICENSE: 'The origin of this software must not be misrepresented.\n',
}

/** Without a model, the plain ranking answers. */
const PLAIN = ''

function rank(task: string, history: History = NO_HISTORY, model?: string, near?: string[]) {
  const builder = new SegmentBuilder(PROJECT_TUNING)
  const paths = Object.keys(FILES).sort()
  for (const [slot, path] of paths.entries()) builder.add(slot, documentOf(path, FILES[path as keyof typeof FILES]))
  const terms = openBuilt(builder.encode(paths.length))
  return rankFiles(readTask(task), { paths, find: (term) => terms.find(term) }, { history, model, near })
}

const LOG = ['\x01', 'a'.repeat(40), '\x02', 'Speed up the start', '\x03\0\n', 'src/hono.ts\0', 'docs/cors.md\0'].join(
  '',
)

describe('the first file', () => {
  it.each([
    ['fix(cors): allow a list for origin', 'src/middleware/cors/index.ts'],
    ['docs: say how cors sets the origin', 'docs/cors.md'],
    ['Update tsconfig.json', 'tsconfig.json'],
    ['Introduce bat_warning! helper macro', 'src/macros.rs'],
    ['the cors test is flaky', 'src/middleware/cors/index.test.ts'],
    ['look at src/hono.ts', 'src/hono.ts'],
    ['remove what nobody uses from on_node', 'src/on_node/serve.ts'],
    ['remove what nobody uses from src.on_node', 'src/on_node/serve.ts'],
    ['how are the paths routed?', 'docs/api/routing.md'],
    ['docs: middleware in the api routing page', 'docs/api/routing.md'],
    ['crash\n\n  File "/home/me/venv/site-packages/src/on_node/serve.ts", line 1', 'src/on_node/serve.ts'],
    ['crash\n\n    at Hono (C:\\work\\src\\hono.ts:1:14)', 'src/hono.ts'],
    ['the middleware fails\n\nI wrote a test and docs about the origin of cors', 'src/middleware/cors/index.ts'],
    ['remove src.on_node.serve.listen', 'src/on_node/serve.ts'],
    ['replace the bat warning', 'src/macros.rs'],
  ])('for "%s" is %s, with the model and without, and probabilities fall', (task, expected) => {
    const [learned, plain] = [rank(task), rank(task, NO_HISTORY, PLAIN)]
    expect([learned.isLearned, plain.isLearned]).toEqual([true, false])
    expect([learned, plain].map(({ files }) => files[0]?.path)).toEqual([expected, expected])
    const likely = learned.files.map(({ probability }) => probability)
    expect(likely).toEqual([...likely].sort((a, b) => b - a))
    for (const probability of likely) expect(probability > 0 && probability < 1).toBe(true)
  })

  it('may be one that only a past commit speaks for', () => {
    expect(rank('speed up the start').files).toEqual([])
    const [best] = rank('speed up the start', readLog(LOG, '', false)).files
    expect(best).toMatchObject({ path: 'src/hono.ts', commits: ['aaaaaaaaaa'] })
  })

  it('is none when no word fits', () => {
    expect(rank('xyzzy').files).toEqual([])
  })

  it('says which words stood where', () => {
    expect(rank('cors origin', NO_HISTORY, PLAIN).files[0]?.words).toContainEqual({ word: 'cors', field: 'folder' })
  })
})

it('companions changed together with the first files, or with the open ones', () => {
  const commit = (id: string, ...paths: string[]) =>
    `\x01${id.repeat(40)}\x02Change it\x03\0\n${paths.map((path) => `${path}\0`).join('')}`
  const history = readLog(
    [commit('a', 'src/hono.ts', 'docs/cors.md'), commit('b', 'src/router.ts', 'tsconfig.json')].join(''),
    '',
    false,
  )
  const paths = ({ companions }: ReturnType<typeof rank>) => companions.map(({ path }) => path)
  expect(paths(rank('look at src/hono.ts', history))).toEqual(['docs/cors.md'])
  expect(paths(rank('look at src/hono.ts', history, undefined, ['src/router.ts']))).toEqual(['tsconfig.json'])
})
