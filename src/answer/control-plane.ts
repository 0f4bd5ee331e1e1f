import { posix } from 'node:path'
import { type ProjectAnswer, readSections } from '../project/find-files.ts'
import type { Question } from './answer.ts'
import { type ControlPlane, type ControlPlaneFile, readControlPlane } from './disk/read-candidate.ts'
import { maskField } from './guard.ts'
import { cutExcerpt, withoutOrnaments } from './rules/budget/excerpt.ts'
import { planePlaces } from './rules/budget/fit.ts'
import { type Candidate, type ControlPlaneEntry, toWarning, withoutPlace } from './rules/bundle.ts'
import { summarizeJson } from './rules/control-summary.ts'
import { type ControlPlaneItem, INSTRUCTION_FILES, isInstruction } from './settings.ts'

/** How much of one control plane file is shown, unless the user's limit per file is lower. */
const PLANE_CHARS = 2500
const README = /^readme(?:\.(?:md|markdown|rst|adoc|txt))?$/i
/** A README among this many best files for a task is part of the task. */
const BEST = 5

interface Plane {
  items: ControlPlaneFile[]
  /** The parts to show. Excludes a README that the task slice shows. */
  candidates: Candidate[]
}

/**
 * The configured control plane, or what agents read in this project before any task: the instruction files at its root
 * and beside the best files for the task, then the README.
 */
export function readPlane(question: Question, answer: ProjectAnswer | undefined): Plane {
  const { project, settings, excluded, trail } = question
  const exclude = new Set(excluded)
  const isFound = answer !== undefined && settings.project?.hasOwnPlane === false
  const { items, findings } = isFound
    ? readFollowed(project.root, settings.controlPlane, answer, exclude)
    : readControlPlane(project.root, settings.controlPlane, { exclude })
  trail.omitted.push(...items.flatMap(({ omission }) => omission ?? []))
  for (const { item, path, present, omission } of items) {
    // Files of the `generic` preset are optional.
    const isMissed = !present && omission === undefined && (item.isRequired || settings.preset !== 'generic')
    if (isMissed) trail.warnings.push(`the control plane lacks ${path}`)
  }
  trail.warnings.push(...findings.map(toWarning))
  const candidates = items.flatMap(({ candidate }) => candidate ?? [])
  return { items, candidates: isFound ? shownInPlane(question, candidates, answer) : candidates }
}

/** Bounded in number and size; of the README only a section about the task, unless the task slice shows it. */
function shownInPlane(
  { project, request, limits, widest, isUnrestricted, trail }: Question,
  candidates: readonly Candidate[],
  answer: ProjectAnswer,
): Candidate[] {
  const readme = answer.paths.find((path) => README.test(path))
  const isInTask = (path: string) => answer.files.slice(0, BEST).some((file) => file.path === path)
  const most = Math.max(PLANE_CHARS, request.maxCharsPerFile ?? 0)
  const short = candidates.flatMap((candidate) => {
    if (candidate.path !== readme) return [shorten(candidate, most)]
    return isInTask(readme) ? [] : bestOfReadme(project.root, candidate, answer)
  })
  const inPlane = new Set(short.map(({ path }) => path))
  const hasTask = answer.files.some(({ path }) => !inPlane.has(path) && !isInstruction(path))
  if (!hasTask) return short
  // Files for the task always keep their own places.
  const places = planePlaces(isUnrestricted ? widest : limits)
  trail.omitted.push(...short.slice(places).map((each) => withoutPlace(each)))
  return short.slice(0, places)
}

// Cached by the list: calls for one project share it.
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

const NESTED = { isRequired: false, take: 1, order: 'path', summary: [] } as const

