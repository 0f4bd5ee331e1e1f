import type { HookAnswer } from '../../../app/loadout.ts'
import { HOOK_EVENTS, HOOK_HOSTS } from '../../../domain/delivery/hook-hosts.ts'
import { defineCommand } from '../../command.ts'

export const hook = defineCommand({
  name: 'hook',
  summary: 'what agents run at their events: JSON on standard input',
  details:
    'loadout hooks install sets it up. Whatever goes wrong, it ends with 0 and says nothing, so that no prompt is held up;' +
    ' the state folder’s hooks.log tells why.',
  args: [
    { name: 'agent', summary: 'who runs it', required: true, complete: HOOK_HOSTS.map(({ agent }) => agent) },
    { name: 'event', summary: `one of ${HOOK_EVENTS.join(', ')}`, required: true, complete: HOOK_EVENTS },
  ],
  flags: {
    budget: { kind: 'number', value: 'tokens', summary: 'the most that one prompt is answered with (default: 1,200)' },
  },
  run: async ({ args: { agent = '', event = '' }, flags, readStdin }, loadout) => {
    const value = await loadout.answerHook({ agent, event, input: readStdin(), budget: flags.budget })
    return { value, findings: [] }
  },
  print: ({ reply }: HookAnswer) => reply,
})
