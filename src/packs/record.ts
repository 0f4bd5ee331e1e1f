import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { programVersion } from '../machine/package-folder.ts'
import { writeAudit } from '../machine/records.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import { type RecordedEntry, recordTask } from '../usage/record.ts'
import { writeContextRecord as renderContextRecord } from './rules/records/context-record.ts'
import { auditOf, PACK_AUDITS } from './rules/resolve/audit-record.ts'
import { type ActivePack, missingFacts, type PackContext, selectedFiles } from './rules/resolve/pack-context.ts'
import { notePacks } from './session.ts'

export interface RecordRequest {
  cite?: boolean | undefined
  deep?: boolean | undefined
  needs?: readonly string[] | undefined
  /** Loadout does not repeat text that it already gave to this session. */
  session?: string | undefined
  /** Also leaves a record in the `runs/` of each pack. */
  writeRun?: boolean | undefined
}

/** Records the context that a model gets. A failure is a finding and does not stop the delivery. */
export function recordContext(
  machine: Machine,
  context: PackContext,
  request: RecordRequest,
): { auditId: string | undefined; findings: Finding[] } {
  if (context.active.length === 0) return { auditId: undefined, findings: [] }
  try {
    const { needs = [], cite = false, deep = false, session } = request
    const version = programVersion()
    const auditId = writeAudit(machine, PACK_AUDITS, auditOf(context, { needs, cites: cite, deep, version }))
    if (request.writeRun) writeRuns(machine, context, version)
    if (session !== undefined) rememberWrappers(machine, session, context, auditId)
    return { auditId, findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the context was delivered but could not be recorded: ${error.message}`
    return { auditId: undefined, findings: [{ severity: 'warning', code: 'AUDIT_NOT_RECORDED', message }] }
  }
}

/** Writes a record in the format of other clients into the `runs/` of each pack. */
function writeRuns(machine: Machine, context: PackContext, version: string): void {
  const name = `context-${machine.now().toISOString().replace(/:/g, '-')}`
  const text = renderContextRecord({
    runId: name,
    query: context.task,
    status: context.active.some(({ pack }) => pack.manifest.status !== 'ready') ? 'needs-review' : 'passed',
    resolver: { tool: 'loadout', version, strategy: 'views-then-pages' },
    packs: context.active.map(activatedPack),
    missing: missingFacts(context),
    tokenEstimate: context.tokens,
    wrapperOrder: context.active.map(({ pack }) => pack.manifest.name),
  })
  if (text === undefined) return
  for (const { pack } of context.active) writeNewInside(pack.root, `runs/${name}.json`, text)
}

function activatedPack({ pack: { manifest }, activation, resolution, presented }: ActivePack, at: number) {
  const files = selectedFiles({ presented })
  return {
    name: manifest.name,
    activation,
    selectedFiles: files,
    status: manifest.status,
    trust: manifest.trust,
    grounding: manifest.grounding,
    profile: manifest.profile,
    mode: manifest.mode,
    sourceAnchors: resolution.sourceAnchors,
    warnings: presented.warnings,
    selectedDocuments: files.filter((path) => path.startsWith('documents/')),
    selectedSplits: files.filter((path) => path.startsWith('compiled/splits/')),
    wrapperOrder: at,
    builderSkill: builderOf(manifest.producedBy),
  }
}

function builderOf(producer: ActivePack['pack']['manifest']['producedBy']) {
  if (producer?.name === undefined || producer.name === '') return undefined
  return { name: producer.name, version: producer.version, digest: producer.digest }
}

function rememberWrappers(machine: Machine, session: string, { active }: PackContext, audit: string): void {
  const wrappers = active.flatMap(({ presented: { wrapper } }) => (wrapper === undefined ? [] : [sha256(wrapper)]))
  notePacks(machine, session, wrappers, audit)
}

/** Logs the usage: delivered packs, and packs that the session already had as planned. */
export function noteUse(machine: Machine, context: PackContext, session: string | undefined): Finding[] {
  const repeated = context.active.filter(({ isRepeated }) => isRepeated)
  const steps = [
    { stage: 'delivered' as const, entries: deliveredPacks(context) },
    { stage: 'planned' as const, entries: repeated.map((active) => noteOf(active, 0)) },
  ]
  return recordTask(session === undefined ? machine : inSession(machine, session), { task: context.task, steps })
}

/** The packs whose text goes to the model now, without those that its session already has. */
export function deliveredPacks({ active }: PackContext): RecordedEntry[] {
  return active.flatMap((each) => {
    const { presented, isRepeated } = each
    return presented.wrapper === undefined || isRepeated ? [] : [noteOf(each, presented.tokens)]
  })
}

function noteOf({ pack, activation }: ActivePack, tokens: number): RecordedEntry {
  const isNamed = activation === 'explicit'
  const [trigger, mode] = isNamed ? (['named', 'manual'] as const) : (['ranked', 'lazy'] as const)
  return { id: pack.manifest.name, kind: 'pack', trigger, mode, tokens }
}

function inSession(machine: Machine, session: string): Machine {
  return Object.create(machine, { caller: { value: { via: machine.caller?.via ?? 'cli', session } } })
}
