import type { FixPlan, Loadout, UndoneFix } from '../../loadout.ts'
import { listed } from '../../text/count.ts'
import type { Report } from '../../text/trouble.ts'
import type { Flag, Input } from '../command.ts'
import { alignRows, count, grouped, inHome, lines, printableLine, type Screen, wrap } from '../screen.ts'

/** Plans and their outcome. */
export interface Fix {
  plans: FixPlan[]
  /** `planned`: only shown. `waiting`: the user must answer first. */
  state: 'nothing to do' | 'planned' | 'waiting' | 'refused' | 'done'
}

/** Plans, shows the plans, and applies the same plans after a confirmation. */
export async function fixLists(
  request: Parameters<Loadout['planFix']>[0],
  { flags, ask }: Pick<Input<{ yes: Flag; 'dry-run': Flag }>, 'flags' | 'ask'>,
  loadout: Loadout,
): Promise<Report<Fix>> {
  const { value: plans, findings } = await loadout.planFix(request)
  const ended = (state: Fix['state'], more = findings) => ({ value: { plans, state }, findings: more })
  if (!plans.some(({ isChange }) => isChange)) return ended('nothing to do')
  if (flags['dry-run']) return ended('planned')
  if (!flags.yes) {
    if (ask === undefined) return ended('waiting')
    if (!/^y(es)?$/i.test(ask(`${printPlans(plans)}\nDo it? [y/N] `))) return ended('refused')
  }
  const { findings: others } = await loadout.applyFix(plans)
  return ended('done', [...findings, ...others])
}

function printPlans(plans: readonly FixPlan[]): string {
  return plans.map(printPlan).join('\n')
}

function printPlan({ label, now, after, switches, isChange, settingsFile = '', kept, hook, ...plan }: FixPlan): string {
  const total = now.described + now.cut + now.named + now.absent
  if (!isChange && now.cut + now.named + now.absent === 0) {
    return lines(`${label}: ${total === 0 ? 'no skills' : `describes all ${count(total, 'skill')}`}.`)
  }
  const rows = [
    ['', 'now', 'after'],
    ['  described', now.described, after.described],
    ['  cut off', now.cut, after.cut],
    ['  by name only', now.named, after.named],
    [hook === 'none' ? '  not listed' : '  named by the hook', now.absent, after.absent],
  ] as const
  const shown = rows.filter(([, ...counts]) => counts.some((each) => each !== 0))
  const rest = Object.keys(switches).filter((name) => switches[name] !== 'on')
  const on = Object.keys(switches).length - rest.length
  const reasons = [
    kept.pinned.length > 0 && `${grouped(kept.pinned.length)} pinned`,
    kept.used.length > 0 && `${grouped(kept.used.length)} used before`,
    kept.fits.length > 0 &&
      `${grouped(kept.fits.length)} that fit ${count(plan.projects.length, 'project')} (${listed(kept.fits)})`,
  ].filter((text) => text !== false)
  const chosen = reasons.length === 0 ? 'the shortest descriptions' : `${reasons.join(', ')}; then the shortest`
  return lines(
    `${label}: ${count(total, 'skill')}${isChange ? '' : ', set before'}`,
    alignRows(
      shown.map(([what, ...counts]) => [
        what,
        ...counts.map((each) => (typeof each === 'number' ? grouped(each) : each)),
      ]),
      [1, 2],
    ),
    isChange && wrap(printableLine(`Described first: ${chosen}.`), 2),
    rest.length > 0 && wrap(printableLine(`${after.absent > 0 ? 'Off' : 'By name'}: ${listed(rest)}.`), 2),
    on > 0 && wrap(`Described again in this project: ${grouped(on)}.`, 2),
    isChange && wrap(`Written to ${printableLine(inHome(settingsFile, process.env.HOME))}.`, 2),
    hook === 'added' &&
      wrap(`A hook is added that names a skill when a task fits. ${printableLine(plan.untilItRuns ?? '')}`, 2),
  )
}

export function printFix({ plans, state }: Fix, screen: Screen): string {
  const [only, second] = plans.filter(({ isChange }) => isChange)
  const one = only !== undefined && second === undefined ? ` ${only.agent}` : ''
  const scope = plans[0]?.project === undefined ? '' : ' --project .'
  const ends = {
    'nothing to do': '',
    planned: 'Nothing was changed.',
    waiting: 'Nothing was changed: use --yes to apply the plan without a question.',
    refused: 'Nothing was changed.',
    done: screen.strong(`Done. Take it back: loadout see${one} --fix --undo${scope}`),
  }
  return (state === 'refused' ? '' : printPlans(plans)) + (ends[state] === '' ? '' : lines('', ends[state]))
}

export function printUndone(undone: readonly UndoneFix[]): string {
  if (undone.length === 0) return lines('There is nothing to take back.')
  return lines(
    undone.map(
      ({ path, names }) =>
        `${printableLine(inHome(path, process.env.HOME))}: ${count(names.length, 'setting')} taken back`,
    ),
  )
}
