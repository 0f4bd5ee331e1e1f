import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { Config, requireProject } from '../agents/config.ts'
import { requireAgent } from '../agents/rules/agents.ts'
import { exists, isFile, isFolder, readJson, readText } from '../machine/files.ts'
import { withoutPassword } from '../machine/git-process.ts'
import { withScratch } from '../machine/leftovers.ts'
import type { Machine } from '../machine/machine.ts'
import { findRepository } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import { parseYaml, readValue, YamlError } from '../machine/yaml.ts'
import { listed } from '../text/count.ts'
import { type Finding, failWith, LoadoutError, report } from '../text/trouble.ts'
import { compareText } from '../text/values.ts'
import type { SkillOffer } from './candidates.ts'
import { npxHash } from './disk/foreign-skill.ts'
import { splitPage } from './disk/import-source.ts'
import { writeTreeFile } from './disk/tree.ts'
import { Manifest, withManifest } from './installs.ts'
import { changeManifest, type ManifestChange, outcomeOf, type ProjectOutcome, type ProjectRequest } from './project.ts'
import { lockAll, type ManifestSources, movesOf } from './project-lock.ts'
import { offeredTexts } from './project-texts.ts'
import { asForeign, FOREIGN_FILES, takeOverManifest, WRITTEN_FILES } from './rules/foreign-manifests.ts'
import { TEXT_KINDS, type TextKind } from './rules/lock.ts'
import { ALL, addressOf, namedBy, type Wanted } from './rules/manifest.ts'
import { requireName } from './rules/skill.ts'
import { parseRepositoryName } from './rules/source-name.ts'

export interface AddRequest extends ProjectRequest {
  /** What was typed: an address, a folder, the name of a skill of the library. */
  source: string
  project: string
  /** Skills, and packs and rules as `pack:x` and `rule:x`. */
  names?: readonly string[]
  choose?: (offers: readonly SkillOffer[]) => readonly string[] | undefined
  ref?: string
  /** The agents that get the skills of the project from now on, beside those that do already. */
  agents?: readonly string[]
}

/** Adds skills, packs and rules to the manifest of a project, locks and installs them. The library of the user is not touched. */
export async function addToProject(machine: Machine, request: AddRequest): Promise<ProjectOutcome> {
  const project = requireProject(machine, request.project)
  const enabled = new Config(machine).agentsHere()
  const named = (request.agents ?? []).flatMap((ids) => ids.split(',')).filter((id) => id !== 'all' && id !== '')
  const asked = named.map((id) => requireAgent(id).id)
  const isNew = Manifest.read(machine, project) === undefined
  const read = () => Manifest.read(machine, project) ?? new Manifest(machine, project)
  // The file of another manager in the project that was typed instead of a source.
  const path = machine.resolve(request.source)
  const file = FOREIGN_FILES.find((each) => each === basename(path))
  const foreign = file !== undefined && isFile(path) ? { path, file } : undefined
  // Chosen once, also if the manifest changes in the meantime.
  let chosen: Awaited<ReturnType<typeof chooseWords>> | undefined
  const change = async (before: Manifest, sources: ManifestSources): Promise<ManifestChange> => {
    const agents = isNew ? (asked.length > 0 ? asked : enabled) : [...new Set([...before.agents, ...asked])]
    if (foreign !== undefined) return takeOver(before, sources, foreign, agents)
    const { key, names: own, findings } = await addressFor(machine, project, request)
    chosen ??= await chooseWords(sources, key, { ...request, names: request.names ?? own })
    if ('offers' in chosen) {
      return { stop: { ...outcomeOf(before, request), offers: chosen.offers, isUndecided: true }, findings }
    }
    const { wanted, place } = withWords(before.wanted, key, chosen.words)
    // Everything that a source has is what it has now.
    const isAll = chosen.words.some((word) => word.replace(TEXT_WORD, '$2') === ALL)
    const moved = isAll ? new Set([place]) : undefined
    const locked = await lockAll(before.with({ wanted, agents }), sources, moved)
    const moves = await movesOf(before, locked.manifest)
    return { manifest: locked.manifest, findings: [...findings, ...locked.findings], moves }
  }
  return changeManifest(machine, request, change, read)
}

