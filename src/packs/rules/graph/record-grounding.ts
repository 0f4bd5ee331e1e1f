import { readTaskWords } from '../../../search/task-words.ts'
import type { ContextPart, PackFiles, PackManifest } from '../pack.ts'
import { openAnswers } from './answer-records.ts'
import { groundAnswers } from './answers.ts'
import { ClaimJudge, openClaims } from './claims.ts'
import { type Grounded, listNames, Warnings } from './graph-records.ts'
import { groundOntology } from './ontology.ts'
import { openOntology } from './ontology-graph.ts'

type RecordPaths = Partial<Pick<PackManifest, 'primaryOntology' | 'primaryAnswers'>>

/** The searchable text of one record. */
export interface RecordText {
  path: string
  text: string
}

export interface RecordGrounding extends Omit<Grounded, 'files' | 'facts'> {
  /** The files that the texts depend on. */
  used: string[]
}

/** Records about a task as short text: a part of the ontology, and prepared answers. */
export function groundRecords(
  { primaryOntology, primaryAnswers }: RecordPaths,
  files: PackFiles,
  task: string,
): RecordGrounding {
  const words = readTaskWords(task)
  const claims = primaryOntology === undefined ? undefined : openClaims(files, primaryOntology)
  const ontology = primaryOntology === undefined ? undefined : groundOntology(files, primaryOntology, words)
  const answers =
    primaryAnswers === undefined ? undefined : groundAnswers(files, primaryAnswers, words, claims, ontology?.facts)
  const grounded = [ontology, answers].filter((each) => each !== undefined)
  return {
    parts: distinctParts(grounded.flatMap(({ parts }) => parts)),
    anchors: grounded.flatMap(({ anchors }) => anchors),
    warnings: grounded.flatMap(({ warnings }) => warnings),
    missing: grounded.flatMap(({ missing }) => missing),
    isAnswered: answers?.isAnswered ?? false,
    used: [...new Set(grounded.flatMap(({ files: used }) => used))],
  }
}

/** The maximum number of searchable texts. */
const MOST_TEXTS = 2000

/** The questions and allowed claims of a pack, for search. Never shown to a model. */
export function recordTexts({ primaryOntology, primaryAnswers }: RecordPaths, files: PackFiles): RecordText[] {
  const ignored = new Warnings()
  const answers = primaryAnswers === undefined ? undefined : openAnswers(files, primaryAnswers, ignored)
  const graph = primaryOntology === undefined ? undefined : openOntology(files, primaryOntology, ignored)
  const names = graph?.names() ?? new Map()
  const judge = graph === undefined ? undefined : new ClaimJudge(graph)
  const claims = graph?.claims().filter((claim) => !judge?.isForbidden(claim)) ?? []
  const questions = answers?.questions() ?? []
  return [
    ...questions.map(({ path, question, variants }) => ({ path, text: [question, ...variants].join('\n') })),
    ...claims.map(({ path, conceptIds, text }) => ({ path, text: `${listNames(conceptIds, names)}: ${text}` })),
  ].slice(0, MOST_TEXTS)
}

/** Removes duplicates: an answer repeats limits that the ontology may already have given. */
function distinctParts(parts: readonly ContextPart[]): ContextPart[] {
  const seen = new Map(parts.map((part) => [JSON.stringify([part.path, part.text]), part]))
  return [...seen.values()]
}
