import type { Adoption, Deletion, Loadout, Outcome, ProjectOutcome, SkillDiff, SyncResult } from '../../loadout.ts'
import type { SyncStep } from '../../skills/rules/sync-decision.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import {
  AGENT_FLAG,
  COMMIT_FLAGS,
  commitChoice,
  DRY_RUN_FLAG,
  defineCommand,
  namesIn,
  SCOPE_FLAGS,
} from '../command.ts'
import { alignRows, count, lines, MOST_SHOWN, printableLine, printableText, type Screen } from '../screen.ts'
import { askForSheets } from './review.ts'

const NAMES = [{ name: 'names', summary: 'the skills', rest: true }] as const

const ALL_PROJECTS_FLAG = {
  'all-projects': { kind: 'switch', summary: 'also in every project with installs on this machine' },
} as const

const LOCK_FLAGS = {
  frozen: {
    kind: 'switch',
    summary: 'without names, for CI: fail if loadout.json, loadout.lock and the sources disagree',
  },
  from: {
    kind: 'text',
    value: 'url',
    summary: 'on a new machine: clone this library, and install its agents and profile',
  },
  sign: { kind: 'switch', summary: 'sign loadout.lock with your SSH key' },
  key: { kind: 'text', value: 'file', summary: 'with --sign: this SSH key (default: the first usual one in ~/.ssh)' },
  signers: {
    kind: 'text',
    value: 'file',
    summary: 'refuse a lock without a signature of one of these allowed signers',
  },
  'trust-lock': { kind: 'switch', summary: 'what loadout.lock records as agreed counts as your answer, for this call' },
} as const

const EQUIP_FLAGS = {
  ...AGENT_FLAG,
  tag: { kind: 'list', value: 'tag', summary: 'all skills with this tag' },
  all: { kind: 'switch', summary: 'every skill' },
  ...SCOPE_FLAGS,
  ...DRY_RUN_FLAG,
} as const

export const install = defineCommand({
  name: 'install',
  shortensHome: true,
  aliases: { equip: [] },
  summary: 'install what the project’s loadout.json names, or skills of the library by name',
  details:
    'Without names: installs exactly what loadout.lock of the project pins, from the cache or the sources, and first locks\n' +
    'what loadout.json asks for in addition. Asks once about skills that can act. With names: copies skills of the library\n' +
    'into the folder of every enabled agent that they support. Never touches folders that Loadout did not install.',
  args: NAMES,
  flags: {
    ...EQUIP_FLAGS,
    replace: {
      kind: 'switch',
      summary: 'also replace edited copies, and folders and links that Loadout did not install, after a backup',
    },
    'from-catalog': { kind: 'switch', summary: 'only skills that the catalog of the team lists' },
    ...LOCK_FLAGS,
  },
  run: async (input, loadout): Promise<Report<Outcome | ProjectOutcome>> => {
    const { all, tag, project } = input.flags
    if (namesIn(input.args.names).length === 0 && !all && tag === undefined)
      return installLocked(input, loadout, project)
    const source = namesIn(input.args.names).find((name) => /\/|\.tar\.gz$|\.git$/.test(name))
    if (source === undefined) {
      const { replace, 'from-catalog': fromCatalog } = input.flags
      return equipAsking({ ...requestOf(input), replace, fromCatalog }, input.ask, loadout)
    }
    throw failWith('BAD_NAME/source', { source, word: shellWord(source) })
  },
  print: (outcome: Outcome | ProjectOutcome, screen, findings) =>
    'project' in outcome
      ? printProject(outcome, screen, findings)
      : printOperations(outcome, screen, findings, 'Everything is already equipped.'),
  isWaiting: ({ waiting, isDryRun }: Outcome) => waiting !== undefined && !isDryRun,
})

type ProjectInput = Pick<EquipInput, 'ask' | 'onProgress' | 'signal'> & {
  flags: {
    'dry-run'?: boolean
    replace?: boolean
    frozen?: boolean
    'trust-lock'?: boolean
    sign?: boolean
    key?: string
    signers?: string
    from?: string
  }
}

