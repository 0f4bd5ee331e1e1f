import { bundleText } from '../../display-rules.ts'
import type { Context } from '../../loadout.ts'
import { parseInstant } from '../../text/instant.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { defineCommand, PROJECT_FLAG, readTask, TASK_ARGUMENT } from '../command.ts'
import { printableText, type Screen } from '../screen.ts'
import { explainBundle } from './explain-bundle.ts'

const FORMATS = ['text', 'markdown', 'xml', 'json', 'explain'] as const

interface Answer extends Context {
  format: (typeof FORMATS)[number]
  isAll: boolean
  writtenTo: string | undefined
}

export const context = defineCommand({
  name: 'context',
  summary: 'what this project knows that a task needs, within a budget',
  details:
    'Control plane, files by intent, routed payloads, knowledge packs, notes and adapters: in a fixed order, every part with its reason. The same project and arguments give the same bytes.',
  args: [TASK_ARGUMENT],
  flags: {
    format: { kind: 'choice', choices: FORMATS, summary: 'how to write it (default: text)' },
    explain: { kind: 'switch', summary: 'how it was decided, instead of the bundle' },
    all: { kind: 'switch', summary: 'with --explain: everything that was left out, one by one' },
    out: { kind: 'text', value: 'file', summary: 'write it there' },
    intent: { kind: 'text', value: 'key', summary: 'instead of what the words of the task tell' },
    files: { kind: 'number', value: 'n', summary: 'at most so many files' },
    'chars-per-file': { kind: 'number', value: 'n', summary: 'at most so many characters of each' },
    chars: { kind: 'number', value: 'n', summary: 'at most so many characters in all' },
    tokens: { kind: 'number', value: 'n', summary: 'at most so many tokens in all' },
    tokenizer: { kind: 'text', value: 'name', summary: 'count tokens with it, such as o200k_base' },
    with: { kind: 'list', value: 'tests', summary: 'show the tests of the chosen files too' },
    without: { kind: 'list', value: 'slice', summary: 'leave out tactical or adapter' },
    now: { kind: 'text', value: 'time', summary: 'judge notes and adapters by this instant' },
    unrestricted: { kind: 'switch', summary: 'go beyond the limits when something is left out' },
    strict: { kind: 'switch', summary: 'end with 1 without a control plane, or when degraded' },
    ...PROJECT_FLAG,
  },
  run: async ({ args, flags, signal, readStdin, asJson }, loadout) => {
    const { value, findings } = await loadout.buildContext({
      task: readTask({ args, readStdin }),
      project: flags.project,
      intent: flags.intent,
      maxFiles: flags.files,
      maxCharsPerFile: flags['chars-per-file'],
      maxChars: flags.chars,
      maxTokens: flags.tokens,
      tokenizer: flags.tokenizer,
      withTests: flags.with?.flatMap((each) => each.split(',')).some(isTests),
      without: flags.without?.flatMap((each) => each.split(',')).map(readSlice),
      now: flags.now === undefined ? undefined : readInstant(flags.now),
      unrestricted: flags.unrestricted,
      strict: flags.strict,
      out: flags.out === undefined ? undefined : { path: flags.out, format: outFormat(flags.format, asJson) },
      signal,
    })
    const format = flags.explain ? 'explain' : (flags.format ?? 'text')
    return { value: { ...value, format, isAll: flags.all ?? false, writtenTo: flags.out }, findings }
  },
  print: ({ bundle, renderings, format, isAll, writtenTo }: Answer, screen: Screen) => {
    if (format === 'explain') return explainBundle(bundle, screen, isAll)
    if (writtenTo !== undefined) return `${writtenTo}\n`
    return format === 'json' ? bundleText(bundle) : printableText(renderings[format])
  },
  toJson: ({ bundle }) => bundle,
})

function outFormat(format: Answer['format'] | undefined, asJson: boolean) {
  if (asJson || format === 'json') return 'json'
  return format === undefined || format === 'explain' ? 'text' : format
}

function isTests(name: string): true {
  if (name === 'tests') return true
  throw new LoadoutError('USAGE', `--with does not know "${name.slice(0, 40)}"`, { hint: '--with tests' })
}

function readSlice(name: string): 'tactical' | 'adapter' {
  if (name === 'tactical' || name === 'adapter') return name
  throw new LoadoutError('USAGE', `Unknown slice: "${name.slice(0, 40)}"`, {
    hint: '--without tactical or --without adapter',
  })
}

/** With its zone, when it has a time: what a machine takes for granted would not be in the command. */
function readInstant(text: string): Date {
  const instant = /^.{10}(?:.*(?:[Zz]|[+-]\d\d:?\d\d))?$/.test(text) ? parseInstant(text) : undefined
  if (instant !== undefined) return new Date(instant)
  throw new LoadoutError('USAGE', `Not a time: "${text.slice(0, 40)}"`, { hint: 'write 2026-11-16T09:30:00Z' })
}
