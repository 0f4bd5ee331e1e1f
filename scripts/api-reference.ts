import ts from '@typescript/typescript6'

/** Where a method is, by the folder of its use case. */
const GROUPS: readonly (readonly [title: string, folders: RegExp, example: string])[] = [
  [
    'Skills',
    /'\.\/skills\/|equipListed/,
    `const { value: made } = await loadout.initialize({ create: 'my-skills' })
await loadout.startSkill({ name: 'release-notes', description: 'Drafts release notes. Use when a release is cut.' })
const { value } = await loadout.inventory({})
console.log(value.skills.map(({ name }) => name))`,
  ],
  [
    'Packs',
    /'\.\/(?:packs|lab\/eval-pack)/,
    `await loadout.startPack({ name: 'refunds', description: 'How refunds work. Use for questions about refunds.' })
await loadout.approve({ what: ['pack:refunds'] })
const { value } = await loadout.resolvePacks({ task: 'how does a refund work', packs: ['refunds'], confirmed: ['refunds'] })
console.log(value.tokenEstimate, value.missing)`,
  ],
  [
    'Measuring, teaching and checking',
    /'\.\/(?:lab|usage|payloads|health\/(?:validate|watch)|machine)\//,
    `const { value } = await loadout.usage({})
console.log(value.length, 'entries were planned, delivered or used')`,
  ],
  [
    'Agents and this machine',
    /'\.\/(?:agents|health)\//,
    `const { value } = await loadout.status({})
console.log(value.agents)`,
  ],
  [
    'Teams',
    /'\.\/team\//,
    `try {
  console.log((await loadout.teamStatus({})).value)
} catch (error) {
  if (!(error instanceof LoadoutError)) throw error
  console.log(error.code, error.hint) // TEAM_NOT_JOINED, and what to do
}`,
  ],
]

const FIRST = [
  'What a task needs',
  `const { value } = await loadout.buildContext({ task: 'cut a release', maxTokens: 4000 })
console.log(value.renderings.markdown)

const { value: plan } = await loadout.plan({ task: 'cut a release' }) // which payloads, and why
console.log(loadout.load(plan, { budget: 4000 }).contents)`,
] as const

/** The page `docs/api.md`, from the types of `createLoadout`: every method with its sentence, request and result. */
export function apiReference(): string {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram(['src/api.ts'], { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile('src/loadout.ts')
  const door = file && checker.getSymbolAtLocation(file)
  const loadout = door && checker.getExportsOfModule(door).find(({ name }) => name === 'Loadout')
  if (loadout === undefined) throw new Error('src/loadout.ts exports no type Loadout')
  const methods = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(loadout))

  const rowsOf = new Map<string, string[]>([
    [FIRST[0], []],
    ...GROUPS.map(([title]) => [title, []] as [string, string[]]),
  ])
  for (const method of methods) {
    const text = method.declarations?.[0]?.getText() ?? ''
    const [group = FIRST[0]] = GROUPS.find(([, folders]) => folders.test(text)) ?? []
    rowsOf.get(group)?.push(rowOf(checker, method))
  }
  const sections = [FIRST, ...GROUPS.map(([title, , example]) => [title, example] as const)].map(
    ([title, example]) =>
      `## ${title}\n\n\`\`\`js\n${example}\n\`\`\`\n\n| method | what it does | request | value |\n| --- | --- | --- | --- |\n${rowsOf.get(title)?.join('')}`,
  )
  return [HEAD, ...sections].join('\n')
}

function rowOf(checker: ts.TypeChecker, method: ts.Symbol): string {
  const what = ts.displayPartsToString(method.getDocumentationComment(checker)).replace(/\s+/g, ' ')
  const [call] = checker.getTypeOfSymbol(method).getCallSignatures()
  if (call === undefined) throw new Error(`${method.name} is no function`)
  const request = call.parameters
    .map((parameter) => (parameter.name === 'plan' ? 'a plan' : keysOf(checker, checker.getTypeOfSymbol(parameter))))
    .join('; ')
  const answer = checker.getReturnTypeOfSignature(call)
  const result = checker.getAwaitedType(answer) ?? answer
  const value = result.getProperty('value')
  const type = value === undefined ? result : checker.getTypeOfSymbol(value)
  const shown = checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation).replaceAll('|', '\\|')
  return `| \`${method.name}\` | ${what} | ${request} | \`${shown}\`${value === undefined ? ', alone' : ''} |\n`
}

/** The keys of a request; `?` marks those that may be left out. */
function keysOf(checker: ts.TypeChecker, type: ts.Type): string {
  // The order of a type's keys follows from the order in which files are checked.
  const keys = checker
    .getPropertiesOfType(checker.getNonNullableType(type))
    .map(({ name, flags }) => `${flags & ts.SymbolFlags.Optional ? '~' : ''}${name}`)
    .sort()
    .map((key) => (key.startsWith('~') ? `\`${key.slice(1)}?\`` : `\`${key}\``))
  return keys.length > 30 ? 'the value of another method' : keys.join(', ')
}

const HEAD = `# API

\`loadout/api\` does everything that the command line does. \`npm run docs\` writes this page from the types.

\`\`\`js
import { createLoadout, LoadoutError } from 'loadout/api'

const loadout = createLoadout({ cwd: process.cwd() })
\`\`\`

\`cwd\`, \`home\`, \`env\` and \`now\` are those of the process unless you pass others. CommonJS programs write
\`await import('loadout/api')\`.

A method takes one object and returns a promise of \`{ value, findings }\`: the answer, and what the user should know about it,
each finding with \`severity\`, \`code\`, \`message\` and \`hint\`. Where the table says "alone", the method returns the value itself.
A method that cannot answer throws a \`LoadoutError\` with a [code](errors.md).

Plans, bundles and reads are recorded below the state folder, as those of the command line; \`isRecorded: false\` turns that off,
and then only caches are written.
The package root, \`loadout\`, has the functions of \`@mcptoolshop/ai-loadout\` and
[\`createRanker\`](how-to/move-from-ai-loadout.md).
`
