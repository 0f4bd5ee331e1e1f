import { basename, dirname, join, relative, resolve } from 'node:path'
import { Config } from '../agents/config.ts'
import { locate, READABLE } from '../answer/sources.ts'
import { exists, isFolder, readText } from '../machine/files.ts'
import type { Machine } from '../machine/machine.ts'
import { realOrSame } from '../machine/open-project.ts'
import { Repository } from '../machine/repository.ts'
import { readSettingsFile, SETTINGS_FILE } from '../machine/settings.ts'
import { checkPack, isPack, packAround } from '../packs/validate.ts'
import { readPayloadFolder, validateIndexFile } from '../payloads/index-build.ts'
import { indexPlace, type Layers, layerPlaces, projectOf, readLayers } from '../payloads/knowledge.ts'
import { buildEntries } from '../payloads/rules/build-index.ts'
import { asIssue, lintRouting, type ValidationIssue } from '../payloads/rules/validate.ts'
import { checkLibrary, checkSkill, recognizeSkill } from '../skills/doctor.ts'
import { Manifest } from '../skills/installs.ts'
import { checkManifest } from '../skills/project.ts'
import { LOCK_FILE } from '../skills/rules/lock.ts'
import { asFinding, type Finding, failWith } from '../text/trouble.ts'
import { parseEntryId } from '../usage/rules/entry-id.ts'
import { checkStatements } from './statements.ts'

export interface Validation {
  valid: boolean
  errors: number
  warnings: number
  issues: ValidationIssue[]
  /** What was checked. */
  checked: {
    kind: 'index' | 'payload' | 'folder' | 'settings' | 'skill' | 'library' | 'pack' | 'lock' | 'statements'
    path: string
  }[]
}

/** Checks anything that can be validated; without a path, every layer in use, `loadout.json` and the library. */
export async function validate(
  machine: Machine,
  request: { path?: string; layers: Layers; since?: string },
): Promise<Validation> {
  if (request.since !== undefined || request.path === undefined) return validateLayers(machine, request)
  const path = placeOf(machine, { ...request, path: request.path })
  if (/^(?:AGENTS|CLAUDE|GEMINI|QWEN|copilot-instructions)\.md$/.test(basename(path))) {
    const { root, repository = root } = machine.openProject(dirname(path))
    const files = [relative(realOrSame(repository), realOrSame(path))]
    const { findings } = await checkStatements(machine, { project: dirname(path), files })
    return sumUp(machine, [], [{ kind: 'statements', path }], findings)
  }
  const kind = recognizeSkill(path)
  if (kind !== 'skill' && isPack(path))
    return sumUp(machine, checkPack(machine, path).map(asIssue), [{ kind: 'pack', path }])
  if (kind === 'library')
    return sumUp(machine, checkLibrary(new Repository(machine, path)).map(asIssue), [{ kind, path }])
  if (kind === 'skill') return sumUp(machine, checkSkill(new Config(machine), path).map(asIssue), [{ kind, path }])
  // A file of a pack is checked by the rules for packs, whose messages quote nothing.
  const pack = packAround(path)
  if (pack !== undefined) return sumUp(machine, checkPack(machine, pack).map(asIssue), [{ kind: 'pack', path: pack }])
  if (isFolder(path)) {
    const { files: all, findings } = readPayloadFolder(path)
    const files = all.filter((file) => packAround(join(path, file.path)) === undefined)
    if (files.length === 0 && findings.length === 0) {
      throw failWith('NO_PAYLOADS/folder', { path })
    }
    const built = buildEntries(files)
    const issues = [...findings, ...built.findings, ...lintRouting(built.entries)].map(asIssue)
    return sumUp(machine, issues, [{ kind: 'folder', path }])
  }
  if (path.endsWith('.md')) return validatePayload(machine, path)
  if (!path.endsWith('.json')) {
    throw failWith('USAGE/kind-unknown', { path })
  }
  if (basename(path) === SETTINGS_FILE)
    return sumUp(machine, readSettingsFile(path).findings.map(asIssue), [{ kind: 'settings', path }])
  return sumUp(machine, validateIndexFile(machine, indexPlace(path)), [{ kind: 'index', path }])
}

