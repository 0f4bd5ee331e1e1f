import { basename, dirname, join } from 'node:path'
import { realOrSame } from '../machine/open-project.ts'
import { listed } from '../text/count.ts'
import { type Finding, LoadoutError } from '../text/trouble.ts'
import { findUnmanaged, readForeign, textShown, type UnmanagedCandidate } from './candidates.ts'
import { discoverSkills, type LeftOutSkills } from './disk/discover.ts'
import { readForeignSkill } from './disk/foreign-skill.ts'
import type { ImportSource } from './disk/import-source.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { type Observation, observe } from './observe.ts'
import { type ForeignSkill, groupCandidates, type ImportCandidate, isSameSkill } from './rules/candidates.ts'
import { nameOffers, type Offer, type OfferState } from './rules/offers.ts'
import type { Refusal } from './rules/refusals.ts'
import type { RegisteredSkill } from './rules/skill.ts'
import { enabledAgents, everyRoot, namedTargets, type Setup } from './setup.ts'

/** One skill that was found, and what importing it would do. */
export interface SkillOffer {
  name: string
  description: string
  /** Relative to the source; the full path of a skill in an agent's folder. */
  folder: string
  plugin?: string
  state: OfferState
  reason?: string
  /** The beginning of its text, if requested. */
  text?: string
}

/** All skills that were found, before the user chooses. */
export interface Found {
  offers: Offer[]
  refused: Refusal[]
  leftOut: LeftOutSkills[]
  findings: Finding[]
  /** Where it came from; undefined for the agents' folders. */
  source: ImportSource | undefined
}

/** How to name the found skills, and for which agents. */
export interface FindRequest {
  targets?: readonly string[]
  /** The new name of the only skill; `prefix` goes in front of every name. */
  as?: string
  prefix?: string
  /** Include the beginning of every text in the list. */
  texts?: boolean
}

/** Folders of mirrors for single agents, translations, samples and tests. A copy there is ignored if it differs. */
const ASIDE =
  /(?:^|\/)(?:\.[^/]|(?:docs?|translations?|i18n|l10n|locales?|examples?|samples?|tests?|fixtures?|evals?|archived?|deprecated|backups?)\/)/i

/** Every skill of a source, or of the agents' folders, with what importing it would do. */
export async function findOffers(setup: Setup, source: ImportSource | undefined, request: FindRequest): Promise<Found> {
  const observation = await observe(setup, everyRoot(setup), true)
  const targets = namedTargets(request.targets, setup.config)
  const found = source === undefined ? findAround(setup, observation, targets) : findIn(setup, source, targets)
  const offers = nameOffers(found.candidates, request).map(judgeIn(setup, observation))
  return { ...found, offers, source }
}

function findAround(setup: Setup, observation: Observation, targets: string[] | undefined) {
  const { candidates, refusals, findings } = findUnmanaged(setup, observation, targets)
  return { candidates, refused: refusals, leftOut: [], findings }
}

/** Reads the skills of a source. Throws if it has only one skill and that cannot be read. */
function findIn(setup: Setup, source: ImportSource, targets: string[] | undefined) {
  const { skills, leftOut, findings } = discoverSkills(source.root)
  if (skills.length === 0) throw nothingIn(source, leftOut)
  const folders = skills.map(({ path, folder, plugin }) => {
    const root = everyRoot(setup).find((each) => realOrSame(each.path) === realOrSame(dirname(path)))
    const place = [source.part, folder].filter((part) => part !== '').join('/')
    const isAside = ASIDE.test(folder)
    const found = { folder: place, isAside, plugin }
    if (root === undefined) return { path, agents: [], found }
    return { path: join(root.path, basename(path)), agents: root.agents, found }
  })
  const read = readForeign(folders, { targets, enabled: enabledAgents(setup.config) })
  if (read.failure !== undefined && skills.length === 1) throw read.failure
  const candidates = groupCandidates(read.skills)
  return { candidates, refused: read.refusals, leftOut: [...leftOut, ...copiesIn(candidates)], findings }
}

