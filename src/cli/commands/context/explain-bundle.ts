import type { ContextBundle } from '../../../domain/context/bundle.ts'
import { SOURCE_CLASSES } from '../../../domain/context/source-class.ts'
import { alignRows, grouped, lines, printableLine, type Screen, wrap } from '../../screen.ts'

const NAMES = { control_plane: 'control plane', task: 'task', tactical: 'notes', adapter: 'adapters' } as const

/** How a bundle was decided, for people. */
export function explainBundle(bundle: ContextBundle, screen: Screen): string {
  const { intent, preset, budget, control_plane, files, omitted, warnings, degraded, missing, fallback } = bundle
  const matched = intent.matched.length === 0 ? '' : ` (${intent.matched.join(', ')})`
  const { max_files, total } = budget.limits
  return lines(
    `intent ${screen.strong(intent.key)}${matched} · preset ${preset} · at most ${max_files} files, ${grouped(total)} ${budget.unit}`,
    '',
    alignRows([
      ['  slice', 'used', 'of', 'files', ''],
      ...SOURCE_CLASSES.map((each) => {
        const { max, used, dropped } = budget.partitions[each]
        const count = files.filter(({ source_class }) => source_class === each).length
        const state = each === 'control_plane' ? control_plane.status : ''
        const left = dropped === 0 ? '' : `${dropped} left out: budget`
        return [
          `  ${NAMES[each]}`,
          grouped(used),
          grouped(max),
          String(count),
          [state, left].filter(Boolean).join(', '),
        ]
      }),
    ]),
    '',
    alignRows(
      files.map(({ rank, path, source_class, chars_emitted, chars_total, reason }) => [
        `  ${rank}`,
        path,
        NAMES[source_class],
        `${grouped(chars_emitted)} of ${chars_total === null ? 'many' : grouped(chars_total)}`,
        reason,
      ]),
    ),
    omitted.length > 0 && ['', 'left out'],
    alignRows(omitted.map(({ path, reason, detail }) => [`  ${path}`, reason, detail])),
    missing.length > 0 && ['', 'missing'],
    missing.flatMap((fact) => wrap(fact, 2)),
    warnings.length + degraded.length > 0 && ['', 'warnings'],
    warnings.flatMap((warning) => wrap(warning, 2)),
    '',
    fallback.level !== 'restricted' &&
      `fallback ${fallback.level}: ${fallback.attempts.map(({ reason }) => reason).join('; ')}`,
    `${grouped(bundle.estimate.chars)} characters, ${grouped(bundle.estimate.tokens)} tokens by ${printableLine(bundle.estimate.tokenizer)}`,
    screen.faint(`loadout replay ${bundle.digest.slice(0, 16)} builds it again`),
  )
}
