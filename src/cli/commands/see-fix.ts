import type { FixPlan, Loadout, Outcome } from '../../loadout.ts'
import { count, grouped, lines, printableLine, type Screen, shorten as shortenText, wrap } from '../screen.ts'

/** A plan and its outcome. */
export interface Fix {
  plan: FixPlan
  /** `planned`: only shown. `waiting`: the user must answer first. */
  state: 'nothing to do' | 'planned' | 'waiting' | 'refused' | 'done'
  outcome?: Outcome
}

const MOST_NAMED = 20

export function printPlan(plan: FixPlan): string {
  const { label, crowded, unequip, nameOnly, settingsFile = '', shorten, left, unusedUnknown, agent, project } = plan
  if (crowded.length === 0) return lines(`${label} lists every skill that it can read.`)
  return lines(
    wrap(`${label} has no room for the whole description of ${count(crowded.length, 'skill')}.`, 0),
    unequip.length > 0 && [
      '',
      `remove ${count(unequip.length, 'unused copy', 'unused copies')}; the library keeps the skills`,
    ],
    unequip.length > 0 && wrap(named(unequip), 2),
    nameOnly.length > 0 && [
      '',
      ...wrap(`list only the names of ${count(nameOnly.length, 'unused skill')}, in ${printableLine(settingsFile)}`, 0),
    ],
    nameOnly.length > 0 && wrap(named(nameOnly), 2),
    unusedUnknown !== undefined && ['', ...wrap(`Loadout removes no copy: ${unusedUnknown}.`, 0)],
    shorten.length > 0 && [
      '',
      `shorten ${count(shorten.length, 'description')} to ${grouped(shorten[0]?.to ?? 0)} characters, by hand`,
    ],
    shorten.slice(0, MOST_NAMED).map(({ name, from }) => `  ${shortenText(name, 40)}, now ${grouped(from)}`),
    shorten.length > MOST_NAMED && `  and ${shorten.length - MOST_NAMED} more (--json names all)`,
    left > 0 && [
      '',
      ...wrap(
        `Even then ${count(left, 'skill')} would not fit. Unequip those you need least: loadout see ${agent} --longest${scopeOf(project)}`,
        0,
      ),
    ],
  )
}

function scopeOf(project: string | undefined): string {
  return project === undefined ? '' : ' --project .'
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map((name) => printableLine(name))
  return shown.join(', ') + (names.length > shown.length ? ` and ${names.length - shown.length} more` : '')
}

export function printFix({ plan, state, outcome }: Fix, screen: Screen): string {
  const { unequip, nameOnly, agent, project } = plan
  const removed = outcome?.operations.filter(({ kind }) => kind === 'remove').length ?? 0
  const ends = {
    'nothing to do': '',
    planned: unequip.length + nameOnly.length > 0 ? 'Nothing was changed.' : '',
    waiting: 'Nothing was changed: use --yes to apply the plan without a question.',
    refused: 'Nothing was changed.',
    done: [
      ...(unequip.length > 0 ? [`${count(removed, 'copy', 'copies')} removed. loadout equip installs one again.`] : []),
      ...(nameOnly.length > 0
        ? [
            `${count(nameOnly.length, 'skill')} listed by name. To undo: loadout see ${agent} --fix --undo${scopeOf(project)}`,
          ]
        : []),
    ]
      .map(screen.strong)
      .join('\n'),
  }
  return printPlan(plan) + (ends[state] === '' ? '' : lines('', ends[state]))
}

export type Undone = Awaited<ReturnType<Loadout['undoFix']>>

export function printUndone({ path, names }: Undone): string {
  if (names.length === 0 || path === undefined) return lines('There is nothing to take back.')
  return lines(
    wrap(`${printableLine(path)} no longer says that only the names of these are listed:`, 0),
    wrap(named(names), 2),
  )
}
