import { truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { aFolder, aLinkTo, aLinkToItself, aPipe, type Content, makeFolder, makeProject } from '../cli/run.ts'
import { runMany, type WarmRun } from '../cli/warm.ts'
import * as hostile from './hostile-packs.ts'
import { guideOf, type MadePack, makePack } from './hostile-packs.ts'

// Hundreds of commands, slow on a busy machine.
vi.setConfig({ hookTimeout: 300_000 })

const TASK = 'a fact about quails'

/** Every command about a pack, from listing it to revoking its approval. */
function callsFor({ root }: MadePack): string[][] {
  return [
    ['packs', 'list', '--project', `${root}/../../..`, '--json'],
    ['packs', 'show', root],
    ['packs', 'validate', root],
    ['packs', 'approve', root],
    ['packs', 'show', root, '--json'],
    ['packs', 'guide', root],
    ['packs', 'why', root, '--task', TASK],
    ['packs', 'resolve', TASK, '--pack', root, '--confirm', 'hostile', '--format', 'prompt'],
    ['packs', 'resolve', TASK, '--pack', root, '--cite', '--deep', '--budget', '1000000', '--need', 'x', '--json'],
    ['packs', 'eval', root],
    ['packs', 'approve', root, '--tree'],
    ['packs', 'deny', root],
    ['packs', 'revoke', root],
  ]
}

/** Expects no crash, no timeout, no terminal sequences, and valid JSON. */
function troublesOf(runs: readonly WarmRun[]): object[] {
  return runs.flatMap(({ args, code, stdout, stderr }) => {
    const troubles = [
      (code === null || code > 3) && `code ${code}`,
      /UNEXPECTED|went wrong|\n {4}at /.test(stderr) && stderr.slice(0, 400),
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.test(stdout + stderr) && 'control characters',
      args.includes('--json') && !isJson(stdout) && 'no JSON',
    ].filter((each) => each !== false)
    return troubles.length === 0 ? [] : [{ call: args.join(' ').slice(0, 200), troubles }]
  })
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

const JSON_FILES = [
  'indexes/source-map.json',
  'indexes/fulltext.json',
  'runs/compile-1.json',
  'evals/discovery.train.json',
  'evals/discovery.json',
  'ontology/ontology.json',
  'ontology/concepts.json',
  'ontology/claims.json',
  'answers/answers.json',
]
const TEXT_FILES = [
  'compiled/facts.md',
  'compiled/briefing.md',
  'compiled/splits/a/001_a.md',
  'wiki/index.md',
  'wiki/concepts/a.md',
  'documents/main.md',
  'sources/a.md',
]
const PRIMARY = [
  'profile: hybrid',
  'grounding: required',
  'metadata:',
  '  primaryDocument: documents/main.md',
  '  primaryOntology: ontology/ontology.json',
  '  primaryAnswers: answers/answers.json',
].join('\n')
const MAPPED = guideOf({
  fields: PRIMARY,
  body: `## Context map\n\n${TEXT_FILES.map((path) => `- A fact about quails: \`${path}\``).join('\n')}\n`,
})

/** Replaces every file of the pack. */
const everywhere = (content: Content) =>
  makePack({
    ...Object.fromEntries([...TEXT_FILES, ...JSON_FILES].map((path) => [path, content])),
    'KNOWLEDGE.md': MAPPED,
  })
const inEachJson = (content: string) =>
  makePack({ ...Object.fromEntries(JSON_FILES.map((path) => [path, content])), 'KNOWLEDGE.md': MAPPED })
const withGuide = (content: Content) => makePack({ 'KNOWLEDGE.md': content })

const LATIN = Buffer.from('# Fact\n\nquails \xff\xfe \xc3( {"a": "\xe9"}\n', 'latin1')
const LONG_LINE = `# A fact about quails\n\n${'a fact about quails '.repeat(52_000)}\n`
const sparse = (path: string) => {
  writeFileSync(path, guideOf({ body: 'x' }))
  truncateSync(path, 200 * 1024 * 1024)
}

const makeOutside = () => join(makeProject({ 'a.md': '# A fact\n\nzqoutside\n' }), 'a.md')
const MANY_ENTRIES = Array.from({ length: 10_000 }, (_, at) => `- a fact ${at}: \`wiki/concepts/a${at}.md\``).join('\n')
const ODD_NAMES = [
  'a\nb',
  '\u001b[2J',
  '\u202etxt',
  ' ',
  '`',
  '</knowledge_pack>'.replace('/', ' '),
  'x'.repeat(250),
].map((name): [string, string] => [`wiki/concepts/${name}.md`, '# A fact\n\nA fact about quails.\n'])
const oddBytes = (path: string) => {
  writeFileSync(path, 'A fact about quails.')
  writeFileSync(
    Buffer.concat([Buffer.from(dirname(path)), Buffer.from([0x2f, 0xff, 0xfe, 0x2e, 0x6d, 0x64])]),
    'A fact.',
  )
}
const ODD_FIELDS =
  'description: [a]\nstatus: {a: b}\ntype: [ ]\nruntime: x\nmetadata: [1]\ntrust: {}\nmaintainers: {a: 1}'
const ESCAPES = ['../../../../etc/passwd', '/etc/passwd', '..\\\\x.md', 'C:/x.md', 'wiki/../../x.md', 'wiki/\u0000.md']

describe('files that are not what they should be', () => {
  const PACKS: [what: string, make: () => MadePack][] = [
    ['pipes', () => everywhere(aPipe)],
    ['folders', () => everywhere(aFolder)],
    ['links to themselves', () => everywhere(aLinkToItself)],
    ['links out of the pack', () => everywhere(aLinkTo(makeOutside()))],
    ['empty files', () => everywhere('')],
    ['broken text', () => everywhere(LATIN)],
    ['one long line', () => everywhere(LONG_LINE)],
    ['NUL bytes', () => everywhere(Buffer.alloc(5000))],
    ['large files', () => everywhere((path) => sparse(path))],
    ['a pipe as the guide', () => withGuide(aPipe)],
    ['a folder as the guide', () => withGuide(aFolder)],
    ['a link to itself as the guide', () => withGuide(aLinkToItself)],
    ['a guide of 200 MB', () => withGuide(sparse)],
    ['a guide that is no text', () => withGuide(LATIN)],
    ['a guide with broken text in its body', () => withGuide(Buffer.concat([Buffer.from(guideOf()), LATIN]))],
    ['a guide of one long line', () => withGuide(guideOf({ body: LONG_LINE }))],
    ['nested lists', () => inEachJson('['.repeat(1_000_000))],
    ['nested lists that are closed', () => inEachJson(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)],
    ['nested records', () => inEachJson(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)],
    ['a number as JSON', () => inEachJson('1e999')],
    ['null as JSON', () => inEachJson('null')],
    ['lists of null', () => inEachJson('[null, [null], {"a": null}]')],
    ['JSON with the names of prototypes', () => inEachJson('{"__proto__": {"claims": []}, "constructor": null}')],
    ['a frontmatter that grows without end', hostile.yamlBombPack],
    ['closing tags', hostile.closingTagPack],
    ['metadata that steers a terminal', hostile.terminalEscapesPack],
    ['links', hostile.linkingPack],
    ['10 000 entries in the map', () => withGuide(guideOf({ body: `## Context map\n\n${MANY_ENTRIES}` }))],
    ['a thousand folders deep', () => makePack({ [`wiki/${'d/'.repeat(1000)}a.md`]: 'A fact about quails.' })],
    ['names of files that steer a terminal', () => makePack(Object.fromEntries(ODD_NAMES))],
    ['a name of a file that is no UTF-8', () => makePack({ 'wiki/concepts/b.md': oddBytes })],
    ['a pack named __proto__', () => makePack({ 'KNOWLEDGE.md': guideOf({ name: '__proto__' }) }, '__proto__')],
    ['a pack named constructor', () => makePack({}, 'constructor')],
    ['a pack without a name', () => withGuide(guideOf({ fields: 'name: ""' }))],
    ['fields of other kinds', () => withGuide(guideOf({ fields: ODD_FIELDS }))],
    ...ESCAPES.map((path): [string, () => MadePack] => [`case 127: ${path}`, () => hostile.escapingPack(path)]),
  ]
  const runs = new Map<string, WarmRun[]>()

  beforeAll(() => {
    const made = PACKS.map(([what, make]) => ({ what, calls: callsFor(make()) }))
    const done = runMany(
      made.flatMap(({ calls }) => calls),
      { cwd: makeFolder(), home: makeFolder() },
    )
    for (const { what, calls } of made) runs.set(what, done.splice(0, calls.length))
  })

  it.each(PACKS)('%s: a finding or an error, never a crash', (what) => {
    const own = runs.get(what) ?? []
    expect(own.length).toBeGreaterThan(10)
    expect(troublesOf(own)).toEqual([])
    for (const { stdout, stderr } of own) expect(stdout + stderr).not.toMatch(/root:x:0|zqoutside/)
  })
})
