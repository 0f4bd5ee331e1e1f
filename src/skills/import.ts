import { basename, dirname, join } from 'node:path'
import { Config, switchAgents } from '../agents/config.ts'
import type { Agent, TargetRoot } from '../agents/rules/agents.ts'
import { exists, isLink, readText, removeFile, removeFolder, writeAtomically } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { listed } from '../text/count.ts'
import { inHome } from '../text/paths.ts'
import { shellWord } from '../text/printable.ts'
import { type Finding, failWith, report, retell } from '../text/trouble.ts'
import {
  discoverIn,
  type FindRequest,
  type Found,
  findOffers,
  refusalOf,
  type SkillOffer,
  type UnmanagedCandidate,
  viewOffer,
} from './candidates.ts'
import { contentOf, type SkillContent, writeSkillFolder } from './disk/foreign-skill.ts'
import { type ImportSource, openImportSource, rewordError } from './disk/import-source.ts'
import { libraryHash } from './disk/library-git.ts'
import { changeLibrary, messageAbout } from './disk/library-transaction.ts'
import { readForReview, SKILLS_FOLDER } from './disk/registry.ts'
import { buildFor, hashBuild } from './disk/tree.ts'
import { answerHint, readAnswers, sheetOf } from './gate.ts'
import { initialize } from './init.ts'
import { Installs, type ScopeRequest } from './installs.ts'
import {
  asWriter,
  carryOut,
  type Observation,
  type Outcome,
  observe,
  type RunOptions,
  type WaitingSkill,
} from './observe.ts'
import { chooseOffers, type ForeignSkill, type ImportCandidate, type Offer } from './rules/candidates.ts'
import { inOrderOfNeed, needsOf } from './rules/needs.ts'
import { type Operation, type Refusal, refusalFindings } from './rules/operations.ts'
import { type Capability, findTwinIn, LFS_PROBLEM, summarizeSheet } from './rules/review/sheet.ts'
import { type SkillSource, supports, withoutSource } from './rules/skill.ts'

export interface ImportRequest extends ScopeRequest, RunOptions, FindRequest {
  /** A folder, an archive, a git URL or `owner/repo`; undefined for all skills in the agents' folders. */
  source?: string
  /** Only these: names, folders or plugins. */
  names?: readonly string[]
  /** Called when several were found and none is named; it returns undefined if the user could not decide. */
  choose?: (offers: readonly SkillOffer[]) => readonly string[] | undefined
  /** Only list the skills that were found. */
  list?: boolean
  subfolder?: string
  ref?: string
  /** Default: the configured value. */
  commit?: boolean
  /** Make the imported copies managed installs. */
  adopt?: boolean
  /** Where to create a library if there is none. */
  create?: string
}

export interface ImportedSkill {
  name: string
  from: string[]
  folder: string
  targets: string[]
  commit?: string
  /** What it can do: not installed until a person allows it. */
  review: Capability[]
}

export interface ImportResult {
  /** The library, if it was created. */
  created?: string
  imported: ImportedSkill[]
  /** Skills that the library already has, identical. */
  unchanged: string[]
  refused: Refusal[]
  leftOut: Found['leftOut']
  /** Copies that became managed installs. */
  adopted: Outcome['operations']
  /** The choices, if nothing was chosen. */
  offers?: SkillOffer[]
  /** The user must choose first, or allow what an adopted skill can do. */
  isUndecided?: true
  /** Skills that will not be installed, or not as a whole, until a person allows what they can do. */
  waiting?: WaitingSkill[]
  isDryRun: boolean
}

