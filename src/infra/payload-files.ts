import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import picomatch from 'picomatch'
import type { PayloadFile } from '../domain/routing/build-index.ts'
import type { Finding } from '../domain/shared/finding.ts'
import { compareText } from '../domain/shared/order.ts'
import { readContained } from './contained-file.ts'
import { asLoadoutError, isFolder } from './files.ts'

const SKIPPED_FOLDERS = new Set(['.git', 'node_modules'])

/** Every file below the root that a glob names, in path order. What cannot be read is reported, not passed over. */
export function collectPayloads(root: string, globs: readonly string[]): { files: PayloadFile[]; findings: Finding[] } {
  const files: PayloadFile[] = []
  const findings: Finding[] = []
  const matches = picomatch([...globs], { dot: true })
  const bases = new Set(globs.map((glob) => picomatch.scan(glob).base))
  const paths = new Set<string>()
  for (const base of bases) for (const path of walk(root, base, findings)) if (matches(path)) paths.add(path)
  for (const path of [...paths].sort(compareText)) {
    try {
      files.push({ path, text: readContained(root, path) })
    } catch (error) {
      findings.push(unreadable(path, error))
    }
  }
  return { files, findings }
}

/** Whether the build would find a payload at a path. */
export function isPayloadPath(path: string, globs: readonly string[]): boolean {
  return picomatch([...globs], { dot: true })(path)
}

/** Files below a folder, as slash-separated paths from the root. Linked folders are not entered. */
function* walk(root: string, folder: string, findings: Finding[]): Generator<string> {
  let names: Dirent[]
  try {
    names = readdirSync(join(root, folder), { withFileTypes: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOTDIR') yield folder
    else if (code !== 'ENOENT') findings.push(unreadable(folder, error))
    return
  }
  for (const name of names) {
    const path = folder === '' ? name.name : `${folder}/${name.name}`
    if (name.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(name.name)) yield* walk(root, path, findings)
    } else if (!name.isSymbolicLink() || !isFolder(join(root, path))) yield path
  }
}

function unreadable(path: string, error: unknown): Finding {
  const problem = asLoadoutError(error, path || '.', 'read')
  return {
    severity: 'error',
    code: problem.code === 'PATH_ESCAPE' ? 'PATH_ESCAPE' : 'PAYLOAD_UNREADABLE',
    message: problem.message,
    subject: path,
    hint: problem.hint ?? 'check its permissions',
  }
}
