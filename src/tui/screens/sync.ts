import type { SyncResult } from '../../loadout.ts'
import { count } from '../../text/count.ts'
import { insideOf, type Line, plain, type Size, span, styled } from '../frame/line.ts'
import { findingLines, inColumns, problemLines, textPane, unifiedLines } from '../frame/rows.ts'
import type { SyncPreview } from '../message.ts'
import type { Model } from '../model.ts'

export function viewSync(model: Model, size: Size): Line[] {
  const { result, preview, push } = model.sync
  const what = result !== undefined ? 'Sync: done' : preview === undefined ? 'Sync' : 'Sync: what it would do'
  return textPane(
    styled(`${what}${push ? ', with a push' : ''}`, 'strong'),
    syncLines(model, insideOf(size).columns),
    model.sync.at,
    size,
  )
}

/** What a sync would do or did, its findings, and how texts would change. */
export function syncLines({ sync, problems }: Model, columns: number): Line[] {
  const { result, preview, findings } = sync
  const value = result ?? preview
  if (value === undefined) return problemLines(problems.sync, 'asking the remote…', columns)
  const done = doneLines(value)
  const trouble = findings.flatMap((finding) => findingLines(finding, columns))
  const isCalm = findings.every(({ severity }) => severity === 'info')
  const nothing = isCalm
    ? styled('● everything is as the library has it', 'good')
    : styled(result === undefined ? 'no install would change' : 'no install was changed', 'faint')
  return [
    ...(done.length > 0 ? done : [nothing]),
    ...(trouble.length > 0 ? [[], ...trouble] : []),
    ...(result === undefined && preview !== undefined ? changeLines(preview) : []),
  ]
}

function doneLines({ steps, operations }: SyncResult): Line[] {
  // A new stamp on the same content is of no interest to the user.
  const told = operations.filter(({ kind }) => kind !== 'restamp')
  const row = inColumns(told, ({ kind, skill, agent, scope }) => [
    plain(kind),
    plain(skill),
    plain(agent),
    plain(scope),
  ])
  return [...steps.map((each) => plain(stepText(each))), ...told.map(row)]
}

function stepText(step: SyncResult['steps'][number]): string {
  const commits = step.commits === undefined ? 'all commits' : count(step.commits, 'commit')
  return step.kind === 'fast-forward' ? `library: take ${commits} (fast-forward)` : `library: push ${commits}`
}

function changeLines({ diffs }: SyncPreview): Line[] {
  return diffs.flatMap(({ skill, where, text }): Line[] => [
    [],
    [span(skill, 'strong'), span(`  ${where}`, 'faint')],
    ...unifiedLines(text),
  ])
}
