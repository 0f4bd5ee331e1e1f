import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { parsePackConfig } from '../packs/rules/pack-config.ts'
import { brokenLayers, readKnowledge } from '../payloads/knowledge.ts'
import { type DoctorRequest, examineSkills, type Health } from '../skills/doctor.ts'
import type { Report } from '../text/trouble.ts'
import { parseKeepsTasks } from '../usage/rules/config.ts'

/** Checks the whole installation: skills, the parts of `config.json`, and the layers that hooks read. */
export async function runDoctor(machine: Machine, request: DoctorRequest): Promise<Report<Health>> {
  if (request.project !== undefined) openProject(machine, request.project)
  return examineSkills(machine, request, {
    config: [parsePackConfig, parseKeepsTasks],
    brokenLayers: () => brokenLayers(readKnowledge(machine, { projectRoot: request.project }, true)),
  })
}