/** Imports skills into the library, in one commit. */
export async function importSkills(machine: Machine, request: ImportRequest): Promise<ImportResult> {
  const isFirst = request.create !== undefined && new Config(machine).library === undefined
  const open = async () => {
    const installs = new Installs(machine, request)
    await installs.repo.require()
    return installs
  }
  const opened = isFirst ? undefined : await open()
  // Before a library is created: a source that cannot be read leaves nothing behind.
  const source = request.source === undefined ? undefined : await openImportSource(machine, request.source, request)
  const reword = source?.reword ?? ((text) => text)
  const rewording = machine.reportingTo((...findings) =>
    machine.report(
      ...findings.map((finding) => {
        const { message, subject } = finding
        return { ...finding, message: reword(message), subject: subject === undefined ? undefined : reword(subject) }
      }),
    ),
  )
  let created: NewLibrary | undefined
  try {
    if (isFirst && source !== undefined) discoverIn(source)
    created = isFirst ? await createLibrary(machine, request.create ?? '') : undefined
    const plain = (opened ?? (await open())).with({ machine: rewording })
    const found = await findOffers(plain, source, request)
    const reviewed = request.choose || request.list ? await reviewSome(plain, found, request) : []
    if (request.choose && created !== undefined) {
      // Ctrl-c at the question ends the program: then nothing may be left.
      created.takeBack()
      created = undefined
    }
    const choice = chooseFrom(found, reviewed, request)
    if (isFirst && choice.offers === undefined) created ??= await createLibrary(machine, request.create ?? '')
    const shared = request.adopt ? sharedFolderIn(plain, choice.chosen) : undefined
    const installs = shared === undefined ? plain : plain.with({ roots: [...plain.roots, shared] })
    rewording.report(...found.findings)
    if (choice.offers !== undefined) {
      const { refused, leftOut } = found
      rewording.report(...refusalFindings(refused))
      const { offers, isUndecided } = choice
      created?.takeBack()
      return rewordResult({ ...emptyResult(request), offers, refused, leftOut, isUndecided }, reword, undefined)
    }
    const run = async () => {
      const chosen = choice.chosen
      const fresh = chosen.filter(({ state }) => state === 'new')
      const refused = [...(request.names === undefined ? found.refused : []), ...chosen.flatMap(refusalOf)]
      const unchanged = chosen.filter(({ state }) => state === 'unchanged')
      const [only] = refused
      const isAll = chosen.length === 1 && refused.length === 1 && fresh.length + unchanged.length === 0
      if (only !== undefined && isAll && !request.adopt)
        throw retell({ ...only, message: `${only.name} was not imported, because ${only.reason}` })
      const ready =
        reviewed.length > 0
          ? reviewed.filter((each) => fresh.some(({ name }) => name === each.name))
          : await prepareSkills(installs, found.source, fresh, request.signal)
      const commit = await writeAll(installs, found, ready, request)
      const imported = ready.map(({ name, content, from, review }): ImportedSkill => {
        const folder = `${SKILLS_FOLDER}/${name}`
        return { name, from, folder, targets: content.skill.targets, commit, review }
      })
      // The skills that will not be installed, or not as a whole, until a person allows what they can do.
      const answers = readAnswers(installs.repo)
      const waiting = ready.flatMap(({ name, content, review }) => {
        const open = review.filter((each) => !answers.allow(content.skill, each))
        return open.length > 0 ? [{ skill: name, open }] : []
      })
      const isHeld = waiting.some(({ open }) => open.some(({ key }) => key === undefined))
      installs.machine.report(
        ...refusalFindings(refused),
        ...pointerFindings(ready),
        ...otherNames(fresh),
        ...(request.adopt ? [] : waitingFindings(waiting)),
      )
      if (shared !== undefined && !request.dryRun) await switchAgents(machine, { ids: shared.agents, isOn: true })
      const adopted = request.adopt ? await takeOver(installs, [...fresh, ...unchanged], request) : []
      const result: ImportResult = {
        ...emptyResult(request),
        imported,
        unchanged: unchanged.map(({ name }) => name),
        refused,
        leftOut: found.leftOut,
        adopted,
        waiting: waiting.length > 0 ? waiting : undefined,
        isUndecided: request.adopt && isHeld ? true : undefined,
      }
      const isKept = result.imported.length > 0
      if (!isKept) created?.takeBack()
      return rewordResult(result, reword, isKept ? created?.library : undefined)
    }
    const locked = request.adopt ? installs.everyRoot() : []
    return request.dryRun ? await run() : await asWriter(installs, locked, 'import', run, request.signal)
  } catch (error) {
    created?.takeBack()
    throw rewordError(error, reword)
  } finally {
    source?.dispose()
  }
}

