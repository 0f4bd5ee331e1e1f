import type { ContextBundle } from '../../domain/context/bundle.ts'
import { type AuditedRequest, auditBundle } from '../../domain/context/bundle-audit.ts'
import type { Finding } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { writeAudit } from '../../infra/audits.ts'
import type { Machine } from '../../infra/machine.ts'
import type { ContextRequest } from './context.ts'

/** Writes down how to build the bundle again. What cannot be written is said; the bundle is given all the same. */
export function recordBundle(
  machine: Machine,
  bundle: ContextBundle,
  { root, request, excluded }: { root: string; request: ContextRequest; excluded: readonly string[] },
): Finding[] {
  try {
    const record = auditBundle(root, { ...auditedRequest(request, bundle), excluded }, bundle)
    writeAudit(machine, { kind: 'bundle', record })
    return []
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the bundle could not be recorded: ${error.message}`
    return [{ severity: 'warning', code: 'AUDIT_NOT_RECORDED', message, ...(error.hint && { hint: error.hint }) }]
  }
}

function auditedRequest(request: ContextRequest, { task, now }: ContextBundle): Omit<AuditedRequest, 'excluded'> {
  return {
    task,
    intent: request.intent ?? null,
    maxFiles: request.maxFiles ?? null,
    maxCharsPerFile: request.maxCharsPerFile ?? null,
    maxChars: request.maxChars ?? null,
    maxTokens: request.maxTokens ?? null,
    tokenizer: request.tokenizer ?? null,
    without: request.without ?? [],
    unrestricted: request.unrestricted ?? false,
    now,
  }
}
