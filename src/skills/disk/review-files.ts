import { isUtf8 } from 'node:buffer'
import { readInside } from '../../machine/inside.ts'
import { readDocument } from '../../machine/skill-document.ts'
import { DOCUMENT_FILE } from '../../text/skill-document.ts'
import { isPointer, LFS_PROBLEM, type ReviewFile } from '../rules/review/files.ts'
import { SKILL_FILE } from '../rules/skill.ts'
import type { SkillContent } from './foreign-skill.ts'
import { hashContent, hashFile, listTree } from './tree.ts'

/** In bytes. Of a larger text only the start is looked through, and it counts as not read. */
const LARGEST_TEXT = 256 * 1024
const LARGEST_PICTURE = 8 * 1024 * 1024

/** The files of a skill folder for the sheet, without skill.json, which is read as a `Skill`. */
export function* readReviewFiles(folder: string): Generator<ReviewFile> {
  for (const { path, kind, isExecutable } of listTree(folder).files)
    if (kind === 'file' && path !== SKILL_FILE) yield readReviewFile(folder, path, isExecutable)
}

/** The files of a skill that is not in the library yet, for the sheet. */
export function* readContentFiles({ document, files }: SkillContent): Generator<ReviewFile> {
  yield asReviewFile(DOCUMENT_FILE, false, Buffer.from(document), hashContent(document))
  for (const { path, folder, isExecutable } of files) yield readReviewFile(folder, path, isExecutable)
}

function readReviewFile(folder: string, path: string, isExecutable: boolean): ReviewFile {
  const { bytes, failure } = readInside(folder, path, { most: LARGEST_PICTURE, head: LARGEST_PICTURE })
  if (bytes === undefined) throw failure
  return asReviewFile(path, isExecutable, bytes, hashFile(folder, { path, kind: 'file' }))
}

/** A file that is not clean text is looked through as far as possible, and still counts as not read. */
function asReviewFile(path: string, isExecutable: boolean, bytes: Buffer, digest: string): ReviewFile {
  const file = { path, isExecutable, digest, bytes }
  const isText = !bytes.includes(0) && isUtf8(bytes)
  if (/\.(?:png|jpe?g|gif|webp|ico|avif|ttf|otf|woff2?)$/i.test(path) && !isText) return { ...file, text: undefined }
  const start = bytes.subarray(0, LARGEST_TEXT)
  const isWide = (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)
  const text = isText ? start.toString() : isWide ? wideText(start) : start.toString('latin1').replaceAll('\0', '')
  if (isText && isPointer(text)) return { ...file, text, problem: LFS_PROBLEM }
  if (!isText) return { ...file, text, problem: 'is not text in UTF-8' }
  if (bytes.length > LARGEST_TEXT) return { ...file, text, problem: 'is too large to be looked through' }
  // An import moves the frontmatter into skill.json. A second one here would be installed without being looked at.
  const { frontmatter = {} } = path === DOCUMENT_FILE ? readDocument(text) : {}
  if (Object.keys(frontmatter).length > 0) return { ...file, text, problem: 'has a frontmatter of its own' }
  return { ...file, text }
}

function wideText(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)))
  return (bytes[0] === 0xfe ? even.swap16() : even).toString('utf16le')
}
