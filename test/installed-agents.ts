import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { RECORDED_AGENTS, recordedRules } from '../src/agents/rules/recorded-rules.ts'
import { runFolder } from './run-folder.ts'

/**
 * A path of programs on which every agent whose rules were recorded is installed, in the version recorded last: what
 * `see` says must not depend on the machine that runs the tests.
 */
export function pathWithAgents(folder = join(runFolder(), 'loadout-test-agents')): string {
  const bins = RECORDED_AGENTS.map((agent) => {
    const file = recordedRules(agent)
    return file === undefined ? '' : installAgent(folder, file.program, file.rows.at(-1)?.version ?? '')
  })
  return [...bins, process.env.PATH].join(delimiter)
}

/** Puts a package where npm would, with nothing in it that could run; returns the folder of its program. */
export function installAgent(
  folder: string,
  program: { package: string; command: string },
  version: string | undefined,
): string {
  const packed = join(folder, `${program.command}-${version}`, 'node_modules', program.package)
  const bin = join(packed, 'bin')
  if (existsSync(join(bin, program.command))) return bin
  mkdirSync(bin, { recursive: true, mode: 0o755 })
  writeFileSync(join(packed, 'package.json'), JSON.stringify({ name: program.package, version }))
  writeFileSync(join(bin, program.command), '')
  return bin
}
