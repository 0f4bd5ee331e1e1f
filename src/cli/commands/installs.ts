import type { Deletion, Loadout, Outcome, ProjectOutcome, SyncResult } from '../../loadout.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import {
  AGENT_FLAG,
  ALL_FLAG,
  type Ask,
  COMMIT_FLAGS,
  DRY_RUN_FLAG,
  defineCommand,
  isYes,
  NAME_ARGUMENT,
  NAMES_ARGUMENT,
  SCOPE_FLAGS,
  YES_FLAG,
} from '../command.ts'
import {
  alignRows,
  commitText,
  count,
  grouped,
  inHome,
  lines,
  MOST_SHOWN,
  printableLine,
  printableText,
  type Screen,
  WOULD,
} from '../screen.ts'
import { askForSheets } from './review.ts'

const ALL_PROJECTS_FLAG = {
  allProjects: { kind: 'switch', summary: 'also in every project with installs on this machine' },
} as const

const EQUIP_FLAGS = {
  ...AGENT_FLAG,
  tags: { name: 'tag', kind: 'list', value: 'tag', summary: 'all skills with this tag' },
  ...ALL_FLAG,
  ...SCOPE_FLAGS,
  ...DRY_RUN_FLAG,
} as const

export const install = defineCommand({
  name: 'install',
  aliases: { equip: [] },
  summary: 'install what the project’s loadout.json names, or skills of the library by name',
  details:
    'Without names: installs exactly what loadout.lock of the project pins, from the cache or the sources, and first locks\n' +
    'what loadout.json asks for in addition. Asks once about skills that can act. With names: copies skills of the library\n' +
    'into the folder of every enabled agent that they support. Never touches folders that Loadout did not install.',
  args: NAMES_ARGUMENT,
  flags: {
    ...EQUIP_FLAGS,
    replace: {
      kind: 'switch',
      summary: 'also replace edited copies, and folders and links that Loadout did not install, after a backup',
    },
    fromCatalog: { kind: 'switch', summary: 'only skills that the catalog of the team lists' },
    frozen: {
      kind: 'switch',
      summary: 'without names, for CI: fail if loadout.json, loadout.lock and the sources disagree',
    },
    from: {
      kind: 'text',
      value: 'url',
      summary: 'on a new machine: clone this library first; without names or --all, install its agents and profile',
    },
    sign: { kind: 'switch', summary: 'sign loadout.lock with your SSH key' },
    key: { kind: 'text', value: 'file', summary: 'with --sign: this SSH key (default: the first usual one in ~/.ssh)' },
    signers: {
      kind: 'text',
      value: 'file',
      summary: 'refuse a lock without a signature of one of these allowed signers',
    },
    trustLock: { kind: 'switch', summary: 'what loadout.lock records as agreed counts as your answer, for this call' },
  },
  run: async ({ request, ask, control }, loadout): Promise<Report<Outcome | ProjectOutcome>> => {
    const { names, all, tags, project, dryRun, from, frozen, key } = request
    const source = names.find((name) => /\/|\.tar\.gz$|\.git$/.test(name))
    if (source !== undefined) throw failWith('BAD_NAME/source', { source, word: shellWord(source) })
    if (from !== undefined) await loadout.skills.initialize({ clone: from, dryRun, signal: control.signal })
    if (names.length > 0 || all || tags !== undefined) return equipAsking({ ...request, ...control }, ask, loadout)

    if (from !== undefined || (project === undefined && !(await loadout.skills.hasManifest({})))) {
      const first = await loadout.skills.restoreLibrary({ dryRun, ...control })
      return askAndRepeat(first, ask, loadout, () => loadout.skills.restoreLibrary(control))
    }
    const locked = { ...request, sign: request.sign ? (key ?? '') : undefined, ...control }
    const first = await loadout.skills.installProject(locked)
    return askAndRepeat(first, frozen ? undefined : ask, loadout, () => loadout.skills.installProject(locked))
  },
  print: (outcome, screen, findings) =>
    'project' in outcome
      ? printProject(outcome, screen, findings)
      : printOperations(outcome, screen, findings, 'Everything is already equipped.'),
  isWaiting: ({ waiting, isDryRun }) => waiting !== undefined && !isDryRun,
})

