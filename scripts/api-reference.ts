import ts from '@typescript/typescript6'

/** The page `docs/api.md`, from the types of `createLoadout`: every group with its example and its methods. */
export function apiReference(): string {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const program = ts.createProgram(['src/api.ts'], { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const file = program.getSourceFile('src/loadout.ts')
  const door = file && checker.getSymbolAtLocation(file)
  const loadout = door && checker.getExportsOfModule(door).find(({ name }) => name === 'Loadout')
  if (loadout === undefined) throw new Error('src/loadout.ts exports no type Loadout')
  const groups = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(loadout))
  return [HEAD, ...groups.map((group) => sectionOf(checker, group))].join('\n')
}

function sectionOf(checker: ts.TypeChecker, group: ts.Symbol): string {
  const [example] = group.getJsDocTags(checker)
  const methods = checker.getPropertiesOfType(checker.getTypeOfSymbol(group))
  return [
    `## loadout.${group.name}\n`,
    ts.displayPartsToString(group.getDocumentationComment(checker)),
    `\n\`\`\`js\n${ts.displayPartsToString(example?.text)}\n\`\`\`\n`,
    '| method | what it does | request | value |\n| --- | --- | --- | --- |',
    methods.map((method) => rowOf(checker, method)).join(''),
  ].join('\n')
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

**Answers.** A method takes one object and returns a promise of \`{ value, findings }\`: the answer, and what the user should know
about it, each finding with \`severity\`, \`code\`, \`message\` and \`hint\`. Where the table says "alone", the method returns the
value itself.

**Errors.** A method that cannot answer throws a \`LoadoutError\`. It is a value like a finding: \`code\`, \`message\`, \`hint\`, and
\`cause\` if something else failed. Match the \`code\`; \`CODES\` is the list of all, and [errors](errors.md) explains each.

**What is written.** Below the home folder a method writes only what you call it for: installs, approvals, settings, notes.
\`createLoadout({ persist: true })\` also writes caches, the usage log and the records of bundles, as the command line does. Pass it
where the same project is asked again, because without a cache each process reads the project anew, and for
\`context.replay\`, \`knowledge.usage\` and a team's sums, which need the records; \`isRecorded: false\` leaves out one call.

The package root, \`loadout\`, has the functions of \`@mcptoolshop/ai-loadout\` and
[\`createRanker\`](how-to/move-from-ai-loadout.md).
`
