import type { ProjectOutcome, SourceState, UpdateResult } from '../../loadout.ts'
import { listed } from '../../text/count.ts'
import { shellWord } from '../../text/printable.ts'
import { type Finding, failWith, type Report } from '../../text/trouble.ts'
import {
  COMMIT_FLAGS,
  type Command,
  DRY_RUN_FLAG,
  defineCommand,
  isYes,
  NAMES_ARGUMENT,
  SCOPE_FLAGS,
  YES_FLAG,
} from '../command.ts'
import {
  alignRows,
  commitText,
  count,
  firstRows,
  lines,
  MOST_SHOWN,
  printableLine,
  printableText,
  type Screen,
  WOULD,
} from '../screen.ts'
import { askAndRepeat, operationRow, printProject } from './installs.ts'
import { askForSheets, describeSheet } from './review.ts'

export const outdated = defineCommand({
  name: 'outdated',
  summary: 'check the sources of imported skills for newer versions',
  details: 'Fetches each repository once, into the cache. Changes nothing.',
  args: NAMES_ARGUMENT,
  flags: {},
  run: ({ request, control }, loadout) => loadout.skills.outdated({ ...request, ...control }),
  print: (states, screen) => {
    const rows = states
      .filter(({ state }) => state !== 'current')
      .map(({ name, state, source, ref, from = '', to = '', folder }) => {
        const range = state === 'outdated' && to !== '' ? `${from.slice(0, 7)}..${to.slice(0, 7)}` : from.slice(0, 7)
        const place = `${source}${ref === undefined ? '' : ` (${ref})`}${folder === undefined ? '' : `, now in ${folder}`}`
        return [`  ${name}`, state, range, place]
      })
    const newer = states.filter(({ state }) => state === 'outdated').length
    if (states.length === 0) return lines('No skill of the library has a source to check.')
    return lines(
      alignRows(rows),
      newer === 0
        ? noneNewer(count(states.length, 'imported skill'), states)
        : screen.strong(`${count(newer, 'skill has', 'skills have')} a newer version`),
      newer > 0 && screen.faint('loadout update --dry-run shows the changes'),
    )
  },
})

/** Sources that did not answer, or were not asked, may have newer versions. */
function noneNewer(what: string, states: readonly Pick<SourceState, 'state'>[]): string {
  const [unreachable, pinned] = (['unreachable', 'pinned'] as const).map(
    (wanted) => states.filter(({ state }) => state === wanted).length,
  )
  if (!unreachable && !pinned) return `${what}, none with a newer version.`
  const unknown = [
    unreachable ? `; the sources of ${unreachable} did not answer` : '',
    pinned ? `; ${pinned} pinned and not checked` : '',
  ]
  return `${what}, none known to have a newer version${unknown.join('')}.`
}

