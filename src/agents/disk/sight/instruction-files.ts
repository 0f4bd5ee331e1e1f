import { basename, join } from 'node:path'
import { isLink } from '../../../machine/files.ts'
import type { Machine } from '../../../machine/machine.ts'
import { findRepository, upwards } from '../../../machine/open-project.ts'
import type { Agent } from '../../rules/agents.ts'
import type { InstructionRules } from '../../rules/reading-rules.ts'
import type { InstructionFile } from '../../rules/sight/agent-settings.ts'
import { readHead } from './read-head.ts'
import { ownFolder } from './skill-places.ts'

/** The files of instructions that are there, in the order in which an agent reads them. */
export function findInstructions(
  machine: Machine,
  agent: Agent,
  rules: InstructionRules,
  moreNames: readonly string[],
  cwd: string | undefined,
): InstructionFile[] {
  const global = rules.global.flatMap(({ from, names }) => {
    const folder = from === 'own' ? ownFolder(machine, agent) : '/'
    return filesIn(folder, names, true)
  })
  if (cwd === undefined) return global
  // Only names: what leads elsewhere is not taken.
  const names = [...rules.names, ...moreNames.filter((name) => name === basename(name))]
  const local = foldersDownTo(cwd, rules.startsAt).flatMap((folder) => filesIn(folder, names, false))
  return [...global, ...local.filter(({ path }) => !global.some((file) => file.path === path))]
}

function filesIn(folder: string, names: readonly string[], isGlobal: boolean): InstructionFile[] {
  return names.flatMap((name) => {
    const path = join(folder, name)
    const head = readHead(path, 0)
    if (!('problem' in head)) return [{ path, bytes: head.size, isGlobal, folder }]
    const isThere = head.problem !== 'is not there' || isLink(path)
    return isThere ? [{ path, bytes: 0, isGlobal, folder, problem: `it ${head.problem}` }] : []
  })
}

function foldersDownTo(cwd: string, startsAt: InstructionRules['startsAt']): string[] {
  return upwards(cwd, startsAt === 'repository' ? (findRepository(cwd) ?? cwd) : undefined).reverse()
}