/** On a terminal: asks about skills that can act, and does the rest after a yes. */
export async function askAndRepeat<Done extends Outcome | ProjectOutcome>(
  first: Report<Done>,
  ask: Ask | undefined,
  loadout: Loadout,
  repeat: (allowed: string[]) => Promise<Report<Done>>,
): Promise<Report<Done>> {
  const { waiting = [], isDryRun, ...before }: Outcome & Partial<ProjectOutcome> = first.value
  const allowed = isDryRun ? [] : await askForSheets(waiting, ask, loadout, before.project)
  if (allowed.length === 0) return first
  const second = await repeat(allowed)
  const after: Outcome & Partial<ProjectOutcome> = second.value
  const { fetched, moves } = before
  const operations = [...before.operations, ...after.operations]
  const written = after.written && [...new Set([...(before.written ?? []), ...after.written])]
  const value = { ...second.value, operations }
  if (written !== undefined) Object.assign(value, { fetched, moves, written })
  const isOld = ({ code, subject }: Finding) =>
    code === 'QUARANTINED' || second.findings.some((each) => each.code === code && each.subject === subject)
  return { value, findings: [...first.findings.filter((each) => !isOld(each)), ...second.findings] }
}

/** What changed in a project: its files, then its copies. */
export function printProject(outcome: ProjectOutcome, screen: Screen, findings: readonly Finding[]): string {
  const { skills, packs, rules, fetched, written, isDryRun, operations } = outcome
  const from = fetched.length === 0 ? 'all at hand' : `${fetched.length} fetched`
  const texts = [packs.length > 0 && count(packs.length, 'pack'), rules.length > 0 && count(rules.length, 'rule')]
  const pinned = [count(skills.length, 'skill'), ...texts.filter((each) => each !== false)].join(', ')
  const isOne = skills.length + packs.length + rules.length === 1
  const kept = written.filter((path) => /^loadout\.(?:json|lock)/.test(path))
  const isChanged = operations.length > 0 || written.length > 0
  return (
    (operations.length === 0 && written.length > 0
      ? ''
      : printOperations(outcome, screen, findings, `${pinned} as loadout.lock pins ${isOne ? 'it' : 'them'}.`)) +
    lines(
      isChanged && !isDryRun && screen.faint(`${pinned} in loadout.lock, ${from}`),
      written.length > 0 && `${isDryRun ? 'would write' : 'wrote'} ${written.join(', ')}`,
      kept.length > 0 && !isDryRun && `Commit ${kept.join(' and ')}.`,
    )
  )
}

/** Installs skills. On a terminal, first asks about those that can act. */
export async function equipAsking(
  request: Parameters<Loadout['skills']['equip']>[0],
  ask: Ask | undefined,
  loadout: Loadout,
): Promise<Report<Outcome>> {
  return askAndRepeat(await loadout.skills.equip(request), ask, loadout, (names) =>
    loadout.skills.equip({ ...request, names, all: false, tags: undefined }),
  )
}