function nothingIn(source: ImportSource, leftOut: readonly LeftOutSkills[]): LoadoutError {
  const rest = leftOut.map(({ count, reason }) => `${count} left out (${reason})`).join(', ')
  return new LoadoutError('NOTHING_TO_IMPORT', `${source.root} contains no skill${rest === '' ? '' : `: ${rest}`}`, {
    hint: 'a skill is a folder with a SKILL.md; all folders were searched',
  })
}

/** Reports additional copies of skills that are imported once. */
function copiesIn(candidates: readonly ImportCandidate[]): LeftOutSkills[] {
  const folders = (copies: readonly ForeignSkill[]) => copies.map(({ found, path }) => found?.folder ?? path)
  const mirrors = candidates.flatMap(({ copies, merged }) => (merged === undefined ? [] : folders(copies.slice(1))))
  const hidden = candidates.flatMap(({ passedOver = [] }) => folders(passedOver))
  const row = (reason: string, all: string[]) => ({ reason, count: all.length, examples: all.slice(0, 5) })
  return [
    row('copies of the same content in other folders', mirrors),
    row('copies in hidden folders, or below docs, examples or tests, that differ from the others', hidden),
  ].filter(({ count }) => count > 0)
}

/** Decides what importing an offer would do. */
function judgeIn({ library }: Setup, { registry }: Observation): (offer: Offer) => Offer {
  const taken = new Set([
    ...registry.skills.map(({ skill }) => skill.name),
    ...registry.invalid.map(({ name }) => name),
  ])
  const byName = new Map(registry.skills.flatMap((each) => [[each.skill.name, each] as const]))
  const byFolder = new Map(registry.skills.map((each) => [each.folder, each]))
  return (offer) =>
    judge(library, byName.get(offer.name) ?? byFolder.get(`${SKILLS_FOLDER}/${offer.name}`), taken, offer)
}

function judge(library: string, known: RegisteredSkill | undefined, taken: ReadonlySet<string>, offer: Offer): Offer {
  const { candidate, name } = offer
  const loose = 'state' in candidate ? (candidate as UnmanagedCandidate).state : 'new'
  if (loose === 'identical' || loose === 'same') return { ...offer, state: 'unchanged' }
  const { merged, problem } = candidate
  if (known === undefined && !taken.has(name)) {
    return merged === undefined ? { ...offer, state: 'blocked', ...(problem && { reason: problem }) } : offer
  }
  if (known !== undefined && merged !== undefined) {
    const own = readForeignSkill(join(library, known.folder), { agents: [] })
    const isSame = isSameSkill({ ...merged, skill: { ...merged.skill, name: own.skill.name } }, own)
    if (isSame || known.skill.source?.treeHash === merged.treeHash) return { ...offer, state: 'unchanged' }
  }
  return { ...offer, state: 'taken', reason: 'the library has another skill of this name' }
}

export function viewOffer({ candidate, name, state, reason }: Offer, request: FindRequest): SkillOffer {
  const shown = candidate.merged ?? candidate.copies[0]
  const { folder = shown?.path ?? '', plugin } = shown?.found ?? {}
  const description = shown?.skill.description ?? ''
  const told = { plugin, state, reason }
  return { name, description, folder, ...told, ...textShown(shown, request) }
}

/** Why an offer is not imported. */
export function refusalOf({ candidate, name, state, reason = '' }: Offer): Refusal[] {
  const [copy] = candidate.copies
  const folder = copy?.found?.folder ?? copy?.path ?? ''
  if (state === 'blocked') {
    const hint =
      copy?.found === undefined
        ? 'make the copies equal, or import one of them by its path'
        : 'choose one: --skill <folder>, with --as <name> for another name'
    return [{ name, folder, code: 'IMPORT_CONFLICT', reason: `${reason} (${placesOf(candidate)})`, hint }]
  }
  if (state !== 'taken') return []
  const isLoose = copy !== undefined && copy.found === undefined
  const hint = isLoose
    ? 'loadout diff <skill> compares; loadout equip <skill> --replace takes the one of the library, loadout adopt <skill> yours'
    : '--as <name> or --prefix <text> gives another name; loadout update <skill> takes what is new in its source'
  return [{ name, folder, code: 'SKILL_EXISTS', reason, hint }]
}

function placesOf({ copies }: ImportCandidate): string {
  return listed(copies.map(({ found, path }) => found?.folder ?? path))
}
