import { type ProjectAnswer, readSections, type SectionedText } from '../project/find-files.ts'
import { orderSections } from '../project/rules/portions.ts'
import type { RankedFile } from '../project/rules/rank-files.ts'
import type { FileSection } from '../project/rules/sections.ts'
import { roundScore } from '../search/document.ts'
import type { Candidate, CandidateSection, Omission } from './rules/bundle.ts'
import { isSameBuild, testsOf } from './rules/related-files.ts'

const MOST_NAMED = 20
const OMITTED = 'it fits the task less than those that are shown'

/** Files with their sections, as many as can be shown. */
export function projectCandidates(
  answer: ProjectAnswer,
  { root, places, mostPerFile, mostChars, isTaken, isUnrestricted, withTests }: CandidateRules,
): { candidates: Candidate[]; omitted: Omission[] } {
  const ranked = answer.files.filter(({ path }) => !isTaken(path))
  const wanted = withTests ? besideTests(ranked, places, answer) : ranked
  const read: (SectionedText & { file: RankedFile })[] = []
  const builds: Omission[] = []
  let looked = 0
  for (; looked < wanted.length && looked < places + builds.length; looked++) {
    const file = wanted[looked]!
    const found = readSections(root, file.path, answer.terms)
    if (found === undefined || found.text.trim() === '') continue
    const better = read.find((each) =>
      isSameBuild({ path: each.file.path, text: each.text }, { ...found, path: file.path }),
    )
    if (better === undefined || file.isNamed) read.push({ file, ...found })
    else builds.push(omitted(file, 'duplicate', `nearly the same as ${better.file.path}`))
  }
  const turns = turnsOf(
    read.map(({ file, sections }, at) => ({
      path: file.path,
      score: file.score,
      isSide: at > 0 && isSide(file),
      sections,
    })),
    { mostPerFile, mostChars, isUnrestricted },
  )
  const shown = new Set(read.map(({ file }) => file.path))
  return {
    candidates: read.map((each, at) => toCandidate(each, turns[at] ?? [], testsOf(each.file.path, answer, shown))),
    omitted: [...builds, ...wanted.slice(looked, looked + MOST_NAMED).map((file) => omitted(file, 'budget', OMITTED))],
  }
}

function omitted({ path }: RankedFile, reason: Omission['reason'], detail: string): Omission {
  return { path, sourceClass: 'task', reason, detail }
}

export interface CandidateRules {
  root: string
  places: number
  mostPerFile: number
  /** Shown elsewhere in the bundle. */
  isTaken: (path: string) => boolean
  /** The maximum number of characters in any bundle. */
  mostChars: number
  /** Shows the test of each file after it. */
  withTests: boolean
  /** Shows whole files. */
  isUnrestricted: boolean
}

/** Each file that can be shown, and after it the best matching test. */
function besideTests(files: readonly RankedFile[], places: number, answer: ProjectAnswer): RankedFile[] {
  const shown = new Set(files.slice(0, places).map(({ path }) => path))
  const known = new Map(answer.tests.map((file) => [file.path, file]))
  return files.flatMap((file, at) => {
    const [path] = at < places ? testsOf(file.path, answer, shown) : []
    if (path === undefined) return [file]
    shown.add(path)
    const { role, score } = file
    const own = { path, role: { ...role, isTest: true }, score, words: [], covered: 0, commits: [], isNamed: false }
    return [file, { ...(known.get(path) ?? own), score: score / 2, testOf: file.path }]
  })
}

/** Files that match many tasks a little: changelogs, settings, data. */
function isSide({ role, isNamed }: RankedFile): boolean {
  return !isNamed && (role.isLog || role.isConfig || role.isData)
}

type Sectioned = Parameters<typeof orderSections>[0]

/** The turn of every section of every file; undefined if the section is not shown. */
function turnsOf(
  files: Sectioned,
  { mostPerFile, mostChars, isUnrestricted }: Pick<CandidateRules, 'mostPerFile' | 'mostChars' | 'isUnrestricted'>,
): (number | undefined)[][] {
  const { first, order } = orderSections(files, { mostPerFile, isUnrestricted })
  const turns: (number | undefined)[][] = files.map(() => [])
  let chars = 0
  order.forEach(({ file, section }, at) => {
    // Sections beyond the size of the bundle cannot be shown.
    if (at >= first && chars > mostChars) return
    chars += files[file]!.sections[section]!.text.length
    turns[file]![section] = at < first ? 0 : at
  })
  return turns
}

function toCandidate(
  { file, text, sha256, sections }: SectionedText & { file: RankedFile },
  turns: readonly (number | undefined)[],
  tests: readonly string[],
): Candidate {
  const chosen = sections.flatMap((section, at): CandidateSection[] => {
    const turn = turns[at]
    if (turn === undefined) return []
    const { start, end, text: own, score } = section
    return [{ start, end, text: own, score: roundScore(score), reason: sectionReason(section), turn }]
  })
  return {
    path: file.path,
    sourceClass: 'task',
    selectedBy: 'project',
    reason: fileReason(file),
    score: roundScore(file.score),
    text: chosen.map((section) => section.text).join(''),
    charsTotal: text.length,
    sha256,
    provenance: file.commits.length === 0 ? {} : { commits: file.commits.join(' ') },
    isWhole: false,
    sections: chosen,
    tests,
  }
}

function sectionReason({ symbol, words }: FileSection): string {
  const said = words.length === 0 ? '' : words.slice(0, 6).join(', ')
  return [symbol?.slice(0, 80), said].filter((part) => part !== undefined && part !== '').join(': ')
}

/** `file name [cors], text [origin, allow]; 3 commits` */
function fileReason({ words, commits, isNamed, testOf }: RankedFile & { testOf?: string }): string {
  const byField = new Map<string, string[]>()
  for (const { word, field } of words.slice(0, 5)) byField.set(field, [...(byField.get(field) ?? []), word])
  const said = [...byField].map(([field, list]) => `${field} [${list.join(', ')}]`).join(', ')
  const voted = commits.length === 0 ? '' : `${commits.length} past ${commits.length === 1 ? 'commit' : 'commits'}`
  const tests = testOf === undefined ? '' : `tests ${testOf}`
  return [isNamed ? 'named in the task' : '', tests, said, voted].filter((part) => part !== '').join('; ')
}