/** The path of what was named: `pack:x`, `skill:x`, `payload:x`, a path, or a bare name that is not a path. */
function placeOf(machine: Machine, { path: named, layers }: { path: string; layers: Layers }): string {
  const path = resolve(machine.cwd, named)
  const { kind } = parseEntryId(named)
  if (exists(path) || (kind === undefined && /[/.]/.test(named))) return path
  const located = locate(machine.quiet(), { id: named, layers, kinds: READABLE })
  switch (located.kind) {
    case 'payload':
      return join(located.source.knowledge.rootOf(located.entry), located.entry.path)
    case 'skill':
      return located.entry.folder
    case 'pack':
      return located.entry.root
  }
}

async function validateLayers(
  machine: Machine,
  { layers: options, since }: { layers: Layers; since?: string },
): Promise<Validation> {
  const places = layerPlaces(machine, options)
  const { layers, findings } = readLayers(places)
  const { library: configured } = new Config(machine)
  const library = configured !== undefined && isFolder(configured) ? configured : undefined
  const settings = projectSettings(machine, options)
  const project = machine.openProject(projectOf(machine, options)?.root).repository
  const checkLock = async () => {
    const manifest = project === undefined ? undefined : Manifest.read(machine, project)
    return manifest && checkManifest(manifest)
  }
  const ofLock = await checkLock().catch(asFindings)
  const said = project === undefined ? undefined : await checkStatements(machine, { project, since })
  if (since !== undefined) return sumUp(machine, [], toChecked(project, said?.value.files), said?.findings)
  if (
    layers.length === 0 &&
    findings.length === 0 &&
    library === undefined &&
    settings === undefined &&
    ofLock === undefined &&
    !said?.value.files.length
  ) {
    throw failWith('NO_INDEX/nor-library')
  }
  const broken = findings.filter(({ code }) => code.startsWith('LAYER_'))
  const ofLibrary = library === undefined ? [] : checkLibrary(new Repository(machine, library))
  const used = new Set(layers.map(({ path }) => path))
  const issues = places.filter(({ path }) => used.has(path)).flatMap((place) => validateIndexFile(machine, place))
  const checked: Validation['checked'] = layers.map(({ path }) => ({ kind: 'index', path }))
  if (settings !== undefined) checked.push({ kind: 'settings', path: settings.path })
  if (library !== undefined) checked.push({ kind: 'library', path: library })
  if (ofLock !== undefined) checked.push({ kind: 'lock', path: join(project ?? '', LOCK_FILE) })
  checked.push(...toChecked(project, said?.value.files))
  const others = [...broken, ...(settings?.findings ?? []), ...(ofLock ?? []), ...ofLibrary]
  return sumUp(machine, [...others.map(asIssue), ...issues], checked, said?.findings)
}

function toChecked(project = '', files: readonly string[] = []): Validation['checked'] {
  return files.map((path) => ({ kind: 'statements', path: join(project, path) }))
}

function asFindings(error: unknown): Finding[] {
  return [asFinding(error, { severity: 'error' })]
}

/** The findings about the `loadout.json` of the project, if it has one. */
function projectSettings(machine: Machine, layers: Layers): { path: string; findings: Finding[] } | undefined {
  const project = projectOf(machine, layers)
  const path = join(project?.root ?? '', SETTINGS_FILE)
  if (project === undefined || !exists(path)) return undefined
  try {
    return { path, findings: readSettingsFile(path).findings }
  } catch (error) {
    return { path, findings: [asFinding(error, { severity: 'error' })] }
  }
}

function validatePayload(machine: Machine, path: string): Validation {
  const { entries, findings } = buildEntries([{ path, text: readText(path) }])
  const issues = [...findings, ...lintRouting(entries)].map(asIssue)
  // A payload that cannot be routed is an error when it is checked alone; in a folder it is only skipped.
  const strict = issues.map((issue) =>
    issue.code === 'NO_FRONTMATTER' ? { ...issue, severity: 'error' as const } : issue,
  )
  return sumUp(machine, strict, [{ kind: 'payload', path }])
}

/** `placed`: findings with a file and a line. */
function sumUp(
  machine: Machine,
  found: readonly ValidationIssue[],
  checked: Validation['checked'],
  placed: readonly Finding[] = [],
): Validation {
  const issues = [...found, ...placed.map(asIssue)]
  const errors = issues.filter(({ severity }) => severity === 'error').length
  machine.report(...found.map(({ entryId, ...issue }): Finding => ({ ...issue, subject: entryId })), ...placed)
  return { valid: errors === 0, errors, warnings: issues.length - errors, issues, checked }
}