/** Installs what a lock pins. On a terminal, first asks about skills that can act. */
async function installLocked(
  { flags, ask, onProgress, signal }: ProjectInput,
  loadout: Loadout,
  project: string | undefined,
): Promise<Report<Outcome | ProjectOutcome>> {
  if (flags.from !== undefined || (project === undefined && !(await loadout.hasManifest({})))) {
    const dryRun = flags['dry-run']
    if (flags.from !== undefined) await loadout.initialize({ clone: flags.from, dryRun, signal })
    const first = await loadout.restoreLibrary({ dryRun, onProgress, signal })
    const allowed = dryRun ? [] : await askForSheets(first.value.waiting ?? [], ask, loadout)
    if (allowed.length === 0) return first
    const { value, findings } = await loadout.restoreLibrary({ onProgress, signal })
    const operations = [...first.value.operations, ...value.operations]
    return {
      value: { ...value, operations },
      findings: [...first.findings.filter(({ code }) => code !== 'QUARANTINED'), ...findings],
    }
  }
  const { frozen, replace, signers, 'trust-lock': trustLock, 'dry-run': dryRun } = flags
  const sign = flags.sign ? (flags.key ?? '') : undefined
  const request = { project, frozen, trustLock, replace, signers, sign, dryRun, onProgress, signal }
  const first = await loadout.installProject(request)
  return askAndRepeat(first, frozen || dryRun ? undefined : ask, loadout, () => loadout.installProject(request))
}

/** Asks about the skills of a project that can act, and does the rest after a yes. */
export async function askAndRepeat(
  first: Report<ProjectOutcome>,
  ask: EquipInput['ask'],
  loadout: Loadout,
  repeat: () => Promise<Report<ProjectOutcome>>,
): Promise<Report<ProjectOutcome>> {
  const allowed = await askForSheets(first.value.waiting ?? [], ask, loadout, first.value.project)
  if (allowed.length === 0) return first
  const second = await repeat()
  const told = first.findings.filter(({ code }) => code !== 'QUARANTINED')
  const { fetched, written, moves, operations } = first.value
  return {
    value: {
      ...second.value,
      fetched,
      moves,
      written: [...new Set([...written, ...second.value.written])],
      operations: [...operations, ...second.value.operations],
    },
    findings: [...told, ...second.findings],
  }
}

/** What changed in a project: its files, then its copies. */
export function printProject(outcome: ProjectOutcome, screen: Screen, findings: readonly Finding[]): string {
  const { skills, fetched, written, isDryRun } = outcome
  const from = fetched.length === 0 ? 'all at hand' : `${fetched.length} fetched`
  const calm = `${count(skills.length, 'skill')} as loadout.lock pins ${skills.length === 1 ? 'it' : 'them'}.`
  const { operations } = outcome
  return (
    printOperations(outcome, screen, findings, calm) +
    lines(
      operations.length > 0 && !isDryRun && screen.faint(`${count(skills.length, 'skill')} in loadout.lock, ${from}`),
      written.length > 0 &&
        `${isDryRun ? 'would write' : 'wrote'} ${written.join(' and ')}${isDryRun ? '' : ': commit it'}`,
    )
  )
}

/** Installs skills. On a terminal, first asks about those that can act. */
export async function equipAsking(
  request: Parameters<Loadout['equip']>[0],
  ask: EquipInput['ask'],
  loadout: Loadout,
): Promise<Report<Outcome>> {
  const first = await loadout.equip(request)
  const names = request.dryRun ? [] : await askForSheets(first.value.waiting ?? [], ask, loadout)
  if (names.length === 0) return first
  const second = await loadout.equip({ ...request, names, all: false, tags: undefined })
  const told = first.findings.filter(({ code }) => code !== 'QUARANTINED')
  return {
    value: { ...second.value, operations: [...first.value.operations, ...second.value.operations] },
    findings: [...told, ...second.findings],
  }
}

