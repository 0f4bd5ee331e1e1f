// Counts what must not grow back, and compares it with scripts/ratchet.json. A count above its number fails; so does a
// number that was raised without a new sentence in "why". `--lower` writes the counts that fell, never a higher one.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import ts from '@typescript/typescript6'

const NUMBERS = 'scripts/ratchet.json'
const SECTION_CUTTERS =
  /^src\/text\/\S+ cut$| (?:(?:cut|split)(?:Headings|Sections)|(?:headings|outline|sections|statements)Of)$/
const TASK_READERS = /^src\/(?!cli|payloads|.*disk).* read(?:Query|Intent|(?:Project)?Task(?:Words)?)$/
const TOKENIZERS = /^(?:read(?:Terms|Words)|splitWords|stemWord|termsOf|visitTerms)$/

/** A name in the file of numbers, what is counted, and the function that counts it. */
const COUNTS = [
  ['source lines', 'lines of src/ without tests', countLines],
  ['source files', 'files of src/ without tests', ({ sources }) => sources.length],
  ['names per 1,000 lines', 'functions, types, classes and constants at the top of a file', countNames],
  ['pass-through parameters', 'functions that take the machine or workspace and only hand it on', countPassedOn],
  ['rankers', 'places outside src/search that build or open a ranker', countRankers],
  ['saved index forms', 'folders with a binary form of an index of their own: a file saved-*.ts', countSavedForms],
  ['section cutters', 'functions that cut a text at its headings', countNamed(SECTION_CUTTERS)],
  ['gates', 'the gate, and other functions that compare the answer of a person or of the team with a word', countGates],
  ['task readers', 'functions that read the words of a task', countTaskReaders],
  ['sentences of trouble', 'errors and findings that word their own sentence', countSentences],
  ['commands', 'commands in docs/commands.md', ({ read }) => count(read('docs/commands.md'), /^### loadout /gm)],
  ['error codes', 'codes in docs/errors.md', ({ read }) => count(read('docs/errors.md'), /^\| `[\w.-]+` \|/gm)],
  ['elapsed times in tests', 'expectations of tests about a clock', countElapsed],
  ['conditional spreads', 'spreads of an object that is empty when a condition fails', countConditionalSpreads],
  ['words of documentation', 'words of docs/ and the root without the changelog', countWords],
]

const tree = readTree()
const counted = new Map(COUNTS.map(([name, , countIn]) => [name, countIn(tree)]))
const numbers = JSON.parse(tree.read(NUMBERS) || '{}')
const before = earlierNumbers()
const problems = COUNTS.flatMap(([name, what]) => problemsOf(name, what))
const fallen = COUNTS.filter(([name]) => counted.get(name) < numbers[name]?.most).map(([name]) => name)

if (process.argv.includes('--lower')) {
  for (const name of fallen) numbers[name] = { most: counted.get(name) }
  const json = JSON.stringify(numbers, null, 2).replace(/\{\s+("most": \d+)\s+\}/g, '{ $1 }')
  writeFileSync(NUMBERS, `${json}\n`)
} else if (fallen.length > 0) {
  const rows = fallen.map((name) => `${name} ${numbers[name].most} → ${counted.get(name)}`)
  console.log(`fallen: ${rows.join(', ')}; write them with npm run ratchet -- --lower`)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

function problemsOf(name, what) {
  const number = numbers[name]
  const now = counted.get(name)
  if (!Number.isFinite(number?.most)) return [`${name}: ${NUMBERS} has no number for it; counted ${now}`]
  const earlier = before[name]
  const isRaised = number.most > earlier?.most
  const hasReason = /\w+\W+\w+/.test(number.why ?? '') && number.why !== earlier?.why
  return [
    ...(now > number.most ? [`${name}: ${now}, at most ${number.most} (${what})`] : []),
    ...(isRaised && !hasReason ? [`${name}: raised from ${earlier.most} to ${number.most} without a new "why"`] : []),
  ]
}

/** The numbers of the last commit, or of the one before it when the last commit is what changed them. */
function earlierNumbers() {
  const now = tree.read(NUMBERS)
  const [last, other] = ['HEAD', 'HEAD^'].map((at) =>
    spawnSync('git', ['show', `${at}:./${NUMBERS}`], { encoding: 'utf8' }),
  )
  const earlier = last.status === 0 && last.stdout !== now ? last : other
  return earlier.status === 0 ? JSON.parse(earlier.stdout) : {}
}

/** Sources with their syntax, tests with their text, and the paths of all files that git does not ignore. */
function readTree() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const paths = [...new Set(listed.split('\n'))].filter((path) => existsSync(path))
  const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const isCode = (path) => /\.tsx?$/.test(path)
  const isTest = (path) => /\.test\.tsx?$/.test(path)
  const isSource = (path) => path.startsWith('src/') && isCode(path) && !/\.(?:test|fixture)\.tsx?$/.test(path)
  const sources = paths.filter(isSource).map((path) => {
    const text = read(path)
    const file = ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: 1 })
    return { path, text, statements: file.statements, nodes: nodesOf(file) }
  })
  return { paths, read, sources, tests: paths.filter(isTest).map(read) }
}

/** A node and everything below it. */
function nodesOf(root) {
  const nodes = []
  const visit = (node) => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return nodes
}

function countNodes({ sources }, isCounted) {
  return sources.reduce((sum, { path, nodes }) => sum + nodes.filter((node) => isCounted(node, path)).length, 0)
}

function count(text, pattern) {
  return [...text.matchAll(pattern)].length
}

function countLines({ sources }) {
  return sources.reduce((sum, { text }) => sum + count(text, /\n/g), 0)
}