interface NewLibrary {
  library: string
  /** As if it had never been created. */
  takeBack(): void
}

/** Never uses a folder that is there already, and leaves none if it fails. */
async function createLibrary(machine: Machine, create: string): Promise<NewLibrary> {
  const place = machine.resolve(create)
  if (exists(place)) throw failWith('CONFIG_NOT_FOUND/place', { place, word: shellWord(place) })
  const { path } = machine.config
  const config = exists(path) ? readText(path) : undefined
  const takeBack = () => {
    removeFolder(place)
    if (config === undefined) removeFile(path)
    else writeAtomically(path, config)
  }
  try {
    const { library } = await initialize(machine.quiet(), { create })
    return { library, takeBack }
  } catch (error) {
    takeBack()
    throw error
  }
}

/** What the new skills can do, for the list to choose from. */
async function reviewSome(installs: Installs, { offers, source }: Found, request: ImportRequest): Promise<Ready[]> {
  const fresh = offers.filter(({ state }) => state === 'new')
  // In a longer list, what each skill can do would hide the names.
  return fresh.length > 150 ? [] : prepareSkills(installs, source, fresh, request.signal)
}

interface Choice {
  chosen: Offer[]
  /** The choices, if nothing was chosen. */
  offers?: SkillOffer[]
  isUndecided?: true
}

/** Everything that was found, the requested names, or the user's choice. */
function chooseFrom({ offers }: Found, reviewed: readonly Ready[], request: ImportRequest): Choice {
  const views = offers.map((offer) => {
    const review = reviewed.find(({ name }) => name === offer.name)?.review
    return { ...viewOffer(offer, request), can: review && summarizeSheet(review) }
  })
  if (request.list) return { chosen: [], offers: views }
  if (request.names !== undefined) return { chosen: withSiblings(chooseOffers(offers, request.names), offers) }
  if (request.choose === undefined || offers.length < 2) return { chosen: [...offers] }
  const names = request.choose(views)
  return names === undefined
    ? { chosen: [], offers: views, isUndecided: true }
    : { chosen: withSiblings(chooseOffers(offers, names), offers) }
}

/** Also the skills of the same source that the chosen ones need. */
function withSiblings(chosen: readonly Offer[], offers: readonly Offer[]): Offer[] {
  const byName = new Map(offers.map((offer) => [offer.name, offer]))
  const needs = (name: string) => {
    const { skill } = byName.get(name)?.candidate.merged ?? {}
    return (skill === undefined ? [] : needsOf(skill)).map((need) => need.name).filter((needed) => byName.has(needed))
  }
  const names = chosen.map(({ name }) => name)
  return inOrderOfNeed(names, needs).flatMap((name) => byName.get(name) ?? [])
}

function emptyResult(request: ImportRequest): ImportResult {
  const isDryRun = request.dryRun ?? false
  return { imported: [], unchanged: [], refused: [], leftOut: [], adopted: [], isDryRun }
}

/** One finding for all skills with an invalid name in skill.json. */
function otherNames(fresh: readonly Offer[]): Finding[] {
  const pairs = fresh.flatMap(({ name, candidate }) => {
    const { badName } = candidate.merged ?? {}
    return badName === undefined ? [] : [`${JSON.stringify(badName.slice(0, 80))} is ${name}`]
  })
  if (pairs.length === 0) return []
  const whose = pairs.length === 1 ? 'a name in skill.json' : `${pairs.length} names in skill.json`
  return [report('NAME_DIFFERS/other-names', { whose, pairs: listed(pairs) })]
}

