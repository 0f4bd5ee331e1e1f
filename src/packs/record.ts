import { writeNewInside } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { programVersion } from '../machine/package-folder.ts'
import { appendRecord, writeAudit, writeRecord } from '../machine/records.ts'
import { estimateTokens } from '../text/tokens.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { sha256 } from '../text/values.ts'
import type { NotedEntry } from '../usage/record.ts'
import type { ResolveRequest } from './resolve.ts'
import { writeContextRecord as renderContextRecord, writePackUsage } from './rules/records/context-record.ts'
import { auditOf, PACK_AUDITS } from './rules/resolve/audit-record.ts'
import { allGaps } from './rules/resolve/gaps.ts'
import { type ActivePack, newWrappers, type PackContext, selectedFiles } from './rules/resolve/pack-context.ts'
import { notePacks } from './session.ts'

/** Writes down what was given to whom. What cannot be written down is said; the context itself is still given. */
export function recordContext(
  machine: Machine,
  context: PackContext,
  request: ResolveRequest,
): { auditId: string | undefined; findings: Finding[] } {
  if (context.active.length === 0) return { auditId: undefined, findings: [] }
  try {
    const { needs = [], cite = false, deep = false, session } = request
    const version = programVersion()
    const auditId = writeAudit(machine, PACK_AUDITS, auditOf(context, { needs, cites: cite, deep, version }))
    const at = machine.now().toISOString()
    appendRecord(
      machine,
      'packs/activations.jsonl',
      context.active.map((active) => ({
        ...usageOf(active, at),
        audit: auditId,
        session,
        repeated: active.isRepeated,
      })),
    )
    writeInterchange(machine, context, request, at, version)
    if (session !== undefined) rememberWrappers(machine, session, context)
    return { auditId, findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `what was given could not be recorded: ${error.message}`
    return { auditId: undefined, findings: [{ severity: 'warning', code: 'AUDIT_NOT_RECORDED', message }] }
  }
}

function usageOf({ pack: { manifest }, resolution, presented }: ActivePack, at: string): object {
  return JSON.parse(
    writePackUsage({
      pack: manifest.name,
      version: manifest.version,
      status: manifest.status ?? 'draft',
      selectedFiles: selectedFiles({ presented }),
      grounding: manifest.grounding,
      citationGaps: resolution.citationGaps.map(({ path, line }) => `${path}#L${line}`),
      warnings: presented.warnings,
      timestamp: at,
      profile: manifest.profile,
      mode: manifest.mode,
    }),
  )
}

function writeInterchange(
  machine: Machine,
  context: PackContext,
  request: ResolveRequest,
  at: string,
  version: string,
): void {
  const name = `context-${at.replace(/:/g, '-')}`
  const text = renderContextRecord({
    runId: name,
    query: context.task,
    status: context.active.some(({ pack }) => pack.manifest.status !== 'ready') ? 'needs-review' : 'passed',
    resolver: { tool: 'loadout', version, strategy: 'views-then-pages' },
    packs: context.active.map(activatedPack),
    missing: [...new Set(context.active.flatMap(({ resolution }) => allGaps(resolution)))],
    tokenEstimate: context.tokens,
    wrapperOrder: context.active.map(({ pack }) => pack.manifest.name),
  })
  if (text === undefined) return
  // Other clients read this one.
  writeRecord(machine, `packs/records/${name}.json`, text)
  if (request.writeRun) {
    for (const { pack } of context.active) writeNewInside(pack.root, `runs/${name}.json`, text)
  }
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

function rememberWrappers(machine: Machine, session: string, { active }: PackContext): void {
  const wrappers = active.flatMap(({ presented: { wrapper } }) => (wrapper === undefined ? [] : [sha256(wrapper)]))
  notePacks(machine, session, wrappers)
}

/** The packs whose text goes to the model now, for the usage log. What a session has already is not given again. */
export function deliveredPacks(context: PackContext): NotedEntry[] {
  const named = new Set(
    context.active.filter(({ activation }) => activation === 'explicit').map(({ pack }) => pack.manifest.name),
  )
  return newWrappers(context).map(({ pack: id, text }) => ({
    id,
    kind: 'pack',
    trigger: named.has(id) ? 'named' : 'ranked',
    mode: named.has(id) ? 'manual' : 'lazy',
    tokens: estimateTokens(text),
  }))
}