/** The words for what is wanted of a source: typed, chosen among its skills, or all of them. Else what there is to choose. */
async function chooseWords(
  sources: ManifestSources,
  key: string,
  { names, choose }: AddRequest,
): Promise<{ words: readonly string[] } | { offers: SkillOffer[] }> {
  if (names?.every((name) => TEXT_WORD.test(name))) return { words: names }
  const { source, url } = await sources.open(key)
  const read = await sources.skills(key).catch((error: unknown) => {
    const texts = TEXT_KINDS.flatMap((kind) => offeredTexts(kind, source, url).map(({ name }) => `${kind}:${name}`))
    if (texts.length === 0) throw error
    throw failWith('MANIFEST/only-texts', { key, texts: texts.slice(0, 20).join(' ') })
  })
  const offers = read.offers.map(({ problem: reason, needs: _, ...offer }): SkillOffer => {
    return { ...offer, state: reason === undefined ? 'new' : 'blocked', reason }
  })
  const isAll = names === undefined && choose === undefined
  const chosen = isAll ? [ALL] : (names ?? (offers.length === 1 ? [offers[0]?.name ?? ''] : choose?.(offers)))
  if (chosen === undefined || chosen.length === 0) return { offers }
  const nameOf = (word: string) => offers.find(({ name, folder }) => word === folder && !name.includes('/'))?.name
  return { words: chosen.map((word) => nameOf(word) ?? word) }
}

const TEXT_WORD = /^(pack|rule):(.+)$/

/** The wanted things with these words of a source, and its key: one for each repository, so that one version is named. */
function withWords(wanted: Manifest['wanted'], key: string, words: readonly string[]) {
  const { url, folder, ref } = addressOf(key)
  const isSame = (each: string) => url !== undefined && addressOf(each).url === url && addressOf(each).folder === folder
  const { skills, packs, rules } = wanted
  const known = [skills, packs, rules].flatMap(Object.keys).find(isSame)
  const place = (ref === undefined ? known : undefined) ?? key
  const add = (part: Wanted, more: readonly string[]): Wanted => {
    const same = Object.keys(part).filter((each) => each === place || isSame(each))
    const all = [...same.flatMap((each) => part[each] ?? []), ...more]
    if (more.length === 0 && same.every((each) => each === place)) return part
    const others = Object.entries(part).filter(([each]) => !same.includes(each))
    // Everything that a source has is what lies in its usual places; a path may name something else.
    const needed = all.includes(ALL) ? all.filter((word) => word === ALL || word.includes('/')) : all
    const list = [...new Set(needed)].sort(compareText)
    return { ...Object.fromEntries(others), [place]: list }
  }
  const ofKind = (kind: TextKind) =>
    words.flatMap((word) => (TEXT_WORD.exec(word)?.[1] === kind ? [word.slice(5)] : []))
  const named = words.filter((word) => !TEXT_WORD.test(word))
  const all = { skills: add(skills, named), packs: add(packs, ofKind('pack')), rules: add(rules, ofKind('rule')) }
  return { wanted: { ...wanted, ...all }, place }
}

/** Adds everything that a file of another manager names and that its sources still have. That file stays as it is. */
async function takeOver(
  before: Manifest,
  sources: ManifestSources,
  { path, file }: { path: string; file: (typeof FOREIGN_FILES)[number] },
  enabled: string[],
): Promise<ManifestChange> {
  const root = dirname(path).replace(/\/\.[\w-]+-plugin$/, '')
  const { machine } = before
  const inside = relative(machine.realFolder(before.project), machine.realFolder(root))
  const taken = takeOverManifest(file, file.endsWith('.json') ? readJson(path) : readForeignYaml(path), inside)
  const skills: Record<string, readonly string[]> = { ...before.wanted.skills }
  const { losses } = taken
  const newer: string[] = []
  for (const [key, words] of Object.entries(taken.wanted)) {
    if (key.startsWith('./') && inside.startsWith('..')) {
      losses.push(`${key} left out: it is a folder of another project`)
      continue
    }
    // A file of another program may name what is private, moved or gone since: the rest is still worth having.
    const read = await sources.skills(key).catch((error: unknown) => {
      if (!(error instanceof LoadoutError)) throw error
      losses.push(`${key}: ${listed(words)} left out: ${error.message}`)
    })
    if (read === undefined) continue
    const gone: string[] = []
    const meant = words.flatMap((word): string[] => {
      const [there] = namedBy(word, read.offers)
      const [found = there] = there === undefined ? namedBy(basename(word), read.offers) : []
      if (found === undefined) gone.push(word)
      else if (there === undefined) losses.push(`${word} of ${key} is in ${found.folder} now`)
      const place = read.skills.get(found?.name ?? '')?.path
      const hash = taken.hashes[`${key} ${word}`]
      if (hash !== undefined && place !== undefined && npxHash(place) !== hash) newer.push(found?.name ?? '')
      return found === undefined ? [] : [there === undefined ? found.name : word]
    })
    if (gone.length > 0) losses.push(`${key} has no skill ${listed(gone, 20)} any more`)
    if (meant.length > 0) skills[key] = [...new Set([...(skills[key] ?? []), ...meant])].sort(compareText)
  }
  if (newer.length > 0) losses.push(`it pins earlier versions, without saying which commit, of ${listed(newer, 8)}`)
  const isMore = Object.entries(skills).some(([key, words]) => words !== before.wanted.skills[key])
  if (!isMore) throw failWith('MANIFEST/empty', { file, losses: losses.join('; ') || 'no skill' })
  const agents = taken.agents.length > 0 && before.agents.length === 0 ? [...new Set(taken.agents)] : enabled
  const wanted = { ...before.wanted, skills }
  const { manifest, findings } = await lockAll(before.with({ wanted, agents }), sources)
  const moves = await movesOf(before, manifest)
  const told = losses.map((what) => report('MANIFEST/loss', { file, what }))
  return { manifest, findings: [...told, ...findings], moves }
}

