import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseArguments } from '../../src/cli/parse.ts'
import { makeProject } from './run.ts'
import { runWarm } from './warm.ts'

const withProject = COMMANDS.filter(({ flags }) => 'project' in flags)

describe('--project', () => {
  it('takes the next word in every command, and never a word of its arguments', () => {
    expect(withProject.length).toBeGreaterThan(20)
    for (const command of withProject) {
      const words = command.args.slice(0, 1).map(() => 'words')
      expect(parseArguments(command, [...words, '--project', 'proj2']), command.name).toMatchObject({
        args: Object.fromEntries(
          command.args.slice(0, 1).map(({ name, rest }) => [name, rest === 'names' ? ['words'] : 'words']),
        ),
        flags: { project: 'proj2' },
      })
      for (const bare of [['--project'], ['--project', '--json']]) {
        expect(() => parseArguments(command, [...words, ...bare]), command.name).toThrowError(/--project \.$/)
      }
    }
  })

  it('note add writes into the project that is named', () => {
    const cwd = makeProject({ 'loadout.json': '{}', 'proj2/loadout.json': '{}' })
    expect(runWarm(['note', 'add', 'remember', '--project', 'proj2'], { cwd }).code).toBe(0)
    expect(readFileSync(join(cwd, 'proj2/.loadout/notes.jsonl'), 'utf8')).toContain('"text":"remember"')
    expect(() => readFileSync(join(cwd, '.loadout/notes.jsonl'))).toThrow()
  })

  it.each([
    [['context', 'x'], 'gone', 'does not exist'],
    [['packs', 'resolve', 'x'], 'gone', 'does not exist'],
    [['plan', 'x'], 'gone', 'does not exist'],
    [['see', 'claude'], 'gone', 'does not exist'],
    [['index', 'build'], 'gone', 'does not exist'],
    [['note', 'add', 'x'], 'file', 'is not a folder'],
    [['hooks', 'install', 'claude'], 'file', 'is not a folder'],
    [['search', 'x'], 'shut', 'is not readable'],
  ])('%j in %s: one message with the path', (args, named, problem) => {
    const cwd = makeProject({ file: '', 'shut/x': '' })
    if (named === 'shut') chmodSync(join(cwd, 'shut'), 0)
    const run = runWarm([...args, '--project', named, '--json'], { cwd, isBound: true })
    expect(run.code).toBe(2)
    expect(run.stderr).toContain(`${join(cwd, named)} ${problem}`)
  })
})
