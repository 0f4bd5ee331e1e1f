import { isUtf8 } from 'node:buffer'
import { readInside } from '../../machine/inside.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import type { ReviewFile } from '../rules/review/review.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import type { SkillContent } from './foreign-skill.ts'
import { listTree } from './tree.ts'

/** In bytes. The review reports larger files and does not read them. */
const LARGEST_REVIEWED = 1024 * 1024
const START = 512

/** The files of a skill folder for a review, without skill.json, which is reviewed as a `Skill`. */
export function readReviewFiles(folder: string): ReviewFile[] {
  return listTree(folder).files.flatMap(({ path, kind, isExecutable }): ReviewFile[] =>
    kind !== 'file' || path === SKILL_FILE ? [] : [readReviewFile(folder, path, isExecutable)],
  )
}

/** The files of a skill that is not in the library yet, for a review. */
export function readContentFiles({ document, files }: SkillContent): ReviewFile[] {
  const own = { path: DOCUMENT_FILE, isExecutable: false, text: document }
  return [own, ...files.map(({ path, folder, isExecutable }) => readReviewFile(folder, path, isExecutable))]
}

function readReviewFile(folder: string, path: string, isExecutable: boolean): ReviewFile {
  const limits = { most: LARGEST_REVIEWED, head: START }
  const { bytes, size, failure } = readInside(folder, path, limits)
  if (bytes === undefined) throw failure
  const start = bytes.subarray(0, START)
  if (!start.includes(0) && size > LARGEST_REVIEWED) return { path, isExecutable, text: undefined, isTooLarge: true }
  const isText = !bytes.includes(0) && isUtf8(bytes)
  return isText ? { path, isExecutable, text: bytes.toString() } : { path, isExecutable, text: undefined, start }
}
