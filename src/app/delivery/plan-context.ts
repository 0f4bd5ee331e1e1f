import type { BundleFile } from '../../domain/context/bundle.ts'
import { estimateTokens } from '../../domain/routing/tokens.ts'
import type { Report } from '../../domain/shared/finding.ts'
import type { Machine } from '../../infra/machine.ts'
import { buildContext, type Context, type ContextRequest } from '../context/context.ts'
import { recordUsage } from '../usage/record.ts'

/** The bundle that a task would get. Nobody gets it yet, so it is noted as planned only. */
export async function planContext(machine: Machine, request: ContextRequest): Promise<Report<Context>> {
  const { value, findings } = await buildContext(machine, { ...request, isRecorded: false })
  const entries = value.bundle.files.flatMap(noteOf)
  return { value, findings: [...findings, ...recordUsage(machine, { task: request.task, stage: 'planned', entries })] }
}

/** Payloads and packs are known to the usage log; files of the project are not. */
function noteOf({ path, selected_by: trigger, excerpt, provenance }: BundleFile) {
  const [, kind, id] = /^(payload|pack):(.+)$/s.exec(path) ?? []
  if (id === undefined || (kind !== 'payload' && kind !== 'pack')) return []
  const { layer } = provenance
  const mode = trigger === 'core' ? ('eager' as const) : ('lazy' as const)
  const place = typeof layer === 'string' ? { layer } : {}
  return [{ id, kind: kind as 'payload' | 'pack', trigger, mode, tokens: estimateTokens(excerpt), ...place }]
}
