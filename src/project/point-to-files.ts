import { roundScore } from '../search/document.ts'
import { readTerms } from '../search/tokens.ts'
import { type FileFinder, type FindRequest, type ProjectAnswer, readSections } from './find-files.ts'
import type { FilePointer } from './rules/file-pointer.ts'
import type { RankedFile } from './rules/rank-files.ts'

/** The best files for a task, and the place in each to start reading. */
export async function pointToFiles(finder: FileFinder, request: FindRequest, limit: number): Promise<FilePointer[]> {
  return pointersOf(await finder.find(request), request.project.root, limit)
}

/** Like `pointToFiles`, only if the answer is certain, and only from an existing index. */
export async function pointWhenSure(finder: FileFinder, request: FindRequest, limit: number): Promise<FilePointer[]> {
  const answer = await finder.findSaved(request)
  if (answer === undefined || !isSure(answer)) return []
  // A file far behind the best is not worth an unrequested line.
  const files = answer.files.filter(({ score }) => score >= 0.6)
  return pointersOf({ ...answer, files }, request.project.root, limit)
}

/** Without an index. `isSure`: only files that the task names, or whose definition it names. */
export async function pointAtOnce(
  finder: FileFinder,
  request: FindRequest,
  { limit, isSure }: { limit: number; isSure: boolean },
): Promise<FilePointer[]> {
  const answer = await finder.findAtOnce(request)
  if (answer === undefined) return []
  const { root } = request.project
  if (!isSure) return pointersOf(answer, root, limit)
  const { identifiers } = request.task.names
  const definers = answer.files.slice(0, MOST_DEFINERS).flatMap(({ path }) => {
    const sections = readSections(root, path, answer.terms)?.sections ?? []
    return sections.flatMap(({ start, end, symbol = '' }) => {
      const name = readTerms(symbol).at(-1)?.term ?? ''
      return identifiers.has(name)
        ? [{ name, path, start, end, symbol, score: 1, why: 'defines what the task names' }]
        : []
    })
  })
  // What many files define is not what the task means.
  const sure = definers.filter(
    ({ name }) => new Set(definers.flatMap((each) => (each.name === name ? each.path : []))).size <= 3,
  )
  const named = pointersOf({ ...answer, files: answer.files.filter((file) => file.isNamed) }, root, limit)
  const all = [...named, ...sure.map(({ name: _, ...pointer }) => pointer)]
  return all.filter(({ path }, at) => all.findIndex((other) => other.path === path) === at).slice(0, limit)
}

const MOST_DEFINERS = 20

/** The best file is named, or contains most of the weight of the task's words, and they have some weight. */
function isSure({ files: [best], terms }: ProjectAnswer): boolean {
  if (best === undefined) return false
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  // Measured on 480 past commits and as many remarks that are about no file: with these, 31 of 100 commits get
  // pointers, in 89 of 100 of them one is right, in 69 the first; no remark gets any.
  return best.isNamed || (best.covered >= 8 && best.covered >= 0.5 * all)
}

/** `file name [cors], text [origin, allow]` */
export function describeWords(words: RankedFile['words']): string {
  const byField = new Map<string, string[]>()
  for (const { word, field } of words.slice(0, 5)) byField.set(field, [...(byField.get(field) ?? []), word])
  return [...byField].map(([field, list]) => `${field} [${list.join(', ')}]`).join(', ')
}

/** For each file, its best section. */
export function pointersOf({ files, terms }: ProjectAnswer, root: string, limit: number): FilePointer[] {
  return files.slice(0, limit).flatMap(({ path, score, words, lines }): FilePointer[] => {
    const sections = readSections(root, path, terms, lines)?.sections ?? []
    const [first, ...others] = sections
    if (first === undefined) return []
    const best = others.reduce((most, section) => (section.score > most.score ? section : most), first)
    const { start, end, symbol } = best
    return [{ path, start, end, symbol, score: roundScore(score), why: describeWords(words) }]
  })
}
