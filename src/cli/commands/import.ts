import type { CandidateView, ImportResult, SkillOffer } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import type { Report } from '../../text/trouble.ts'
import {
  type Ask,
  agentsFlag,
  COMMIT_FLAGS,
  DRY_RUN_FLAG,
  defineCommand,
  SCOPE_FLAGS,
  SOURCE_FLAGS,
} from '../command.ts'
import {
  alignRows,
  commitText,
  count,
  firstRows,
  lines,
  printableLine,
  type Screen,
  shorten,
  WOULD,
  wrap,
} from '../screen.ts'
import { DEFAULT_PLACE } from './library.ts'
import { askForSheets } from './review.ts'

interface Candidates {
  candidates: CandidateView[]
  /** As requested; undefined for the user's own skills. */
  project?: string
}

interface Imported extends ImportResult {
  /** As typed. */
  source?: string
}

type ImportAnswer = Candidates | Imported

export const importSkills = defineCommand({
  name: 'import',
  summary: 'bring skills from a repository, folder or archive',
  details:
    'Takes a folder, a .tar.gz, a git URL, owner/repo, or the web address of a folder in a repository, and finds every\n' +
    'folder with a SKILL.md in it. If there are several, choose with --list, --skill or --all. One import is one commit.\n' +
    'Without a source it lists the skills in the agents’ folders that Loadout did not install.',
  args: [{ name: 'source', summary: 'folder, .tar.gz, git URL or owner/repo', complete: 'file' }],
  flags: {
    list: { kind: 'switch', summary: 'only list the skills in the source' },
    names: { name: 'skill', kind: 'list', value: 'a,b', summary: 'only these: names, folders or plugins' },
    all: SOURCE_FLAGS.all,
    as: { kind: 'text', value: 'name', summary: 'another name for one skill' },
    prefix: { kind: 'text', value: 'text', summary: 'added before every name' },
    targets: agentsFlag(
      'agents to write into skill.json, if it names none (default: none, which means all)',
      "a,b|all|'*'",
    ),
    ref: SOURCE_FLAGS.ref,
    subfolder: { kind: 'text', value: 'path', summary: 'only this part of the source' },
    adopt: { kind: 'switch', summary: 'manage existing copies and links in the agents’ folders' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ request, ask, control }, loadout): Promise<Report<ImportAnswer>> => {
    const { source, all, names, project, dryRun } = request
    if (source === undefined && !all && names === undefined) {
      const { value, findings } = await loadout.skills.listCandidates({ project })
      return { value: { candidates: value, project }, findings }
    }
    const choose = all || source === undefined ? undefined : (offers: readonly SkillOffer[]) => askWhich(offers, ask)
    const create = request.adopt && !dryRun ? DEFAULT_PLACE : undefined
    const report = await loadout.skills.import({ ...request, ...control, choose, create })
    const { waiting = [], ...value } = report.value
    const allowed = dryRun ? [] : await askForSheets(waiting, ask, loadout)
    if (allowed.length === 0) {
      // Only this command takes over what is there already.
      const findings = report.findings.map((each) =>
        request.adopt && each.code === 'QUARANTINED'
          ? { ...each, hint: `${each.hint}, then repeat this command` }
          : each,
      )
      return { value: { ...report.value, source }, findings }
    }
    const findings = report.findings.filter(({ code }) => code !== 'QUARANTINED')
    if (!request.adopt) return { value: { ...value, source }, findings }
    const rest = await loadout.skills.import({ ...request, ...control, names: allowed })
    const adopted = [...value.adopted, ...rest.value.adopted]
    return { value: { ...value, adopted, source }, findings: [...findings, ...rest.findings] }
  },
  print: (value, screen) => ('candidates' in value ? printCandidates(value, screen) : printImport(value, screen)),
  isWaiting: (value) => 'isUndecided' in value && value.isUndecided === true,
})

/** Shows a numbered list and asks for a choice. Without a terminal it does not ask. */
export function askWhich(offers: readonly SkillOffer[], ask: Ask | undefined) {
  if (ask === undefined) return undefined
  const answer = ask(`${lines(offerRows(offers, true))}Which? Numbers, names, or all [none]: `)
  return chosenNames(answer, offers)
}

/** A row for each skill that was found: what it can do stands beside its name, where the eye is. */
export function offerRows(offers: readonly SkillOffer[], isNumbered = false): string[] {
  const isAllNew = offers.every(({ state }) => state === 'new')
  const isReviewed = offers.some(({ can }) => can)
  const rows = offers.map(({ name, state, can, description }, at) => [
    isNumbered ? `${at + 1}` : '',
    name,
    ...(isAllNew ? [] : [state]),
    ...(isReviewed ? [shorten(can ?? '', 22)] : []),
    description,
  ])
  const width = Math.min(120, process.stdout.columns ?? 80) - 1
  return alignRows(rows, [0]).map((row) => shorten(row, width))
}

/** `1,3-5 name` or `all`. */
function chosenNames(answer: string, offers: readonly SkillOffer[]): string[] {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '')
  if (words.includes('all')) return offers.map(({ folder, name }) => folder || name)
  return words.flatMap((word) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? []
    if (from === undefined) return [word]
    return offers.slice(Number(from) - 1, Number(to)).map(({ folder, name }) => folder || name)
  })
}

