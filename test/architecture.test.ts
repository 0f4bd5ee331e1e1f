import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allIssues } from '../src/text/issues.ts'

/** The folders of the product from left to right. A folder may use itself and what stands in a column left of its own. */
const COLUMNS = [
  ['text'],
  ['search'],
  ['machine'],
  ['change'],
  ['agents'],
  ['usage'],
  ['examples'],
  ['payloads', 'packs', 'project'],
  ['skills'],
  ['answer'],
  ['health', 'team'],
  ['lab'],
] as const

/** Show and ask, no rules: they call use cases through the door. */
const FACES = ['cli', 'tui', 'mcp', 'hooks', 'web']
/** The door to every use case, and the two libraries made from it. */
const FACE_DOORS = ['src/loadout.ts', 'src/display-rules.ts']
const DOORS = [...FACE_DOORS, 'src/index.ts', 'src/api.ts']
const EXCEPTIONS: readonly (readonly [file: string, target: string])[] = [
  // The code cache must be on before the door is loaded.
  ['src/cli/start.ts', 'src/machine/code-cache.ts'],
  // With the door and its late parts a hook took 156 ms of CPU instead of 100, and a person waits for it.
  ['src/hooks/entry.ts', 'src/answer/session/hook.ts'],
]
/** What faces that serve start from; it knows nothing of the product. */
const SERVER = 'src/machine/http.ts'
/** Folders without disk, process, clock, environment or randomness. */
const PURE = ['text', 'search']

interface Import {
  file: string
  line: number
  target: string
  isType: boolean
}

function violations(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((each) => !isAllowed(each))
      .map(({ line, target }) => `${file}:${line} may not import ${target}`),
  )
}

function importsOf(file: string, text: string): Import[] {
  const specifiers = /\b(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\b(?:import|require)\(\s*'([^']+)'/g
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  return [...code.matchAll(specifiers)].map((found) => {
    const target = found[3] ?? found[4] ?? ''
    const line = code.slice(0, found.index + found[0].length).split('\n').length
    const path = target.startsWith('.') ? join(dirname(file), target) : target
    return { file, line, target: path, isType: found[2] !== undefined }
  })
}

function isAllowed({ file, target, isType }: Import): boolean {
  if (DOORS.includes(file)) return target.startsWith('src/') && !isDisk(target)
  if (EXCEPTIONS.some(([from, to]) => file === from && target === to)) return true
  const from = folderOf(file)
  if (!target.startsWith('src/')) return isPure(file) ? target === 'node:crypto' : mayLeave(file, target)
  if (FACES.includes(from)) return isOpenToFaces(from, target, isType)
  if (isPure(file) && !isPure(target)) return isType && folderOf(target) === from
  return isLeftOf(from, folderOf(target)) && !(isDisk(target) && folderOf(target) !== from)
}

/** npm packages and Node's modules are for the machine, changes and `disk/`; a use case only joins paths. */
function mayLeave(file: string, target: string): boolean {
  const touchesMachine =
    isDisk(file) || ['machine', 'change'].includes(folderOf(file)) || FACES.includes(folderOf(file))
  return touchesMachine || target === 'node:path'
}

/** Faces see the door, values of text, and types of whatever the door gives. The command line starts the other faces. */
function isOpenToFaces(from: string, target: string, isType: boolean): boolean {
  const to = folderOf(target)
  if (to === from || to === 'text' || FACE_DOORS.includes(target) || target === SERVER) return true
  if (from === 'cli' && FACES.includes(to)) return true
  return isType && !isDisk(target) && !FACES.includes(to)
}

function isLeftOf(from: string, to: string): boolean {
  if (from === to) return true
  const [left, right] = [columnOf(to), columnOf(from)]
  return left >= 0 && left < right
}

function columnOf(folder: string): number {
  return COLUMNS.findIndex((column) => (column as readonly string[]).includes(folder))
}

