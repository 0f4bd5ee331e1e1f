import type { Machine } from '../machine/machine.ts'
import { type FindRequest, findFiles, readSections } from './find-files.ts'

/** Where in a project something is said about a task. No text of it. */
export interface FilePointer {
  path: string
  /** The lines of the section that fits best. */
  start: number
  end: number
  /** What is defined there first, or the heading. */
  symbol: string | undefined
  /** 1 for the best. */
  score: number
  why: string
}

/** The best files for a task, and the place in each to start reading. */
export async function pointToFiles(machine: Machine, request: FindRequest, limit: number): Promise<FilePointer[]> {
  const { files, terms } = await findFiles(machine, request)
  return files.slice(0, limit).flatMap(({ path, score, words }): FilePointer[] => {
    const sections = readSections(request.project.root, path, terms)?.sections ?? []
    const [best] = [...sections].sort((a, b) => b.score - a.score || a.start - b.start)
    if (best === undefined) return []
    const { start, end, symbol } = best
    const why = words.map(({ word, field }) => `${field} [${word}]`).join(', ')
    return [{ path, start, end, symbol, score: Math.round(score * 1000) / 1000, why }]
  })
}
