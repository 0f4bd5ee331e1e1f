import type { SelectionAnswer } from '../../domain/packs/author/selection-eval.ts'
import { admit } from '../../domain/packs/gates/admission.ts'
import type { Catalog, TrustedPack } from '../../domain/packs/gates/catalog.ts'
import { createSelector } from '../../domain/packs/gates/select-packs.ts'
import { resolvePack } from '../../domain/packs/resolve/resolve-pack.ts'
import { readTaskWords } from '../../domain/packs/task-words.ts'
import { openPack } from '../../infra/packs/pack-folder.ts'

/** Whether a prompt would choose the pack among all others here, and which warnings its context would carry. */
export function selectForEval({ entries }: Catalog, pack: TrustedPack): (prompt: string) => SelectionAnswer {
  const others = entries.map((entry) => entry.pack.manifest).filter(({ name }) => name !== pack.manifest.name)
  const { select } = createSelector([...others, pack.manifest])
  const { warnings, mustEscalate } = admit(pack, { isExplicit: true, isConfirmed: true })
  return (task) => {
    if (!select(task).some(({ id }) => id === pack.manifest.name)) return { isSelected: false, warnings: [] }
    if (!pack.trust.isOpen) return { isSelected: true, warnings: [...pack.warnings, ...warnings] }
    const resolution = resolvePack(pack.manifest, openPack(pack.root, pack.trust.files), {
      task,
      words: readTaskWords(task),
      needs: [],
      wantsCitations: false,
      isDeep: false,
      mustEscalate,
      tier: pack.trust.tier ?? 'guide',
    })
    return { isSelected: true, warnings: [...pack.warnings, ...warnings, ...resolution.warnings] }
  }
}
