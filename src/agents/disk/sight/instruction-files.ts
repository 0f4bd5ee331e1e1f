import { basename, isAbsolute, join } from 'node:path'
import { isLink } from '../../../machine/files.ts'
import type { Machine } from '../../../machine/machine.ts'
import { findRepository, upwards } from '../../../machine/open-project.ts'
import type { Agent } from '../../rules/agents.ts'
import type { InstructionRules } from '../../rules/reading-rules.ts'
import type { AgentSettings, InstructionFile } from '../../rules/sight/agent-settings.ts'
import { readHead } from './read-head.ts'
import { homePath, ownFolder } from './skill-places.ts'

/** The existing instruction files, in the order in which an agent reads them. */
export function findInstructions(
  machine: Machine,
  agent: Agent,
  rules: InstructionRules,
  settings: Pick<AgentSettings, 'names' | 'moreNames'>,
  cwd: string | undefined,
): InstructionFile[] {
  const global = rules.global.flatMap(({ from, names }) => {
    if (from === 'home') return names.flatMap((name) => filesIn(machine.home, [homePath(machine, name)], true))
    return filesIn(from === 'own' ? ownFolder(machine, agent) : '/', names, true)
  })
  if (cwd === undefined) return global
  // Only file names; names with a path are ignored.
  const inFolders = (names: readonly string[]) =>
    foldersDownTo(cwd, rules.startsAt)
      .flatMap((folder) => filesIn(folder, names, false))
      .filter(({ path }) => !global.some((file) => file.path === path))
  const plain = (names: readonly string[] = []) => names.filter((name) => name === basename(name))
  const found = inFolders([
    ...(settings.names === undefined ? rules.names : plain(settings.names)),
    ...plain(settings.moreNames),
  ])
  const local = found.length === 0 && rules.otherwise !== undefined ? inFolders(rules.otherwise) : found
  return [...global, ...local]
}

function filesIn(folder: string, names: readonly string[], isGlobal: boolean): InstructionFile[] {
  return names.flatMap((name) => {
    const path = isAbsolute(name) ? name : join(folder, name)
    const head = readHead(path, 0)
    if (!('problem' in head)) return [{ path, bytes: head.size, isGlobal, folder }]
    const isThere = head.problem !== 'is not there' || isLink(path)
    return isThere ? [{ path, bytes: 0, isGlobal, folder, problem: `it ${head.problem}` }] : []
  })
}

function foldersDownTo(cwd: string, startsAt: InstructionRules['startsAt']): string[] {
  if (startsAt === 'machine') return upwards(cwd, undefined).reverse()
  return upwards(cwd, startsAt === 'repository' ? (findRepository(cwd) ?? cwd) : cwd).reverse()
}