export const update = defineCommand({
  name: 'update',
  summary: 'update imported skills, and keep your changes',
  details:
    'Updates every imported skill, or the named ones. Shows the difference first; on a terminal it asks before\n' +
    'changing anything. A new version that can do more than before is installed after you allow it.\n' +
    'All updates are one commit. Conflicts wait for loadout merge, and the library keeps its version until then.\n' +
    'Then it refreshes the installed copies; edits in them are merged as by loadout sync.',
  args: NAMES_ARGUMENT,
  flags: {
    all: { kind: 'switch', summary: 'every imported skill, also with --ref or --take' },
    ref: { kind: 'text', value: 'version', summary: 'another branch, tag or commit of the source' },
    take: {
      kind: 'choice',
      choices: ['library', 'source'],
      summary: 'do not merge: keep the library’s version, or take the source’s',
    },
    ...YES_FLAG,
    ...COMMIT_FLAGS,
    ...SCOPE_FLAGS,
    ...DRY_RUN_FLAG,
  },
  run: async ({ request, ask, control }, loadout): Promise<Report<UpdateResult | ProjectOutcome>> => {
    const { project, dryRun, yes } = request
    const wanted = { ...request, ...control, project: undefined }
    const moved = { ...request, ...control, project }
    if (dryRun) return project === undefined ? loadout.skills.update(wanted) : loadout.skills.updateProject(moved)
    const asked = yes ? undefined : ask
    const confirm = (diffs: readonly string[], question: string) => {
      const text = diffs.map(printableText).join('')
      if (text !== '' && !isYes(asked?.(`${text}${question} [y/N] `) ?? 'yes')) throw failWith('NOT_CONFIRMED')
    }
    if (project !== undefined) {
      if (asked !== undefined) {
        const { value } = await loadout.skills.updateProject({ ...moved, dryRun: true })
        confirm(
          value.moves.map(({ diff = '' }) => diff),
          'Move loadout.lock to this?',
        )
      }
      const { signal } = control
      return askAndRepeat(await loadout.skills.updateProject(moved), asked, loadout, () =>
        loadout.skills.installProject({ project, signal }),
      )
    }
    if (asked !== undefined) {
      const { value } = await loadout.skills.update({ ...wanted, dryRun: true })
      confirm(
        value.updates.map(({ diff }) => diff),
        'Update the library?',
      )
      await askForSheets(value.waiting ?? [], asked, loadout)
    }
    return loadout.skills.update(wanted)
  },
  print: (value, screen, findings) =>
    'moves' in value ? printMoves(value, screen, findings) : printUpdates(value, screen),
  isWaiting: ({ waiting, isDryRun }) => waiting !== undefined && !isDryRun,
})

/** Where the lock of a project moved, with the difference of each skill and what it can do in addition. */
function printMoves(value: ProjectOutcome, screen: Screen, findings: readonly Finding[]): string {
  const short = (commit = '') => commit.slice(0, 7)
  return (
    lines(
      value.moves.flatMap(({ kind, name, from, to, source, diff = '', review }) => [
        ...(value.isDryRun && diff !== '' ? [printableText(diff).trimEnd()] : []),
        screen.strong(
          printableLine(`  ${kind}  ${name}  ${[short(from), short(to)].filter(Boolean).join('..')}  ${source}`),
        ),
        ...describeSheet(review, screen, '    '),
      ]),
    ) + printProject(value, screen, findings)
  )
}

export const undo = defineCommand({
  name: 'undo',
  summary: 'take back what a commit of the library did to skills',
  details:
    'Makes a new commit in which these skills are as they were before, and brings their installed copies back too: edits\n' +
    'in them stay, and an edit that --replace took comes back from its backup. Refused when one of the skills has changed\n' +
    'since, so that no later change is lost. Takes back a commit that came from the remote only if you name it.',
  args: [{ name: 'commit', summary: 'a commit of the library (default: the last one, if it was made here)' }],
  flags: DRY_RUN_FLAG,
  run: ({ request, control: { signal } }, loadout) => loadout.skills.undo({ ...request, signal }),
  print: ({ undone, subject, names, diff, commit, operations, isDryRun }, screen) =>
    lines(
      isDryRun && printableText(diff).trimEnd(),
      `${isDryRun ? 'Nothing was changed. This would be undone' : 'undone'}: ${undone.slice(0, 7)} ${printableLine(subject)}`,
      printableLine(`  ${listed(names, MOST_SHOWN)}`),
      firstRows(operations.map((operation) => operationRow(operation, isDryRun))),
      commit !== undefined && screen.strong(commitText(commit)),
    ),
})

const RESULTS = {
  updated: 'updated',
  conflict: 'needs a decision',
  unchanged: 'unchanged',
  undecided: 'not updated',
} as const

