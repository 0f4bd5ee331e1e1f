import { asTyped, shareOf, type TaskWords, wordsIn } from '../../../search/task.ts'
import type { Section } from '../../../text/cut.ts'
import { type ContextPart, layerOf, type PackFile, type PackFiles, packSections } from '../pack.ts'

/** Why a part was chosen. */
export type Rule = 'guide' | 'view' | 'split' | 'section' | 'page' | 'contradiction' | 'ontology' | 'answer' | 'excerpt'

/** A chosen part, before the budget is applied. */
export interface Choice {
  part: ContextPart
  rule: Rule
  /** 0 to 1: the share of the task's words in it. */
  score: number
  /** The matching words of the task, or another reason. */
  why: string
  /** The files that it was made from. */
  sources: readonly { path: string; sha256: string; bytes: number }[]
}

/** Chooses a whole file. */
export function chooseFile(file: PackFile, rule: Rule, words: TaskWords, why?: string, task?: string): Choice {
  return chooseLines(file, { from: 1, to: countLines(file.text), text: file.text }, rule, words, why, task)
}

/** Chooses lines of a file. The default reason is the matching words. */
export function chooseLines(
  file: PackFile,
  { from, to, text }: Pick<Section, 'text' | 'to' | 'from'>,
  rule: Rule,
  words: TaskWords,
  why?: string,
  task = '',
): Choice {
  const found = asTyped(task, [...wordsIn(words, text)].slice(0, 6))
  return {
    part: { path: file.path, layer: layerOf(file.path) ?? 'guide', lines: { from, to }, text },
    rule,
    score: scoreOf(words, text),
    why: why ?? (found.length === 0 ? 'always read' : `speaks of ${found.join(', ')}`),
    sources: [{ path: file.path, sha256: file.sha256, bytes: file.bytes }],
  }
}

/** The share of the task's words in a text, with three decimals. */
function scoreOf(words: TaskWords, text: string): number {
  return Math.round(shareOf(words, wordsIn(words, text)) * 1000) / 1000
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

/** The least share of the task's words in a text about it. */
const LEAST = 0.3

/** Whether a text is about the task. Any text is, if the task has only everyday words. */
export function isAbout(
  { words, rareWords }: { words: TaskWords; rareWords: TaskWords },
  text: string,
  least = LEAST,
): boolean {
  return [...words.values()].every((weight) => weight < 1) || matchedShare(rareWords, text) >= least
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

/** Whether a title is about the voice of a persona. */
export function shapesVoice(title: string): boolean {
  return /voice|tone|value|taboo|persona|style|character|boundar|\u8bed\u6c14|\u98ce\u683c|\u7981\u5fcc|\u4ef7\u503c/i.test(
    title,
  )
}
