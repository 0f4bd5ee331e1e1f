import { sha256 } from '../../../text/values.ts'
import type { PackManifest } from '../pack.ts'
import { type CompileAnswer, type CompileInput, type Statement, VIEWS, type View } from './compile-exchange.ts'

const TITLES: Record<View, string> = { briefing: 'Briefing', facts: 'Facts', boundaries: 'Boundaries' }

export function viewPath(view: View): string {
  return `compiled/${view}.md`
}

/** The text of each view with statements, by path. */
export function renderViews({ views }: CompileAnswer): Map<string, string> {
  const written = VIEWS.filter((view) => views[view].length > 0)
  return new Map(
    written.map((view) => {
      const items = views[view].map(({ text, path, anchor }) => `- ${text} [source: ${path}#${anchor}]\n`)
      return [viewPath(view), `# ${TITLES[view]}\n\n${items.join('')}`]
    }),
  )
}

const OURS = 'compiled-'

/** Replaces our claims in the source map by those of this answer. Keeps all other claims and keys. */
export function renderSourceMap(before: Record<string, unknown>, { views, unknown }: CompileAnswer): string {
  const kept = Array.isArray(before.claims) ? before.claims.filter((claim) => !isOurs(claim)) : []
  const statements = new Map<string, { statement: Statement; into: string[] }>()
  for (const view of VIEWS) {
    for (const statement of views[view]) {
      const key = JSON.stringify([statement.text, statement.path, statement.anchor])
      const known = statements.get(key) ?? { statement, into: [] }
      statements.set(key, { statement, into: [...new Set([...known.into, viewPath(view)])] })
    }
  }
  const claims = [...statements].map(([key, { statement, into }]) => ({
    claim_id: `${OURS}${sha256(key).slice(0, 12)}`,
    text: statement.text,
    status: 'confirmed',
    source: { path: statement.path, anchor: statement.anchor },
    compiled_into: into,
  }))
  const missing = [...new Set(unknown)].map((text) => ({
    claim_id: `${OURS}${sha256(text).slice(0, 12)}`,
    text,
    status: 'missing',
    source: { path: '' },
  }))
  return json({ ...before, claims: [...kept, ...claims, ...missing] })
}

function isOurs(claim: unknown): boolean {
  const id = typeof claim === 'object' && claim !== null && 'claim_id' in claim ? claim.claim_id : undefined
  return typeof id === 'string' && id.startsWith(OURS)
}

export interface CompileRunInput {
  at: Date
  version: string
  manifest: Pick<PackManifest, 'profile' | 'mode'>
  inputs: readonly Pick<CompileInput, 'path' | 'sha256'>[]
  outputs: readonly { path: string; operation: 'created' | 'updated' | 'unchanged' | 'deleted' }[]
  isReviewed: boolean
}

export function runPath({ at }: Pick<CompileRunInput, 'at'>): string {
  return `runs/${runId({ at })}.json`
}

function runId({ at }: Pick<CompileRunInput, 'at'>): string {
  return `compile-${at.toISOString().replaceAll(':', '-')}`
}

const REVIEW =
  'an agent wrote the views; each statement was compared with the lines it names, and a person has not reviewed them yet'

/** The record of a run. It says `failed` while files are written, so that views of a killed process are not used. */
export function renderRun(run: CompileRunInput, isDone: boolean): string {
  const { manifest, inputs, outputs, isReviewed, version } = run
  return json({
    run_id: runId(run),
    trigger: 'manual',
    status: isDone ? 'passed' : 'failed',
    inputs: inputs.map(({ path, sha256: digest }) => ({ path, sha256: digest })),
    outputs,
    compiler: { tool: 'loadout', version },
    ...(isReviewed ? {} : { review: { required: true, reason: REVIEW } }),
    profile: manifest.profile,
    runtime_mode: manifest.mode,
  })
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