export const remove = defineCommand({
  name: 'remove',
  shortensHome: true,
  aliases: { unequip: ['--copies'], uninstall: ['--copies'] },
  summary: 'remove skills from the agents and from the library',
  details:
    'Removes the installed copies of the named skills, and then the skills from the library, unless another install still\n' +
    'needs them. Asks first. Skills that are not named one by one stay in the library, and so do all with --copies.\n' +
    'Edited copies go to the backup folder. Folders that Loadout did not install stay.',
  args: NAMES,
  flags: {
    copies: { kind: 'switch', summary: 'only the installed copies; the library keeps the skills' },
    ...EQUIP_FLAGS,
    unused: { kind: 'switch', summary: 'skills without any use in the usage log' },
    yes: { kind: 'switch', summary: 'do not ask' },
    ...ALL_PROJECTS_FLAG,
  },
  run: async (input, loadout): Promise<Report<Removal>> => {
    const { copies, unused, yes, project, 'dry-run': dryRun, 'all-projects': allProjects } = input.flags
    const request = { ...requestOf(input), unused, allProjects }
    const { names } = request
    if (!copies && names.length > 0 && project !== undefined && (await loadout.hasManifest({ project }))) {
      return loadout.removeFromProject({ names, project, dryRun, signal: input.signal })
    }
    if (copies || names.length === 0) return loadout.unequip(request)
    const planned = await loadout.unequip({ ...request, dryRun: true })
    if (dryRun) return { ...planned, value: { ...planned.value, named: names } }
    if (!yes) {
      const agents = [...new Set(planned.value.operations.map(({ agent }) => agent))]
      const places = [...agents, 'the library'].join(', ')
      const command = `loadout remove ${names.join(' ')}${project === undefined ? '' : ` --project ${shellWord(project)}`}`
      if (input.ask === undefined) {
        throw failWith('CONFIRMATION_NEEDED/remove', { names: names.join(', '), places, command })
      }
      if (!isYes(input.ask(`Remove ${names.join(', ')} from ${places}? [y/N] `))) throw failWith('NOT_CONFIRMED')
    }
    const { value, findings } = await loadout.unequip(request)
    const deleted = await loadout.deleteSkills({ names, project })
    // What is still installed elsewhere stays; what the library never had is gone with its copies.
    const told = deleted.findings.flatMap((finding): Finding[] => {
      if (finding.code === 'SKILL_NOT_FOUND' && value.operations.length > 0) return []
      return [finding.code === 'SKILL_INSTALLED' ? { ...finding, severity: 'info' } : finding]
    })
    const isHere = ({ code, subject }: Finding) =>
      code !== 'NOT_EQUIPPED' || !deleted.value.some(({ name }) => name === subject)
    return { value: { ...value, deleted: deleted.value }, findings: [...findings.filter(isHere), ...told] }
  },
  print: ({ deleted = [], named = [], ...outcome }: Removal, screen, findings) => {
    if ('written' in outcome) return printProject(outcome as ProjectOutcome, screen, findings)
    const commit = deleted[0]?.commit
    const gone = `Removed from the library: ${deleted.map(({ name }) => name).join(', ')}`
    return (
      (deleted.length > 0 && outcome.operations.length === 0
        ? ''
        : printOperations(outcome, screen, findings, 'Nothing was removed.')) +
      lines(
        named.length > 0 && `The library would lose ${named.join(', ')}, unless another install needs it.`,
        deleted.length > 0 && `${gone}${commit === undefined ? ' (not committed)' : `, commit ${commit.slice(0, 7)}`}`,
        commit !== undefined && 'Bring it back into the library: loadout undo',
      )
    )
  },
})

interface Removal extends Outcome {
  /** What left the library. */
  deleted?: Deletion[]
  /** In a dry run: what would leave the library, if no other install needs it. */
  named?: readonly string[]
}

interface EquipInput {
  args: Record<string, string | undefined>
  flags: { agent?: string[]; tag?: string[]; all?: boolean; project?: string; 'dry-run'?: boolean }
  onProgress: ((done: number, total: number, what: string) => void) | undefined
  signal: AbortSignal
  ask: ((question: string) => string) | undefined
}