function countNames({ sources }) {
  const named = (statement) =>
    ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
  const isNamed = (node) =>
    node.name !== undefined && ts.isDeclarationStatement(node) !== ts.isVariableDeclaration(node)
  const names = sources.flatMap(({ statements }) => statements.flatMap(named).filter(isNamed))
  return Math.round((1000 * names.length) / Math.max(1, countLines({ sources })))
}

/** Handing on: no field of it is read, neither by name nor by taking it apart, and no object keeps it. */
function countPassedOn(tree) {
  return countNodes(tree, (node) => {
    if (!ts.isFunctionLike(node) || node.body === undefined) return false
    const taken = node.parameters.find(({ type }) => /^(?:Machine|Workspace)$/.test(type?.typeName?.text ?? ''))
    if (taken === undefined || !ts.isIdentifier(taken.name)) return false
    const isIt = (each) => each !== undefined && ts.isIdentifier(each) && each.text === taken.name.text
    return !nodesOf(node.body).some(
      (each) =>
        (ts.isPropertyAccessExpression(each) && isIt(each.expression)) ||
        (ts.isVariableDeclaration(each) && ts.isObjectBindingPattern(each.name) && isIt(each.initializer)) ||
        (ts.isBinaryExpression(each) && ts.isPropertyAccessExpression(each.left) && isIt(each.right)),
    )
  })
}

function countRankers(tree) {
  return countNodes(tree, (node, path) => {
    if (path.startsWith('src/search/') || !(ts.isCallExpression(node) || ts.isNewExpression(node))) return false
    return /^(?:createRanker|openSavedRanker|LibraryRanker)$/.test(node.expression.text ?? '')
  })
}

function countSavedForms({ sources }) {
  return new Set(sources.flatMap(({ path }) => /^(src\/[^/]+)\/.*saved-[^/]+$/.exec(path)?.[1] ?? [])).size
}

/** Functions by their path and name, with a blank between the two. */
function countNamed(pattern) {
  const isNamed = (node, path) => ts.isFunctionDeclaration(node) && pattern.test(`${path} ${node.name?.text}`)
  return (tree) => countNodes(tree, isNamed)
}

/** Codecs of the two records read the words too. */
function countGates(tree) {
  const isAnswer = (node) =>
    node.text === 'decision' ||
    node.name?.text === 'decision' ||
    (node.name?.text === 'state' && node.expression?.text === 'verdict')
  const compares = (node) =>
    ts.isBinaryExpression(node) &&
    /^[!=]==?$/.test(ts.tokenToString(node.operatorToken.kind)) &&
    [node.left, node.right].some(isAnswer) &&
    [node.left, node.right].some(ts.isStringLiteral)
  return countNodes(tree, (node, path) => {
    if (ts.isFunctionDeclaration(node)) return path === 'src/machine/rules/gate.ts' && node.name?.text === 'gate'
    return !/^src\/machine\/rules\/(?:approval|gate)\.ts$/.test(path) && compares(node)
  })
}

/** By their name, or because they hand a task to the tokenizer. The keyword match of payloads is a rule of its own. */
function countTaskReaders(tree) {
  const isTask = (node) => ts.isIdentifier(node) && /^(?:task|query|prompt)$/.test(node.text)
  const tokenizes = (node) =>
    ts.isCallExpression(node) && TOKENIZERS.test(node.expression.text) && node.arguments.flatMap(nodesOf).some(isTask)
  return countNodes(tree, (node, path) => {
    if (!ts.isFunctionDeclaration(node)) return false
    const isNamed = TASK_READERS.test(`${path} ${node.name?.text}`)
    return isNamed || (!path.startsWith('src/payloads/') && nodesOf(node).some(tokenizes))
  })
}

/** Not the table of issues itself, which makes errors and findings of its rows. */
function countSentences(tree) {
  return countNodes(tree, (node, path) => {
    if (/^src\/text\/(?:issues|trouble)\.ts$/.test(path)) return false
    if (ts.isNewExpression(node)) return node.expression.text === 'LoadoutError'
    if (!ts.isObjectLiteralExpression(node)) return false
    const keys = new Set(node.properties.map((each) => each.name?.text))
    return keys.has('code') && keys.has('message')
  })
}

function countElapsed({ tests }) {
  const clock = 'performance\\.now|Date\\.now|hrtime|cpuUsage'
  return tests.reduce((sum, text) => {
    const names = [...text.matchAll(new RegExp(`(?:const|let) (\\w+) = .*(?:${clock})`, 'g'))].map((found) => found[1])
    const time = [clock, 'elapsed', 'took', ...names].join('|')
    return (
      sum +
      count(
        text,
        new RegExp(
          `expect(?:\\.soft)?\\((?!Date\\.parse).*\\b(?:${time})\\b.*\\)\\.(?:not\\.)?toBe(?:Less|Greater)`,
          'g',
        ),
      )
    )
  }, 0)
}

function countConditionalSpreads(tree) {
  const isObject = (node) => ts.isObjectLiteralExpression(node)
  const isEmpty = (node) => isObject(node) && node.properties.length === 0
  return countNodes(tree, (node) => {
    if (!ts.isSpreadAssignment(node) || !ts.isParenthesizedExpression(node.expression)) return false
    const value = node.expression.expression
    if (ts.isConditionalExpression(value)) return isEmpty(value.whenTrue) || isEmpty(value.whenFalse)
    return ts.isBinaryExpression(value) && value.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken
  })
}

function countWords({ paths, read }) {
  const isPage = (path) => /^(?:docs\/.*|[^/]+)\.md$/.test(path) && path !== 'CHANGELOG.md'
  return paths.filter(isPage).reduce((sum, path) => sum + count(read(path), /\S+/g), 0)
}
