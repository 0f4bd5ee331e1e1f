import { join } from 'node:path'
import { exists, isFolder, readText } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { isSigned, signerOf } from '../machine/ssh-signature.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { sortedBy } from '../text/values.ts'
import { readSource } from './candidates.ts'
import { diffSkillFolders } from './disk/library-git.ts'
import { versionPlace } from './disk/registry.ts'
import { forgetVersion, keepSkill, type OpenSource, openAddress, restoreVersions } from './disk/source-repo.ts'
import { createBuilder, hashBuild } from './disk/tree.ts'
import { coverName, readAnswers, sheetsOf } from './gate.ts'
import { lockedRegistry, type Manifest } from './installs.ts'
import type { RunOptions } from './observe.ts'
import type { ForeignSkill } from './rules/candidates.ts'
import {
  ALL,
  addressOf,
  chooseWanted,
  compareWithLock,
  LOCK_FILE,
  type LockedSkill,
  needsOf,
  type OfferedSkill,
  unneeded,
  versionKey,
} from './rules/manifest.ts'
import type { Capability } from './rules/review/sheet.ts'
import { EVERY_AGENT, type Skill, supports } from './rules/skill.ts'

/** How the lock of one skill changed. */
export interface SkillMove {
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

export const SIGNATURE_FILE = `${LOCK_FILE}.sig`

export const PURPOSE = 'loadout-lock'

/**
 * Throws unless a signature of the lock is from an allowed signer. Who they are is known to this machine only: from the
 * request, or from git. Without them a signature proves nothing.
 */
export async function checkSignature(
  machine: Machine,
  project: string,
  { signers: named, sign: key }: { signers?: string; sign?: string },
): Promise<Finding[]> {
  if (key !== undefined) return []
  const repo = new Repository(machine, project)
  const asked = ['config', '--type=path', '--get', 'gpg.ssh.allowedSignersFile']
  const file = named ?? (await repo.git(asked, { okCodes: [0, 1] })).stdout.trim()
  const place = join(project, SIGNATURE_FILE)
  const refuse = (problem: string) => failWith('LOCK_INVALID/signature', { problem, signers: file })
  if (!exists(place)) {
    if (named !== undefined) throw refuse('is missing')
    return []
  }
  if (file === '') return [report('LOCK_INVALID/unknown-signer')]
  const [signers, signature] = [readText(machine.resolve(file)), readTextInside(project, SIGNATURE_FILE)]
  const by = await signerOf(machine, signers, signature)
  if (by === undefined) throw refuse(`is not from a signer in ${file}`)
  const text = readText(join(project, LOCK_FILE))
  if (!(await isSigned(machine, signers, { by, text, signature, purpose: PURPOSE }))) throw refuse('does not fit it')
  return [report('LOCK_INVALID/signed', { by })]
}

export function compareParts({ wanted, lock, agents }: Manifest): Finding[] {
  const names = new Set(lock.skills.map(({ name }) => name))
  return [
    ...compareWithLock(wanted.skills, lock.skills, 'skill'),
    ...lock.skills.flatMap(({ name, requires }) =>
      requires
        .filter((needed) => !names.has(needed))
        .map((needed) => report('LOCK_MISMATCH/needs', { name, needed }, { subject: name })),
    ),
    ...unneeded(wanted.skills, lock.skills).flatMap((name): Finding[] => {
      const { from } = lock.skills.find((each) => each.name === name) ?? { from: '' }
      if (!Object.hasOwn(wanted.skills, from)) return []
      return [report('LOCK_MISMATCH/extra', { what: 'skill', name, key: from }, { subject: name })]
    }),
    ...lock.skills.flatMap(({ name, copies }) => {
      const known = Object.keys(copies)
      const isMissing = known.length > 0 && known.some((id) => !agents.includes(id))
      return isMissing ? [report('LOCK_MISMATCH/agents', { name, agents: known.join(', ') }, { subject: name })] : []
    }),
  ]
}

/** The manifest with a lock for everything that it asks for. Sources that skills need by address become part of it. */
export async function lockAll(
  machine: Machine,
  manifest: Manifest,
  request: RunOptions & {
    /** The names that may move; undefined for none, so that only what is missing is locked. */
    moves?: (row: LockedSkill) => boolean
  },
): Promise<{ manifest: Manifest; findings: Finding[] }> {
  return withScratch(async (scratch) => {
    const { project, lock } = manifest
    const findings: Finding[] = []
    const opened = new Map<string, { source: OpenSource; skills: Map<string, ForeignSkill>; offers: OfferedSkill[] }>()
    let wanted = manifest.wanted.skills
    const open = async (key: string) => {
      const known = opened.get(key)
      if (known !== undefined) return known
      const kept = lock.skills.find((row) => row.from === key && request.moves?.(row) !== true)
      const address = addressOf(key)
      const isSame = kept?.url === address.url && (address.ref === undefined || kept?.ref === address.ref)
      const commit = isSame ? kept?.commit : undefined
      const source = await openAddress(machine, project, address, scratch, { commit, signal: request.signal })
      // What a source offers. A skill whose copies disagree is offered by its folders.
      const { candidates } = readSource(source, [], { enabled: [EVERY_AGENT] })
      const skills = new Map<string, ForeignSkill>()
      const offers = candidates.flatMap(({ name, merged, copies }) => {
        const found = merged ?? copies[0]
        if (found === undefined) return []
        skills.set(name, found)
        const { folder = '', plugin } = found.found ?? {}
        return [{ name, folder, plugin, needs: needsOf(found.skill) }]
      })
      const read = { skills, offers }
      opened.set(key, { source, ...read })
      return { source, ...read }
    }
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
        const rows = lock.skills.filter(({ from }) => from === key)
        const isAsked = isAll || hasGap(key) || rows.some((row) => request.moves?.(row)) || wanted[key]?.includes(ALL)
        offered.set(
          key,
          isAsked
            ? (await open(key)).offers
            : rows.map(({ name, folder, requires }): OfferedSkill => {
                return { name, folder, needs: requires.map((needed) => ({ name: needed, isSure: true })) }
              }),
        )
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
          wanted = { ...wanted, [source]: [...new Set([...(wanted[source] ?? []), name])] }
        }
        continue
      }
      const skills: LockedSkill[] = []
      for (const { name, from, requires } of choice.skills) {
        const before = lock.skills.find((row) => row.name === name)
        const isKept = before?.from === from && !hasGap(from) && request.moves?.(before) !== true
        skills.push(isKept ? { ...before, requires } : lockOne(machine, name, from, requires, before, await open(from)))
      }
      findings.push(...choice.findings)
      const next = { ...manifest.wanted, skills: wanted }
      return {
        manifest: { ...manifest, wanted: next, lock: { ...lock, skills: sortedBy(skills, (row) => row.name) } },
        findings,
      }
    }
  })
}