function readForeignYaml(path: string): unknown {
  try {
    const { document, lines } = parseYaml(readText(path), { longest: 8 * 1024 * 1024 })
    return readValue(document, lines)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw failWith('MANIFEST/empty', { file: basename(path), losses: `line ${error.line}: ${error.message}` })
  }
}

/** Writes the manifest of a project as a file of another manager. Never replaces a file. */
export const exportManifest = withManifest(
  async (
    { machine, project, agents, wanted, lock, versions },
    request: { project?: string; file: string; out?: string; signal?: AbortSignal },
  ): Promise<{ path: string; skills: number }> => {
    const file = WRITTEN_FILES.find((each) => each === request.file)
    if (file === undefined) throw failWith('USAGE/format', { format: request.file })
    const place = file === 'marketplace.json' ? `.claude-plugin/${file}` : file
    const path = machine.resolve(request.out ?? join(project, place))
    if (exists(path)) throw failWith('FILE_EXISTS/manifest', { path })
    const hashes = new Map<string, string>()
    if (file === 'skills-lock.json') {
      await withScratch(async (scratch) => {
        for await (const version of versions.open(lock.skills, scratch, request.signal)) {
          hashes.set(version.row.name, npxHash(version.place))
        }
      })
    }
    const content = { name: basename(project), agents, wanted: wanted.skills, lock }
    const { text, losses } = asForeign(file, content, hashes)
    writeTreeFile(path, text, false)
    machine.report(report('MANIFEST/not-said', { file, what: losses.join('; ') }))
    return { path, skills: lock.skills.length }
  },
)

/** The key for what was typed: an address that a clone on another machine can use too. */
async function addressFor(
  machine: Machine,
  project: string,
  { source, ref, signal }: AddRequest,
): Promise<{ key: string; names?: string[]; findings: Finding[] }> {
  const withRef = (key: string) => (ref === undefined ? key : `${key.split('#')[0]}#${ref}`)
  const path = machine.resolve(source)
  if (exists(path)) {
    const inside = relative(machine.realFolder(project), machine.realFolder(path))
    const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
    if (isInside) return { key: `./${inside}`, findings: [] }
    return fromClone(new Repository(machine, findRepository(path) ?? path), path, withRef)
  }
  const { library } = new Config(machine)
  if (/^[a-z0-9-]+$/.test(source) && library !== undefined && isFolder(join(library, 'skills', source))) {
    const { key, findings } = await fromClone(
      new Repository(machine, findRepository(library) ?? library),
      library,
      withRef,
    )
    return { key, names: [requireName(source)], findings }
  }
  const named = parseRepositoryName(source)
  if (named === undefined) throw failWith('FILE_NOT_FOUND/source', { path })
  if (named.refAndFolder === undefined) return { key: withRef(source), findings: [] }
  const split = await splitPage(machine, named, signal === undefined ? {} : { signal })
  const short = /^https:\/\/github\.com\/([^/]+\/[^/]+)$/.exec(named.url)?.[1]
  const folder = split?.folder ? `/${split.folder}` : ''
  if (short === undefined && folder !== '')
    throw failWith('MANIFEST/address', { key: source, problem: 'name the repository, and the skills after it' })
  return { key: withRef(`${short ?? named.url}${folder}#${split?.ref ?? ''}`.replace(/#$/, '')), findings: [] }
}

/** A clone on this machine stands for the repository that it came from. */
async function fromClone(repo: Repository, path: string, withRef: (key: string) => string) {
  const { machine } = repo
  const root = findRepository(path)
  const remote = root && (await repo.git(['remote', 'get-url', 'origin'], { okCodes: [0, 2, 128] })).stdout.trim()
  const key = remote ? withoutPassword(remote) : `file://${root ?? path}`
  const inside = root === undefined ? '' : relative(machine.realFolder(root), machine.realFolder(path))
  if (root === undefined || isAbsolute(key))
    throw failWith('MANIFEST/address', {
      key: path,
      problem: 'a path outside of the project cannot be restored from a clone of it',
    })
  const findings = remote ? [] : [report('MANIFEST/local', { path })]
  const names = inside === '' ? undefined : [inside.split('/').at(-1) ?? '']
  return { key: withRef(key), names, findings }
}
