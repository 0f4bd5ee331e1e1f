import type { Machine } from '../machine/machine.ts'
import { explainPack, type PackTrail, type Step } from '../packs/show.ts'
import { type ExplainRequest, type Explanation, explainPayload } from '../payloads/explain.ts'
import { describeWhy, percent } from '../search/document.ts'
import { inspectSkill } from '../skills/inspect.ts'
import type { UsableSkill } from '../skills/skill-source.ts'
import { shellWord } from '../text/printable.ts'
import { parseEntryId } from '../usage/rules/entry-id.ts'
import type { AdapterView } from './adapters.ts'
import { searchKnowledge } from './search.ts'
import { locate, projectOf, type SourceRequest } from './sources.ts'

export type NamedExplanation =
  | ({ kind: 'payload' } & Explanation)
  | ({ kind: 'pack' } & PackTrail)
  | { kind: 'skill' | 'adapter'; name: string; steps: Step[] }

type Request = ExplainRequest & SourceRequest

/** Where a payload, pack, skill or adapter comes from and why it is used or not, for a task if there is one. */
export async function explainNamed(machine: Machine, request: Request): Promise<NamedExplanation> {
  const { kind, name } = parseEntryId(request.id)
  if (kind === undefined || kind === 'payload') {
    const report = await explainPayload(machine, { ...request, id: kind === undefined ? request.id : name })
    if (report !== undefined) return { kind: 'payload', ...report }
  }
  // A pack may also be named by its folder, which may be a pack that another one overrides.
  const packFolder = /^pack:([./~].*)/.exec(request.id)?.[1]
  if (packFolder !== undefined) return explainNamedPack(machine, request, packFolder)
  const located = locate(machine, { ...request, kinds: ['payload', 'skill', 'pack', 'adapter'] })
  switch (located.kind) {
    case 'payload':
      throw new Error(`the payload ${located.name} is in no layer`)
    case 'pack':
      return explainNamedPack(machine, request, located.name)
    case 'skill': {
      const steps = [...(await skillSteps(machine, located.entry)), ...taskSteps(machine, request, located.name)]
      return { kind: 'skill', name: located.name, steps }
    }
    case 'adapter':
      return { kind: 'adapter', name: located.name, steps: adapterSteps(located.entry) }
  }
}

function explainNamedPack(machine: Machine, request: Request, pack: string): NamedExplanation {
  const project = projectOf(machine, request).root
  return { kind: 'pack', ...explainPack(machine, { pack, task: request.task, project }) }
}

async function skillSteps(machine: Machine, { name, source, folder }: UsableSkill): Promise<Step[]> {
  const places = {
    library: 'the library',
    user: "an agent's folder",
    project: "an agent's folder of the project",
  }
  const place: Step = { question: 'place', isPassed: true, says: `found in ${places[source]}, ${folder}` }
  if (source !== 'library') return [place]
  const { placements } = await inspectSkill(machine.quiet(), { name })
  const agents = [...new Set(placements.flatMap((placement) => placement.agents))]
  if (agents.length > 0)
    return [place, { question: 'agents', isPassed: true, says: `installed for ${agents.join(', ')}` }]
  const command = `loadout install ${shellWord(name)}`
  return [place, { question: 'agents', isPassed: false, says: 'not installed for any agent', command }]
}

/** Whether a search for the task would find the skill, by the same ranking. */
function taskSteps(machine: Machine, request: Request, name: string): Step[] {
  if (request.task === undefined) return []
  const { layers, project, task } = request
  const search = searchKnowledge(machine, { layers, project, query: task, kinds: ['skill'], limit: 1000 })
  const at = search.hits.findIndex((hit) => hit.id === `skill:${name}`)
  const hit = search.hits[at]
  if (hit === undefined) return [{ question: 'task', isPassed: false, says: 'the task does not match it' }]
  const says = `number ${at + 1} among the skills, confidence ${percent(hit.confidence)}: ${describeWhy(hit.why)}`
  return [{ question: 'task', isPassed: true, says }]
}

function adapterSteps({ id, command, file, trust }: AdapterView): Step[] {
  const does = command === undefined ? `reads ${file ?? 'nothing'}` : `runs ${command.map(shellWord).join(' ')}`
  const place: Step = { question: 'place', isPassed: true, says: `named in loadout.json; ${does}` }
  if (command === undefined) return [place, { question: 'trust', isPassed: true, says: 'a file needs no approval' }]
  if (trust === 'allowed') return [place, { question: 'trust', isPassed: true, says: 'approved, as it is now' }]
  const says = trust === 'changed' ? 'changed since it was approved' : 'not approved'
  return [place, { question: 'trust', isPassed: false, says, command: `loadout approve adapter:${id}` }]
}
