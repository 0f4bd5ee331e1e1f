import type { RankDocument } from '../../search/document.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import type { Assertion, Question, Task } from './cases.ts'

// Each reader returns what a file contains, or the problem of the file.

/** Loadout's own form, one JSON object per line: `{ query, relevant, not?, kind?, qid? }`. */
export function readQuestionLines(text: string): Question[] | string {
  const questions: Question[] = []
  for (const { json, line } of jsonLines(text)) {
    const { query, kind, qid, ...ids } = isRecord(json) ? json : {}
    const [relevant, not] = [ids.relevant ?? [], ids.not ?? []]
    if (typeof query !== 'string' || !isTextList(relevant) || !isTextList(not)) {
      return `line ${line} is not { "query": "…", "relevant": ["id"] }`
    }
    const inferred = relevant.length > 0 ? 'pos' : not.length > 0 ? 'pairneg' : 'neg'
    questions.push({
      id: typeof qid === 'string' ? qid : `line ${line}`,
      prompt: query,
      expected: relevant,
      not,
      kind: (['pos', 'neg', 'pairneg'] as const).find((known) => known === kind) ?? inferred,
    })
  }
  return questions
}

/**
 * Tests beside a skill or pack: prompts that should choose it, prompts that should not, and what the work should bring.
 * `[{ query, should_trigger }]`, the same under `evals`, `queries` or `cases`, `{ should_trigger: [], should_not_trigger: [] }`,
 * `{ skill_name, evals: [{ prompt, expected_output, assertions, files }] }`, `{ pack_name, cases: [{ prompt, expected }] }`,
 * `{ inputs: { prompt }, expected: { should_trigger } }` in a file of its own, or `[{ query, expected_skill }]` for a whole library.
 */
export function readTriggerTests(json: unknown, owner: string): Question[] | string {
  const list = Array.isArray(json) ? json : isRecord(json) ? listIn(json) : undefined
  if (!Array.isArray(list)) return 'it contains no list of tests'
  const tested = (isRecord(json) ? textOf(json, ['pack_name', 'skill_name', 'skill', 'name']) : undefined) ?? owner
  const isOfSkill = isRecord(json) && typeof json.skill_name === 'string'
  const questions: Question[] = []
  for (const [at, test] of list.entries()) {
    const asked = isRecord(test) && isRecord(test.inputs) ? { ...test, ...test.inputs } : test
    const prompt = isRecord(asked) ? textOf(asked, ['query', 'prompt', 'input']) : undefined
    const verdict = isRecord(test)
      ? (verdictOf(test, tested) ?? (isOfSkill ? { expected: [tested] } : undefined))
      : undefined
    if (prompt === undefined || verdict === undefined) return `test ${at + 1} does not say whether it should be chosen`
    const { expected = [], not = [] } = verdict
    const kind = expected.length > 0 ? 'pos' : not.length > 0 ? 'pairneg' : 'neg'
    const id = textOf(test, ['id', 'qid']) ?? `${tested} ${at + 1}`
    questions.push({ id, prompt, expected, not, kind, task: taskOf(test) })
  }
  return questions
}

function listIn(json: Record<string, unknown>): unknown {
  const { should_trigger: wanted, should_not_trigger: unwanted } = json
  // A file for each test.
  if (typeof json.query === 'string' || isRecord(json.inputs)) return [json]
  if (!isTextList(wanted)) return json.cases ?? json.evals ?? json.queries ?? json.tests
  const tests = (prompts: unknown, flag: boolean) =>
    isTextList(prompts) ? prompts.map((query) => ({ query, should_trigger: flag })) : []
  return [...tests(wanted, true), ...tests(unwanted, false)]
}

const ANSWER_TESTS = ['expected_output', 'expectations', 'assertions', 'expected_behavior']

/** What a test expects: the skills that it names, an empty list for none; or whether the tested entry is chosen. */
function verdictOf(
  test: Record<string, unknown>,
  tested: string,
): Partial<Pick<Question, 'expected' | 'not'>> | undefined {
  const { expected_skill: one, skills, expected, category } = test
  if (one === null) return {}
  if (typeof one === 'string') return { expected: [one] }
  if (isTextList(skills)) return { expected: skills }
  const inExpected = isRecord(expected) ? expected.should_trigger : undefined
  const said = test.should_trigger ?? test.should_select ?? test.expected_trigger ?? inExpected
  // A file of one list may have a category for prompts that must not fire.
  const flag =
    said ??
    (typeof category === 'string' && /^(?:non|no|not|negative)[-_ ]?trigger/i.test(category) ? false : undefined)
  if (flag === false || (typeof flag !== 'boolean' && expected === 'reject')) return { not: [tested] }
  // A test of a skill's answer is also a prompt that should choose the skill.
  const isWanted = flag === true || expected === 'select' || expected === 'warn' || isRecord(expected)
  return isWanted || ANSWER_TESTS.some((key) => test[key] !== undefined) ? { expected: [tested] } : undefined
}

