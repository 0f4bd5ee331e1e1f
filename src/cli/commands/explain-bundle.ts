import type { BundleFile, BundlePointer, ContextBundle, SourceClass } from '../../answer/rules/bundle.ts'
import { POINTER_GROUPS, pointerText, SOURCE_CLASSES } from '../../display-rules.ts'
import {
  alignRows,
  column,
  count,
  grouped,
  hang,
  lines,
  printableLine,
  type Screen,
  shortenMiddle,
  wrap,
} from '../screen.ts'

const CLASS_WORDS = { control_plane: 'always', task: 'task', tactical: 'notes', adapter: 'adapters' } as const
const UNIT_WORDS = { chars: 'characters', tokens: 'tokens' } as const

/** How a bundle was chosen, for people, and the command that builds it again. */
export function explainBundle(bundle: ContextBundle, screen: Screen, isAll = false): string {
  return (
    explainChoice(bundle, screen, isAll) +
    lines(`digest    ${bundle.digest.slice(0, 16)}   ${screen.faint(`loadout replay ${bundle.digest.slice(0, 16)}`)}`)
  )
}

/** What a bundle contains and why, what it omits and why, and its size. */
export function explainChoice(bundle: ContextBundle, screen: Screen, isAll = false): string {
  const { intent, preset, budget, missing, warnings, fallback, estimate } = bundle
  const matched = intent.matched.length === 0 ? '' : ` (${intent.matched.join(', ')})`
  const { max_files, total } = budget.limits
  const isPlain = preset === 'generic' && intent.key === 'default'
  const limits = `${count(max_files, 'file')}, ${grouped(total)} ${UNIT_WORDS[budget.unit]}`
  return lines(
    // Kinds of tasks and presets are words of loadout.json: a project without them needs neither.
    wrap(isPlain ? `at most ${limits}` : `intent ${intent.key}${matched} \u00b7 preset ${preset} \u00b7 ${limits}`, 0),
    '',
    describeSlices(bundle),
    bundle.files.length > 0 && '',
    describeFiles(bundle, screen),
    describePointers(bundle),
    bundle.omitted.length > 0 && ['', screen.strong('left out')],
    // Up to this many are listed one by one.
    isAll || bundle.omitted.length <= 8 ? describeOmitted(bundle) : sumUpOmitted(bundle, screen),
    '',
    labelled('missing', missing),
    labelled('warnings', warnings.filter((warning) => !isListedAbove(bundle, warning)).flatMap(withCommandBelow)),
    fallback.level !== 'restricted' &&
      labelled(
        'fallback',
        fallback.attempts.map(({ level, reason }) => `${level}: ${reason}`),
      ),
    `size      ${grouped(estimate.chars)} characters, ${grouped(estimate.tokens)} tokens (${printableLine(estimate.tokenizer)})`,
  )
}

function describeSlices(bundle: ContextBundle): string[] {
  const rows = SOURCE_CLASSES.map((each) => {
    const { max, used } = bundle.budget.partitions[each]
    const count = bundle.files.filter(({ source_class }) => source_class === each).length
    const left = bundle.omitted.filter(({ source_class }) => source_class === each).length
    const isEmpty = count + left === 0
    return {
      name: `  ${CLASS_WORDS[each]}`,
      used: isEmpty ? '\u2013' : grouped(used),
      max: isEmpty ? '' : `/ ${grouped(max)}`,
      files: isEmpty ? '' : `${count} of ${count + left}`,
      state: describeState(bundle, each),
    }
  }).filter(({ used, state }) => used !== '\u2013' || state !== '')
  if (rows.length === 0) return []
  const head = [['  part', 'used', '', 'files', '']]
  const [used, max] = [column(rows.map((row) => row.used)), column(rows.map((row) => row.max))]
  const table = alignRows([
    ...head.map(([part = '', title = '', , files = '']) => [part, title.padStart(used), files]),
    ...rows.map((row) => [row.name, `${row.used.padStart(used)} ${row.max.padEnd(max)}`, row.files]),
  ])
  const indent = column(table)
  return table.flatMap((line, at) => hang(line, indent, rows[at - 1]?.state ?? ''))
}

