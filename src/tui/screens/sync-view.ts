import type { SyncResult } from '../../loadout.ts'
import type { Finding } from '../../text/trouble.ts'
import { insideOf, type Line, plain, type Size, span, styled, wrapped } from '../frame/line.ts'
import { textPane } from '../frame/list.ts'
import type { Model } from '../model.ts'
import { problemLines } from './problem-lines.ts'

export function viewSync(model: Model, size: Size): Line[] {
  return textPane(styled('Sync', 'strong'), syncLines(model, insideOf(size).columns), model.sync.at, size)
}

/** What a sync did, and what it met. */
export function syncLines({ sync, problems }: Model, columns: number): Line[] {
  const { result, findings } = sync
  if (result === undefined) return problemLines(problems.sync, 'talking to the remote…', columns)
  const done = doneLines(result)
  const trouble = findings.flatMap((finding) => findingLines(finding, columns))
  const isCalm = findings.every(({ severity }) => severity === 'info')
  const nothing = isCalm
    ? styled('● everything is as the library has it', 'good')
    : styled('no install was changed', 'faint')
  return [...(done.length > 0 ? done : [nothing]), ...(trouble.length > 0 ? [[], ...trouble] : [])]
}

function doneLines({ steps, operations }: SyncResult): Line[] {
  // A new stamp on the same content is nothing that anybody would see.
  const told = operations.filter(({ kind }) => kind !== 'restamp')
  return [
    ...steps.map(({ kind, commits }) => plain(`library: ${kind}, ${commits ?? 'all'} commits`)),
    ...told.map(({ kind, skill, agent, scope }) => plain(`${kind.padEnd(8)} ${skill}  ${agent}  ${scope}`)),
  ]
}

function findingLines({ message, hint, severity }: Finding, columns: number): Line[] {
  const help = wrapped(hint ?? '', columns - 2, 'faint').map((line) => [span('  '), ...line])
  return [...wrapped(message, columns, severity === 'info' ? 'faint' : 'alert'), ...help]
}