function requestOf({ args, flags, onProgress, signal }: EquipInput): Parameters<Loadout['equip']>[0] {
  return {
    names: namesIn(args.names),
    targets: flags.agent,
    tags: flags.tag,
    all: flags.all,
    project: flags.project,
    dryRun: flags['dry-run'],
    onProgress,
    signal,
  }
}

export const sync = defineCommand({
  name: 'sync',
  shortensHome: true,
  summary: 'update the library from its remote, and all installs from it',
  details:
    'Fast-forwards only; never merges or forces. Refreshes the installs even if git fails.\n' +
    'A copy that was edited by hand keeps its edit: if the library has changed too, sync merges both. If they conflict, the\n' +
    'copy stays as it is, and loadout merge shows the conflict. Only --replace gives up edits, after a backup.\n' +
    'A dry run still fetches, and shows the result for every skill and install.',
  args: [],
  flags: {
    push: { kind: 'switch', summary: 'also push local commits' },
    replace: { kind: 'switch', summary: 'replace edited copies with the library’s version, after a backup' },
    'keep-edits': { kind: 'switch', summary: 'without effect: edits are always kept' },
    merge: { kind: 'switch', summary: 'without effect: edits are always merged' },
    diff: { kind: 'switch', summary: 'with --dry-run: show how the text of each skill would change' },
    ...ALL_PROJECTS_FLAG,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ flags, onProgress, signal }, loadout) =>
    loadout.sync({
      project: flags.project,
      allProjects: flags['all-projects'],
      push: flags.push,
      replace: flags.replace,
      diff: flags.diff,
      dryRun: flags['dry-run'],
      onProgress,
      signal,
    }),
  print: (result: SyncResult, screen, findings) =>
    lines(
      result.steps.map((step) => describeStep(step, result.isDryRun)),
      alignRows((result.changes ?? []).map(({ kind, skill }) => [`  ${kind}`, skill])),
      (result.changes ?? []).flatMap(({ diff = '' }) => (diff === '' ? [] : [printableText(diff).trimEnd()])),
    ) +
    printOperations(
      result,
      screen,
      findings,
      isTaking(result) ? NO_CHANGE : 'Every install is up to date with the library.',
    ),
  isWaiting: ({ waiting, isDryRun }: SyncResult) => waiting !== undefined && !isDryRun,
})

const NO_CHANGE = 'No installed copy would change.'

/** Whether a dry run compared with remote commits that were not merged yet. */
function isTaking({ isDryRun, steps }: SyncResult): boolean {
  return isDryRun && steps.some(({ kind }) => kind === 'fast-forward')
}

function describeStep(step: SyncStep, isDryRun: boolean): string {
  const verb = isDryRun ? 'would be ' : ''
  const commits = step.commits === undefined ? 'all commits' : count(step.commits, 'commit')
  if (step.kind === 'fast-forward') return `library: ${commits} ${verb}pulled from the remote`
  return `library: ${commits} ${verb}pushed to ${step.remote}`
}

export const diff = defineCommand({
  name: 'diff',
  summary: 'show how installed copies differ from the library',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: { ...AGENT_FLAG, ...SCOPE_FLAGS },
  run: ({ args, flags }, loadout) =>
    loadout.diff({ name: args.name ?? '', targets: flags.agent, project: flags.project }),
  print: ({ name, differences }: SkillDiff, screen) =>
    differences.length === 0
      ? lines(`No installed copy of ${name} differs from the library.`)
      : lines(
          differences.flatMap(({ agents, state, path, text }) => [
            screen.strong(`${agents.join(', ')}  ${state}  ${printableLine(path)}`),
            printableText(text).trimEnd(),
          ]),
        ),
})

