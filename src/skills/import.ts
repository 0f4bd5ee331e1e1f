import { basename } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { listed } from '../text/count.ts'
import { type Finding, LoadoutError, type Report } from '../text/trouble.ts'
import { writeSkillFolder } from './disk/foreign-skill.ts'
import { openImportSource, rewordError } from './disk/import-source.ts'
import { changeLibrary, messageAbout } from './disk/library-transaction.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { type FindRequest, type Found, findOffers, refusalOf, type SkillOffer, viewOffer } from './import-offers.ts'
import { pointerFindings, prepareSkills, type Ready, waitingFindings, waitingSkills } from './import-ready.ts'
import { asWriter, type Outcome, type RunOptions, type WaitingSkill } from './observe.ts'
import { chooseOffers, type Offer } from './rules/offers.ts'
import { type Refusal, refusalFindings } from './rules/refusals.ts'
import type { Capability } from './rules/review/sheet.ts'
import { everyRoot, openGitSetup, type ScopeRequest, type Setup } from './setup.ts'
import { takeOver } from './take-over.ts'

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
export async function importSkills(machine: Machine, request: ImportRequest): Promise<Report<ImportResult>> {
  const setup = await openGitSetup(machine, request)
  const source = request.source === undefined ? undefined : await openImportSource(machine, request.source, request)
  const reword = source?.reword ?? ((text) => text)
  try {
    const found = await findOffers(setup, source, request)
    const choice = chooseFrom(found, request)
    if (choice.offers !== undefined) return rewordReport(listing(found, choice, request), reword)
    const run = async (recovered: Finding[]) => {
      const { value, findings } = await carryOutImport(setup, found, choice.chosen, request)
      return rewordReport({ value, findings: [...recovered, ...found.findings, ...findings] }, reword)
    }
    const locked = request.adopt ? everyRoot(setup) : []
    return request.dryRun ? await run([]) : await asWriter(setup, locked, 'import', run, request.signal)
  } catch (error) {
    throw rewordError(error, reword)
  } finally {
    source?.dispose()
  }
}

interface Choice {
  chosen: Offer[]
  /** The choices, if nothing was chosen. */
  offers?: SkillOffer[]
  isUndecided?: true
}

/** Everything that was found, the requested names, or the user's choice. */
function chooseFrom({ offers }: Found, request: ImportRequest): Choice {
  const views = offers.map((offer) => viewOffer(offer, request))
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
  const value = { ...emptyResult(request), offers, refused, leftOut, ...(isUndecided && { isUndecided }) }
  return { value, findings: [...findings, ...refusalFindings(refused)] }
}

function emptyResult(request: ImportRequest): ImportResult {
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
  const unchanged = chosen.filter(({ state }) => state === 'unchanged')
  const [only] = refused
  const isAll = chosen.length === 1 && refused.length === 1 && fresh.length + unchanged.length === 0
  if (only !== undefined && isAll && !request.adopt) throw asError(only)
  const ready = await prepareSkills(setup, found.source, fresh, request.signal)
  const commit = await writeAll(setup, found, ready, request)
  const imported = ready.map(({ name, content, from, review }): ImportedSkill => {
    const folder = `${SKILLS_FOLDER}/${name}`
    return { name, from, folder, targets: content.skill.targets, commit, review }
  })
  const waiting = waitingSkills(setup, ready)
  const isHeld = waiting.some(({ open }) => open.some(({ key }) => key === undefined))
  const adopted = request.adopt ? await takeOver(setup, [...fresh, ...unchanged], request) : { value: [], findings: [] }
  return {
    value: {
      ...emptyResult(request),
      imported,
      unchanged: unchanged.map(({ name }) => name),
      refused,
      leftOut: found.leftOut,
      adopted: adopted.value,
      ...(waiting.length > 0 && { waiting }),
      ...(request.adopt && isHeld && { isUndecided: true }),
    },
    findings: [
      ...refusalFindings(refused),
      ...pointerFindings(ready),
      ...assumedTargets(fresh),
      ...otherNames(fresh),
      ...waitingFindings(waiting),
      ...adopted.findings,
    ],
  }
}

function asError({ name, code, reason, hint }: Refusal): LoadoutError {
  return new LoadoutError(code, `${name} was not imported, because ${reason}`, hint === undefined ? {} : { hint })
}

/** One finding for all skills that name no agents. */
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

/** One finding for all skills with an invalid name in skill.json. */
function otherNames(fresh: readonly Offer[]): Finding[] {
  const pairs = fresh.flatMap(({ name, candidate }) => {
    const { badName } = candidate.merged ?? {}
    return badName === undefined ? [] : [`${JSON.stringify(badName.slice(0, 80))} is ${name}`]
  })
  if (pairs.length === 0) return []
  const whose = pairs.length === 1 ? 'a name in skill.json' : `${pairs.length} names in skill.json`
  const message = `${whose} cannot be used, so the folder's is: ${listed(pairs)}`
  return [
    {
      severity: 'warning',
      code: 'NAME_DIFFERS',
      message,
      hint: 'loadout import <source> --skill <name> --as <other> gives another',
    },
  ]
}

/** Adds all new skills to the library together, in one commit. */
async function writeAll(setup: Setup, { source }: Found, ready: readonly Ready[], request: ImportRequest) {
  if (request.dryRun || ready.length === 0) return undefined
  const changes = ready.map(({ content, name }) => ({
    path: `${SKILLS_FOLDER}/${name}`,
    write: (stage: string) => writeSkillFolder(content, stage),
  }))
  const message = (request.commit ?? setup.config.commitsImports) ? importMessage(ready, source) : undefined
  const { signal, onProgress } = request
  return changeLibrary(setup.repo, { changes, message, signal, onProgress })
}

function importMessage(fresh: readonly Ready[], source: Found['source']): string {
  const { url, path } = source?.origin ?? {}
  const from = url?.replace(/^[a-z]+:\/\//, '') ?? (path === undefined ? undefined : basename(path))
  const names = fresh.map(({ name }) => name)
  return messageAbout('Import', names, from === undefined ? '' : ` from ${from}`)
}

function rewordReport(
  { value, findings }: Report<ImportResult>,
  reword: (text: string) => string,
): Report<ImportResult> {
  const imported = value.imported.map((each) => ({ ...each, from: each.from.map(reword) }))
  const refused = value.refused.map((each) => ({ ...each, name: reword(each.name), reason: reword(each.reason) }))
  const reworded = findings.map((finding) => {
    const { message, subject } = finding
    return { ...finding, message: reword(message), ...(subject === undefined ? {} : { subject: reword(subject) }) }
  })
  return { value: { ...value, imported, refused }, findings: reworded }
}
