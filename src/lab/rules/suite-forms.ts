import type { RankDocument } from '../../search/document.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import type { Question } from './cases.ts'

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
 * Tests beside a skill or pack: prompts that should choose it, and prompts that should not.
 * `[{ query, should_trigger }]`, the same under `evals` or `queries`, `{ should_trigger: [], should_not_trigger: [] }`,
 * `{ pack_name, cases: [{ prompt, expected }] }`, or `[{ query, expected_skill }]` for a whole library.
 */
export function readTriggerTests(json: unknown, owner: string): Question[] | string {
  const list = Array.isArray(json) ? json : isRecord(json) ? listIn(json) : undefined
  if (!Array.isArray(list)) return 'it contains no list of tests'
  const tested = (isRecord(json) ? textOf(json, ['pack_name', 'skill_name', 'skill', 'name']) : undefined) ?? owner
  const questions: Question[] = []
  for (const [at, test] of list.entries()) {
    const prompt = isRecord(test) ? textOf(test, ['query', 'prompt']) : undefined
    const verdict = isRecord(test) ? verdictOf(test, tested) : undefined
    if (prompt === undefined || verdict === undefined) return `test ${at + 1} does not say whether it should be chosen`
    const { expected = [], not = [] } = verdict
    const kind = expected.length > 0 ? 'pos' : not.length > 0 ? 'pairneg' : 'neg'
    questions.push({ id: textOf(test, ['id', 'qid']) ?? `${tested} ${at + 1}`, prompt, expected, not, kind })
  }
  return questions
}

function listIn(json: Record<string, unknown>): unknown {
  const { should_trigger: wanted, should_not_trigger: unwanted } = json
  if (typeof json.query === 'string') return [json]
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
  const { expected_skill: one, skills, expected } = test
  if (one === null) return {}
  if (typeof one === 'string') return { expected: [one] }
  if (isTextList(skills)) return { expected: skills }
  const flag = test.should_trigger ?? test.should_select
  if (flag === false || (typeof flag !== 'boolean' && expected === 'reject')) return { not: [tested] }
  // A test of a skill's answer is also a prompt that should choose the skill.
  const isWanted = flag === true || expected === 'select' || expected === 'warn'
  return isWanted || ANSWER_TESTS.some((key) => test[key] !== undefined) ? { expected: [tested] } : undefined
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