export const adopt = defineCommand({
  name: 'adopt',
  shortensHome: true,
  summary: 'copy an edit of an installed skill into the library',
  details:
    'Shows the difference first; on a terminal it asks before changing anything. If the library has changed since the\n' +
    'copy was installed, it merges both changes; conflicts wait for loadout merge. A folder with the name of\n' +
    'the skill that Loadout did not install is adopted too, and becomes a managed install.',
  args: [{ name: 'name', summary: 'the skill', required: true }],
  flags: {
    ...AGENT_FLAG,
    force: { kind: 'switch', summary: 'take the copy unchanged, and discard changes in the library' },
    yes: { kind: 'switch', summary: 'do not ask' },
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ args, flags, ask }, loadout) => {
    const { project, force, agent } = flags
    const request = { name: args.name ?? '', targets: agent, project, force, commit: commitChoice(flags) }
    if (flags['dry-run']) return loadout.adopt({ ...request, dryRun: true })
    if (ask !== undefined && !flags.yes) {
      const { value } = await loadout.adopt({ ...request, dryRun: true })
      if (
        value.diff !== '' &&
        value.conflicts.length === 0 &&
        !isYes(ask(`${printableText(value.diff)}Bring this into the library? [y/N] `))
      ) {
        throw failWith('NOT_CONFIRMED')
      }
    }
    return loadout.adopt(request)
  },
  print: (adoption: Adoption, screen: Screen) => {
    const { name, diff, commit, isMerged, conflicts, operations, isDryRun } = adoption
    if (conflicts.length > 0) return printConflicts(adoption)
    const how = isMerged ? 'adopted, merged with the changes of the library' : 'adopted'
    return lines(
      diff === '' ? `The edit of ${name} changes nothing in the library.` : printableText(diff).trimEnd(),
      diff !== '' && isDryRun && 'Nothing was changed. This would change in the library:',
      diff !== '' &&
        !isDryRun &&
        screen.strong(`${name} ${how}${commit === undefined ? ', not committed' : `, commit ${commit.slice(0, 7)}`}`),
      alignRows(operations.map((operation) => operationRow(operation, isDryRun))),
    )
  },
})

/** The changes of a skill that conflict. */
function printConflicts({ name, conflicts, isDryRun }: Pick<Adoption, 'name' | 'conflicts' | 'isDryRun'>): string {
  return lines(
    `${name}: ${isDryRun ? 'these changes would not merge:' : 'these changes do not merge:'}`,
    conflicts.map(({ message }) => `  ${printableLine(message)}`),
  )
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer)
}

type Operation = Outcome['operations'][number]

const PAST: Record<Operation['kind'], string> = {
  install: 'installed',
  refresh: 'refreshed',
  merge: 'merged',
  restore: 'restored',
  remove: 'removed',
  restamp: 'marked',
  adopt: 'adopted',
  recover: 'recovered',
}

/** One operation: what was done, or would be, and to which copy. */
export function operationRow({ kind, skill, agent, scope, root }: Operation, isDryRun: boolean): string[] {
  return [`  ${isDryRun ? kind : PAST[kind]}`, skill, agent, scope, root]
}

/** What happens to the user's edit. */
function noteOf(operation: Operation): string {
  if (operation.kind === 'merge') return 'your edit and the change of the library'
  return operation.kind === 'refresh' && operation.keepsCopy ? 'replaces your edit; a copy is kept' : ''
}

/**
 * The operations done, one line each; in a dry run those that would be. `calm` is printed if there was nothing to do.
 */
export function printOperations(
  { operations, isDryRun }: Outcome,
  screen: Screen,
  findings: readonly Finding[],
  calm: string,
): string {
  // There is one for every install: they would hide the real changes.
  const told = operations.filter(({ kind }) => kind !== 'restamp')
  const isCalm = findings.every(({ severity }) => severity === 'info')
  if (operations.length === 0) return lines(isCalm ? calm : 'Nothing was changed.')
  const shown = told.slice(0, MOST_SHOWN)
  const rows = shown.map((operation) => [...operationRow(operation, isDryRun), noteOf(operation)])
  const more = told.length - shown.length
  const restamped = operations.length - told.length
  const marked = isDryRun ? 'would be marked' : `${restamped === 1 ? 'was' : 'were'} marked`
  return lines(
    isDryRun && 'Nothing was changed. This would be done:',
    alignRows(rows),
    more > 0 && `  and ${count(more, 'more', 'more')}`,
    restamped > 0 && `  ${count(restamped, 'unchanged install')} ${marked} with the new commit`,
    !isDryRun && told.length > 1 && screen.strong(`${count(told.length, 'install')} changed`),
  )
}
