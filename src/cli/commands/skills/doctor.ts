import type { Health } from '../../../app/loadout.ts'
import { defineCommand } from '../../command.ts'
import { count, lines, printableLine, wrap } from '../../screen.ts'
import { SCOPE_FLAGS } from '../../skill-flags.ts'

const SIGNS = { fine: 'ok', note: 'note', problem: 'PROBLEM' } as const

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'check git, library, agents and installs, and say what to do',
  details: 'Changes nothing. --fix finishes interrupted work and repairs markers where the content allows it.',
  args: [],
  flags: { fix: { kind: 'switch', summary: 'put right what can be put right safely' }, ...SCOPE_FLAGS },
  run: ({ flags }, loadout) => loadout.doctor({ project: flags.project, fix: flags.fix }),
  print: ({ checks, fixed }: Health, screen) => {
    const problems = checks.filter(({ state }) => state === 'problem').length
    return lines(
      fixed.map((message) => `fixed  ${printableLine(message)}`),
      checks.flatMap(({ name, state, message, fix }) => {
        const sign = state === 'problem' ? screen.alert(SIGNS[state]) : SIGNS[state]
        return [`${sign}  ${screen.strong(printableLine(name))}`, ...wrap(message, 4), ...toDo(fix)]
      }),
      '',
      problems === 0 ? screen.good('Nothing needs action.') : screen.strong(`${count(problems, 'thing')} to do`),
    )
  },
  printsFindings: true,
})

/** A command with a path in it is copied into a shell: it stays on one line. */
function toDo(fix: string | undefined): string[] {
  if (fix === undefined) return []
  return fix.includes('/') ? [`    to do: ${printableLine(fix)}`] : wrap(`to do: ${fix}`, 4)
}
