import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCommand, pathsIn, readCommand } from './hook-command.ts'

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
    '~/bin/greet && loadout hook claude SessionStart',
    'loadout hook claude SessionStart | tee -a ~/seen',
    'loadout hook claude SessionStart; ~/bin/greet',
    '',
  ])('is not this one: %s', (command) => {
    expect(readCommand(command, 'claude')).toBeUndefined()
  })

  it('is read back from any form, with any paths', () => {
    const path = fc.string({ unit: 'grapheme' }).map((name) => `/${name}`)
    fc.assert(
      fc.property(path, path, (node, folder) => {
        const call = { node, script: `${folder}/cli.cjs` }
        const command = formatCommand(call, 'codex', 'PostToolUse', ' --budget 7')
        expect(readCommand(command, 'codex')).toEqual({ event: 'PostToolUse', options: ' --budget 7' })
        expect(pathsIn(command)).toEqual(call)
      }),
    )
    for (const call of ['named', 'named-if-there'] as const) {
      const command = formatCommand(call, 'codex', 'PostToolUse')
      expect(readCommand(command, 'codex')).toEqual({ event: 'PostToolUse', options: '' })
      expect(pathsIn(command)).toBeUndefined()
    }
  })
})
