import type { Machine } from '../machine/machine.ts'
import { count } from '../text/count.ts'
import { shellWord } from '../text/printable.ts'
import type { Finding, Report } from '../text/trouble.ts'
import { type CatalogRequest, findPack, openCatalog } from './catalog.ts'
import { openPack } from './disk/pack-folder.ts'
import { type CompileState, compileState } from './rules/author/compile-state.ts'
import type { TrustedPack } from './rules/gates/trust.ts'
import type { Scope } from './rules/pack.ts'

export interface PackCompileStatus {
  name: string
  root: string
  scope: Scope
  /** Undefined while the pack may not be read. */
  state: CompileState | undefined
  /** What to run next. */
  next: string[]
}

/** For each pack of the project and the user: which views are stale or were never compiled. */
export function packStatus(
  machine: Machine,
  request: CatalogRequest & { pack?: string | undefined },
): Report<{ packs: PackCompileStatus[] }> {
  const named = request.pack === undefined ? [] : [request.pack]
  const { catalog } = openCatalog(machine, { project: request.project, packs: named })
  const chosen =
    request.pack === undefined
      ? catalog.entries.map(({ pack }) => pack).filter(({ scope }) => scope === 'workspace' || scope === 'user')
      : [findPack(machine, catalog, request.pack)]
  const packs = chosen.map(statusOf)
  return { value: { packs }, findings: packs.flatMap(findingsOf) }
}

function statusOf(pack: TrustedPack): PackCompileStatus {
  const { manifest, root, scope, trust } = pack
  // Also for an approved pack that changed since: the report shows only names of existing files.
  const isKnown = trust.isOpen || trust.state === 'changed'
  const state = isKnown ? compileState(manifest, openPack(pack)) : undefined
  const isBehind = state?.views.some((view) => view.state === 'stale' || view.state === 'failed') ?? false
  const isNew = state?.views.every((view) => view.state === 'not-compiled') ?? false
  return {
    name: manifest.name,
    root,
    scope,
    state,
    next: [
      ...(trust.isOpen ? [] : [`loadout approve ${shellWord(root)}`]),
      ...((isBehind || isNew) && state !== undefined ? [`loadout packs compile ${manifest.name}`] : []),
    ],
  }
}

const MOST_NAMED = 3

function findingsOf({ name, state }: PackCompileStatus): Finding[] {
  return (state?.views ?? []).flatMap(({ path, state: is, changed, gone }): Finding[] => {
    const hint = `loadout packs compile ${name}`
    if (is === 'failed') {
      const message = `${name}/${path} is not used: its compile run did not finish`
      return [{ severity: 'warning', code: 'run.failed', message, subject: name, hint }]
    }
    if (is !== 'stale') return []
    const more = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : ''
    const named = `inputs changed: ${changed.slice(0, MOST_NAMED).join(', ')}${more}`
    const code = changed.length > 0 ? 'run.input.drift' : 'run.input.gone'
    const why = changed.length > 0 ? named : gone > 0 ? `${count(gone, 'input')} gone` : 'its run says so'
    return [{ severity: 'warning', code, message: `${name}/${path} is stale: ${why}`, subject: name, hint }]
  })
}
