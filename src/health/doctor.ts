import { Config } from '../agents/config.ts'
import type { TargetRoot } from '../agents/rules/agents.ts'
import { exists, isFolder, isLink, isWritable } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { gitVersion } from '../machine/repository.ts'
import { unknownKeys } from '../machine/rules/settings-shape.ts'
import { parsePackConfig } from '../packs/rules/pack-config.ts'
import { brokenLayers, readKnowledge } from '../payloads/knowledge.ts'
import { type Check, checkLeftovers, checkOf, examineSkills, look, repair } from '../skills/doctor.ts'
import { Installs, type ScopeRequest } from '../skills/installs.ts'
import { describeCost, tokensOfCost } from '../text/cost.ts'
import { count } from '../text/count.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, report } from '../text/trouble.ts'
import { usageOverTime } from '../usage/look-back.ts'
import { parseKeepsTasks } from '../usage/rules/config.ts'
import { parsePrices } from '../usage/rules/cost.ts'

export interface Health {
  checks: Check[]
  /** What `--fix` repaired. */
  fixed: string[]
}

export type DoctorRequest = ScopeRequest & { fix?: boolean }

/**
 * Checks the whole installation: git, `config.json`, the library, the agents' folders, and the layers that hooks read.
 * Changes nothing, unless `fix` asks for the repairs that are safe.
 */
export async function runDoctor(machine: Machine, request: DoctorRequest): Promise<Health> {
  if (request.project !== undefined) machine.openProject(request.project)
  const fixed = request.fix ? await repair(new Installs(machine, request)) : []
  const layers = brokenLayers(readKnowledge(machine, { projectRoot: request.project }, true))
  const checks = [
    ...(await examine(machine, request)),
    ...layers.map((finding) => checkOf('hooks', finding)),
    ...checkCost(machine),
  ]
  const findings = checks.flatMap(({ name: subject, state, code, fix: hint, ...told }): Finding[] => {
    return state === 'problem' && code !== undefined ? [{ ...told, severity: 'error', code, subject, hint }] : []
  })
  machine.report(...findings)
  return { checks, fixed }
}

async function examine(machine: Machine, request: ScopeRequest): Promise<Check[]> {
  const git = await look(
    'git',
    () => gitVersion(machine),
    (version) => `version ${version}`,
  )
  const config = await look(
    'config',
    () => new Config(machine),
    () => `${machine.config.path}${exists(machine.config.path) ? '' : ' (does not exist yet)'}`,
  )
  if (config.value === undefined) return [git.check, config.check]
  const opened = await look(
    'library',
    () => new Installs(machine, request),
    ({ library }) => library,
  )
  // Checks the parts of config.json that skills do not need.
  const [json, path] = [machine.config.read(), machine.config.path]
  const parts = await Promise.all(
    [parsePackConfig, parseKeepsTasks].map((parse) =>
      look(
        'config',
        () => parse(json, path),
        () => '',
      ),
    ),
  )
  const problems = [
    ...unknownKeys(json, path).map((finding) => checkOf('config', finding)),
    ...parsePrices(json.prices, path).findings.map((finding) => checkOf('config', finding)),
    ...parts.flatMap(({ value, check }) => (value === undefined ? [check] : [])),
  ]
  const first = [git.check, ...(problems.length > 0 ? problems : [config.check]), opened.check]
  const userRoots = config.value.targetRoots().map(checkRoot)
  const installs = opened.value
  if (installs === undefined) return [...first, ...userRoots]
  const projectRoots = installs.project === undefined ? [] : installs.roots.map(checkRoot)
  const skills = await examineSkills(installs, git.value !== undefined)
  return [...first, ...skills, ...userRoots, ...projectRoots, ...(await checkLeftovers(installs))]
}

function checkCost(machine: Machine): Check[] {
  const { cost, starts } = usageOverTime(machine.quiet(), { since: '30d' })
  if (tokensOfCost(cost) === 0) return []
  return [{ name: 'cost', state: 'fine', message: `30 days, ${count(starts, 'session start')}: ${describeCost(cost)}` }]
}

function checkRoot({ path, agents, scope }: TargetRoot): Check {
  const name = `${agents.join(', ')} (${scope})`
  if (!exists(path)) return { name, state: 'fine', message: `${path} will be created by the first install` }
  const link = isLink(path) ? ' (a link)' : ''
  if (!isFolder(path)) {
    const [from, to] = [shellWord(path), shellWord(`${path}.aside`)]
    return checkOf(name, report('NOT_A_FOLDER/in-the-way', { path, from, to }))
  }
  if (!isWritable(path)) {
    return checkOf(name, report('WRITE_FAILED/not-writable', { path, word: shellWord(path) }))
  }
  return { name, state: 'fine', message: `${path}${link}` }
}