export const remove = defineCommand({
  name: 'remove',
  aliases: { rm: [], unequip: ['--copies'], uninstall: ['--copies'] },
  summary: 'remove skills from the agents and from the library',
  details:
    'Removes the installed copies of the named skills, and then the skills from the library, unless another install still\n' +
    'needs them. Asks first. Skills that are not named one by one stay in the library, and so do all with --copies.\n' +
    'Edited copies go to the backup folder. Folders that Loadout did not install stay.',
  args: NAMES_ARGUMENT,
  flags: {
    copies: { kind: 'switch', summary: 'only the installed copies; the library keeps the skills' },
    ...EQUIP_FLAGS,
    unused: { kind: 'switch', summary: 'skills without any use in the usage log' },
    ...YES_FLAG,
    ...ALL_PROJECTS_FLAG,
  },
  run: async ({ request, ask, control }, loadout): Promise<Report<Removal>> => {
    const { names, copies, yes, project, dryRun } = request
    const equipped = { ...request, ...control }
    if (!copies && names.length > 0 && project !== undefined && (await loadout.skills.hasManifest({ project }))) {
      return loadout.skills.removeFromProject({ names, project, dryRun, signal: control.signal })
    }
    if (copies || names.length === 0) return loadout.skills.unequip(equipped)
    const planned = await loadout.skills.unequip({ ...equipped, dryRun: true })
    if (dryRun) return { ...planned, value: { ...planned.value, named: names } }
    if (!yes) {
      const agents = [...new Set(planned.value.operations.map(({ agent }) => agent))]
      const places = [...agents, 'the library'].join(', ')
      const command = `loadout remove ${names.join(' ')}${project === undefined ? '' : ` --project ${shellWord(project)}`}`
      if (ask === undefined) throw failWith('CONFIRMATION_NEEDED/remove', { names: names.join(', '), places, command })
      if (!isYes(ask(`Remove ${names.join(', ')} from ${places}? [y/N] `))) throw failWith('NOT_CONFIRMED')
    }
    const { value, findings } = await loadout.skills.unequip(equipped)
    const deleted = await loadout.skills.deleteAll({ names, project })
    // What is still installed elsewhere stays; what the library never had is gone with its copies.
    const told = deleted.findings.flatMap((finding): Finding[] => {
      if (finding.code === 'SKILL_NOT_FOUND' && value.operations.length > 0) return []
      return [finding.code === 'SKILL_INSTALLED' ? { ...finding, severity: 'info' } : finding]
    })
    const isHere = ({ code, subject }: Finding) =>
      code !== 'NOT_EQUIPPED' || !deleted.value.some(({ name }) => name === subject)
    return { value: { ...value, deleted: deleted.value }, findings: [...findings.filter(isHere), ...told] }
  },
  print: ({ deleted = [], named = [], ...outcome }, screen, findings) => {
    if ('written' in outcome) return printProject(outcome as ProjectOutcome, screen, findings)
    const commit = deleted[0]?.commit
    const gone = `Removed from the library: ${deleted.map(({ name }) => name).join(', ')}`
    return (
      (deleted.length > 0 && outcome.operations.length === 0
        ? ''
        : printOperations(outcome, screen, findings, 'Nothing was removed.')) +
      lines(
        named.length > 0 && `The library would lose ${named.join(', ')}, unless another install needs it.`,
        deleted.length > 0 && `${gone}${commit === undefined ? ' (not committed)' : `, ${commitText(commit)}`}`,
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

export const sync = defineCommand({
  name: 'sync',
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
    keepEdits: { kind: 'switch', summary: 'without effect: edits are always kept' },
    merge: { kind: 'switch', summary: 'without effect: edits are always merged' },
    diff: { kind: 'switch', summary: 'with --dry-run: show how the text of each skill would change' },
    ...ALL_PROJECTS_FLAG,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: ({ request, control }, loadout) => loadout.skills.sync({ ...request, ...control }),
  print: ({ steps, changes = [], ...result }: SyncResult, screen, findings) => {
    const { isDryRun } = result
    // A dry run compares with remote commits that were not merged yet.
    const isTaking = isDryRun && steps.some(({ kind }) => kind === 'fast-forward')
    const verb = isDryRun ? 'would be ' : ''
    const calm = isTaking ? 'No installed copy would change.' : 'Every install is up to date with the library.'
    return (
      lines(
        steps.map((step) => {
          const commits = step.commits === undefined ? 'all commits' : count(step.commits, 'commit')
          const where = step.kind === 'fast-forward' ? 'pulled from the remote' : `pushed to ${step.remote}`
          return `library: ${commits} ${verb}${where}`
        }),
        alignRows(changes.map(({ kind, skill }) => [`  ${kind}`, skill])),
        changes.flatMap(({ diff = '' }) => (diff === '' ? [] : [printableText(diff).trimEnd()])),
      ) + printOperations(result, screen, findings, calm)
    )
  },
  isWaiting: ({ waiting, isDryRun }) => waiting !== undefined && !isDryRun,
})

export const diff = defineCommand({
  name: 'diff',
  keepsPaths: true,
  summary: 'show how installed copies differ from the library',
  args: NAME_ARGUMENT,
  flags: { ...AGENT_FLAG, ...SCOPE_FLAGS },
  run: ({ request }, loadout) => loadout.skills.diff(request),
  print: ({ name, differences }, screen) =>
    differences.length === 0
      ? lines(`No installed copy of ${name} differs from the library.`)
      : lines(
          differences.flatMap(({ agents, state, path, text }) => [
            screen.strong(`${agents.join(', ')}  ${state}  ${printableLine(inHome(path, process.env.HOME))}`),
            printableText(text).trimEnd(),
          ]),
        ),
})

export const adopt = defineCommand({
  name: 'adopt',
  summary: 'copy an edit of an installed skill into the library',
  details:
    'Shows the difference first; on a terminal it asks before changing anything. If the library has changed since the\n' +
    'copy was installed, it merges both changes; conflicts wait for loadout merge. A folder with the name of\n' +
    'the skill that Loadout did not install is adopted too, and becomes a managed install.',
  args: NAME_ARGUMENT,
  flags: {
    ...AGENT_FLAG,
    force: { kind: 'switch', summary: 'take the copy unchanged, and discard changes in the library' },
    ...YES_FLAG,
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ request, ask }, loadout) => {
    if (request.dryRun || request.yes || ask === undefined) return loadout.skills.adopt(request)
    const { value } = await loadout.skills.adopt({ ...request, dryRun: true })
    const isClear = value.diff !== '' && value.conflicts.length === 0
    if (isClear && !isYes(ask(`${printableText(value.diff)}Bring this into the library? [y/N] `))) {
      throw failWith('NOT_CONFIRMED')
    }
    return loadout.skills.adopt(request)
  },
  print: ({ name, diff, commit, isMerged, conflicts, operations, isDryRun }, screen) => {
    if (conflicts.length > 0) {
      return lines(
        `${name}: ${isDryRun ? 'these changes would not merge:' : 'these changes do not merge:'}`,
        conflicts.map(({ message }) => `  ${printableLine(message)}`),
      )
    }
    const how = isMerged ? 'adopted, merged with the changes of the library' : 'adopted'
    return lines(
      diff === '' ? `The edit of ${name} changes nothing in the library.` : printableText(diff).trimEnd(),
      diff !== '' && isDryRun && 'Nothing was changed. This would change in the library:',
      diff !== '' && !isDryRun && screen.strong(`${name} ${how}, ${commitText(commit)}`),
      alignRows(operations.map((operation) => operationRow(operation, isDryRun))),
    )
  },
})

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
  const rows = shown.map((operation) => {
    const kept = operation.kind === 'refresh' && operation.keepsCopy ? 'replaces your edit; a copy is kept' : ''
    const note = operation.kind === 'merge' ? 'your edit and the change of the library' : kept
    return [...operationRow(operation, isDryRun), note]
  })
  const more = told.length - shown.length
  const restamped = operations.length - told.length
  const marked = isDryRun ? 'would be marked' : `${restamped === 1 ? 'was' : 'were'} marked`
  return lines(
    isDryRun && WOULD,
    alignRows(rows),
    more > 0 && `  and ${grouped(more)} more`,
    restamped > 0 && `  ${count(restamped, 'unchanged install')} ${marked} with the new commit`,
    !isDryRun && told.length > 1 && screen.strong(`${count(told.length, 'install')} changed`),
  )
}
