import type { PackFile } from '../pack-files.ts'
import { layerOf } from '../pack-path.ts'
import { shareOf, type TaskWords, wordsIn } from '../task-words.ts'
import { countLines, type TextSection } from './markdown-sections.ts'
import type { Choice, Rule } from './resolution.ts'

/** A whole file that goes to the model. */
export function chooseFile(file: PackFile, rule: Rule, words: TaskWords, why?: string): Choice {
  return chooseLines(file, { from: 1, to: countLines(file.text), text: file.text }, rule, words, why)
}

/** Some lines of a file. */
export function chooseLines(
  file: PackFile,
  { from, to, text }: Pick<TextSection, 'text' | 'to' | 'from'>,
  rule: Rule,
  words: TaskWords,
  why?: string,
): Choice {
  const found = wordsIn(words, text)
  return {
    part: { path: file.path, layer: layerOf(file.path) ?? 'guide', lines: { from, to }, text },
    rule,
    score: scoreOf(words, text),
    why: why ?? (found.size === 0 ? 'always read' : `speaks of ${[...found].slice(0, 6).join(', ')}`),
    sources: [{ path: file.path, sha256: file.sha256, bytes: file.bytes }],
  }
}

/** How much of the task a text speaks of, in thousandths. */
export function scoreOf(words: TaskWords, text: string): number {
  return Math.round(shareOf(words, wordsIn(words, text)) * 1000) / 1000
}

/** Words of a path that tell what the file is about: `wiki/entities/k4-handset.md` → `k4 handset`. */
export function pathWords(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/^\d+[_-]/, '')
    .replace(/[_\-.]+/g, ' ')
}

/** Whether a text speaks of the task: with a word that says something, unless the task has none. */
export function speaksOf(words: TaskWords, text: string): boolean {
  const found = [...wordsIn(words, text)]
  return found.some((word) => words.get(word) === 1) || (found.length > 0 && [...words.values()].every((w) => w < 1))
}
