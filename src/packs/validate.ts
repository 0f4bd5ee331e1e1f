import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isFile } from '../machine/files.ts'
import { writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { cutDocument } from '../text/frontmatter-block.ts'
import { type Finding, failWith, type LoadoutError, report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { PackFolder } from './disk/pack-folder.ts'
import { findPackRoot, readPackAt } from './disk/pack-head.ts'
import { validatePack, validationStatus } from './rules/author/validate-pack.ts'
import { EXAMPLES_PATH, exampleDigest, readExamples, secretLines } from './rules/guard.ts'
import { type LinkedLayer, layerOf, PACK_FILE, type PackFiles, type PackWarning } from './rules/pack.ts'

export interface PackValidation {
  status: 'passed' | 'needs-review' | 'failed'
  path: string
  /** From its frontmatter, if readable. */
  name: string | undefined
  errors: number
  warnings: number
  issues: PackWarning[]
}

/** Checks a pack without using it. Reports an error for a path that is not a pack. */
export function validatePackAt(machine: Machine, request: { path: string }): PackValidation {
  const path = resolve(machine.cwd, request.path)
  const root = findPackRoot(path)
  if (root === undefined) {
    machine.report(report('PACK_NOT_FOUND/path', { path }, { subject: path }))
    return { status: 'failed', path, name: undefined, errors: 1, warnings: 0, issues: [] }
  }
  const { name, issues } = inspectPack(machine, root)
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length
  const status = validationStatus(issues)
  const value = { status, path, name, errors: count('error'), warnings: count('warning'), issues }
  machine.report(...issues.map(asFinding))
  return value
}

/** Whether a path is a pack folder, or the KNOWLEDGE.md in one. */
export function isPack(path: string): boolean {
  return findPackRoot(path) !== undefined
}

/** The pack that contains a path: its KNOWLEDGE.md, or a file in one of a pack's folders. */
export function packAround(path: string): string | undefined {
  const isPart = (inside: string) => layerOf(inside) !== undefined || /^(runs|evals|schemas)\//.test(inside)
  for (let folder = dirname(path), below = ''; folder !== below; below = folder, folder = dirname(folder)) {
    if (!isFile(join(folder, PACK_FILE))) continue
    const inside = relative(folder, path).split(sep).join('/')
    if (basename(path) === inside ? inside === PACK_FILE : isPart(inside)) return findPackRoot(folder)
  }
  return undefined
}

/** The findings of `validatePackAt`; empty for a path that is not a pack. */
export function checkPack(machine: Machine, path: string): Finding[] {
  const root = findPackRoot(path)
  return root === undefined ? [] : inspectPack(machine, root).issues.map(asFinding)
}

function inspectPack(machine: Machine, root: string): { name: string | undefined; issues: PackWarning[] } {
  const pack = readPackAt(machine.home, root)
  const files = new PackFolder(machine, pack)
  return {
    name: pack.manifest?.name,
    issues: [...validatePack({ ...pack, files }), ...checkBundle(pack.linked, files)],
  }
}

/** What the Open Knowledge Format demands of a bundle: every page has frontmatter with a type. */
function checkBundle(linked: LinkedLayer | undefined, files: PackFiles): PackWarning[] {
  if (!linked?.isBundle) return []
  return files.list('wiki').flatMap((path): PackWarning[] => {
    const { block } = cutDocument(files.read(path)?.text ?? '')
    const isFine = block !== undefined && /^type:[ \t]*\S/m.test(block)
    return isFine
      ? []
      : [report(block === undefined ? 'pack.field/no-frontmatter' : 'pack.field/no-type', {}, { path })]
  })
}

function asFinding({ path, line, message, count = 1, ...told }: PackWarning): Finding {
  const place = line === undefined ? path : `${path}:${line}`
  const times = count === 1 ? '' : ` (${count} times)`
  return { ...told, message: `${place}: ${message}${times}`, subject: path }
}

export interface DeclaredExamples {
  root: string
  /** New in this call. */
  declared: { path: string; line: number }[]
  /** All examples of the pack. */
  count: number
}

/**
 * Declares lines of a pack as examples that only look like a secret. Stores a digest: changed lines are scanned again.
 */
export function declareExamples(
  machine: Machine,
  request: { pack: string; places: readonly string[] },
): DeclaredExamples {
  const root = findPackRoot(machine.realFolder(request.pack))
  if (root === undefined) {
    throw failWith('PACK_NOT_FOUND/folder', { pack: request.pack })
  }
  const files = new PackFolder(machine, readPackAt(machine.home, root))
  const known = readExamples(files)
  const found = request.places.map((place) => {
    const [, path = '', line = ''] = /^(.+):(\d{1,9})$/.exec(place) ?? []
    const text = path === '' ? undefined : files.read(path)?.text
    const lines = text === undefined ? undefined : secretLines(text, Number(line))
    if (lines === undefined) throw notThere(place)
    return { path, line: Number(line), sha256: exampleDigest(lines) }
  })
  const isKnown = ({ path, sha256 }: { path: string; sha256: string }) =>
    known.some((each) => each.path === path && each.sha256 === sha256)
  const fresh = found.filter((each) => !isKnown(each))
  const all = [...known, ...fresh.map(({ path, sha256 }) => ({ path, sha256 }))].sort(
    (a, b) => compareText(a.path, b.path) || compareText(a.sha256, b.sha256),
  )
  if (fresh.length > 0) writeInside(root, EXAMPLES_PATH, `${JSON.stringify(all, undefined, 2)}\n`)
  const declared = fresh.map(({ path, line }) => ({ path, line }))
  return { root, declared, count: all.length }
}

function notThere(place: string): LoadoutError {
  return failWith('ENTRY_NOT_FOUND/secret', { place: JSON.stringify(place.slice(0, 200)) })
}
