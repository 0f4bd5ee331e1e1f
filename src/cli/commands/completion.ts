import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { defineCommand } from '../command.ts'
import { completionScript, SHELLS } from '../completion.ts'

export const completion = defineCommand({
  name: 'completion',
  summary: 'a completion script for your shell',
  details:
    'bash: loadout completion bash >> ~/.bashrc\nzsh:  loadout completion zsh > ~/.zfunc/_loadout   (a folder of $fpath)\nfish: loadout completion fish > ~/.config/fish/completions/loadout.fish',
  args: [{ name: 'shell', summary: `one of ${SHELLS.join(', ')}`, required: true, complete: SHELLS }],
  flags: {},
  run: async ({ args }) => {
    const shell = SHELLS.find((known) => known === args.shell)
    if (shell === undefined) {
      throw new LoadoutError('USAGE', `there is no completion for "${args.shell}"`, {
        hint: `shells: ${SHELLS.join(', ')}`,
      })
    }
    const { COMMANDS } = await import('../commands.ts')
    return { value: { shell, script: completionScript(shell, COMMANDS) }, findings: [] }
  },
  print: ({ script }) => script,
})
