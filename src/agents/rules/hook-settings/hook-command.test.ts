import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCommand, type ProgramCall, pathsIn, readCommand } from './hook-command.ts'

describe('our own command', () => {
  const OURS: [command: string, options: string][] = [
    ['loadout hook claude SessionStart', ''],
    ['loadout hook claude SessionStart --budget 400', ' --budget 400'],
    ['/usr/local/bin/loadout hook claude SessionStart', ''],
    ['"/Program Files/loadout" hook claude SessionStart', ''],
    ['npx loadout hook claude SessionStart', ''],
    ['LOADOUT_X=1 timeout 5 ~/bin/loadout hook claude SessionStart 2>/dev/null || true', ''],
    ['if command -v loadout >/dev/null 2>&1; then loadout hook claude SessionStart; fi', ''],
    ['command -v loadout >/dev/null 2>&1 && loadout hook claude SessionStart --budget=9 || true', ' --budget=9'],
    ["'/usr/bin/node' '/opt/a b/dist/cli.cjs' hook claude SessionStart # loadout", ''],
    ['node /opt/dist/cli.js hook claude SessionStart # loadout', ''],
  ]
  it.each(OURS)('is recognised: %s', (command, options) => {
    expect(readCommand(command, 'claude')).toEqual({ event: 'SessionStart', options })
    expect(readCommand(command, 'codex')).toBeUndefined()
  })

  it.each([
    'node /opt/other/dist/cli.cjs hook claude SessionStart',
    'myloadout hook claude SessionStart',
    'loadout-plus hook claude SessionStart',
    'loadout hooks status',
    'loadout plan "hook claude SessionStart"',
    'echo loadouthook claude SessionStart',
    'echo loadout hook claude SessionStart # mine',
    'if (Get-Command loadout) { greet; loadout hook claude SessionStart }; exit 0',
    "& 'C:\\other\\cli.cjs' hook claude SessionStart",
    '~/bin/greet && loadout hook claude SessionStart',
    'loadout hook claude SessionStart | tee -a ~/seen',
    'loadout hook claude SessionStart; ~/bin/greet',
    '',
  ])('is not this one: %s', (command) => {
    expect(readCommand(command, 'claude')).toBeUndefined()
  })

  it.each(['sh', 'powershell'] as const)('is read back from any form for %s, with any paths', (shell) => {
    const path = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom("'", '\u2018', '\u2019', ' ', '\\')),
    )
    fc.assert(
      fc.property(path, path, fc.constantFrom('/', '\\'), (node, folder, separator) => {
        const call = { node: `/${node.join('')}`, script: `/${folder.join('')}${separator}cli.cjs` }
        const command = formatCommand(call, shell, 'codex', 'PostToolUse', ' --budget 7')
        expect(readCommand(command, 'codex')).toEqual({ event: 'PostToolUse', options: ' --budget 7' })
        expect(pathsIn(command)).toEqual(call)
      }),
    )
    for (const call of ['named', 'named-if-there'] as const) {
      const command = formatCommand(call, shell, 'codex', 'PostToolUse')
      expect(readCommand(command, 'codex')).toEqual({ event: 'PostToolUse', options: '' })
      expect(pathsIn(command)).toBeUndefined()
    }
  })

  const FOR_POWERSHELL: [call: ProgramCall, command: string][] = [
    ['named', 'loadout hook copilot sessionStart'],
    [
      'named-if-there',
      'if (Get-Command loadout -ErrorAction SilentlyContinue) { loadout hook copilot sessionStart }; exit 0',
    ],
    [
      { node: 'C:\\Program Files\\nodejs\\node.exe', script: "C:\\it's \u2018$mine\u2019\\cli.cjs" },
      "& 'C:\\Program Files\\nodejs\\node.exe' 'C:\\it''s \u2018\u2018$mine\u2019\u2019\\cli.cjs' hook copilot sessionStart # loadout",
    ],
  ]
  it.each(FOR_POWERSHELL)('is written for PowerShell: %j', (call, command) => {
    expect(formatCommand(call, 'powershell', 'copilot', 'sessionStart')).toBe(command)
  })
})
