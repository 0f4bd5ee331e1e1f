import { basename, dirname, join } from 'node:path'
import { exists, isFolder } from '../machine/files.ts'
import { readTextInside } from '../machine/inside.ts'
import { realOrSame } from '../machine/open-project.ts'
import type { Approval, Decision } from '../machine/rules/approval.ts'
import { answerFacts, type GateFacts, gate } from '../machine/rules/gate.ts'
import { Walk } from '../machine/walk.ts'
import { answerElsewhere, Packs, pinPack } from '../packs/catalog.ts'
import { PACK_FILE } from '../packs/rules/pack.ts'
import { approvePack } from '../packs/sections.ts'
import { isPayloadPath } from '../payloads/index-build.ts'
import { readFrontmatter } from '../payloads/rules/frontmatter.ts'
import { listed } from '../text/count.ts'
import { pathProblem } from '../text/paths.ts'
import { type Finding, failWith, report } from '../text/trouble.ts'
import { compareText, sortedBy } from '../text/values.ts'
import { Backups } from './disk/apply.ts'
import { copyPath, hashPath } from './disk/tree.ts'
import type { TextRecords } from './disk/versions.ts'
import { type Manifest, withManifest } from './installs.ts'
import type { WaitingSkill } from './observe.ts'
import type { OpenSource } from './project-lock.ts'
import { keyOfKind, type LockedText, RULE_NAME, TEXT_KINDS, type TextKind } from './rules/lock.ts'
import { ALL, missingWords, rowsOf } from './rules/manifest.ts'
import { nameProblem } from './rules/skill.ts'

// Packs and rules of a manifest. They lie where the project's own lie, so that everything which reads those finds them:
// a pack waits there for its approval; a rule is read without one, so it is put there after a person has agreed to it.
const PLACES: Record<TextKind, (name: string) => string> = {
  pack: (name) => `.loadout/knowledge/${name}`,
  rule: (name) => `.claude/loadout/shared/${name}.md`,
}

interface OfferedText {
  name: string
  /** Its folder or file in the repository. */
  folder: string
  path: string
}

/** The packs or rules of a source: folders with a KNOWLEDGE.md, and files of folders for rules that say when they are needed. */
export function offeredTexts(kind: TextKind, { root, part }: OpenSource, url = ''): OfferedText[] {
  const found: OfferedText[] = []
  const walk = new Walk(root, { ignore: ['versions', 'dependencies'], mostFolders: 20_000 })
  for (const { inside, entries, enter } of walk.folders()) {
    const folder = [part, inside].filter(Boolean).join('/')
    if (kind === 'pack' && entries.some((entry) => entry.name === PACK_FILE && entry.kind === 'file')) {
      const name = basename(folder) || basename(url, '.git').toLowerCase()
      if (nameProblem(name) === undefined) found.push({ name, folder, path: join(root, inside) })
      continue
    }
    for (const { name, kind: entryKind, isIgnored } of entries) {
      if (entryKind === 'folder' && !isIgnored) enter(name)
      const isRule = kind === 'rule' && entryKind === 'file' && /(?:^|\/)(?:rules|loadout)(?:\/|$)/.test(folder)
      if (!isRule || !/\.mdc?$/.test(name)) continue
      const rule = ruleAt({ root, part }, [inside, name].filter(Boolean).join('/'))
      if (rule !== undefined) found.push(rule)
    }
  }
  return sortedBy(found, ({ folder }) => folder)
}

/** Undefined unless the file says when it is needed: no agent would get it. */
function ruleAt({ root, part }: OpenSource, inside: string): OfferedText | undefined {
  const name = basename(inside).replace(/\.mdc?$/, '')
  const isRule = RULE_NAME.test(name) && readFrontmatter(readTextInside(root, inside), name).frontmatter !== null
  return isRule ? { name, folder: [part, inside].filter(Boolean).join('/'), path: join(root, inside) } : undefined
}

/** What a word of loadout.json names: everything, a name, or a path in the repository. */
function textsOf(kind: TextKind, source: OpenSource, { key, url }: { key: string; url?: string }, word: string) {
  const offered = offeredTexts(kind, source, url).filter(
    ({ name, folder }) => word === ALL || word === name || word === folder,
  )
  if (offered.length > 0 || word === ALL) return offered
  const inside = source.part === '' ? word : word.replace(`${source.part}/`, '')
  const path = join(source.root, inside)
  const isThere = pathProblem(inside) === undefined && exists(path)
  if (isThere && kind === 'rule' && !isFolder(path)) {
    const rule = ruleAt(source, inside)
    if (rule === undefined) throw failWith('MANIFEST/not-routed', { word, key })
    return [rule]
  }
  const isBundle = isThere && kind === 'pack' && isFolder(path) && nameProblem(basename(word)) === undefined
  if (isBundle) return [{ name: basename(word), folder: [source.part, inside].filter(Boolean).join('/'), path }]
  throw failWith('MANIFEST/not-offered', { what: kind, word, key })
}

