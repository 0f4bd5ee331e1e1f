import { SshSignatures } from '../machine/ssh-signature.ts'
import { draftChange, type TakenChange, takeChange } from '../skills/proposed-change.ts'
import { detectSecrets } from '../text/sensitive/detect.ts'
import { failWith } from '../text/trouble.ts'
import { isRecord } from '../text/values.ts'
import { withTeam } from './disk/team.ts'
import { approveVersion, publishVersion, type Signed } from './publish.ts'
import { LONGEST_PATCH, type Proposal, proposalId, readChange } from './rules/proposal.ts'
import { readCatalog } from './signed-catalog.ts'

export interface ProposeRequest {
  /** A skill: the edits of its installed copies, else what the library here has. */
  name: string
  targets?: readonly string[]
  /** Why, for the maintainers. */
  note?: string
}

export interface Proposed {
  id: string
  name: string
  /** How many proposed exactly this. */
  people: number
  state: string
  isNew: boolean
  patch: string
}

/** Sends the change of one skill to the team's maintainers. Nothing is changed here. */
export const proposeSkill = withTeam(async (team, { note = '', ...request }: ProposeRequest): Promise<Proposed> => {
  const { snapshot } = await readCatalog(team)
  const approved = (snapshot?.versions ?? [])
    .filter(({ kind, name, state }) => kind === 'skill' && name === request.name && state === 'approved')
    .sort((a, b) => b.changed - a.changed)
  const change = await draftChange(team.machine, { ...request, base: approved[0]?.commit })
  const { name, patch } = change
  const problem = readChange(change)
  if (typeof problem === 'string') throw failWith('USAGE/proposal', { name, most: LONGEST_PATCH / 1024 })
  const added = patch.split('\n').filter((line) => line.startsWith('+'))
  const secret = detectSecrets(added.join('\n')).find(({ contentClass }) => contentClass !== 'prompt_injection')
  if (secret !== undefined) throw failWith('USAGE/proposal-secret', { name, kind: secret.kind })
  const { people, state, isNew } = await team.call({ path: '/v1/proposals', body: JSON.stringify({ ...change, note }) })
  return { id: proposalId(change), name, people: Number(people), state: String(state), isNew: isNew === true, patch }
})

/** What waits for a maintainer, the most wanted first. */
export const listProposals = withTeam(async (team, { all = false }: { all?: boolean }) => {
  const { proposals } = await team.call({ method: 'GET', path: `/v1/proposals${all ? '?all=1' : ''}` })
  return { proposals: Array.isArray(proposals) ? (proposals as Proposal[]) : [] }
})

export interface AdoptProposalRequest {
  id: string
  /** Do not adopt it; the server tells a person who proposes it again. */
  decline?: boolean
  /** Allow what it adds to what the skill can do. */
  allow?: boolean
  /** Show what it changes and adds, and nothing more. */
  dryRun?: boolean
  version?: string
  groups?: readonly string[]
  key?: string
}

export interface AdoptedProposal {
  id: string
  people: number
  notes: string[]
  state: string
  taken?: TakenChange
  version?: string
  signed?: Signed
}

/** Takes a proposal into the library and lets machines install it, with one signature; or declines it. */
export const adoptProposal = withTeam(async (team, request: AdoptProposalRequest): Promise<AdoptedProposal> => {
  const { machine } = team
  const path = `/v1/proposals/${encodeURIComponent(request.id)}`
  const decide = (state: string, version?: string) =>
    team.call({ path: `${path}/decide`, body: JSON.stringify({ state, version }) })
  const { proposal } = await team.call({ method: 'GET', path })
  const change = readChange(proposal)
  if (!isRecord(proposal) || typeof change === 'string' || proposalId(change) !== request.id)
    throw failWith('CATALOG_UNVERIFIED/proposal', { name: request.id })
  const { people, notes, state } = proposal as unknown as Proposal
  const known = { id: request.id, people, notes, state }
  if (request.decline) {
    await decide('declined')
    return { ...known, state: 'declined' }
  }
  // Before anything changes: without a key the signature would fail after the commit.
  if (!request.dryRun) new SshSignatures(machine).key(request.key)
  const { name } = change
  const taken = await takeChange(machine, { change, isAllowed: request.allow, dryRun: request.dryRun })
  if (taken.commit === undefined) return { ...known, taken }
  const { version, groups } = await publishVersion(machine, { ...request, name: `skill:${name}` })
  const signed = await approveVersion(machine, { name: `skill:${name}`, version, groups, key: request.key })
  await decide('adopted', version)
  return { ...known, state: 'adopted', taken, version, signed }
})
