import { writeInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { realFolder } from '../machine/open-project.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import { openPack } from './disk/pack-folder.ts'
import { findPackRoot, readPackAt } from './disk/pack-place.ts'
import { EXAMPLES_PATH, exampleDigest, readExamples, secretLines } from './rules/fence/content-guard.ts'

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
): Report<DeclaredExamples> {
  const root = findPackRoot(realFolder(machine, request.pack))
  if (root === undefined) {
    throw new LoadoutError('PACK_NOT_FOUND', `${request.pack} is not the folder of a pack`, {
      hint: 'name the folder with its KNOWLEDGE.md',
    })
  }
  const files = openPack(readPackAt(machine.home, root))
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
  return { value: { root, declared, count: all.length }, findings: [] }
}

function notThere(place: string): LoadoutError {
  return new LoadoutError('ENTRY_NOT_FOUND', `nothing at ${JSON.stringify(place.slice(0, 200))} looks like a secret`, {
    hint: 'name a file of the pack and a line, as loadout validate prints them: documents/a.md:12',
  })
}
