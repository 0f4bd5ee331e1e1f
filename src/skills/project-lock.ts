import { dirname, join } from 'node:path'
import { cloneRepository } from '../machine/clone.ts'
import { exists, isFolder, readText } from '../machine/files.ts'
import { readTextInside, staysInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { gate } from '../machine/rules/gate.ts'
import { SshSignatures } from '../machine/ssh-signature.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { compareText, sortedBy } from '../text/values.ts'
import { readSource } from './candidates.ts'
import { rewordError } from './disk/import-source.ts'
import { checkOutSnapshot, diffSkillFolders } from './disk/library-git.ts'
import { readLibraryProfiles } from './disk/profiles.ts'
import { fetchSourceRepo } from './disk/source-repo.ts'
import { createBuilder, hashBuild } from './disk/tree.ts'
import { coverName, readAnswers, sheetsOf } from './gate.ts'
import type { Manifest } from './installs.ts'
import { lockTexts, readTextAnswers, type TextAnswers } from './project-texts.ts'
import type { ForeignSkill } from './rules/candidates.ts'
import {
  formatLock,
  keyOfKind,
  LOCK_FILE,
  type LockedProfile,
  type LockedSkill,
  type LockedText,
  TEXT_KINDS,
  versionKey,
} from './rules/lock.ts'
import {
  addressOf,
  chooseWanted,
  compareWithLock,
  namedBy,
  type OfferedSkill,
  rowsOf,
  type SourceAddress,
  unneeded,
  withProfile,
} from './rules/manifest.ts'
import { needsOf } from './rules/needs.ts'
import type { Capability } from './rules/review/sheet.ts'
import { EVERY_AGENT, type Skill, supports } from './rules/skill.ts'
import { publisherOf } from './rules/source-name.ts'

/** How the lock of one skill, pack or rule changed. */
export interface LockMove {
  /** With its kind, unless it is a skill: `pack:x`. */
  name: string
  kind: 'added' | 'updated' | 'removed'
  source: string
  from?: string
  to?: string
  /** Unified diff of its files, if it was updated. */
  diff?: string
  /** What the new version can do and the old one could not. */
  review: Capability[]
}

/** Where loadout.json and loadout.lock disagree. */
export function compareParts({ wanted, lock, agents }: Manifest): Finding[] {
  const names = new Set(lock.skills.map(({ name }) => name))
  const asked = withProfile(wanted.skills, lock.profile)
  const profileRow = (row: 'unlocked' | 'extra', name = '') =>
    report(`LOCK_MISMATCH/${row}`, { what: 'profile', name, key: 'skills' }, { subject: name })
  const isSameProfile = wanted.profile === lock.profile?.name
  return [
    ...compareWithLock(asked, lock.skills, 'skill'),
    ...TEXT_KINDS.flatMap((kind) => compareWithLock(wanted[keyOfKind(kind)], lock[keyOfKind(kind)], kind)),
    ...(isSameProfile || wanted.profile === undefined ? [] : [profileRow('unlocked', wanted.profile)]),
    ...(isSameProfile || wanted.profile !== undefined ? [] : [profileRow('extra', lock.profile?.name)]),
    ...lock.skills.flatMap(({ name, requires }) =>
      requires
        .filter((needed) => !names.has(needed))
        .map((needed) => report('LOCK_MISMATCH/needs', { name, needed }, { subject: name })),
    ),
    ...unneeded(asked, lock.skills).flatMap((name): Finding[] => {
      const { from } = lock.skills.find((each) => each.name === name) ?? { from: '' }
      if (!Object.hasOwn(asked, from)) return []
      return [report('LOCK_MISMATCH/extra', { what: 'skill', name, key: from }, { subject: name })]
    }),
    ...lock.skills.flatMap(({ name, copies }) => {
      const known = Object.keys(copies)
      const isMissing = known.length > 0 && known.some((id) => !agents.includes(id))
      return isMissing ? [report('LOCK_MISMATCH/agents', { name, agents: known.join(', ') }, { subject: name })] : []
    }),
  ]
}

/** The sources of a manifest, each fetched and looked through at most once for a command. */
export class ManifestSources {
  private readonly manifest: Pick<Manifest, 'machine' | 'project'>
  private readonly scratch: string
  private readonly signal: AbortSignal | undefined
  private readonly opened = new Map<string, Promise<OpenSource>>()
  private readonly seen = new Map<string, SourceSkills>()

  constructor(manifest: Pick<Manifest, 'machine' | 'project'>, scratch: string, signal: AbortSignal | undefined) {
    this.manifest = manifest
    this.scratch = scratch
    this.signal = signal
  }

  async open(key: string) {
    const address = addressOf(key)
    const opening = this.opened.get(key) ?? this.fetch(address)
    this.opened.set(key, opening)
    return { ...address, source: await opening }
  }

  /** What a source offers. A skill whose copies disagree is offered by its folders. Throws if it has no skill. */
  async skills(key: string): Promise<SourceSkills> {
    const known = this.seen.get(key)
    if (known !== undefined) return known
    const { source } = await this.open(key)
    let candidates: ReturnType<typeof readSource>['candidates']
    try {
      ;({ candidates } = readSource(source, [], { enabled: [EVERY_AGENT] }))
    } catch (error) {
      // The temporary folder says nothing to a person.
      throw rewordError(error, (text) => text.replaceAll(source.root, key))
    }
    const skills = new Map<string, ForeignSkill>()
    const offers = candidates.flatMap(({ name, merged, copies, problem }): SourceSkills['offers'] => {
      const found = merged ?? copies[0]
      if (found === undefined) return []
      skills.set(name, found)
      const { folder = '', plugin } = found.found ?? {}
      return [{ name, folder, plugin, problem, description: found.skill.description, needs: needsOf(found.skill) }]
    })
    const all = { source, skills, offers }
    this.seen.set(key, all)
    return all
  }

  /** Fetches the present version of a source into the cache, and writes its files below the scratch folder. */
  private async fetch({ key, url, ref, folder }: SourceAddress): Promise<OpenSource> {
    const { machine, project } = this.manifest
    const name = `source-${this.opened.size}`
    const refused = (problem: string) => failWith('MANIFEST/address', { key, problem })
    if (url === undefined) {
      const root = join(project, folder)
      if (!isFolder(root)) throw refused('it does not exist')
      if (staysInside(project, folder)) return { root, part: folder }
      throw refused('it leads out of the project')
    }
    const ask = ['remote', 'get-url', 'origin']
    const own = await new Repository(machine, project).git(ask, { okCodes: [0, 2, 128] })
    const self = [own.stdout.trim(), project, `file://${project}`].filter((each) => each !== '').map(publisherOf)
    if (self.includes(publisherOf(url))) throw refused('it is the project itself')
    const isShort = ref !== undefined && /^[0-9a-f]{7,39}$/.test(ref)
    // Only a whole clone knows the commits that a short id can mean; a branch or tag of such a name goes first.
    const wanted = !isShort
      ? ref
      : await withScratch(async (scratch) => {
          await cloneRepository(machine, url, join(scratch, 'clone'))
          return new Repository(machine, join(scratch, 'clone')).commitOf(ref)
        })
    const { repo, head } = await fetchSourceRepo(machine, url, { ref: wanted, commits: [], signal: this.signal })
    const found = await checkOutSnapshot({ repo, commit: head, folder, isForeign: true }, this.scratch, name)
    if (found === undefined) throw refused(`it has no folder ${folder}`)
    return { root: found, part: folder, commit: head }
  }
}

/** A source of loadout.json, with its files at one commit. */
export interface OpenSource {
  /** The folder with the part that the address names. */
  root: string
  /** That part: empty for the whole source. */
  part: string
  commit?: string
}

interface SourceSkills {
  source: OpenSource
  skills: ReadonlyMap<string, ForeignSkill>
  offers: (OfferedSkill & { description: string; problem?: string })[]
}

/**
 * The manifest with a lock for everything that it asks for. Sources that skills need by address become part of it.
 * `moves`: the sources whose version may move; otherwise only what is missing is locked.
 */
export async function lockAll(
  manifest: Manifest,
  sources: ManifestSources,
  moves: ReadonlySet<string> = new Set(),
): Promise<{ manifest: Manifest; findings: Finding[] }> {
  const { lock } = manifest
  const findings: Finding[] = []
  const open = (key: string) => sources.open(key)
  // What is locked stays, unless it moves; only what is missing is taken from the present version of its source.
  const keptOf = (key: string) => (moves.has(key) ? [] : rowsOf(key, lock.skills))
  const profile = await lockProfile(manifest, moves, open)
  let written = manifest.wanted.skills
  let wanted = withProfile(written, profile)
  const hasGap = (key: string) =>
    compareWithLock(
      { [key]: wanted[key] ?? [] },
      lock.skills.filter(({ from }) => from === key),
      'skill',
    ).length > 0
  // A source that nothing asks about is known by its lock; if that is not enough, it is asked too.
  const offersOf = async (isAll: boolean) => {
    const offered = new Map<string, readonly OfferedSkill[]>()
    for (const key of Object.keys(wanted)) {
      const known = keptOf(key).map(({ name, folder, plugin, requires }): OfferedSkill => {
        return { name, folder, plugin, needs: requires.map((needed) => ({ name: needed, isSure: true })) }
      })
      const isAsked = isAll || hasGap(key) || moves.has(key)
      const others = isAsked ? (await sources.skills(key)).offers : []
      offered.set(key, [...known, ...others.filter(({ name }) => !known.some((each) => each.name === name))])
    }
    return offered
  }
  for (let round = 0; ; round++) {
    let choice: ReturnType<typeof chooseWanted>
    try {
      choice = chooseWanted(wanted, await offersOf(false))
    } catch (error) {
      if (!(error instanceof LoadoutError) || error.code !== 'NEEDS') throw error
      choice = chooseWanted(wanted, await offersOf(true))
    }
    if (choice.missing.length > 0 && round < 20) {
      for (const { source, name } of choice.missing) {
        addressOf(source)
        written = { ...written, [source]: [...new Set([...(written[source] ?? []), name])] }
        wanted = withProfile(written, profile)
      }
      continue
    }
    const skills: LockedSkill[] = []
    for (const { name, from, requires } of choice.skills) {
      const before = lock.skills.find((row) => row.name === name)
      const kept = keptOf(from).find((row) => row.name === name)
      const row = kept
        ? { ...kept, requires }
        : lockOne(manifest, name, from, requires, before, await sources.skills(from))
      const agents = written[from]?.some((word) => namedBy(word, [row]).length > 0) ? [] : profile?.skills[from]?.[name]
      skills.push({ ...row, agents: agents?.length ? agents : undefined })
    }
    findings.push(...choice.findings)
    const [packs, rules] = [
      await lockTexts(manifest, 'pack', moves, open),
      await lockTexts(manifest, 'rule', moves, open),
    ]
    const next = { ...manifest.wanted, skills: written }
    const locked = { skills: sortedBy(skills, (row) => row.name), packs, rules, profile }
    return { manifest: manifest.with({ wanted: next, lock: locked }), findings }
  }
}

/** What the profile of the manifest asks for: from every source of skills that has a profile of this name. */
async function lockProfile(
  { wanted: { skills, profile: name }, lock }: Manifest,
  moves: ReadonlySet<string>,
  open: (key: string) => Promise<{ source: OpenSource }>,
): Promise<LockedProfile | undefined> {
  if (name === undefined) return undefined
  if (lock.profile?.name === name && !Object.keys(skills).some((key) => moves.has(key))) return lock.profile
  const found: LockedProfile = { name, skills: {} }
  for (const key of Object.keys(skills).sort(compareText)) {
    const profile = readLibraryProfiles((await open(key)).source.root).profiles.get(name)
    if (profile !== undefined) found.skills[key] = profile
  }
  if (Object.keys(found.skills).length > 0) return found
  throw failWith('MANIFEST/no-profile', { name, keys: Object.keys(skills).join(', ') || 'no source' })
}

/** Pins one skill. If its files are those that are locked already, everything about it stays. */
function lockOne(
  { machine, versions }: Manifest,
  name: string,
  from: string,
  requires: string[],
  before: LockedSkill | undefined,
  { source, skills }: SourceSkills,
): LockedSkill {
  const found = skills.get(name)
  if (found === undefined) throw failWith('MANIFEST/not-offered', { what: 'skill', word: name, key: from })
  const { url, ref } = addressOf(from)
  const { folder = source.part, plugin } = found.found ?? {}
  const { treeHash: digest } = found
  const isSame = before?.digest === digest && before.folder === folder && before.url === url && before.ref === ref
  if (isSame) return { ...before, from, plugin, requires }
  const at = secondOf(machine)
  const isUnchanged = before?.digest === digest
  const kept = isUnchanged ? { allows: before.allows, approved: before.approved } : { allows: {} }
  const row = { name, from, url, folder, plugin, ref, commit: source.commit, digest, at, requires, copies: {}, ...kept }
  if (!isFolder(versions.placeOf(row))) versions.keepSkill(row, found)
  return row
}

/**
 * Fetches what the cache lacks, and fills the lock: what the user of this machine has allowed in addition, and the hash of
 * each copy. A frozen lock stays as it is, and must fit.
 */
export async function settle(
  manifest: Manifest,
  frozen: boolean,
  signal: AbortSignal | undefined,
): Promise<{ manifest: Manifest; fetched: string[]; findings: Finding[]; answers: TextAnswers }> {
  const { machine, project, agents, lock, versions } = manifest
  const restore = (rows: readonly LockedSkill[]) => versions.restore(rows, { signal })
  const { fetched, findings } = await restore(lock.skills)
  for (const kind of TEXT_KINDS) {
    const texts = await versions.restore(lock[keyOfKind(kind)], { signal, kind })
    fetched.push(...texts.fetched)
    findings.push(...texts.findings)
  }
  const repo = new Repository(machine, project)
  const registry = manifest.registry()
  const sheets = await sheetsOf(repo, registry, signal)
  const answers = readAnswers(repo)
  const builder = createBuilder()
  const copiesOf = (row: LockedSkill): Record<string, string> => {
    const [registered] = manifest.registry([row]).skills
    const { skill, version } = registered ?? {}
    const supported = agents.filter((id) => skill !== undefined && supports(skill, id))
    if (skill === undefined || version === undefined) return {}
    return Object.fromEntries(supported.map((id) => [id, hashBuild(builder(version.place, skill, id))]))
  }
  const skills: LockedSkill[] = []
  for (const [at, row] of lock.skills.entries()) {
    const sheet = (sheets.get(row.name) ?? []).filter(({ isUsual }) => !isUsual)
    const known = new Set(Object.values(row.allows))
    const skill = registry.skills[at]?.skill as Skill
    const allowed = sheet.filter((each) => known.has(each.id) || answers.allow(skill, each))
    const isMore = !frozen && allowed.some(({ id }) => !known.has(id))
    const allows = Object.fromEntries(allowed.map((each) => [coverName(each), each.id]))
    const agreed = isMore ? { ...row, allows, approved: { by: await userName(repo), at: secondOf(machine) } } : row
    const isLocked = (copies: Record<string, string>) => agents.every((id) => copies[id] === row.copies[id])
    let copies = copiesOf(agreed)
    if (!isMore && Object.keys(row.copies).length > 0 && !isLocked(copies)) {
      // The cache may be damaged. If its files are right, another version of Loadout wrote the lock.
      versions.forget(row)
      await restore([row])
      copies = copiesOf(agreed)
      if (frozen && !isLocked(copies)) throw failWith('LOCK_MISMATCH/built', { name: row.name })
    }
    skills.push({ ...agreed, copies })
  }
  const textAnswers = readTextAnswers(manifest)
  const agreed = await Promise.all(
    TEXT_KINDS.map((kind) =>
      Promise.all(
        lock[keyOfKind(kind)].map(async (row) => {
          const isNew = !frozen && row.approved === undefined && gate(textAnswers.of(kind, row)) === undefined
          return isNew ? { ...row, approved: { by: await userName(repo), at: secondOf(machine) } } : row
        }),
      ),
    ),
  )
  const [packs = [], rules = []] = agreed
  const next = manifest.with({ lock: { ...lock, skills, packs, rules } })
  return { manifest: next, fetched, findings, answers: textAnswers }
}

function secondOf(machine: Machine): string {
  return machine
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
}

/** As commits of the project would name the user. */
async function userName(repo: Repository): Promise<string> {
  const { stdout } = await repo.git(['var', 'GIT_AUTHOR_IDENT'], { okCodes: [0, 1, 128] })
  return /^(.*>) /.exec(stdout.trim())?.[1] ?? repo.machine.env.USER ?? 'unknown'
}

/** What changes between two locks, with the difference of the files that are updated. */
export async function movesOf(before: Manifest, after: Manifest): Promise<LockMove[]> {
  const { machine, project, versions } = before
  const repo = new Repository(machine, project)
  const sheets = await sheetsOf(repo, after.registry(), undefined)
  const acts = (name: string, from = sheets) => (from.get(name) ?? []).filter(({ isUsual }) => !isUsual)
  const skills = await movesOfKind(repo, before.lock.skills, after.lock.skills, {
    placeOf: (row) => versions.placeOf(row),
    async reviewOf(row, was) {
      const isKnown = was !== undefined && isFolder(versions.placeOf(was))
      if (!isKnown) return acts(row.name)
      const old = await sheetsOf(repo, before.registry([was]), undefined)
      const had = new Set(acts(row.name, old).map(({ id }) => id))
      return acts(row.name).filter(({ id }) => !had.has(id))
    },
  })
  const texts = await Promise.all(
    TEXT_KINDS.map(async (kind) => {
      const placeOf = (row: LockedText) => {
        const place = versions.placeOf(row, kind)
        return kind === 'rule' ? dirname(place) : place
      }
      const moved = await movesOfKind(repo, before.lock[keyOfKind(kind)], after.lock[keyOfKind(kind)], { placeOf })
      return moved.map((each) => ({ ...each, name: `${kind}:${each.name}` }))
    }),
  )
  return [...skills, ...texts.flat()]
}

async function movesOfKind<Row extends LockedText>(
  repo: Repository,
  before: readonly Row[],
  after: readonly Row[],
  { placeOf, reviewOf }: { placeOf(row: Row): string; reviewOf?(row: Row, was?: Row): Promise<Capability[]> },
): Promise<LockMove[]> {
  const earlier = new Map(before.map((row) => [row.name, row]))
  const moves: LockMove[] = []
  for (const row of after) {
    const { name, url, from, commit: to } = row
    const was = earlier.get(name)
    earlier.delete(name)
    if (was !== undefined && versionKey(was) === versionKey(row)) continue
    const move = { name, source: url ?? from, to, review: (await reviewOf?.(row, was)) ?? [] }
    if (was === undefined) {
      moves.push({ ...move, kind: 'added' })
      continue
    }
    const old = isFolder(placeOf(was)) ? placeOf(was) : undefined
    const diff = await withScratch((scratch) => diffSkillFolders(repo.at(scratch), name, old, placeOf(row)))
    moves.push({ ...move, kind: 'updated', from: was.commit, diff })
  }
  const gone = [...earlier.values()].map(({ name, url, from, commit }): LockMove => {
    return { name, kind: 'removed', source: url ?? from, from: commit, review: [] }
  })
  return [...moves, ...gone]
}

export const SIGNATURE_FILE = `${LOCK_FILE}.sig`

const PURPOSE = 'loadout-lock'

/**
 * Throws unless a signature of the lock is from an allowed signer. Who they are is known to this machine only: from the
 * request, or from git. Without them a signature proves nothing.
 */
export async function checkSignature(
  { machine, project }: Manifest,
  { signers: named, sign: key }: { signers?: string; sign?: string },
): Promise<Finding[]> {
  if (key !== undefined) return []
  const repo = new Repository(machine, project)
  const asked = ['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile']
  const file = named ?? (await repo.git(asked, { okCodes: [0, 1] })).stdout.trim()
  const refuse = (problem: string) => failWith('LOCK_INVALID/signature', { problem, signers: file })
  if (!exists(join(project, SIGNATURE_FILE))) {
    if (named !== undefined) throw refuse('is missing')
    return []
  }
  if (file === '') return [report('LOCK_INVALID/unknown-signer')]
  const [signers, signature] = [readText(machine.resolve(file)), readTextInside(project, SIGNATURE_FILE)]
  const ssh = new SshSignatures(machine)
  const by = await ssh.signerOf(signers, signature)
  if (by === undefined) throw refuse(`is not from a signer in ${file}`)
  const text = readText(join(project, LOCK_FILE))
  if (!(await ssh.isSigned(signers, { by, text, signature, purpose: PURPOSE }))) throw refuse('does not fit it')
  return [report('LOCK_INVALID/signed', { by })]
}

/** The signature of the lock with an SSH key; an empty text for the usual one. */
export function signLock({ machine, lock }: Manifest, named: string): Promise<string> {
  const ssh = new SshSignatures(machine)
  return ssh.sign(ssh.key(named || undefined), formatLock(lock), PURPOSE)
}
