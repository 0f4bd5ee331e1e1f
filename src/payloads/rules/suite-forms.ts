import type { RankDocument } from '../../search/document.ts'
import { isRecord, isTextList } from '../../text/values.ts'
import type { EvalQuery } from './evaluation.ts'

/** Questions from a file, or the reason why there are none. */
export type SuiteReading = { queries: EvalQuery[] } | { problem: string }

/** Loadout's own form, one JSON object per line: `{ query, relevant, not?, kind?, qid? }`. */
export function readQueryLines(text: string): SuiteReading {
  const queries: EvalQuery[] = []
  for (const { json, line } of jsonLines(text)) {
    const query = json === undefined ? undefined : readQuery(json, `line ${line}`)
    if (query === undefined) return { problem: `line ${line} is not { "query": "…", "relevant": ["id"] }` }
    queries.push(query)
  }
  return { queries }
}

function readQuery(json: unknown, qid: string): EvalQuery | undefined {
  if (!isRecord(json) || typeof json.query !== 'string') return undefined
  const relevant = json.relevant ?? []
  const not = json.not ?? []
  if (!isTextList(relevant) || !isTextList(not)) return undefined
  const kind = relevant.length > 0 ? 'pos' : not.length > 0 ? 'pairneg' : 'neg'
  const stated = ['pos', 'neg', 'pairneg'] as const
  return {
    qid: typeof json.qid === 'string' ? json.qid : qid,
    query: json.query,
    relevant,
    not,
    kind: stated.find((known) => known === json.kind) ?? kind,
  }
}

/**
 * Tests beside a skill or pack: prompts that should choose it, and prompts that should not.
 * `[{ query, should_trigger }]`, the same under `evals` or `queries`, `{ should_trigger: [], should_not_trigger: [] }`,
 * `{ pack_name, cases: [{ prompt, expected }] }`, or `[{ query, expected_skill }]` for a whole library.
 */
export function readTriggerTests(json: unknown, owner: string): SuiteReading {
  const list = Array.isArray(json) ? json : isRecord(json) ? listIn(json) : undefined
  if (!Array.isArray(list)) return { problem: 'it contains no list of tests' }
  const id = isRecord(json) ? textOf(json, ['pack_name', 'skill_name', 'skill', 'name']) : undefined
  const queries: EvalQuery[] = []
  for (const [at, test] of list.entries()) {
    const query = readTriggerTest(test, id ?? owner, at)
    if (query === undefined) return { problem: `test ${at + 1} does not say whether it should be chosen` }
    queries.push(query)
  }
  return { queries }
}

function listIn(json: Record<string, unknown>): unknown {
  const { should_trigger: wanted, should_not_trigger: unwanted } = json
  if (typeof json.query === 'string') return [json]
  if (!isTextList(wanted)) return json.cases ?? json.evals ?? json.queries ?? json.tests
  const tests = (prompts: unknown, flag: boolean) =>
    isTextList(prompts) ? prompts.map((query) => ({ query, should_trigger: flag })) : []
  return [...tests(wanted, true), ...tests(unwanted, false)]
}

function readTriggerTest(json: unknown, id: string, at: number): EvalQuery | undefined {
  if (!isRecord(json)) return undefined
  const query = textOf(json, ['query', 'prompt'])
  const relevant = namedSkills(json)
  if (query !== undefined && relevant !== undefined) {
    const qid = textOf(json, ['id', 'qid']) ?? `${id} ${at + 1}`
    return { qid, query, relevant, not: [], kind: relevant.length > 0 ? 'pos' : 'neg' }
  }
  const isWanted = wanted(json)
  if (query === undefined || isWanted === undefined) return undefined
  const qid = textOf(json, ['id', 'qid']) ?? `${id} ${at + 1}`
  return { qid, query, relevant: isWanted ? [id] : [], not: isWanted ? [] : [id], kind: isWanted ? 'pos' : 'pairneg' }
}

/** The skills in a test of a whole library; an empty list: none should match. */
function namedSkills({ expected_skill: one, skills }: Record<string, unknown>): string[] | undefined {
  if (one === null) return []
  if (typeof one === 'string') return [one]
  return isTextList(skills) ? skills : undefined
}

const ANSWER_TESTS = ['expected_output', 'expectations', 'assertions', 'expected_behavior']

function wanted(json: Record<string, unknown>): boolean | undefined {
  const flag = json.should_trigger ?? json.should_select
  if (typeof flag === 'boolean') return flag
  if (json.expected === 'reject') return false
  // A test of a skill's answer is also a prompt that should choose the skill.
  if (ANSWER_TESTS.some((key) => json[key] !== undefined)) return true
  return json.expected === 'select' || json.expected === 'warn' ? true : undefined
}

/** A library of documents, one JSON object per line: `{ id, name?, description?, keywords?, body?, … }`. */
export function readLibraryLines(text: string): { documents: RankDocument[] } | { problem: string } {
  const documents: RankDocument[] = []
  for (const { json, line } of jsonLines(text)) {
    if (!isRecord(json) || typeof json.id !== 'string')
      return { problem: `line ${line} is not a document with an "id"` }
    const list = (key: string) => (isTextList(json[key]) ? { [key]: json[key] } : {})
    documents.push({
      id: json.id,
      name: textOf(json, ['name']) ?? json.id,
      description: textOf(json, ['description']) ?? '',
      body: textOf(json, ['body']) ?? '',
      ...list('keywords'),
      ...list('headings'),
      ...list('examples'),
      ...list('negatives'),
    })
  }
  return { documents }
}

function* jsonLines(text: string): Generator<{ json: unknown; line: number }> {
  for (const [at, line] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
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
