import { asTyped, shareOf, type TaskWords, wordsIn } from '../../../search/task.ts'
import { type ContextPart, layerOf, type PackFile, type PackFiles, packSections } from '../pack.ts'

/** Why a part was chosen. */
export type Rule = 'guide' | 'view' | 'split' | 'section' | 'page' | 'contradiction' | 'ontology' | 'answer' | 'excerpt'

/** A chosen part, before the budget is applied. */
export interface Choice extends ContextPart {
  rule: Rule
  /** 0 to 1: the share of the task's words in it. */
  score: number
  /** The matching words of the task, or another reason. */
  why: string
  /** The files that it was made from. */
  sources: readonly { path: string; sha256: string; bytes: number }[]
}

/** Chooses lines of a file, by default all. The default reason is the words of the task in them. */
export function chooseLines(
  file: PackFile,
  rule: Rule,
  words: TaskWords,
  { from = 1, to = countLines(file.text), text = file.text, why = '', task = '' } = {},
): Choice {
  const found = wordsIn(words, text)
  const said = asTyped(task, [...found].slice(0, 6)).join(', ')
  return {
    path: file.path,
    layer: layerOf(file.path) ?? 'guide',
    lines: { from, to },
    text,
    rule,
    score: Math.round(shareOf(words, found) * 1000) / 1000,
    why: why || (said === '' ? 'always read' : `speaks of ${said}`),
    sources: [{ path: file.path, sha256: file.sha256, bytes: file.bytes }],
  }
}

/** The words of a file name: `wiki/entities/k4-handset.md` → `k4 handset`. */
export function pathWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^\d+[_-]/, '')
    .replace(/[_\-.]+/g, ' ')
}

/** The share of the task's words in a text. Ignores the paths of sources. */
export function matchedShare(words: TaskWords, text: string): number {
  return shareOf(words, wordsIn(words, text.replace(/\[source:[^\]]*\]/g, '')))
}

/** Counts lines; a line end at the end does not start a new one. */
export function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** Lines of a text, with their line ends. */
export function takeLines(text: string, { from, to }: { from: number; to: number }): string {
  return text
    .split(/(?<=\n)/)
    .slice(from - 1, to)
    .join('')
}

/** Whether a title announces limits. Such sections are kept: the rest would be unsafe without them. */
export function setsLimits(title: string): boolean {
  return /bound|limit|taboo|constraint|forbidden|prohibit|never|must not|\u8fb9\u754c|\u7981\u5fcc|\u9650\u5236|\u7ea6\u675f/i.test(
    title,
  )
}

/** Whether a file name or a heading of these texts announces limits. */
export function announcesLimits(files: PackFiles, texts: readonly { path: string; text: string }[]): boolean {
  const names = ['compiled', 'documents', 'wiki'].flatMap((folder) => files.list(folder))
  return (
    names.some(setsLimits) ||
    texts.some(({ path, text }) => packSections(path, text).some(({ title }) => setsLimits(title)))
  )
}
