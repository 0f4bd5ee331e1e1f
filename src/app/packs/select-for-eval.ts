import type { SelectionAnswer } from '../../domain/packs/selection-eval.ts'
import type { Machine } from '../../infra/machine.ts'

/** For each prompt whether the pack would be chosen, and with which warnings. */
export function selectForEval(_machine: Machine, _packRoot: string, prompts: readonly string[]): SelectionAnswer[] {
  return prompts.map(() => ({ isSelected: false, warnings: [] }))
}