/** Empty if there is nothing to report. */
function describeState(bundle: ContextBundle, each: SourceClass): string {
  const isOf = { tactical: /^tactical$/, adapter: /^adapter:/, control_plane: /^$/, task: /^$/ }[each]
  const hasFailed = bundle.degraded.some(({ source }) => isOf.test(source))
  const counts = new Map<string, number>()
  for (const { source_class, reason } of bundle.omitted) {
    if (source_class === each) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const left = [...counts].map(([reason, count]) => `${count} ${REASONS[reason] ?? reason}`).join(', ')
  return [
    each === 'control_plane' ? describePlane(bundle) : '',
    hasFailed ? 'degraded: see the warnings' : '',
    left === '' ? '' : `left out: ${left}`,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

/** Files of the generic preset are optional: one of them is enough. */
function describePlane({ preset, control_plane: { status, items } }: ContextBundle): string {
  if (status === 'complete' || (preset === 'generic' && status === 'partial')) return ''
  if (preset === 'generic') return `${status}: no instruction file and no README`
  const lacking = items.filter(({ present }) => !present).map(({ path }) => path)
  return `${status}: ${lacking.join(', ')} missing`
}

const REASONS: Record<string, string> = {
  gate: 'not approved',
  outside_root: 'outside the project',
  not_a_file: 'not a file',
}

const LONGEST_PATH = 54
const MOST_LINES = 2

function describeFiles({ files, control_plane }: ContextBundle, screen: Screen): string[] {
  const ranks = column(files.map(({ rank }) => String(rank)))
  const sizes = files.map(({ chars_emitted }) => grouped(chars_emitted))
  const totals = files.map(({ truncated, chars_total }) =>
    truncated ? `of ${chars_total === null ? 'many' : grouped(chars_total)}` : '',
  )
  const rows = files.map(({ rank, path }, at) => [
    `  ${String(rank).padStart(ranks)}`,
    shortenMiddle(path, LONGEST_PATH),
    `${(sizes[at] ?? '').padStart(column(sizes))} ${totals[at] ?? ''}`.trimEnd(),
  ])
  const table = alignRows(rows)
  const indent = column(table)
  const summaries = new Map(control_plane.items.map(({ path, summary }) => [path, summary]))
  // Beside a longer path too little room is left for a reason: it stands below.
  const isBelow = files.some(({ path }) => path.length > 30)
  return table.flatMap((line, at) => {
    const file = files[at]
    const why = file === undefined ? '' : choiceReason(file, summaries.get(file.path) ?? {})
    const below = ' '.repeat(ranks + 2)
    const [first = '', ...others] = isBelow
      ? [line, ...hang(below, below.length, why, MOST_LINES)]
      : hang(line, indent, why, MOST_LINES)
    return [first, ...others.map((other) => screen.faint(other))]
  })
}

const GROUPS: Record<BundlePointer['group'], string> = { file: 'named', test: 'tests', companion: 'beside' }

/** The places that the bundle only names. */
function describePointers({ pointers = [] }: ContextBundle): string[] {
  return POINTER_GROUPS.flatMap((group) => {
    const named = pointers.filter((pointer) => pointer.group === group)
    if (named.length === 0) return []
    const shown = named.slice(0, MOST_PLACES).map((pointer) => shortenMiddle(pointerText(pointer), LONGEST_PATH))
    const more = named.length > MOST_PLACES ? [`${named.length - MOST_PLACES} more`] : []
    return ['', ...labelled(GROUPS[group], [...shown, ...more])]
  })
}

const MOST_PLACES = 5

/** Shorter than the reason in the bundle where a table has little room, with the facts that a person needs. */
function choiceReason(file: BundleFile, summary: Readonly<Record<string, unknown>>): string {
  const { source_class, selected_by, provenance, reason } = file
  if (source_class === 'control_plane') {
    const facts = Object.entries(summary).map(([field, value]) => `${field} ${value}`)
    return facts.length === 0 ? 'always' : `always: ${facts.join(', ')}`
  }
  if (selected_by.startsWith('intent:')) return `${selected_by.replace(':', ' ')}: ${provenance.pattern}`
  if (selected_by === 'pack') return `fits the task; ${provenance.status}, ${provenance.scope}, ${provenance.trust}`
  return file.sections === undefined || !file.truncated ? reason : `${linesOf(file.sections)}${reason}`
}

/** The line ranges of a file that is not shown whole. */
function linesOf(sections: NonNullable<BundleFile['sections']>): string {
  const ranges = sections.slice(0, MOST_RANGES).map(({ start, end }) => `${start}\u2013${end}`)
  return `lines ${ranges.join(', ')}${sections.length > MOST_RANGES ? ', \u2026' : ''}; `
}

const MOST_RANGES = 2

function describeOmitted({ omitted }: ContextBundle): string[] {
  const table = alignRows(omitted.map(({ path, reason }) => [`  ${shortenMiddle(path, LONGEST_PATH)}`, reason]))
  const indent = column(table)
  return table.flatMap((line, at) => hang(line, indent, omitted[at]?.detail ?? ''))
}

const FIRST_NAMED = 3

/** One line for each reason: how many files, and the first of them. */
function sumUpOmitted({ omitted }: ContextBundle, screen: Screen): string[] {
  const groups = new Map<string, string[]>()
  for (const { path, reason } of omitted) groups.set(reason, [...(groups.get(reason) ?? []), path])
  const table = alignRows(
    [...groups].map(([reason, paths]) => [`  ${REASONS[reason] ?? reason}`, grouped(paths.length)]),
  )
  const indent = column(table)
  const named = [...groups.values()].map((paths) => {
    const first = paths.slice(0, FIRST_NAMED).map((path) => shortenMiddle(path, LONGEST_PATH))
    return first.join(', ') + (paths.length > FIRST_NAMED ? ', \u2026' : '')
  })
  return [
    ...table.flatMap((line, at) => hang(line, indent, named[at] ?? '')),
    screen.faint('  to list each: --explain --all'),
  ]
}

/** An unsafe file is already listed among the omitted ones, with the same message. */
function isListedAbove({ omitted }: ContextBundle, warning: string): boolean {
  return omitted.some(({ path, reason, detail }) => reason === 'unsafe' && warning.startsWith(`${path}: ${detail},`))
}

/** A command on a line of its own is easier to copy. */
function withCommandBelow(warning: string): string[] {
  const [, what, command] = /^(.+?): (loadout .+)$/.exec(warning) ?? []
  return what === undefined || command === undefined ? [warning] : [`${what}:`, `  ${command}`]
}

const LABEL = 10

/** A label, and beside it the texts, one below the other. */
function labelled(label: string, texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => wrap(text.trimStart(), LABEL + text.search(/\S|$/)))
    .map((line, at) => (at === 0 ? label.padEnd(LABEL) + line.slice(LABEL) : line))
}