const CANDIDATE_STATES: Record<CandidateView['state'], string> = {
  new: '',
  identical: 'in the library, identical',
  same: 'in the library, same content',
  differs: 'in the library, but different',
  blocked: 'blocked',
}

function printCandidates({ candidates, project }: Candidates, screen: Screen): string {
  if (candidates.length === 0) return lines('The agents’ folders contain no skill to import.')
  const free = candidates.filter(({ problem }) => problem === undefined)
  // Copies in several folders are taken over together; otherwise the others would stay behind.
  const scope = project === undefined ? '' : ` --project ${shellWord(project)}`
  const single = free.find(({ paths, state }) => paths.length === 1 && state === 'new')?.paths[0]
  const differing = candidates.filter(({ state }) => state === 'differs').map(({ name }) => name)
  const unknown = candidates.filter(({ state }) => state === 'new' || state === 'blocked').length
  return lines(
    candidates.flatMap((candidate) => candidateLines(candidate, screen)),
    '',
    screen.strong(`${count(candidates.length, 'skill')} that Loadout did not install, ${unknown} not in the library`),
    free.length === 1 && single !== undefined && printableLine(`loadout import ${shellWord(single)} --adopt${scope}`),
    (free.length > 1 || (free.length === 1 && single === undefined)) &&
      printableLine(
        `loadout import --all --adopt${scope} takes ${free.length === 1 ? 'it' : `all ${free.length}`} over`,
      ),
    differing.length > 0 &&
      printableLine(`different: loadout diff ${differing[0]}${scope}, then loadout adopt or loadout install --replace`),
  )
}

function candidateLines(candidate: CandidateView, screen: Screen): string[] {
  const { name, description, targets, paths, links = {}, problem, state, manager } = candidate
  const told =
    state === 'new'
      ? ''
      : `  ${problem === undefined ? CANDIDATE_STATES[state] : screen.alert(CANDIDATE_STATES[state])}`
  return [
    `  ${screen.strong(printableLine(name))}  ${targets.join(', ') || 'every agent'}${told}`,
    ...wrap(state === 'blocked' ? (problem ?? '') : description, 4),
    ...paths.map((path) => {
      const link = links[path]
      return screen.faint(printableLine(`    ${path}${link === undefined ? '' : ` -> ${link}`}`))
    }),
    ...(manager === undefined ? [] : wrap(`another manager placed it, from ${manager}`, 4).map(screen.faint)),
  ]
}

function printImport(result: Imported, screen: Screen): string {
  const { imported, adopted, unchanged, leftOut, offers, isDryRun } = result
  if (offers !== undefined) return printOffers(result, screen)
  const verb = isDryRun ? '' : 'ed'
  const rows = imported.map(({ name, targets }) => [
    `  import${verb}`,
    name,
    targets.join(', ') || 'for every enabled agent',
  ])
  const commit = imported[0]?.commit
  const isDone = (name: string) =>
    [...adopted, ...(result.isUndecided ? (result.waiting ?? []) : [])].some(({ skill }) => skill === name)
  const missing = imported.map(({ name }) => name).filter((name) => !isDone(name))
  return lines(
    isDryRun && WOULD,
    imported.length + adopted.length === 0 && !isDryRun && 'Nothing was imported.',
    firstRows(rows),
    firstRows(adopted.map(({ skill, agent, root }) => [`  adopt${verb}`, skill, agent, root])),
    !isDryRun &&
      imported.length > 0 &&
      screen.strong(`${count(imported.length, 'skill')} imported, ${commitText(commit)}`),
    unchanged.length > 0 &&
      `${count(unchanged.length, 'skill')} unchanged: the library already has ${unchanged.length === 1 ? 'it' : 'them'}`,
    leftOutLines(leftOut),
    result.created !== undefined && `New library: ${printableLine(result.created)}`,
    !isDryRun && missing.length > 0 && screen.faint(printableLine(nextStep(missing, result))),
  )
}

function printOffers({ offers = [], leftOut, isUndecided }: ImportResult, screen: Screen): string {
  const plugins = offers.some(({ plugin }) => plugin !== undefined)
  const rows = offers.map(({ name, state, folder, plugin = '', reason = '' }) => {
    return [`  ${name}`, state, ...(plugins ? [plugin] : []), folder, reason]
  })
  return lines(
    alignRows(rows),
    '',
    screen.strong(`${count(offers.length, 'skill')} found`),
    leftOutLines(leftOut),
    isUndecided && 'Choose with --skill <name,…>, or take --all of them.',
  )
}

/** Proposes to install what was imported, and nothing else. */
function nextStep(names: readonly string[], { source }: Imported): string {
  // More names than these are not worth typing.
  const isMany = names.length > 12 && source !== undefined
  return isMany ? `loadout add ${shellWord(source)} --all` : `loadout install ${names.join(' ')}`
}

export function leftOutLines(leftOut: ImportResult['leftOut']): string[] {
  return leftOut.flatMap(({ count: number, reason, examples }) => {
    const some = examples.length === 0 ? '' : `: ${examples.join(', ')}${number > examples.length ? ', …' : ''}`
    return wrap(`left out ${number}, ${reason}${some}`, 0)
  })
}
