import type { BundleFile, ContextBundle } from '../../answer/rules/bundle.ts'
import type { SampleTour } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { defineCommand } from '../command.ts'
import {
  alignRows,
  count,
  grouped,
  lines,
  printableLine,
  printableText,
  type Screen,
  shorten,
  wrap,
} from '../screen.ts'
import { explainChoice } from './explain-bundle.ts'

interface TourAnswer extends SampleTour {
  isWhole: boolean
  isExplained: boolean
}

export const tryIt = defineCommand({
  name: 'try',
  summary: 'try Loadout on sample data, without touching your files',
  args: [{ name: 'task', summary: 'a task of your own for the sample workspace', rest: 'text' }],
  flags: {
    explain: { kind: 'switch', summary: 'show in full how Loadout chose' },
    whole: { kind: 'switch', summary: 'print the bundle as a model gets it' },
    keep: { kind: 'switch', summary: 'keep the sample workspace and show its location' },
  },
  run: async ({ args, flags }, loadout) => {
    const { value, findings } = await loadout.context.try({ task: args.task || undefined, keep: flags.keep })
    const { whole: isWhole = false, explain: isExplained = false } = flags
    return { value: { ...value, isWhole, isExplained }, findings }
  },
  print: printTour,
  toJson: ({ context, plan, everything, kept }: TourAnswer) => ({ bundle: context.bundle, plan, everything, kept }),
})

function printTour({ context, everything, kept, isWhole, isExplained }: TourAnswer, screen: Screen): string {
  const { bundle, renderings } = context
  return [
    lines(`${screen.strong('Task:')} "${shorten(bundle.task, 72)}"`, ''),
    isWhole || isExplained ? '' : lines(compare(everything, bundle), '', partsOf(bundle), '', leftOut(bundle)),
    isExplained ? explainChoice(bundle, screen) : '',
    isWhole ? printableText(renderings.text) : '',
    lines('', kept === undefined ? MORE : wherever(kept, bundle.task), '', NEXT),
  ].join('')
}

const MORE = [
  'This was a sample in a temporary folder, which is already removed. More:',
  '             loadout try --explain         how Loadout chose, in full',
  '             loadout try --whole           the text that a model gets',
]

const NEXT = [
  'Your turn:   loadout status                what your agents see on this machine',
  '             loadout context "your task"   in any project, nothing to set up',
]

/** With its own home and date, the sample gives the same answer again. */
function wherever({ project, home, now }: NonNullable<SampleTour['kept']>, task: string): string[] {
  return [
    `The sample project is in ${printableLine(project)}; remove its parent folder when you are done.`,
    `  cd ${shellWord(project)}`,
    `  HOME=${shellWord(home)} loadout context ${shellWord(task)} --now ${now}`,
  ]
}

function compare({ rules, packs, files, tokens }: SampleTour['everything'], { files: parts, estimate }: ContextBundle) {
  const all = [count(rules, 'rule'), count(packs, 'pack'), count(files, 'file')].join(', ')
  return alignRows([
    ['  without Loadout', `${all}: ${grouped(tokens)} tokens, or a guess`],
    ['  with Loadout', `${count(parts.length, 'part')}, ${grouped(estimate.tokens)} tokens, the same every time`],
  ])
}

function partsOf({ files, task }: ContextBundle): string[] {
  const sizes = files.map(({ chars_emitted }) => `${grouped(Math.ceil(chars_emitted / 4))} tok`)
  const rows = files.map((file, at) => [
    String(file.rank),
    fileName(file.path),
    sizes[at] ?? '',
    fileReason(file, task),
  ])
  return alignRows(rows, [0, 2]).map((line) => shorten(`  ${line}`, 80))
}

/** A newcomer reads `payload:x` as a rule, and the digest of a note is meaningless. */
function fileName(path: string): string {
  const [, kind = '', name = ''] = /^(\w+):(.*)$/.exec(path) ?? []
  if (kind === '') return path
  if (kind === 'note') return 'note'
  return `${kind === 'payload' ? 'rule' : kind.replace(/s$/, '')} ${name}`
}

/** The words of the task that chose it, if any. */
function fileReason({ source_class, selected_by, reason, provenance }: BundleFile, task: string): string {
  if (source_class === 'control_plane' || selected_by === 'core') return 'always'
  if (selected_by === 'pack') return `matches the task${provenance.status === 'ready' ? '' : `; ${provenance.status}`}`
  const words = [...reason.matchAll(/\[([^\]]*)\]/g)].flatMap(([, inside = '']) => inside.split(', '))
  const asked = task.toLowerCase().split(/\s+/)
  const shared = [...new Set(words)].filter((word) => asked.includes(word))
  return shared.length === 0 ? reason : shared.join(', ')
}

/** Why something was left out, in everyday words. */
const WHY_OUT: Record<string, (what: string, number: number) => string> = {
  gate: (what, number) => `${count(number, what)} that ${number === 1 ? 'needs' : 'need'} your approval`,
  expired: (what, number) => `${count(number, `expired ${what}`)}`,
  unsafe: (what, number) => `${count(number, what)} with a password in it`,
}

const CLASS_NAMES = { task: 'file', tactical: 'note', adapter: 'item', control_plane: 'file' } as const

function leftOut({ omitted }: ContextBundle): string[] {
  const counts = new Map<string, number>()
  for (const { path, source_class, reason } of omitted) {
    const key = `${reason} ${path.startsWith('pack:') ? 'pack' : CLASS_NAMES[source_class]}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const parts = [...counts].map(([key, number]) => {
    const [reason = '', what = ''] = key.split(' ')
    return WHY_OUT[reason]?.(what, number) ?? `${count(number, what)} for lack of room`
  })
  return parts.length === 0 ? [] : wrap(`Left out: ${parts.join(', ')}.`, 0)
}
