import type { Machine } from '../machine/machine.ts'
import { programVersion } from '../machine/package-folder.ts'
import { shellWord } from '../text/printable.ts'
import { LoadoutError } from '../text/trouble.ts'
import {
  foreignViews,
  hasText,
  noteCompiled,
  ownViews,
  parseSourceMap,
  removeViews,
  writeCompiled,
} from './disk/compile-files.ts'
import { openPack } from './disk/pack-folder.ts'
import type { CompileAnswer, CompileInput } from './rules/author/compile-exchange.ts'
import { type CompileRunInput, renderRun, renderSourceMap, renderViews, runPath } from './rules/author/compile-views.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import { SOURCE_MAP_PATH } from './rules/pack.ts'

export interface Compiled {
  pack: string
  root: string
  /** Views, the source map and the record of the run. Empty if the answer was refused. */
  written: string[]
  statements: number
  unknown: number
  run: string | undefined
  isReviewed: boolean
  next: string[]
}

/** Writes the views of a checked answer, their claims and the record of the run. */
export function writeViews(
  machine: Machine,
  pack: TrustedPack,
  answer: CompileAnswer,
  inputs: readonly CompileInput[],
  isReviewed: boolean,
): Compiled {
  const { root, manifest } = pack
  const views = renderViews(answer)
  const [foreign] = foreignViews(root, [...views.keys()])
  if (foreign !== undefined) {
    throw new LoadoutError('COMPILE_REFUSED', `${foreign} was written or changed by hand`, {
      hint: `move it first, for example to wiki/; nothing was written`,
    })
  }
  const files = openPack(pack)
  const map = renderSourceMap(parseSourceMap(files.read(SOURCE_MAP_PATH)?.text, manifest.name), answer)
  const written = [...views].map(([path, text]): CompileRunInput['outputs'][number] => {
    const isThere = files.sizeOf(path) !== undefined
    return { path, operation: !isThere ? 'created' : hasText(root, path, text) ? 'unchanged' : 'updated' }
  })
  // Views of an earlier answer that this one lacks are obsolete.
  const outdated = ownViews(root).filter((view) => !views.has(view))
  const outputs = [...written, ...outdated.map((view) => ({ path: view, operation: 'deleted' as const }))]
  const run: CompileRunInput = { at: machine.now(), version: programVersion(), manifest, inputs, outputs, isReviewed }
  const path = runPath(run)
  // Marked as failed first: if the process is killed now, no reader uses the views.
  writeCompiled(root, new Map([[path, renderRun(run, false)], ...views, [SOURCE_MAP_PATH, map]]))
  removeViews(root, outdated)
  noteCompiled(root, views)
  writeCompiled(root, new Map([[path, renderRun(run, true)]]))
  const statements = Object.values(answer.views).reduce((sum, list) => sum + list.length, 0)
  return {
    pack: manifest.name,
    root,
    written: [...views.keys(), SOURCE_MAP_PATH, path],
    statements,
    unknown: answer.unknown.length,
    run: path,
    isReviewed,
    next: [
      `loadout validate ${shellWord(root)}`,
      ...(pack.trust.files === undefined ? [] : [`loadout approve ${manifest.name}`]),
    ],
  }
}