function isPure(file: string): boolean {
  return PURE.includes(folderOf(file)) || file.split('/')[2] === 'rules'
}

function isDisk(file: string): boolean {
  return file.split('/')[2] === 'disk'
}

function folderOf(file: string): string {
  return file.split('/')[1] ?? ''
}

function sources(folder = 'src'): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names
    .map((name) => join(folder, name))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|fixture)\./.test(path))
  return new Map(files.map((path) => [path, readFileSync(path, 'utf8')]))
}

describe('imports', () => {
  it('go only where the folders allow', () => {
    expect(violations(sources())).toEqual([])
  })

  it('every folder has a place', () => {
    const known = [...COLUMNS.flat(), ...FACES]
    const folders = new Set([...sources().keys()].filter((file) => !DOORS.includes(file)).map(folderOf))
    expect([...folders].filter((folder) => !known.includes(folder))).toEqual([])
  })

  const planted: [file: string, source: string][] = [
    ['src/text/x.ts', "import { readFileSync } from 'node:fs'"],
    ['src/text/x.ts', "import { termsOf } from '../search/tokens.ts'"],
    ['src/search/x.ts', "import picomatch from 'picomatch'"],
    ['src/search/x.ts', "import type { Skill } from '../skills/rules/skill.ts'"],
    ['src/machine/x.ts', "import { AGENTS } from '../agents/rules/agents.ts'"],
    ['src/payloads/rules/x.ts', "import { readInside } from '../../machine/inside.ts'"],
    ['src/payloads/rules/x.ts', "import { readLayers } from '../disk/layers.ts'"],
    ['src/payloads/x.ts', "import { readFileSync } from 'node:fs'"],
    ['src/payloads/x.ts', "import type { Skill } from '../skills/rules/skill.ts'"],
    ['src/usage/x.ts', "import { planTask } from '../payloads/plan.ts'"],
    ['src/agents/x.ts', "import { equip } from '../skills/equip.ts'"],
    ['src/answer/x.ts', "import { layers } from '../payloads/disk/layers.ts'"],
    ['src/answer/x.ts', "const chunk = await import('../health/status.ts')"],
    ['src/health/x.ts', "import { main } from '../cli/main.ts'"],
    ['src/health/x.ts', "import { teach } from '../lab/teach.ts'"],
    ['src/cli/commands/x.ts', "import { equip } from '../../skills/equip.ts'"],
    ['src/cli/commands/x.ts', "import {\n  readInside,\n} from '../../machine/inside.ts'"],
    ['src/cli/x.ts', "import { enableCodeCache } from '../machine/code-cache.ts'"],
    ['src/hooks/x.ts', "import { answerHook } from '../answer/session/hook.ts'"],
    ['src/tui/x.ts', "import { main } from '../cli/main.ts'"],
    ['src/index.ts', "export { readLayers } from './payloads/disk/layers.ts'"],
  ]
  it.each(planted)('a violation is found: %s %s', (file, source) => {
    const line = 1 + source.split('\n').length
    expect(violations(new Map([[file, `// one line above\n${source}\n`]]))).toEqual([
      expect.stringMatching(new RegExp(`^${file.replaceAll('.', '\\.')}:${line} may not import `)),
    ])
  })

  const fine: [file: string, source: string][] = [
    ['src/text/x.ts', "import { createHash } from 'node:crypto'"],
    ['src/payloads/x.ts', "import { readLayers } from './disk/layers.ts'"],
    ['src/payloads/disk/x.ts', "import picomatch from 'picomatch'"],
    ['src/answer/x.ts', "import { planTask } from '../payloads/plan.ts'"],
    ['src/answer/rules/x.ts', "import { trustOf } from '../../packs/rules/gates/trust.ts'"],
    ['src/cli/x.ts', "import type { Plan } from '../payloads/plan.ts'"],
    ['src/mcp/x.ts', "import { createHttpApp } from '../machine/http.ts'"],
    ['src/cli/start.ts', "import { enableCodeCache } from '../machine/code-cache.ts'"],
    ['src/cli/x.ts', "const tui = await import('../tui/main.ts')"],
  ]
  it.each(fine)('what is allowed passes: %s %s', (file, source) => {
    expect(violations(new Map([[file, source]]))).toEqual([])
  })
})

