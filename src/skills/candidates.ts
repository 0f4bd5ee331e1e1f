import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { readForeignSkill } from './disk/foreign-skill.ts'
import { otherManagers, strangers } from './inventory.ts'
import { type Observation, observe, recoverAll } from './observe.ts'
import { type Candidate, type ForeignSkill, groupCandidates } from './rules/candidates.ts'
import { openSetup, type ScopeRequest } from './settings.ts'

export interface CandidateView {
  name: string
  description: string
  targets: string[]
  paths: string[]
  /** Why it cannot be imported as it is. */
  problem?: string
}

/** What lies around in the agents' folders and could go into the library. */
export async function listCandidates(machine: Machine, request: ScopeRequest): Promise<Report<CandidateView[]>> {
  const setup = openSetup(machine, request)
  const recovered = await recoverAll(setup, setup.roots)
  const observation = await observe(setup, setup.roots)
  const { candidates, findings } = findCandidates(observation)
  const others = otherManagers(setup, observation)
  return { value: candidates.map(viewCandidate), findings: [...recovered, ...findings, ...others] }
}

/** Folders that are not ours and not in the library. One that cannot be read does not hide the others. */
export function findCandidates(observation: Observation): { candidates: Candidate[]; findings: Finding[] } {
  const folders = strangers(observation).map(({ name, root }) => ({ path: join(root.path, name), agents: root.agents }))
  const { skills, findings } = readForeign(folders, undefined)
  const taken = new Set(observation.statuses.map(({ name }) => name))
  const candidates = groupCandidates(skills).map((candidate): Candidate => {
    if (!taken.has(candidate.name)) return candidate
    const { name, copies } = candidate
    return { name, copies, problem: 'the library has a skill of this name already' }
  })
  return { candidates, findings }
}

export function readForeign(
  folders: readonly { path: string; agents: readonly string[] }[],
  targets: readonly string[] | undefined,
): { skills: ForeignSkill[]; findings: Finding[]; failure?: LoadoutError } {
  const skills: ForeignSkill[] = []
  const findings: Finding[] = []
  let failure: LoadoutError | undefined
  for (const { path, agents } of folders) {
    try {
      skills.push(readForeignSkill(path, { agents, targets }))
    } catch (error) {
      if (!(error instanceof LoadoutError)) throw error
      const { code, message, hint } = error
      failure ??= error
      findings.push({ severity: 'error', code, message, subject: path, ...(hint ? { hint } : {}) })
    }
  }
  return { skills, findings, ...(failure && { failure }) }
}

function viewCandidate({ name, copies, merged, problem }: Candidate): CandidateView {
  const shown = merged ?? copies[0]
  return {
    name,
    description: shown?.skill.description ?? '',
    targets: merged?.skill.targets ?? [...new Set(copies.flatMap(({ skill }) => skill.targets))],
    paths: copies.map(({ path }) => path),
    ...(problem === undefined ? {} : { problem }),
  }
}