/** The control plane without files that only point to another; their target takes their place, once. */
function readFollowed(
  root: string,
  own: readonly ControlPlaneItem[],
  { files, paths }: ProjectAnswer,
  exclude: ReadonlySet<string>,
): ControlPlane {
  const known = sets.get(paths) ?? new Set(paths)
  sets.set(paths, known)
  // Instruction files in the folders of the best files, the nearest first.
  const nested = new Set<string>()
  for (const { path } of files.slice(0, BEST)) {
    const folders = path.split('/').slice(0, -1)
    for (let depth = folders.length; depth > 0; depth--) {
      const folder = folders.slice(0, depth).join('/')
      const name = INSTRUCTION_FILES.slice(0, 2).find((each) => known.has(`${folder}/${each}`))
      if (name !== undefined) nested.add(`${folder}/${name}`)
    }
  }
  const readme = paths.find((path) => README.test(path))
  const isReadme = ({ pattern }: ControlPlaneItem) => README.test(pattern)
  const items = [
    ...own.filter((item) => !isReadme(item)),
    ...[...nested]
      .slice(0, 2)
      .sort()
      .map((pattern) => ({ ...NESTED, pattern })),
    ...own.filter(isReadme).map((item) => (readme === undefined ? item : { ...item, pattern: readme })),
  ]
  const plane = readControlPlane(root, items, { exclude })
  const inPlane = new Set(plane.items.flatMap((item) => (item.present ? [item.path] : [])))
  const targets = new Map<string, string>()
  for (const { path, candidate } of plane.items) {
    const target = targetOf(path, candidate?.text ?? '', (each) => inPlane.has(each) || known.has(each))
    if (target !== undefined) targets.set(path, target)
  }
  if (targets.size === 0) return plane
  const followed = plane.items.map(({ item, path, present }) => {
    const target = targets.get(path)
    // If two files point to each other, both are read.
    if (target !== undefined && !targets.has(target)) return { ...item, ...NESTED, pattern: target }
    return present ? { ...item, take: 1, pattern: path } : item
  })
  const once = new Map(followed.map((item) => [item.pattern, item]))
  return readControlPlane(root, [...once.values()], { exclude })
}

const POINTED = /@?(?:\.\/)?([\w.-]+(?:\/[\w.-]+)*\.(?:md|mdc|mdx|rst|txt))\b/g

/** The target of a `CLAUDE.md` that contains only `@AGENTS.md` or "see docs/rules.md". */
function targetOf(path: string, whole: string, isKnown: (path: string) => boolean): string | undefined {
  const text = whole.trim()
  if (text.length > 300) return undefined
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const named = [...text.matchAll(POINTED)].flatMap(([, each = '']) =>
    [posix.normalize(folder + each), each].filter((place) => place !== path && isKnown(place)).slice(0, 1),
  )
  const words = text.replaceAll(POINTED, ' ').match(/\p{L}+/gu) ?? []
  return new Set(named).size === 1 && words.length <= 14 ? named[0] : undefined
}

function shorten(candidate: Candidate, most: number): Candidate {
  return { ...candidate, text: cutExcerpt(candidate.text, most).excerpt }
}

/** The section of a README about the task, whole. Its beginning only if no other file matches. */
function bestOfReadme(root: string, candidate: Candidate, { files, terms }: ProjectAnswer): Candidate[] {
  const sections = readSections(root, candidate.path, terms)?.sections ?? []
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  // A section fits if it scores at least half of the weights of all words of the task.
  const fitting = sections.filter(({ score }) => score >= 0.5 * all)
  const [best] = [...fitting].sort((a, b) => b.score - a.score || a.start - b.start)
  if (best === undefined && files.some(({ path }) => path !== candidate.path)) return []
  if (best === undefined || best.start === 1) {
    // Text may come a while after logos and badges.
    const head = withoutOrnaments(candidate.text.slice(0, 20_000))
    return [shorten(head === '' ? candidate : { ...candidate, text: head }, 800)]
  }
  const text = withoutOrnaments(best.text, best.start)
  if (text.length > PLANE_CHARS) return []
  const heading = best.symbol === undefined ? `line ${best.start}` : JSON.stringify(best.symbol.slice(0, 80))
  return [{ ...candidate, text, reason: `its section about the task: ${heading}` }]
}

/** Summarised from the scanned text: a masked value stays masked, an omitted file gives nothing. */
export function describePlaneItem(
  { item, path, present, candidate }: ControlPlaneFile,
  checked: readonly Candidate[],
): ControlPlaneEntry {
  const text = item.summary.length === 0 ? undefined : checked.find((each) => each.path === path)?.text
  const found = text === undefined ? {} : (summarizeJson(text, item.summary) ?? {})
  const summary = Object.fromEntries(Object.entries(found).map(([field, value]) => [field, maskField(field, value)]))
  return { path, present, required: item.isRequired, sha256: candidate?.sha256 ?? null, summary }
}