function printUpdates({ updates, commit, operations, isDryRun }: UpdateResult, screen: Screen): string {
  const told = updates.filter(({ result }) => result !== 'unchanged')
  if (told.length === 0) return lines(noneNewer(`${count(updates.length, 'skill')} asked for`, updates))
  const rows = told.map(({ name, result, isMerged, from = '', to = '' }) => [
    `  ${name}`,
    `${isDryRun && result === 'updated' ? 'would be updated' : RESULTS[result]}${isMerged && result === 'updated' ? ', merged with your changes' : ''}`,
    to === '' ? '' : `${from.slice(0, 7)}..${to.slice(0, 7)}`,
  ])
  return lines(
    isDryRun && told.flatMap(({ diff }) => (diff === '' ? [] : [printableText(diff).trimEnd()])),
    isDryRun && WOULD,
    alignRows(rows),
    told.flatMap(({ name, conflicts }) => conflicts.map(({ message }) => `    ${name}: ${printableLine(message)}`)),
    told.flatMap(({ name, review }) =>
      review.length === 0 ? [] : [`  ${name} can do more than before:`, ...describeSheet(review, screen, '    ')],
    ),
    alignRows(operations.map((operation) => operationRow(operation, isDryRun))),
    commit !== undefined && screen.strong(commitText(commit)),
  )
}

export const [pin, unpin] = (
  [
    ['pin', 'keep imported skills at their current version', true],
    ['unpin', 'allow updates of pinned skills again', false],
  ] as const
).map(([name, summary, isPinned]) =>
  defineCommand({
    name,
    summary,
    args: [{ ...NAMES_ARGUMENT[0], required: true }],
    flags: COMMIT_FLAGS,
    run: ({ request }, loadout) => loadout.skills.pin({ ...request, isPinned }),
    print: ({ pinned, isPinned: isOn }) =>
      lines(
        pinned.map(({ name: skill, source, commit = '' }) =>
          isOn
            ? `${skill} stays at ${commit.slice(0, 7) || 'its version'} of ${printableLine(source)}`
            : `${skill} follows ${printableLine(source)} again`,
        ),
      ),
  }),
) as [Command, Command]

export const merge = defineCommand({
  name: 'merge',
  summary: 'show and finish merges that need a decision',
  details:
    'update, adopt, sync and other commands leave conflicts here. Edit the listed files: remove the\n' +
    'markers from texts, and rename either x.library or x.other to x. Then use --continue. The library does not\n' +
    'change before that. The copies whose edits were merged get the result.',
  args: [{ name: 'name', summary: 'the skill (default: list all open merges)' }],
  flags: {
    continue: { kind: 'switch', summary: 'store the merged skill in the library' },
    abort: { kind: 'switch', summary: 'abandon the merge; a copy goes to the backup folder' },
    take: {
      kind: 'choice',
      choices: ['library', 'other'],
      summary: 'resolve every remaining conflict with this version',
    },
    ...COMMIT_FLAGS,
  },
  run: ({ request }, loadout) => loadout.skills.finishMerge(request),
  print: ({ merges, merged, aborted, commit, operations = [] }, screen) => {
    if (merged !== undefined) {
      return lines(
        screen.strong(`${merged} merged, ${commitText(commit)}`),
        alignRows(operations.map((operation) => operationRow(operation, false))),
        `  loadout sync refreshes its ${operations.length === 0 ? '' : 'other '}installed copies`,
      )
    }
    if (aborted !== undefined) return lines(`The merge of ${aborted} was abandoned. The library is unchanged.`)
    if (merges.length === 0) return lines('There are no open merges.')
    return lines(
      merges.flatMap(({ skill, files, conflicts, sides }) => [
        screen.strong(`${skill}  ${conflicts.length === 0 ? 'ready' : count(conflicts.length, 'conflict')}`),
        `  between ${printableLine(sides.ours)} and ${printableLine(sides.theirs)}`,
        `  in ${printableLine(files)}`,
        ...conflicts.map(({ message, path }) => `    ${printableLine(message)}: ${printableLine(path)}`),
        `  then: loadout merge ${shellWord(skill)} --continue`,
      ]),
    )
  },
})