it('every path that ARCHITECTURE.md and the pages of the folders name exists', () => {
  const pages = ['ARCHITECTURE.md', ...COLUMNS.flat().map((folder) => `src/${folder}/README.md`)].filter(existsSync)
  const named = pages.flatMap((page) => [
    ...readFileSync(page, 'utf8').matchAll(/`((?:src|test|docs|bench|scripts|sample)\/[^`*<>]*)`/g),
  ])
  const paths = named.map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(5)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

it('every folder of the product has a page', () => {
  const folders = [...new Set([...sources().keys()].filter((file) => !DOORS.includes(file)).map(folderOf))]
  expect(folders.filter((folder) => !existsSync(`src/${folder}/README.md`))).toEqual([])
})

/** These look at skills that nobody has approved yet: to show one to a person, to compare, or to change the library. */
const REVIEWERS = ['doctor', 'equip', 'gate', 'import', 'init', 'library-edits', 'observe', 'registry', 'update']

it('only files that are named here read skills past the gate', () => {
  const found = [...sources()].filter(([, text]) => /\b(?:readForReview|readRegistry|readSkillAt)\b/.test(text))
  const names = found.map(([file]) => file.replace(/.*\//, '').replace('.ts', ''))
  expect(names.sort()).toEqual(REVIEWERS)
})

/** The cutter, and files that look at the first lines of a text or at a model's answer, and cut nothing. */
const HEADING_READERS = [
  'src/agents/disk/found-skills.ts',
  'src/lab/rules/teach-exchange.ts',
  'src/payloads/rules/build-index.ts',
  'src/text/cut.ts',
  'src/text/skill-document.ts',
]

/** Files with a pattern for a Markdown heading. */
function headingReaders(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([, text]) => /#\{\d,|\^(?: \{0,3\})?#\+/.test(text)).map(([file]) => file)
}

it('only the cutter finds the headings of a text', () => {
  const planted: [string, string][] = [
    ['src/answer/a.ts', 'const HEADING = /^ {0,3}#{1,6} /'],
    ['src/answer/b.ts', 'text.split(/^#+ /m)'],
    ['src/answer/c.ts', "const COMMENT = '# text'"],
  ]
  expect(headingReaders(new Map(planted))).toEqual(['src/answer/a.ts', 'src/answer/b.ts'])
  expect(headingReaders(sources()).sort()).toEqual(HEADING_READERS)
})

/** Rows of the table of issues that no file reports, by their name or by a name that begins like it. */
function unreported(rows: readonly string[], files: ReadonlyMap<string, string>): string[] {
  const texts = [...files].flatMap(([file, text]) => (file.startsWith('src/text/issues/') ? [] : [text])).join('\n')
  const starts = [...texts.matchAll(/`([\w.]+\/)\$\{/g)].map(([, start = '']) => start)
  // A code alone is its line on the page of errors.
  const isReported = (row: string) => texts.includes(`'${row}'`) || starts.some((start) => row.startsWith(start))
  return rows.filter((row) => row.includes('/') && !isReported(row))
}

it('every sentence of the table of issues is reported by some file', () => {
  const planted = new Map([['src/answer/a.ts', "failWith('LOST/a'); failWith(`KEPT/$" + '{why}`)']])
  expect(unreported(['LOST/a', 'LOST/b', 'KEPT/c', 'LOST'], planted)).toEqual(['LOST/b'])
  expect(unreported(Object.values(allIssues()).flatMap(Object.keys), sources())).toEqual([])
})

/** Things that are done in one way, by the files that do them. */
const WAYS: { what: string; call: RegExp; files: string[]; planted: string }[] = [
  {
    what: 'builds or opens a ranking',
    call: /\b(?:createRanker|openSavedRanker|LibraryRanker)\(/,
    files: ['src/machine/ranking.ts', 'src/search/ranker.ts'],
    planted: 'const ranker = createRanker(documents)',
  },
  {
    what: 'finds entries for a task through the opened sources',
    call: /\bfind\(rank(?:er|ing),/,
    files: ['src/answer/search.ts', 'src/answer/session/prompt.ts'],
    planted: 'const hits = find(ranking, task, { limit: 5 })',
  },
  {
    what: 'compares the answer of a person with a word',
    call: /\bdecision [!=]== ?'/,
    files: ['src/machine/rules/approval.ts', 'src/machine/rules/gate.ts'],
    planted: "if (approval.decision === 'approved') return read(pack)",
  },
  {
    what: 'compares the verdict of the team with a word',
    call: /\bverdict\.state [!=]== /,
    files: [],
    planted: "if (verdict.state !== 'approved') throw refusal",
  },
  {
    what: 'gives facts to the gate',
    call: /(?<!function )\bgate\((?:\{|\w+\.of\()/,
    files: [
      'src/answer/adapters.ts',
      'src/packs/rules/gates/trust.ts',
      'src/skills/gate.ts',
      'src/skills/project-lock.ts',
      'src/skills/project-texts.ts',
    ],
    planted: 'if (gate({ denied: false, held: false, unapproved: false }) === undefined) open(skill)',
  },
  {
    what: 'asks a source whether an entry may be read',
    call: /\.gate\(|\bgate\(adapter/,
    files: ['src/answer/adapters.ts', 'src/answer/sources.ts'],
    planted: 'if (source.gate(name) === undefined) return source.read(name)',
  },
  {
    what: 'reads a saved form of an index',
    call: /(?<!function )\b(?:openForm|SavedLibrary)\(/,
    files: ['src/project/disk/project-index.ts', 'src/search/ranker.ts', 'src/search/saved-library.ts'],
    planted: 'const form = openForm(read, size, tuning)',
  },
  {
    what: 'gives a list of texts or lines its room',
    call: /(?<!function )\bfitInto\(/,
    files: [
      'src/answer/rules/index-block.ts',
      'src/answer/session/start-parts.ts',
      'src/payloads/plan.ts',
      'src/payloads/rules/plan.ts',
    ],
    planted: 'const { fitting } = fitInto(lines, room, sizeOf)',
  },
  {
    what: 'writes the log of what was planned, delivered and used',
    call: /(?<!function )\bappendEvents\(/,
    files: ['src/usage/log.ts', 'src/usage/record.ts'],
    planted: 'appendEvents(events, machine.usageLog)',
  },
  {
    what: 'gives bundle parts their room',
    call: /(?<!function )\bassemble\(/,
    files: ['src/answer/rules/build-bundle.ts'],
    planted: 'const assembly = assemble(slices, space, limits, configured, rules)',
  },
  {
    what: 'looks for secrets in what is delivered',
    call: /(?<!function )\bguardParts\(/,
    files: ['src/answer/answer.ts'],
    planted: 'await guardParts(parts, policy, widest, trail)',
  },
  {
    what: 'records what was delivered',
    call: /(?<!function )\bwriteAudit\(/,
    files: ['src/answer/record.ts'],
    planted: 'writeAudit(machine, audit)',
  },
]

it.each(WAYS)('no other file $what', ({ call, files, planted }) => {
  const users = (all: ReadonlyMap<string, string>) =>
    [...all].filter(([, text]) => call.test(text)).map(([file]) => file)
  expect(users(new Map([['src/answer/x.ts', planted]]))).toEqual(['src/answer/x.ts'])
  expect(users(sources()).sort()).toEqual(files)
})
