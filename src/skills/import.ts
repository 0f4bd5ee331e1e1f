import { basename, dirname, join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { requireRepository } from '../machine/repository.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { findLoose, type LooseCandidate, readForeign } from './candidates.ts'
import { discoverSkills, type LeftOutSkills } from './disk/discover.ts'
import { contentOf, readForeignSkill, type SkillContent, writeSkillFolder } from './disk/foreign-skill.ts'
import { type ImportSource, openImportSource, retold } from './disk/import-source.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { libraryHash, withoutSource } from './disk/merge-base.ts'
import { readRegistry, SKILLS_FOLDER } from './disk/registry.ts'
import { openTreeCache } from './disk/tree-cache.ts'
import { asWriter, type Carrying, type Observation, observe } from './observe.ts'
import { reviewContent } from './quarantine.ts'
import { type Candidate, type ForeignSkill, groupCandidates, isSameSkill } from './rules/candidates.ts'
import { chooseOffers, nameOffers, type Offer, type OfferState } from './rules/offers.ts'
import type { Operation } from './rules/operations.ts'
import { listed, type Refusal, refusalFindings } from './rules/refusals.ts'
import { findTwinIn } from './rules/review/appearance.ts'
import type { ReviewFinding } from './rules/review/findings.ts'
import type { SkillReview } from './rules/review/review.ts'
import type { SkillSource } from './rules/source.ts'
import { enabledAgents, everyRoot, namedTargets, openSetup, type ScopeRequest, type Setup } from './settings.ts'
import { takeOver } from './take-over.ts'

export interface ImportRequest extends ScopeRequest, Carrying {
  /** A folder, an archive, a git URL or `owner/repo`; undefined for everything that lies in the agents' folders. */
  source?: string | undefined
  /** Of what is found only these: names, folders or plugins. */
  names?: readonly string[] | undefined
  /** Asked when several were found and none is named; undefined from it: nobody could decide. */
  choose?: ((offers: readonly SkillOffer[]) => readonly string[] | undefined) | undefined
  /** Only say what is there. */
  list?: boolean | undefined
  /** The name of the one skill, or what goes in front of all names. */
  as?: string | undefined
  prefix?: string | undefined
  subfolder?: string | undefined
  ref?: string | undefined
  targets?: readonly string[] | undefined
  /** Default: what the configuration says. */
  commit?: boolean | undefined
  /** The copies that were imported become managed installs. */
  adopt?: boolean | undefined
}

/** One skill that was found, and what importing it would do. */
export interface SkillOffer {
  name: string
  description: string
  /** Below the source; its path where it lies in an agent's folder. */
  folder: string
  plugin?: string
  state: OfferState
  reason?: string
}

export interface ImportedSkill {
  name: string
  from: string[]
  folder: string
  targets: string[]
  commit?: string
  /** What a look through it found. Severe: it is not installed until somebody approves it. */
  review: ReviewFinding[]
}

export interface ImportResult {
  imported: ImportedSkill[]
  /** Skills that the library has just so. */
  unchanged: string[]
  refused: Refusal[]
  leftOut: LeftOutSkills[]
  /** Copies that became managed installs. */
  adopted: Operation[]
  /** What is there to choose from, where nothing was chosen. */
  offers?: SkillOffer[]
  /** Somebody has to choose first. */
  isUndecided?: true
  isDryRun: boolean
}

/** Brings skills into the library, in one commit. */
export async function importSkills(machine: Machine, request: ImportRequest): Promise<Report<ImportResult>> {
  const setup = openSetup(machine, request)
  await requireRepository(machine, setup.library)
  const source = request.source === undefined ? undefined : await openImportSource(machine, request.source, request)
  const tell = source?.tell ?? ((text) => text)
  try {
    const found = await find(setup, source, request)
    const choice = chooseFrom(found, request)
    if (choice.offers !== undefined) return told(listing(found, choice, request), tell)
    const run = async (recovered: Finding[]) => {
      const { value, findings } = await carryOutImport(setup, found, choice.chosen, request)
      return told({ value, findings: [...recovered, ...found.findings, ...findings] }, tell)
    }
    const locked = request.adopt ? everyRoot(setup) : []
    return request.dryRun ? await run([]) : await asWriter(setup, locked, 'import', run, request.signal)
  } catch (error) {
    throw retold(error, tell)
  } finally {
    source?.dispose()
  }
}

/** Everything that was found, before anybody chose. */
interface Found {
  offers: Offer[]
  refused: Refusal[]
  leftOut: LeftOutSkills[]
  findings: Finding[]
  /** Where it came from; undefined for the agents' folders. */
  source: ImportSource | undefined
}

async function find(setup: Setup, source: ImportSource | undefined, request: ImportRequest): Promise<Found> {
  const observation = await observe(setup, everyRoot(setup), true)
  const targets = namedTargets(request.targets, setup.config)
  const found = source === undefined ? findAround(setup, observation, targets) : findIn(setup, source, targets)
  const offers = nameOffers(found.candidates, request).map((offer) => judge(setup, observation, offer))
  return { ...found, offers, source }
}

function findAround(setup: Setup, observation: Observation, targets: string[] | undefined) {
  const { candidates, refusals, findings } = findLoose(setup, observation, targets)
  return { candidates, refused: refusals, leftOut: [], findings }
}

/** Reads the skills of a source. One that is all there is must work. */
function findIn(setup: Setup, source: ImportSource, targets: string[] | undefined) {
  const { skills, leftOut, findings } = discoverSkills(source.root)
  if (skills.length === 0) throw nothingIn(source, leftOut)
  const folders = skills.map(({ path, folder, plugin }) => {
    const root = everyRoot(setup).find((each) => realOrSame(each.path) === realOrSame(dirname(path)))
    const place = [source.part, folder].filter((part) => part !== '').join('/')
    const isHidden = /(?:^|\/)\.[^/]/.test(folder)
    const found = { folder: place, isHidden, ...(plugin === undefined ? {} : { plugin }) }
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
  return new LoadoutError('NOTHING_TO_IMPORT', `${source.root} holds no skill${rest === '' ? '' : `: ${rest}`}`, {
    hint: 'a skill is a folder with a SKILL.md; all folders were looked through',
  })
}

/** Further copies of what is imported once. */
function copiesIn(candidates: readonly Candidate[]): LeftOutSkills[] {
  const folders = (copies: readonly ForeignSkill[]) => copies.map(({ found, path }) => found?.folder ?? path)
  const mirrors = candidates.flatMap(({ copies, merged }) => (merged === undefined ? [] : folders(copies.slice(1))))
  const hidden = candidates.flatMap(({ passedOver = [] }) => folders(passedOver))
  const row = (reason: string, all: string[]) => ({ reason, count: all.length, examples: all.slice(0, 5) })
  return [
    row('copies of the same content in other folders', mirrors),
    row('copies in hidden folders that differ from the others', hidden),
  ].filter(({ count }) => count > 0)
}

/** What importing an offer would do. */
function judge({ library }: Setup, { registry }: Observation, offer: Offer): Offer {
  const { candidate, name } = offer
  const loose = 'state' in candidate ? (candidate as LooseCandidate).state : 'new'
  const taken = [...registry.skills.map(({ skill }) => skill.name), ...registry.invalid.map((each) => each.name)]
  const folder = `${SKILLS_FOLDER}/${name}`
  const known = registry.skills.find(({ skill, folder: place }) => skill.name === name || place === folder)
  if (loose === 'identical' || loose === 'same') return { ...offer, state: 'unchanged' }
  const { merged, problem } = candidate
  if (known === undefined && !taken.includes(name)) {
    return merged === undefined ? { ...offer, state: 'blocked', ...(problem && { reason: problem }) } : offer
  }
  if (known !== undefined && merged !== undefined) {
    const own = readForeignSkill(join(library, known.folder), { agents: [] })
    const isSame = isSameSkill({ ...merged, skill: { ...merged.skill, name: own.skill.name } }, own)
    if (isSame || known.skill.source?.treeHash === merged.treeHash) return { ...offer, state: 'unchanged' }
  }
  return { ...offer, state: 'taken', reason: 'the library has another skill of this name' }
}

function viewOffer({ candidate, name, state, reason }: Offer): SkillOffer {
  const shown = candidate.merged ?? candidate.copies[0]
  const { folder = shown?.path ?? '', plugin } = shown?.found ?? {}
  const description = shown?.skill.description ?? ''
  return { name, description, folder, ...(plugin && { plugin }), state, ...(reason && { reason }) }
}

interface Choice {
  chosen: Offer[]
  /** Nothing was chosen: this is what there is. */
  offers?: SkillOffer[]
  isUndecided?: true
}

/** All of what was found, the names that were asked for, or what a person says. */
function chooseFrom({ offers }: Found, request: ImportRequest): Choice {
  const views = offers.map(viewOffer)
  if (request.list) return { chosen: [], offers: views }
  if (request.names !== undefined) return { chosen: chooseOffers(offers, request.names) }
  if (request.choose === undefined || offers.length < 2) return { chosen: [...offers] }
  const names = request.choose(views)
  return names === undefined
    ? { chosen: [], offers: views, isUndecided: true }
    : { chosen: chooseOffers(offers, names) }
}

function listing(found: Found, { offers = [], isUndecided }: Choice, request: ImportRequest): Report<ImportResult> {
  const { refused, leftOut, findings } = found
  const value = { ...nothing(request), offers, refused, leftOut, ...(isUndecided && { isUndecided }) }
  return { value, findings: [...findings, ...refusalFindings(refused)] }
}

function nothing(request: ImportRequest): ImportResult {
  const isDryRun = request.dryRun ?? false
  return { imported: [], unchanged: [], refused: [], leftOut: [], adopted: [], isDryRun }
}

async function carryOutImport(
  setup: Setup,
  found: Found,
  chosen: readonly Offer[],
  request: ImportRequest,
): Promise<Report<ImportResult>> {
  const fresh = chosen.filter(({ state }) => state === 'new')
  const refused = [...(request.names === undefined ? found.refused : []), ...chosen.flatMap(refusalOf)]
  const [only] = refused
  if (only !== undefined && chosen.length === 1 && refused.length === 1 && !request.adopt) throw asError(only)
  const ready = prepare(setup, found.source, fresh)
  const commit = await writeAll(setup, found, ready, request)
  const imported = ready.map(({ name, content, from, review }): ImportedSkill => {
    const folder = `${SKILLS_FOLDER}/${name}`
    return { name, from, folder, targets: content.skill.targets, ...(commit && { commit }), review: review.findings }
  })
  const unchanged = chosen.filter(({ state }) => state === 'unchanged')
  const adopted = request.adopt
    ? await takeOver(setup, [...fresh, ...unchanged], request)
    : { value: [] as Operation[], findings: [] }
  return {
    value: {
      ...nothing(request),
      imported,
      unchanged: unchanged.map(({ name }) => name),
      refused,
      leftOut: found.leftOut,
      adopted: adopted.value,
    },
    findings: [...refusalFindings(refused), ...assumedTargets(fresh), ...severe(ready), ...adopted.findings],
  }
}

function refusalOf({ candidate, name, state, reason = '' }: Offer): Refusal[] {
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

function placesOf({ copies }: Candidate): string {
  return listed(copies.map(({ found, path }) => found?.folder ?? path))
}

function asError({ name, code, reason, hint }: Refusal): LoadoutError {
  return new LoadoutError(code, `${name} was not imported, because ${reason}`, hint === undefined ? {} : { hint })
}

/** One line for all skills that say nothing about agents. */
function assumedTargets(fresh: readonly Offer[]): Finding[] {
  const assumed = fresh.filter(({ candidate }) => candidate.merged?.isAssumed)
  const targets = assumed[0]?.candidate.merged?.skill.targets
  if (targets === undefined) return []
  const whom =
    assumed.length === 1 ? `${assumed[0]?.name} names no agents; it` : `${assumed.length} skills name no agents; they`
  const message = `${whom} got those that are enabled: ${targets.join(', ')}`
  return [
    { severity: 'info', code: 'TARGETS_ASSUMED', message, hint: 'loadout targets <skill> --add <agent> changes it' },
  ]
}

/** A skill as it goes into the library, looked through. */
interface Ready {
  name: string
  from: string[]
  content: SkillContent
  review: SkillReview
}

function prepare(setup: Setup, source: ImportSource | undefined, fresh: readonly Offer[]): Ready[] {
  const { skills } = readRegistry(setup.library, openTreeCache(setup.machine))
  const findTwin = findTwinIn([...skills.map(({ skill }) => skill.name), ...fresh.map(({ name }) => name)])
  return fresh.flatMap(({ candidate, name }): Ready[] => {
    const { merged, copies } = candidate
    if (merged === undefined) return []
    const content = withSource(setup, source, candidate, merged, name)
    const review = reviewContent({ ...content, skill: withoutSource(content.skill) }, findTwin)
    return [{ name, from: copies.map(({ path }) => path), content: accepting(content, review), review }]
  })
}

/** What it may use without asking is accepted with the import; more of it in an update is not. */
function accepting(content: SkillContent, { permissions }: SkillReview): SkillContent {
  const { skill } = content
  if (skill.source === undefined || permissions.length === 0) return content
  const source = { ...skill.source, others: { ...skill.source.others, permissions } }
  return { ...content, skill: { ...skill, source } }
}

/** One line for all skills that will not be installed before somebody has read them. */
function severe(ready: readonly Ready[]): Finding[] {
  const names = ready.filter(({ review, content }) => review.isSevere && content.skill.source).map(({ name }) => name)
  if (names.length === 0) return []
  const [first = ''] = names
  const what = names.length === 1 ? `${first} is` : `${names.length} skills are`
  const message = `${what} in quarantine until somebody approves ${names.length === 1 ? 'it' : 'them'}: ${listed(names)}`
  const hint = `loadout inspect ${first} shows why; loadout approve skill:${first}`
  return [{ severity: 'warning', code: 'QUARANTINED', message, hint }]
}

/** All new skills go into the library together, with one commit. */
async function writeAll(setup: Setup, { source }: Found, ready: readonly Ready[], request: ImportRequest) {
  if (request.dryRun || ready.length === 0) return undefined
  const changes = ready.map(({ content, name }) => ({
    folder: `${SKILLS_FOLDER}/${name}`,
    write: (stage: string) => writeSkillFolder(content, stage),
  }))
  const message = (request.commit ?? setup.config.commitsImports) ? commitMessage(ready, source) : undefined
  const { signal, onProgress } = request
  return changeLibrary(setup.machine, setup.library, { changes, message, signal, onProgress })
}

/** The skill under its name in the library, with where it came from. */
function withSource(
  { machine }: Setup,
  source: ImportSource | undefined,
  candidate: Candidate,
  merged: ForeignSkill,
  name: string,
): SkillContent {
  const { locked } = candidate as LooseCandidate
  const from = locked?.origin ?? placeIn(source, merged)
  const content = contentOf({ ...merged, skill: { ...merged.skill, name } })
  if (from === undefined) return content
  const { source: _, ...bare } = content.skill
  const own: SkillSource = {
    ...from,
    treeHash: merged.treeHash,
    importedAt: machine
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    libraryHash: libraryHash({ ...content, skill: bare }),
    others: {},
  }
  return { ...content, skill: { ...bare, source: own } }
}

/** What lies in an agent's folder has no source of its own; what was shared names its own. */
function placeIn(source: ImportSource | undefined, { agents, found }: ForeignSkill) {
  if (source === undefined || source.isShared || agents.length > 0) return undefined
  return { ...source.origin, folder: found?.folder ?? '' }
}

// A commit message is one argument of git, and that has a limit.
const MOST_IN_MESSAGE = 500

function commitMessage(fresh: readonly Ready[], source: ImportSource | undefined): string {
  const names = fresh.map(({ name }) => name)
  if (names.length === 1) return `Import skill ${names[0]}`
  const { url, path } = source?.origin ?? {}
  const from = url?.replace(/^[a-z]+:\/\//, '') ?? (path === undefined ? undefined : basename(path))
  const more = names.length > MOST_IN_MESSAGE ? `\nand ${names.length - MOST_IN_MESSAGE} more` : ''
  const subject = `Import ${names.length} skills${from === undefined ? '' : ` from ${from}`}`
  return `${subject}\n\n${names.slice(0, MOST_IN_MESSAGE).join('\n')}${more}\n`
}

function told({ value, findings }: Report<ImportResult>, tell: (text: string) => string): Report<ImportResult> {
  const imported = value.imported.map((each) => ({ ...each, from: each.from.map(tell) }))
  const refused = value.refused.map((each) => ({ ...each, name: tell(each.name), reason: tell(each.reason) }))
  const retoldFindings = findings.map((finding) => {
    const { message, subject } = finding
    return { ...finding, message: tell(message), ...(subject === undefined ? {} : { subject: tell(subject) }) }
  })
  return { value: { ...value, imported, refused }, findings: retoldFindings }
}