/** Adds all new skills to the library together, in one commit. */
async function writeAll(installs: Installs, { source }: Found, ready: readonly Ready[], request: ImportRequest) {
  if (request.dryRun || ready.length === 0) return undefined
  const changes = ready.map(({ content, name }) => ({
    path: `${SKILLS_FOLDER}/${name}`,
    write: (stage: string) => writeSkillFolder(content, stage),
  }))
  const message = (request.commit ?? installs.config.commitsImports) ? importMessage(ready, source) : undefined
  const { signal, onProgress } = request
  return changeLibrary(installs.repo, { changes, message, signal, onProgress })
}

function importMessage(fresh: readonly Ready[], source: Found['source']): string {
  const { url, path } = source?.origin ?? {}
  const from = url?.replace(/^[a-z]+:\/\//, '') ?? (path === undefined ? undefined : basename(path))
  const names = fresh.map(({ name }) => name)
  return messageAbout('Import', names, from === undefined ? '' : ` from ${from}`)
}

function rewordResult(
  value: ImportResult,
  reword: (text: string) => string,
  created: string | undefined,
): ImportResult {
  const imported = value.imported.map((each) => ({ ...each, from: each.from.map(reword) }))
  const refused = value.refused.map((each) => ({ ...each, name: reword(each.name), reason: reword(each.reason) }))
  return { ...value, created, imported, refused }
}

/** A skill in its form for the library, with what it can do. */
export interface Ready {
  name: string
  from: string[]
  content: SkillContent
  review: Capability[]
}

/** The chosen skills in their form for the library. */
async function prepareSkills(
  installs: Installs,
  source: ImportSource | undefined,
  fresh: readonly Offer[],
  signal: AbortSignal | undefined,
): Promise<Ready[]> {
  const { skills } = readForReview(installs.repo)
  const findTwin = findTwinIn([...skills.map(({ skill }) => skill.name), ...fresh.map(({ name }) => name)])
  const ready: Ready[] = []
  for (const { candidate, name } of fresh) {
    const { merged, copies } = candidate
    if (merged === undefined) continue
    const content = withSource(installs, source, candidate, merged, name)
    const review = content.skill.source === undefined ? [] : await sheetOf(content, content.skill, findTwin, signal)
    ready.push({ name, from: copies.map(({ path }) => path), content, review })
  }
  return ready
}

/** One finding for all skills that wait for an answer. */
function waitingFindings(waiting: readonly WaitingSkill[]): Finding[] {
  const names = waiting.filter(({ open }) => open.some(({ key }) => key === undefined)).map(({ skill }) => skill)
  if (names.length === 0) return []
  const what = names.length === 1 ? `${names[0]} can act` : `${names.length} skills can act`
  return [
    report('QUARANTINED/imported', {
      what,
      what2: names.length === 1 ? '' : `: ${listed(names)}`,
      hint: answerHint(names),
    }),
  ]
}

/** Reports files that were not fetched: Git LFS left a pointer in their place. */
function pointerFindings(ready: readonly Ready[]): Finding[] {
  const pointers = ready.flatMap(({ name, review }) =>
    review.flatMap(({ what, path }) => (what === LFS_PROBLEM ? [`${name}/${path}`] : [])),
  )
  if (pointers.length === 0) return []
  const what = pointers.length === 1 ? 'a file is' : `${pointers.length} files are`
  return [report('LEFT_OUT/lfs', { what, pointers: listed(pointers) })]
}

/**
 * The skill under its name in the library, with its source. One from an agent's folder is from outside too; nothing newer
 * is looked for there, because that folder becomes an install.
 */
function withSource(
  { machine }: Installs,
  source: ImportSource | undefined,
  candidate: ImportCandidate,
  merged: ForeignSkill,
  name: string,
): SkillContent {
  const { locked } = candidate as UnmanagedCandidate
  const content = contentOf({ ...merged, skill: { ...merged.skill, name } })
  // The skills of a shared library name their own.
  if (source?.isShared && content.skill.source !== undefined) {
    // A source that only the skill itself names: it can be asked for updates, but proves nothing about the
    // publisher.
    const { source } = content.skill
    if (source === undefined) return content
    const claimed = { ...source, others: { ...source.others, claimed: true } }
    return { ...content, skill: { ...content.skill, source: claimed } }
  }
  const place = locked?.origin ?? (merged.agents.length > 0 ? undefined : source?.origin)
  const from = {
    folder: merged.found?.folder ?? '',
    ...(place ?? { path: inHome(merged.path, machine.home), folder: '' }),
  }
  const bare = withoutSource(content.skill)
  const own: SkillSource = {
    ...from,
    treeHash: merged.treeHash,
    importedAt: machine
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    libraryHash: libraryHash({ ...content, skill: bare }),
    // Only a file on this machine says so.
    others: place === undefined ? { pinned: true } : locked === undefined ? {} : { claimed: true },
  }
  return { ...content, skill: { ...bare, source: own } }
}

/**
 * Turns folders and links in the agents' folders into managed installs. A folder with exactly the right content only
 * gets a marker; any other is backed up and replaced. The target of a link stays.
 */
async function takeOver(installs: Installs, offers: readonly Offer[], request: RunOptions): Promise<Operation[]> {
  const roots = installs.everyRoot()
  const observation = await observe(installs, [], true)
  const plan = { operations: [] as Operation[], findings: [] as Finding[] }
  for (const { candidate, name } of offers) {
    for (const copy of candidate.copies) {
      const { operation, finding } = adoption(installs, observation, copy, name, roots)
      if (operation !== undefined) plan.operations.push(operation)
      if (finding !== undefined) plan.findings.push(finding)
    }
  }
  if (request.dryRun) {
    installs.machine.report(...plan.findings)
    return plan.operations
  }
  if (installs.project !== undefined && plan.operations.length > 0) installs.rememberProject()
  const value = await carryOut(installs, observation, plan, request)
  return value.operations
}

/**
 * The user's shared folder, if it is not managed yet and an enabled agent has only that copy of a chosen skill: it must
 * stay served, and by a copy that is kept current.
 */
function sharedFolderIn({ config, project }: Installs, offers: readonly Offer[]): TargetRoot | undefined {
  if (project !== undefined || config.targets.agents !== undefined) return undefined
  const isMeant = ({ id }: Agent) => id === 'agents' || config.isEnabled(id)
  const shared = config.targetRoots(undefined, isMeant).find(({ agents }) => agents.includes('agents'))
  const { path = '', alsoReadBy = [] } = shared ?? {}
  const isOnlyThere = ({ candidate: { copies } }: Offer) =>
    copies.some((copy) => dirname(copy.path) === path) &&
    alsoReadBy.some((id) => !copies.some(({ agents }) => agents.includes(id)))
  return offers.some(isOnlyThere) ? shared : undefined
}

/** Only a copy whose folder has the skill's name can become its install. */
function adoption(
  installs: Installs,
  { find }: Observation,
  copy: ForeignSkill,
  name: string,
  roots: readonly TargetRoot[],
): { operation?: Operation; finding?: Finding } {
  const root = roots.find((each) => each.path === dirname(copy.path))
  if (root === undefined) return {}
  const { path } = copy
  if (path !== join(root.path, name)) {
    return { finding: report('NAME_DIFFERS/imported-as', { path, name }, { subject: name }) }
  }
  const registered = find(name)
  const agent = root.agents.find((id) => supports(registered?.skill ?? copy.skill, id))
  if (agent === undefined) {
    const agents = root.agents.join(', ')
    const facts = { path, agents, name, agent: root.agents[0] ?? '' }
    return { finding: report('UNSUPPORTED_TARGET/copy', facts, { subject: name }) }
  }
  const place = { skill: name, agent, scope: root.scope, root: root.path }
  const isExact =
    registered !== undefined &&
    !isLink(path) &&
    hashBuild(buildFor(join(installs.library, registered.folder), registered.skill, agent)) === copy.treeHash
  return { operation: { kind: 'adopt', ...place, ...(isExact ? { contentHash: copy.treeHash } : {}) } }
}
