import type { FixPlan, Outcome } from '../../loadout.ts'
import { count, grouped, lines, printableLine, type Screen, shorten as shortenText, wrap } from '../screen.ts'

/** A plan, and what became of it. */
export interface Fix {
  plan: FixPlan
  /** `planned`: only shown. `waiting`: the user must answer first. */
  state: 'nothing to do' | 'planned' | 'waiting' | 'refused' | 'done'
  outcome?: Outcome
}

const MOST_NAMED = 20

export function printPlan({ label, crowded, unequip, shorten, left, unusedUnknown, agent, project }: FixPlan): string {
  if (crowded.length === 0) return lines(`${label} lists every skill that it can read.`)
  const scope = project === undefined ? '' : ' --project .'
  return lines(
    wrap(`${label} has no room for the whole description of ${count(crowded.length, 'skill')}.`, 0),
    unequip.length > 0 && [
      '',
      `remove ${count(unequip.length, 'unused copy', 'unused copies')}; the library keeps the skills`,
    ],
    unequip.length > 0 && wrap(named(unequip), 2),
    unusedUnknown !== undefined && ['', ...wrap(`No copy is removed: ${unusedUnknown}.`, 0)],
    shorten.length > 0 && [
      '',
      `shorten ${count(shorten.length, 'description')} to ${grouped(shorten[0]?.to ?? 0)} characters, by hand`,
    ],
    shorten.slice(0, MOST_NAMED).map(({ name, from }) => `  ${shortenText(name, 40)}, now ${grouped(from)}`),
    shorten.length > MOST_NAMED && `  and ${shorten.length - MOST_NAMED} more (--json names all)`,
    left > 0 && [
      '',
      ...wrap(
        `Even then ${count(left, 'skill')} would not fit. Unequip what you need least: loadout see ${agent} --longest${scope}`,
        0,
      ),
    ],
  )
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => printableLine(name))
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '')
}

export function printFix({ plan, state, outcome }: Fix, screen: Screen): string {
  const removed = outcome?.operations.filter(({ kind }) => kind === 'remove').length ?? 0
  const ends = {
    'nothing to do': '',
    planned: plan.unequip.length > 0 ? 'Nothing was changed.' : '',
    waiting: 'Nothing was changed: --yes carries it out without asking.',
    refused: 'Nothing was changed.',
    done: screen.strong(`${count(removed, 'copy', 'copies')} removed. loadout equip brings one back.`),
  }
  return printPlan(plan) + (ends[state] === '' ? '' : lines('', ends[state]))
}
