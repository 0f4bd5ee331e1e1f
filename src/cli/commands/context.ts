import { bundleText } from '../../display-rules.ts'
import type { Context } from '../../loadout.ts'
import { parseInstant } from '../../text/instant.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand, PROJECT_FLAG, readTask, TASK_ARGUMENT } from '../command.ts'
import { printableText, type Screen } from '../screen.ts'
import { explainBundle } from './explain-bundle.ts'

const FORMATS = ['text', 'markdown', 'xml', 'json', 'explain'] as const

interface ContextAnswer extends Context {
  format: (typeof FORMATS)[number]
  isAll: boolean
  writtenTo: string | undefined
}

export const context = defineCommand({
  name: 'context',
  keepsPaths: true,
  summary: 'what a task needs, in any project, within a budget',
  details:
    'The bundle contains the control plane, files by intent, payloads, knowledge packs, notes and adapter data, in a fixed order, each part with its reason. The same project and arguments give the same bytes.',
  args: [TASK_ARGUMENT],
  flags: {
    format: { kind: 'choice', choices: FORMATS, summary: 'output format (default: text)' },
    explain: { kind: 'switch', summary: 'show how Loadout chose, instead of the bundle' },
    all: { kind: 'switch', summary: 'with --explain: list every omitted item' },
    out: { kind: 'text', value: 'file', summary: 'write the bundle to this file' },
    intent: { kind: 'text', value: 'key', summary: 'use this intent instead of detecting it' },
    maxFiles: { name: 'files', kind: 'number', value: 'n', summary: 'maximum number of files' },
    maxCharsPerFile: { name: 'chars-per-file', kind: 'number', value: 'n', summary: 'maximum characters of each file' },
    maxChars: { name: 'chars', kind: 'number', value: 'n', summary: 'maximum characters in total' },
    maxTokens: {
      name: 'tokens',
      kind: 'number',
      value: 'n',
      summary: 'maximum tokens in total',
      also: ['budget', 'max-tokens'],
    },
    tokenizer: { kind: 'text', value: 'name', summary: 'count tokens with this tokenizer, such as o200k_base' },
    with: { kind: 'list', value: 'tests', summary: 'also include the tests of the chosen files' },
    near: { kind: 'list', value: 'file', summary: 'files you have open: what belongs to them comes first' },
    without: { kind: 'list', value: 'slice', summary: 'leave out tactical or adapter' },
    now: { kind: 'text', value: 'time', summary: 'evaluate notes and adapters at this time' },
    unrestricted: { kind: 'switch', summary: 'exceed the limits if something would be left out' },
    strict: { kind: 'switch', summary: 'exit with 1 without a control plane, or when degraded' },
    ...PROJECT_FLAG,
  },
  run: async ({ args, flags, control: { signal }, readStdin, asJson }, loadout) => {
    const { out, format, explain, all, ...wanted } = flags
    const { value, findings } = await loadout.context.build({
      ...wanted,
      task: readTask({ args, readStdin }),
      withTests: flags.with?.flatMap((each) => each.split(',')).some(isTests),
      without: flags.without?.flatMap((each) => each.split(',')).map(readSlice),
      now: flags.now === undefined ? undefined : readInstant(flags.now),
      out:
        out === undefined
          ? undefined
          : { path: out, format: asJson ? 'json' : format === 'explain' ? 'text' : (format ?? 'text') },
      signal,
    })
    const shown = explain ? 'explain' : (format ?? 'text')
    return { value: { ...value, format: shown, isAll: all ?? false, writtenTo: out }, findings }
  },
  print: ({ bundle, renderings, format, isAll, writtenTo }: ContextAnswer, screen: Screen) => {
    if (format === 'explain') return explainBundle(bundle, screen, isAll)
    if (writtenTo !== undefined) return `${writtenTo}\n`
    return format === 'json' ? bundleText(bundle) : printableText(renderings[format])
  },
  toJson: ({ bundle }) => bundle,
})

function isTests(name: string): true {
  if (name === 'tests') return true
  throw failWith('USAGE/with', { name: name.slice(0, 40) })
}

function readSlice(name: string): 'tactical' | 'adapter' {
  if (name === 'tactical' || name === 'adapter') return name
  throw failWith('USAGE/slice', { name: name.slice(0, 40) })
}

/** A time needs a zone: the zone of the machine would not be part of the command. */
function readInstant(text: string): Date {
  const instant = /^.{10}(?:.*(?:[Zz]|[+-]\d\d:?\d\d))?$/.test(text) ? parseInstant(text) : undefined
  if (instant !== undefined) return new Date(instant)
  throw failWith('USAGE/now', { text: text.slice(0, 40) })
}