/** The rows of one kind for everything that a manifest asks for. Opens only sources with something new or moving. */
export async function lockTexts(
  { machine, wanted, lock, versions }: Manifest,
  kind: TextKind,
  moves: ReadonlySet<string>,
  open: (key: string) => Promise<{ source: OpenSource; url?: string; ref?: string }>,
): Promise<LockedText[]> {
  const asked = wanted[keyOfKind(kind)]
  const before = lock[keyOfKind(kind)]
  const rows = new Map<string, LockedText>()
  const at = machine
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
  for (const from of Object.keys(asked).sort(compareText)) {
    const words = asked[from] ?? []
    const kept = moves.has(from)
      ? []
      : rowsOf(from, before).filter((row) => missingWords(words, [row]).length < words.length)
    const missing = missingWords(words, kept)
    for (const row of [...kept, ...(missing.length > 0 ? await lockWords(from, missing) : [])]) {
      const other = rows.get(row.name)
      if (other !== undefined && (other.from !== from || other.folder !== row.folder)) {
        const [first, second] = [`${other.from} ${other.folder}`, `${from} ${row.folder}`]
        throw failWith('NEEDS/conflict', { what: kind, name: row.name, first, second, why: 'loadout.json' })
      }
      rows.set(row.name, row)
    }
  }
  return sortedBy([...rows.values()], ({ name }) => name)

  async function lockWords(from: string, words: readonly string[]): Promise<LockedText[]> {
    const { source, url, ref } = await open(from)
    return words
      .flatMap((word) => textsOf(kind, source, { key: from, url }, word))
      .map(({ name, folder, path }) => {
        const digest = hashPath(path)
        const same = before.find((row) => row.name === name && row.digest === digest)
        if (same?.folder === folder && same.url === url && same.ref === ref) return { ...same, from }
        const row: LockedText = { name, from, url, folder, ref, commit: source.commit, digest, at }
        versions.keepText(kind, row, path)
        return { ...row, approved: same?.approved }
      })
  }
}

/** What a person on this machine answered about the packs and rules of a lock. */
export interface TextAnswers {
  of(kind: TextKind, row: LockedText): GateFacts
}

/** The answers of this machine. What was agreed to in another project counts for exactly the same text. */
export function readTextAnswers({ machine, project, lock, versions }: Manifest): TextAnswers {
  const { approvals } = machine.approvals.read()
  const root = realOrSame(project)
  const places = new Map(lock.packs.map((row) => [realOrSame(versions.placeOf(row, 'pack')), row.name]))
  const seen = places.size === 0 ? [] : new Packs(machine, { project, packs: [...places.keys()] }).catalog.all
  const packs = new Map(seen.flatMap((pack) => [[places.get(pack.root) ?? '', pack] as const]))
  const isRule = (row: LockedText) => (each: Approval) =>
    each.kind === 'rule' && each.name === row.name && each.digest === row.digest && !answerFacts(each).unapproved
  return {
    of(kind, row) {
      const place = kind === 'pack' ? join(root, PLACES.pack(row.name)) : root
      const own = approvals.find((each) => each.kind === kind && each.root === place && each.name === row.name)
      const { denied, held } = answerFacts(own)
      const isSamePack = () => {
        const pack = packs.get(row.name)
        return pack !== undefined && answerElsewhere(approvals, row.name, pinPack(pack).files ?? {}) !== undefined
      }
      const isApproved = !denied && (kind === 'rule' ? approvals.some(isRule(row)) : isSamePack())
      return { denied, held, unapproved: !isApproved }
    },
  }
}

/** Records whether a rule of the manifest may be given to agents. */
export const answerForRule = withManifest(
  async (
    { machine, lock, project },
    { name, decision }: { name: string; decision: Decision; project?: string },
  ): Promise<Approval> => {
    const row = lock.rules.find((each) => each.name === name)
    if (row === undefined) throw failWith('MANIFEST/not-there', { name: `rule:${name}` })
    const about = { kind: 'rule', root: realOrSame(project), name, decision } as const
    return machine.approvals.record({ ...about, digest: answerFacts({ decision }).denied ? undefined : row.digest })
  },
)

export interface TextPlan {
  /** What is put in place or removed, below the project. */
  changes: { path: string; write?: (stage: string) => void }[]
  findings: Finding[]
  waiting: WaitingSkill[]
  /** What Loadout put, or found as pinned, at each path. */
  placed: TextRecords
  /** The packs that a person said yes to, here or for the same text elsewhere, or that the lock answers for. */
  agreed: ReadonlySet<string>
}

/**
 * What happens to the packs and rules of a project. Replaces and removes only what Loadout put there and no person has
 * changed since; anything else only with `replaces`, after a backup.
 */
