import { readTaskWords } from '../../../search/task-words.ts'
import type { PackManifest } from '../pack.ts'
import type { ContextPart, PackFiles } from '../pack-files.ts'
import { groundAnswers } from './answers.ts'
import { openClaims } from './claims.ts'
import type { Grounded } from './graph-records.ts'
import { groundOntology } from './ontology.ts'

export interface RecordGrounding extends Omit<Grounded, 'files'> {
  /** Every file that decided what the texts say. */
  used: string[]
}

/** Records that speak of a task, as short text: a part of the concept graph, and prepared answers. */
export function groundRecords(
  { primaryOntology, primaryAnswers }: PackManifest,
  files: PackFiles,
  task: string,
): RecordGrounding {
  const words = readTaskWords(task)
  const claims = primaryOntology === undefined ? undefined : openClaims(files, primaryOntology)
  const grounded = [
    primaryOntology === undefined ? undefined : groundOntology(files, primaryOntology, words, {}),
    primaryAnswers === undefined ? undefined : groundAnswers(files, primaryAnswers, words, claims),
  ].filter((each) => each !== undefined)
  return {
    parts: distinctParts(grounded.flatMap(({ parts }) => parts)),
    anchors: grounded.flatMap(({ anchors }) => anchors),
    warnings: grounded.flatMap(({ warnings }) => warnings),
    missing: grounded.flatMap(({ missing }) => missing),
    used: [...new Set(grounded.flatMap(({ files: used }) => used))],
  }
}

/** An answer brings the limits of its claims along, which the graph may have brought already. */
function distinctParts(parts: readonly ContextPart[]): ContextPart[] {
  const seen = new Map(parts.map((part) => [JSON.stringify([part.path, part.text]), part]))
  return [...seen.values()]
}
