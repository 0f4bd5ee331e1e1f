import type { Replay } from '../../../app/loadout.ts'
import { bundleText } from '../../../domain/context/bundle.ts'
import { defineCommand } from '../../command.ts'
import { printableText } from '../../screen.ts'

const FORMATS = ['text', 'markdown', 'xml', 'json'] as const

interface Answer extends Replay {
  format: (typeof FORMATS)[number]
}

export const replay = defineCommand({
  name: 'replay',
  summary: 'a recorded bundle once more, byte for byte',
  details: 'Prints nothing of it when it would be another one now, and says what has changed.',
  args: [{ name: 'record', summary: 'what context --explain printed; its start is enough', required: true }],
  flags: { format: { kind: 'choice', choices: FORMATS, summary: 'how to write it (default: text)' } },
  run: async ({ args, flags }, loadout) => {
    const { value, findings } = await loadout.replayBundle({ id: args.record ?? '' })
    return { value: { ...value, format: flags.format ?? 'text' }, findings }
  },
  print: ({ context, format }: Answer) => {
    if (context === undefined) return ''
    return format === 'json' ? bundleText(context.bundle) : printableText(context.renderings[format])
  },
  toJson: ({ id, context, changes }) => ({ id, changes, bundle: context?.bundle }),
})