export function planTexts(
  { machine, project, lock, versions }: Manifest,
  answers: TextAnswers,
  { trustLock = false, frozen = false, replaces = false },
): TextPlan {
  const agreed = new Set<string>()
  const plan: TextPlan = { changes: [], findings: [], waiting: [], placed: {}, agreed }
  const known = versions.texts()
  const digestAt = (path: string) => (exists(join(project, path)) ? hashPath(join(project, path)) : undefined)
  const isOurs = (path: string, digest: string, name: string) => {
    if (known[path]?.includes(digest)) return true
    if (replaces) new Backups(machine).add(join(project, path), name, 'project', digest)
    return replaces
  }
  for (const kind of TEXT_KINDS) {
    for (const row of lock[keyOfKind(kind)]) {
      const { name, digest } = row
      const path = PLACES[kind](name)
      const now = digestAt(path)
      const facts = answers.of(kind, row)
      const isTrusted = trustLock && row.approved !== undefined
      const closed = gate({ ...facts, unapproved: facts.unapproved && !isTrusted })?.reason
      const isAllowed = closed === undefined
      if (isAllowed && kind === 'pack') agreed.add(name)
      const isHeld = !isAllowed && (kind === 'rule' || frozen)
      if (closed === 'denied')
        plan.findings.push(report('QUARANTINED/text-denied', { what: kind, name }, { subject: name }))
      else if (!isAllowed && (kind === 'pack' || now !== digest))
        plan.waiting.push(waitingText(kind, row, versions.placeOf(row, kind)))
      if (now === digest || isHeld) {
        plan.placed[path] = [...(known[path] ?? []), ...(now === digest ? [digest] : [])]
        continue
      }
      if (now !== undefined && !isOurs(path, now, name)) {
        plan.findings.push(report('LOCK_MISMATCH/edited', { path }, { subject: name }))
        continue
      }
      plan.placed[path] = [...(known[path] ?? []), digest]
      const from = versions.placeOf(row, kind)
      plan.changes.push({ path, write: (stage) => copyPath(from, stage) })
    }
  }
  for (const path of Object.keys(known)) {
    const now = digestAt(path)
    if (plan.placed[path] !== undefined || now === undefined) continue
    if (TEXT_KINDS.some((kind) => lock[keyOfKind(kind)].some(({ name }) => PLACES[kind](name) === path))) continue
    if (isOurs(path, now, basename(path))) plan.changes.push({ path })
    else plan.findings.push(report('LOCK_MISMATCH/left', { path }, { subject: path }))
  }
  return plan
}

function waitingText(kind: TextKind, row: LockedText, place: string): WaitingSkill {
  const [folder, file] = kind === 'pack' ? [place, PACK_FILE] : [dirname(place), basename(place)]
  const text = exists(join(folder, file)) ? readTextInside(folder, file).split('\n').slice(0, 200).join('\n') : ''
  return { skill: row.name, kind, open: [], path: place, text }
}

/** What waits, with the one command that answers for all of it. */
export function textFindings(waiting: readonly WaitingSkill[]): Finding[] {
  const texts = waiting.filter(({ kind }) => kind !== undefined)
  if (texts.length === 0) return []
  const names = texts.map(({ kind, skill }) => `${kind}:${skill}`)
  const read = texts.map(({ path = '' }) => path)
  return [report('QUARANTINED/texts', { names: listed(names, 8), read: listed(read, 8), command: names.join(' ') })]
}

/** After the change: the packs in place that were agreed to are approved where they lie now. */
export async function approvePlaced({ machine, project, lock }: Manifest, { agreed }: TextPlan) {
  if (agreed.size === 0) return
  const root = realOrSame(project)
  for (const pack of new Packs(machine, { project }).catalog.all) {
    const row = lock.packs.find(({ name }) => agreed.has(name) && pack.root === join(root, PLACES.pack(name)))
    if (row !== undefined && pack.trust.isUndecided && hashPath(pack.root) === row.digest) {
      await approvePack(machine, pack, { project })
    }
  }
}

/** Where the packs and rules of a project disagree with its lock. */
export function checkTexts({ machine, project, lock, versions }: Manifest): Finding[] {
  const known = versions.texts()
  const findings: Finding[] = []
  const paths = new Set<string>()
  const globs = machine.projectAt(project).settings.payloads
  for (const kind of TEXT_KINDS) {
    for (const { name, digest } of lock[keyOfKind(kind)]) {
      const path = PLACES[kind](name)
      paths.add(path)
      const about = { subject: name }
      const now = exists(join(project, path)) ? hashPath(join(project, path)) : undefined
      if (now === undefined) findings.push(report('LOCK_MISMATCH/missing', { path }, about))
      else if (now !== digest) {
        const row = known[path]?.includes(now) ? 'outdated' : 'edited'
        findings.push(report(`LOCK_MISMATCH/${row}`, { path }, { ...about, severity: 'error' }))
      } else if (kind === 'rule' && !isPayloadPath(path, globs)) {
        findings.push(report('MANIFEST/unseen', { path, globs: globs.join(', ') }, about))
      }
    }
  }
  for (const path of Object.keys(known)) {
    if (!paths.has(path) && exists(join(project, path))) findings.push(report('LOCK_MISMATCH/unlisted', { path }))
  }
  return findings
}
