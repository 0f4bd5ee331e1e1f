import { cutDocument } from '../../shared/frontmatter-block.ts'
import { PACK_FILE } from '../pack.ts'
import type { PackFile, PackFiles } from '../pack-files.ts'
import { type MapEntry, readContextMap } from '../records/context-map.ts'
import type { TaskWords } from '../task-words.ts'
import type { PackWarning } from '../warning.ts'
import { chooseLines } from './choice.ts'
import { countLines, sectionsOf } from './markdown-sections.ts'
import type { Choice } from './resolution.ts'

/** The body of a KNOWLEDGE.md: how the pack wants to be used, and where what is. */
export interface Guide {
  file: PackFile
  body: string
  /** The line of the file on which the body starts. */
  firstLine: number
  map: readonly MapEntry[]
  /** Lines of the context map: for the resolver, not for the model. */
  mapLines: readonly { from: number; to: number }[]
  warnings: readonly PackWarning[]
}

/** Undefined when the file cannot be read any more. */
export function readGuide(files: PackFiles): Guide | undefined {
  const file = files.read(PACK_FILE)
  if (file === undefined) return undefined
  const { body } = cutDocument(file.text)
  const firstLine = countLines(file.text) - countLines(body) + 1
  const { entries, warnings, sectionLines } = readContextMap(body, firstLine)
  return { file, body, firstLine, map: entries, mapLines: sectionLines, warnings }
}

/** The rules of use, without the map. */
export function guideChoices({ file, body, firstLine, mapLines }: Guide, words: TaskWords): Choice[] {
  const isMap = (line: number) => mapLines.some(({ from, to }) => line >= from && line <= to)
  return sectionsOf(body, firstLine)
    .filter(({ from, text }) => !isMap(from) && !/^\s*#[^\n]*\s*$/.test(text))
    .map((section) => chooseLines(file, section, 'guide', words, 'rules of use'))
}