/** Pins one skill. If its files are those that are locked already, everything about it stays. */
function lockOne(
  machine: Machine,
  name: string,
  from: string,
  requires: string[],
  before: LockedSkill | undefined,
  { source, skills }: { source: OpenSource; skills: ReadonlyMap<string, ForeignSkill> },
): LockedSkill {
  const found = skills.get(name)
  if (found === undefined) throw failWith('MANIFEST/not-offered', { word: name, key: from })
  const { url, ref } = addressOf(from)
  const folder = found.found?.folder ?? source.part
  const { treeHash: digest } = found
  const isSame = before?.digest === digest && before.folder === folder && before.url === url && before.ref === ref
  if (isSame) return { ...before, from, requires }
  const at = secondOf(machine)
  const isUnchanged = before?.digest === digest
  const kept = isUnchanged ? { allows: before.allows, approved: before.approved } : { allows: {} }
  const row = { name, from, url, folder, ref, commit: source.commit, digest, at, requires, copies: {}, ...kept }
  if (!isFolder(versionPlace(machine, versionKey(row), name))) keepSkill(machine, row, found)
  return row
}

/**
 * Fetches what the cache lacks, and fills the lock: what the user of this machine has allowed in addition, and the hash of
 * each copy. A frozen lock stays as it is, and must fit.
 */
export async function settle(
  machine: Machine,
  manifest: Manifest,
  frozen: boolean,
  signal: AbortSignal | undefined,
): Promise<{ manifest: Manifest; fetched: string[]; findings: Finding[] }> {
  const { project, agents, lock } = manifest
  const restore = (rows: readonly LockedSkill[]) => restoreVersions(machine, project, rows, signal)
  const { fetched, findings } = await restore(lock.skills)
  const repo = new Repository(machine, project)
  const registry = lockedRegistry(machine, lock.skills)
  const sheets = await sheetsOf(repo, registry, signal)
  const answers = readAnswers(repo)
  const builder = createBuilder()
  const copiesOf = (row: LockedSkill): Record<string, string> => {
    const [registered] = lockedRegistry(machine, [row]).skills
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
      forgetVersion(machine, row)
      await restore([row])
      copies = copiesOf(agreed)
      if (frozen && !isLocked(copies)) throw failWith('LOCK_MISMATCH/built', { name: row.name })
    }
    skills.push({ ...agreed, copies })
  }
  return { manifest: { ...manifest, lock: { ...lock, skills } }, fetched, findings }
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
export async function movesOf(machine: Machine, before: Manifest, { lock }: Manifest): Promise<SkillMove[]> {
  const earlier = new Map(before.lock.skills.map((row) => [row.name, row]))
  const moves: SkillMove[] = []
  const repo = new Repository(machine, before.project)
  const sheets = await sheetsOf(repo, lockedRegistry(machine, lock.skills), undefined)
  for (const row of lock.skills) {
    const was = earlier.get(row.name)
    earlier.delete(row.name)
    if (was !== undefined && versionKey(was) === versionKey(row)) continue
    const source = row.url ?? row.from
    const sheet = (sheets.get(row.name) ?? []).filter(({ isUsual }) => !isUsual)
    const move = { name: row.name, source, to: row.commit, review: sheet }
    if (was === undefined) {
      moves.push({ ...move, kind: 'added' })
      continue
    }
    const [old, now] = [was, row].map((each) => versionPlace(machine, versionKey(each), each.name))
    const known =
      old !== undefined && isFolder(old) ? await sheetsOf(repo, lockedRegistry(machine, [was]), undefined) : new Map()
    const had = new Set((known.get(row.name) ?? []).map(({ id }: Capability) => id))
    const diff = await withScratch((scratch) =>
      diffSkillFolders(repo.at(scratch), row.name, old !== undefined && isFolder(old) ? old : undefined, now),
    )
    moves.push({ ...move, kind: 'updated', from: was.commit, diff, review: sheet.filter(({ id }) => !had.has(id)) })
  }
  const gone = [...earlier.values()]
  return [
    ...moves,
    ...gone.map(
      ({ name, url, from, commit }): SkillMove => ({
        name,
        kind: 'removed',
        source: url ?? from,
        from: commit,
        review: [],
      }),
    ),
  ]
}
