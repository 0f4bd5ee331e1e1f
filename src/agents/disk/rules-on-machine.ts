import { realpathSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { isFile, isLink } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { parseForeignJson, parseJson } from '../../text/json.ts'
import { isRecord } from '../../text/values.ts'
import type { Agent } from '../rules/agents.ts'
import { clientOf } from '../rules/clients.ts'
import { type MeasuredRow, parseMeasured, withMeasured } from '../rules/measured.ts'
import type { Rules } from '../rules/reading-rules.ts'
import {
  type InstalledProgram,
  nearestRow,
  type Program,
  plainReading,
  type RecordedFrom,
  recordedRules,
} from '../rules/recorded-rules.ts'
import { readHead } from './agent-files.ts'

/** The rules of an agent, and where they come from. */
export interface KnownRules {
  rules: Rules
  /** The version and the day of the recording; absent if the rules were never recorded. */
  recordedFrom?: RecordedFrom
  /** Its program on this machine; absent if it was not found. */
  program?: InstalledProgram
  /** What `see --verify` measured with this very version. */
  measured?: MeasuredRow
}

/** The rules of the installed version, or of the nearest recorded one. */
export function rulesOf(machine: Machine, agent: Agent): KnownRules {
  const file = recordedRules(agent.id)
  const known = file?.program ?? clientOf(agent.id)
  const program = known && findProgram(machine, known)
  const row = file && nearestRow(file, program?.version)
  const measured = program?.version === undefined ? undefined : measuredRow(machine, agent.id, program.version)
  if (row === undefined) return { rules: { reading: plainReading(agent) }, program, measured }
  const { version, recorded: day, rules } = row
  if (measured === undefined) return { rules, recordedFrom: { version, day }, program }
  return { rules: withMeasured(rules, measured), recordedFrom: { version, day }, program, measured }
}

const placeOfRow = (agent: string, version: string) => `measured/${agent}-${version}.json`

function measuredRow(machine: Machine, agent: string, version: string): MeasuredRow | undefined {
  const head = readHead(machine.records.path(placeOfRow(agent, version)))
  return 'problem' in head ? undefined : parseMeasured(parseJson(head.text).value)
}

export function keepMeasured(machine: Machine, agent: string, version: string, row: MeasuredRow): void {
  machine.records.write(placeOfRow(agent, version), `${JSON.stringify(row, null, 2)}\n`)
}

const LARGEST_SHIM = 64 * 1024
/**
 * Finds the program of an agent and reads its version: from its package, or from the name of a parent folder. Runs
 * nothing, so that it cannot hang or change anything.
 */
function findProgram(machine: Machine, program: Program): InstalledProgram | undefined {
  const path = pathsOf(machine, program).find((each) => isFile(each) || isLink(each))
  if (path !== undefined) return { path, ...versionOf(path, program) }
  for (const folder of program.folders ?? []) {
    const found = packageIn(join(machine.home, folder), program)
    if (found !== undefined) return { path: join(machine.home, folder), ...found }
  }
  return undefined
}

/** The paths where a shell looks for a program, in order. */
function pathsOf({ env }: Machine, { command }: Program): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const names = delimiter === ';' ? [`${command}.cmd`, `${command}.exe`] : [command]
  return [...new Set(folders)].slice(0, 200).flatMap((folder) => names.map((name) => join(folder, name)))
}

type Version = Pick<InstalledProgram, 'version' | 'problem'>

function versionOf(path: string, program: Program): Version {
  let real: string
  try {
    real = realpathSync(path)
  } catch {
    return { problem: 'it is a broken link' }
  }
  return (
    packageAbove(real, program) ??
    packageInShim(real, program) ??
    versionInPath(real, program) ?? { problem: 'no file beside it contains the version' }
  )
}

function packageAbove(file: string, program: Program): Version | undefined {
  let folder = dirname(file)
  for (let near = 0; near < 6 && dirname(folder) !== folder; near++, folder = dirname(folder)) {
    const found = packageIn(folder, program)
    if (found !== undefined) return found
  }
  return undefined
}

/** Matches the package itself, or its package for one platform. */
function packageIn(folder: string, program: Program): Version | undefined {
  const head = readHead(join(folder, 'package.json'))
  if ('problem' in head) return undefined
  const { value } = parseForeignJson(head.text)
  if (!isRecord(value)) {
    return folder.endsWith(`/${program.package}`)
      ? { problem: 'the package.json beside it is not valid JSON' }
      : undefined
  }
  if (typeof value.name !== 'string' || !value.name.startsWith(program.package)) return undefined
  const version = /^\d+(\.\d+){1,3}/.exec(String(value.version))?.[0]
  return version === undefined ? { problem: 'its package.json has no version' } : { version }
}

/** Package managers put a short script on the PATH that starts a file of the package. */
function packageInShim(file: string, program: Program): Version | undefined {
  const head = readHead(file, LARGEST_SHIM)
  if ('problem' in head || head.size > LARGEST_SHIM || !/^(#!|@)/.test(head.text)) return undefined
  const pattern = new RegExp(`["'\\s=]([^"'\\s=]*node_modules[\\\\/]${program.package.replace('/', '[\\\\/]')})[\\\\/]`)
  const folder = pattern.exec(head.text)?.[1]?.replace(/^(\$basedir|%~dp0|%dp0%)[\\/]?/, `${dirname(file)}/`)
  return folder !== undefined && isAbsolute(folder) ? packageIn(folder, program) : undefined
}

/** `…/share/claude/versions/2.1.326`, `…/Cellar/codex/0.169.0/bin/codex` */
function versionInPath(file: string, { command }: Program): Version | undefined {
  const parts = file.split('/')
  const at = parts.findLastIndex((part) => /^\d+(\.\d+){1,3}$/.test(part))
  const isOfProgram = parts.slice(0, at).some((part) => part.includes(command)) || basename(file) === parts[at]
  return at > 0 && isOfProgram ? { version: parts[at] ?? '' } : undefined
}
