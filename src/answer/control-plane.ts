import { posix } from 'node:path'
import { type ProjectAnswer, readSections } from '../project/find-files.ts'
import { type ControlPlane, type ControlPlaneFile, readControlPlane } from './disk/read-candidate.ts'
import { maskField } from './guard.ts'
import { cutExcerpt, withoutOrnaments } from './rules/budget/excerpt.ts'
import { type Candidate, type ControlPlaneEntry, type Trail, toWarning, withoutPlace } from './rules/bundle.ts'
import type { ContextSettings, ControlPlaneItem } from './rules/context-settings.ts'
import { summarizeJson } from './rules/control-summary.ts'
import { INSTRUCTION_FILES, isInstruction } from './rules/presets.ts'

/** How much of one control plane file is shown, unless the user's limit per file is lower. */
const PLANE_CHARS = 2500
const README_CHARS = 2500
const README_HEAD = 800
/** How far to look for text after logos and badges. */
const README_LOOK = 20_000
/** A section fits if it scores at least this share of the weights of all words of the task. */
const FITTING = 0.5
const README = /^readme(?:\.(?:md|markdown|rst|adoc|txt))?$/i
/** A README among this many best files for a task is part of the task. */
const BEST = 5
const MOST_NESTED = 2

interface Plane {
  items: ControlPlaneFile[]
  /** The parts to show. Excludes a README that the task slice shows. */
  candidates: Candidate[]
}

interface PlaneRules {
  exclude: ReadonlySet<string>
  mostPerFile: number | undefined
  /** The maximum beside files for the task, which always keep their own places. */
  places: number
}

/** The configured control plane, or what agents read in this project. */
export function readPlane(
  root: string,
  { controlPlane, project: choice, preset }: ContextSettings,
  answer: ProjectAnswer | undefined,
  rules: PlaneRules,
  trail: Trail,
): Plane {
  const isFound = answer !== undefined && choice?.hasOwnPlane === false
  const { items, findings } = isFound
    ? readFollowed(root, planeItems(controlPlane, answer), answer, rules.exclude)
    : readControlPlane(root, controlPlane, rules)
  trail.omitted.push(...items.flatMap(({ omission }) => omission ?? []))
  for (const { item, path, present, omission } of items) {
    // Files of the `generic` preset are optional.
    const isMissed = !present && omission === undefined && (item.isRequired || preset !== 'generic')
    if (isMissed) trail.warnings.push(`the control plane lacks ${path}`)
  }
  trail.warnings.push(...findings.map(toWarning))
  const candidates = items.flatMap(({ candidate }) => candidate ?? [])
  return { items, candidates: isFound ? shownInPlane(root, candidates, answer, rules, trail) : candidates }
}

/**
 * What agents read in this project before any task: the instruction files at its root and beside the best files for the
 * task, then the README.
 */
function planeItems(items: readonly ControlPlaneItem[], answer: ProjectAnswer): ControlPlaneItem[] {
  const readme = answer.paths.find((path) => README.test(path))
  const own = items.map((item) =>
    README.test(item.pattern) && readme !== undefined ? { ...item, pattern: readme } : item,
  )
  return [
    ...own.filter(({ pattern }) => !README.test(pattern)),
    ...nestedInstructions(answer).map((pattern) => ({ ...NESTED, pattern })),
    ...own.filter(({ pattern }) => README.test(pattern)),
  ]
}

/** Bounded in number and size; of the README only a section about the task, unless the task slice shows it. */
function shownInPlane(
  root: string,
  candidates: readonly Candidate[],
  answer: ProjectAnswer,
  { mostPerFile, places }: PlaneRules,
  trail: Trail,
): Candidate[] {
  const readme = answer.paths.find((path) => README.test(path))
  const isInTask = (path: string) => answer.files.slice(0, BEST).some((file) => file.path === path)
  const most = Math.max(PLANE_CHARS, mostPerFile ?? 0)
  const short = candidates.flatMap((candidate) => {
    if (candidate.path !== readme) return [shorten(candidate, most)]
    return isInTask(readme) ? [] : bestOfReadme(root, candidate, answer)
  })
  const inPlane = new Set(short.map(({ path }) => path))
  const hasTask = answer.files.some(({ path }) => !inPlane.has(path) && !isInstruction(path))
  if (!hasTask) return short
  trail.omitted.push(...short.slice(places).map(withoutPlace))
  return short.slice(0, places)
}

