import { type Approval, makeApproval, withApproval, withoutApproval } from '../../domain/packs/gates/approval.ts'
import { type Catalog, choosePack, isUndecided, packWord, type TrustedPack } from '../../domain/packs/gates/catalog.ts'
import type { Tier } from '../../domain/packs/vocabulary.ts'
import type { Finding, Report } from '../../domain/shared/finding.ts'
import { LoadoutError } from '../../domain/shared/loadout-error.ts'
import { shellWord } from '../../domain/shared/shell-word.ts'
import type { Machine } from '../../infra/machine.ts'
import type { Project } from '../../infra/open-project.ts'
import { changeApprovals, readApprovals } from '../../infra/packs/approvals.ts'
import { digestPack } from '../../infra/packs/pack-digest.ts'
import { openCatalog, readChoice } from './catalog.ts'

export interface AnswerRequest {
  /** A name, or the path of a pack. */
  pack: string
  project?: string | Project | undefined
}

/** What is now written down about a folder. */
export interface Answered {
  name: string
  root: string
  decision: Approval['decision'] | 'revoked' | 'unchanged'
  tier?: Tier
  /** Whether exactly these files were approved. */
  isWholeTree?: boolean
  approvalId?: string
}

export async function approvePack(
  machine: Machine,
  request: AnswerRequest & { tier?: Tier | undefined; tree?: boolean | undefined },
): Promise<Report<Answered>> {
  const pack = answerable(machine, request)
  if (pack.trust.state === 'trusted') return unchanged(pack, byPlace(pack))
  const digests = digestPack(pack.root, request.tree ?? false)
  return record(machine, pack, { ...digests, tier: request.tier ?? 'evidence', decision: 'approved' })
}

export async function denyPack(machine: Machine, request: AnswerRequest): Promise<Report<Answered>> {
  const pack = answerable(machine, request)
  if (pack.trust.state === 'denied') {
    const message = `the pack ${packWord(pack.manifest.name)} is denied already`
    return unchanged(pack, { severity: 'info', code: 'pack.trust.denied', message, subject: pack.manifest.name })
  }
  return record(machine, pack, { tier: 'evidence', decision: 'denied' })
}

/** Takes an answer back, also for a folder that is gone. */
export async function revokeApproval(machine: Machine, request: AnswerRequest): Promise<Report<Answered>> {
  const { root, name, id } = findAnswer(machine, request)
  await changeApprovals(machine, (approvals) => withoutApproval(approvals, root))
  return { value: { name, root, decision: 'revoked', approvalId: id }, findings: [] }
}

/** The pack that a person means when answering: by name the one that waits for an answer, then one that has one. */
function answerable(machine: Machine, { pack: typed, project }: AnswerRequest): TrustedPack {
  const { catalog } = openCatalog(machine, { project, packs: [typed] })
  const choice = readChoice(machine, typed)
  if (!('name' in choice)) return choosePack(catalog, choice)
  const named = catalog.all.filter(({ manifest }) => manifest.name === choice.name)
  const answered = ({ trust }: TrustedPack) => trust.state !== 'trusted'
  return named.find(isUndecided) ?? named.find(answered) ?? choosePack(catalog, choice)
}

async function record(
  machine: Machine,
  { root, manifest }: TrustedPack,
  answer: Pick<Approval, 'digest' | 'treeDigest' | 'tier' | 'decision'>,
): Promise<Report<Answered>> {
  const { USER, LOGNAME } = machine.env
  const actor = USER || LOGNAME || 'unknown'
  const approval = makeApproval({ root, name: manifest.name, ...answer, actor, at: machine.now().toISOString() })
  await changeApprovals(machine, (approvals) => withApproval(approvals, approval))
  const { name, decision, tier, treeDigest, id } = approval
  const extent = decision === 'denied' ? {} : { tier, isWholeTree: treeDigest !== undefined }
  return { value: { name, root, decision, ...extent, approvalId: id }, findings: [] }
}

function unchanged({ manifest, root }: TrustedPack, finding: Finding): Report<Answered> {
  return { value: { name: manifest.name, root, decision: 'unchanged' }, findings: [finding] }
}

function byPlace({ manifest, scope }: TrustedPack): Finding {
  const message = `the pack ${packWord(manifest.name)} is trusted already: it lies in a place of ${OWNERS[scope]}`
  return { severity: 'info', code: 'pack.trust.by-place', message, subject: manifest.name }
}

const OWNERS: Record<TrustedPack['scope'], string> = {
  explicit: 'your choice',
  workspace: 'the workspace',
  user: 'yours',
  organization: 'your organization',
  'built-in': 'the program',
}

/** By path, then among the packs that are seen from here, then among all that were ever answered for. */
function findAnswer(machine: Machine, { pack: typed, project }: AnswerRequest): Approval {
  const { approvals, findings } = readApprovals(machine)
  const [broken] = findings
  if (broken !== undefined) {
    throw new LoadoutError('BAD_APPROVALS', broken.message, broken.hint === undefined ? {} : { hint: broken.hint })
  }
  const choice = readChoice(machine, typed)
  const matching = approvals.filter((each) =>
    'name' in choice ? each.name === choice.name : each.root === choice.root,
  )
  const here = matching.length > 1 ? seenFrom(openCatalog(machine, { project }).catalog, matching) : matching
  const [found, second] = here.length > 0 ? here : matching
  if (found === undefined) {
    throw new LoadoutError('PACK_NOT_FOUND', `nobody has approved or denied ${packWord(typed)}`, {
      hint: 'loadout packs list --all shows every pack, and how it is trusted',
    })
  }
  if (second !== undefined) {
    const hint = `name one by its path: loadout packs revoke ${shellWord(found.root)}`
    throw new LoadoutError('USAGE', `several packs named ${packWord(typed)} were answered for`, { hint })
  }
  return found
}

function seenFrom({ all }: Catalog, approvals: readonly Approval[]): Approval[] {
  return approvals.filter(({ root }) => all.some((pack) => pack.root === root))
}