/** Keys that say which case this is, not what to do. */
const SAYS_WHO =
  /^(?:id|qid|name|title|query|prompt|input|skills?|expected_skill|should_(?:trigger|select)|expected_trigger|expected_output|expectations|assertions|expected_behavior|expected|inputs|files|kind|not|relevant|category|area|split|set|covers|tags?|scenario|locale|note|notes|probes|reason|rationale|description|difficulty|priority|comment)$/

function taskOf(test: Record<string, unknown>): Task | undefined {
  const notRun = new Set(Object.keys(test).filter((key) => !SAYS_WHO.test(key)))
  const { should_trigger: _, ...expects } = isRecord(test.expected) ? test.expected : {}
  if (Object.keys(expects).length > 0) notRun.add('expected')
  const said = [test.assertions, test.expectations, test.expected_behavior].flatMap((list) => list ?? [])
  const assertions = said.flatMap((each): Assertion[] => {
    const read = assertionOf(each)
    if (typeof read !== 'string') return [read]
    notRun.add(read)
    return []
  })
  const output = textOf(test, ['expected_output'])
  if (assertions.length === 0 && output !== undefined) assertions.push({ kind: 'judge', text: output })
  const files = isTextList(test.files) ? test.files : []
  if (assertions.length + files.length + notRun.size === 0) return undefined
  return { files, assertions, notRun: [...notRun] }
}

const KINDS: readonly (readonly [pattern: RegExp, kind: Assertion['kind']])[] = [
  [/^(?:\w+_)?not_contains?$/, 'says not'],
  [/^(?:\w+_)?(?:contains?|includes?)$/, 'says'],
  [/^(?:\w+_)?(?:regex|matches|pattern)$/, 'matches'],
  [/^file(?:_\w+)?$/, 'file'],
  [/^(?:command|shell|run|script|exit_code)$/, 'command'],
  [/^tool(?:_\w+)?$/, 'tool'],
  [/^(?:judge|llm|rubric|model)(?:_\w+)?$/, 'judge'],
]

/** One assertion in the forms that repositories use; a text if it has none of them. */
function assertionOf(said: unknown): Assertion | string {
  if (typeof said === 'string') return { kind: 'judge', text: said }
  if (!isRecord(said)) return 'an assertion'
  const { type, exit } = said
  const text = textOf(said, [
    'value',
    'path',
    'pattern',
    'run',
    'command',
    'text',
    'check',
    'assertion',
    'criteria',
    'description',
  ])
  if (text === undefined) return typeof type === 'string' ? `assertion ${type}` : 'an assertion'
  if (type === undefined) {
    const key = (['run', 'command'] as const).some((each) => each in said)
      ? 'command'
      : 'path' in said
        ? 'file'
        : 'judge'
    return key === 'command' ? { kind: key, text, exit: typeof exit === 'number' ? exit : 0 } : { kind: key, text }
  }
  const kind = KINDS.find(([pattern]) => pattern.test(String(type)))?.[1]
  if (kind === undefined) return `assertion ${type}`
  return kind === 'command' ? { kind, text, exit: typeof exit === 'number' ? exit : 0 } : { kind, text }
}

/** A library of documents, one JSON object per line: `{ id, name?, description?, keywords?, body?, … }`. */
export function readLibraryLines(text: string): RankDocument[] | string {
  const documents: RankDocument[] = []
  for (const { json, line } of jsonLines(text)) {
    if (!isRecord(json) || typeof json.id !== 'string') return `line ${line} is not a document with an "id"`
    const lists = ['keywords', 'headings', 'examples', 'negatives'].flatMap((key) =>
      isTextList(json[key]) ? [[key, json[key]]] : [],
    )
    documents.push({
      id: json.id,
      name: textOf(json, ['name']) ?? json.id,
      description: textOf(json, ['description']) ?? '',
      body: textOf(json, ['body']) ?? '',
      ...Object.fromEntries(lists),
    })
  }
  return documents
}

function* jsonLines(text: string): Generator<{ json: unknown; line: number }> {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    let json: unknown
    try {
      json = JSON.parse(line)
    } catch {}
    yield { json, line: at + 1 }
  }
}

function textOf(json: Record<string, unknown>, keys: readonly string[]): string | undefined {
  return keys.map((key) => json[key]).find((value): value is string => typeof value === 'string' && value !== '')
}