// Cached by the list: calls for one project share it.
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

function setOf(paths: readonly string[]): ReadonlySet<string> {
  const known = sets.get(paths) ?? new Set(paths)
  sets.set(paths, known)
  return known
}

const NESTED = { isRequired: false, take: 1, order: 'path', summary: [] } as const

/** Instruction files in the folders of the best files, the nearest first. */
function nestedInstructions({ files, paths }: ProjectAnswer): string[] {
  const known = setOf(paths)
  const found = new Set<string>()
  for (const { path } of files.slice(0, BEST)) {
    const folders = path.split('/').slice(0, -1)
    for (let depth = folders.length; depth > 0; depth--) {
      const folder = folders.slice(0, depth).join('/')
      const name = INSTRUCTION_FILES.slice(0, 2).find((each) => known.has(`${folder}/${each}`))
      if (name !== undefined) found.add(`${folder}/${name}`)
    }
  }
  return [...found].slice(0, MOST_NESTED).sort()
}

/** The control plane without files that only point to another; their target takes their place, once. */
function readFollowed(
  root: string,
  items: readonly ControlPlaneItem[],
  { paths }: ProjectAnswer,
  exclude: ReadonlySet<string>,
): ControlPlane {
  const plane = readControlPlane(root, items, { exclude })
  const inPlane = new Set(plane.items.flatMap((item) => (item.present ? [item.path] : [])))
  const isKnown = (path: string) => inPlane.has(path) || setOf(paths).has(path)
  const targets = new Map<string, string>()
  for (const { path, candidate } of plane.items) {
    const target = targetOf(path, candidate?.text ?? '', isKnown)
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

const LONGEST_POINTER = 300
const MOST_WORDS = 14

/** The target of a `CLAUDE.md` that contains only `@AGENTS.md` or "see docs/rules.md". */
function targetOf(path: string, whole: string, isKnown: (path: string) => boolean): string | undefined {
  const text = whole.trim()
  if (text.length > LONGEST_POINTER) return undefined
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const named = [...text.matchAll(POINTED)].flatMap(([, each = '']) =>
    [posix.normalize(folder + each), each].filter((place) => place !== path && isKnown(place)).slice(0, 1),
  )
  const words = text.replaceAll(POINTED, ' ').match(/\p{L}+/gu) ?? []
  return new Set(named).size === 1 && words.length <= MOST_WORDS ? named[0] : undefined
}

const POINTED = /@?(?:\.\/)?([\w.-]+(?:\/[\w.-]+)*\.(?:md|mdc|mdx|rst|txt))\b/g

function shorten(candidate: Candidate, most: number): Candidate {
  return { ...candidate, text: cutExcerpt(candidate.text, most).excerpt }
}

/** The section of a README about the task, whole. Its beginning only if no other file matches. */
function bestOfReadme(root: string, candidate: Candidate, { files, terms }: ProjectAnswer): Candidate[] {
  const sections = readSections(root, candidate.path, terms)?.sections ?? []
  const all = terms.reduce((sum, { weight }) => sum + weight, 0)
  const fitting = sections.filter(({ score }) => score >= FITTING * all)
  const [best] = [...fitting].sort((a, b) => b.score - a.score || a.start - b.start)
  if (best === undefined && files.some(({ path }) => path !== candidate.path)) return []
  if (best === undefined || best.start === 1) {
    const head = withoutOrnaments(candidate.text.slice(0, README_LOOK))
    return [shorten(head === '' ? candidate : { ...candidate, text: head }, README_HEAD)]
  }
  const text = withoutOrnaments(best.text, best.start)
  if (text.length > README_CHARS) return []
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
