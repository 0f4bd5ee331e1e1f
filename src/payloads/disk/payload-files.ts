import { join } from 'node:path'
import picomatch from 'picomatch'
import { asLoadoutError, codeOf, isFolder } from '../../machine/files.ts'
import { readTextInside } from '../../machine/inside.ts'
import { Walk } from '../../machine/walk.ts'
import { asFinding, type Finding, report } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import type { PayloadFile } from '../rules/build-index.ts'

const MOST_FOLDERS = 100_000

/** Every file below the root that matches a glob, in path order. Reports what cannot be read. */
export function collectPayloads(root: string, globs: readonly string[]): { files: PayloadFile[]; findings: Finding[] } {
  const files: PayloadFile[] = []
  const findings: Finding[] = []
  const matches = picomatch([...globs], { dot: true })
  const bases = new Set(globs.map((glob) => picomatch.scan(glob).base))
  const paths = [...findPaths(root, bases, findings)].filter((path) => matches(path))
  for (const path of paths.sort(compareText)) {
    try {
      files.push({ path, text: readTextInside(root, path) })
    } catch (error) {
      findings.push(unreadableFinding(path, error))
    }
  }
  return { files, findings }
}

/** Whether the build would find a payload at a path. */
export function isPayloadPath(path: string, globs: readonly string[]): boolean {
  return picomatch([...globs], { dot: true })(path)
}

/** Files below the folders above all matches, relative to the root. Does not enter linked folders. */
function findPaths(root: string, bases: ReadonlySet<string>, findings: Finding[]): Set<string> {
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'], mostFolders: MOST_FOLDERS })
  const paths = new Set<string>()
  for (const base of bases) {
    for (const { inside, path, entries, enter } of walk.folders(base)) {
      for (const { name, kind, isIgnored } of entries) {
        if (kind === 'folder') {
          if (!isIgnored) enter(name)
        } else if (kind !== 'link' || !isFolder(join(path, name))) paths.add(inside === '' ? name : `${inside}/${name}`)
      }
    }
  }
  const { unreadable, count } = walk.leftOut
  for (const { inside, error } of unreadable) {
    // A glob without wildcards has its own path as its base.
    if (codeOf(error) === 'ENOTDIR') paths.add(inside)
    else if (codeOf(error) !== 'ENOENT') findings.push(unreadableFinding(inside, error))
  }
  if (count > 0) {
    findings.push(report('discovery.skipped/payload-folders', { mostFolders: MOST_FOLDERS }))
  }
  return paths
}

function unreadableFinding(path: string, error: unknown): Finding {
  const problem = asLoadoutError(error, path || '.', 'read')
  const { hint = 'check its permissions' } = problem
  const code = problem.code === 'PATH_ESCAPE' ? problem.code : 'FILE_UNREADABLE'
  return asFinding(problem, { severity: 'error', code, subject: path, hint })
}
