import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../text/values.ts'
import { type Codec, signatureOf } from './cache.ts'
import { gitFolder } from './git-process.ts'
import type { Machine } from './machine.ts'
import { findRepository } from './open-project.ts'

/** Identifies what is at a folder: a repository by its first commit, otherwise the folder itself. */
export function placeOf(folder: string): string {
  const repository = findRepository(folder)
  const output = repository === undefined ? '' : git(repository, ['rev-list', '--max-parents=0', 'HEAD'])
  const commit = output.trim().split('\n').sort()[0] ?? ''
  return commit === '' ? folderMark(folder) : `commit ${commit}`
}

function folderMark(folder: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return `folder ${stat?.dev}-${stat?.ino}`
}

/**
 * Whether a folder is still what was approved. Looks up one commit instead of walking the history; and runs git only if
 * its folder changed since: another repository in the same place has another folder.
 */
export function isPlace(machine: Machine, folder: string, place: string): boolean {
  const [, commit] = /^commit ([0-9a-f]{40,64})$/.exec(place) ?? []
  if (commit === undefined) return folderMark(folder) === place
  const repository = findRepository(folder)
  if (repository === undefined) return false
  const ask = () => git(repository, ['cat-file', '-t', commit]).trim() === 'commit'
  const { name, ...sources } = signatureOf(gitPlaces(repository), machine.now())
  const key = { kind: 'places', version: 1, name: [...name, commit], ...sources }
  return machine.cache.keep(key, YES, ask)
}

/** Only a positive answer is cached: a failed git proves nothing. */
const YES: Codec<boolean> = { encode: (isThere) => (isThere ? Buffer.from('yes') : undefined), decode: () => true }

/** `.git`, and the folder that it names if it is the file of a worktree. */
function gitPlaces(repository: string): string[] {
  try {
    return [join(repository, '.git'), gitFolder(repository)]
  } catch {
    return [join(repository, '.git')]
  }
}

/** The output of git; empty when git fails or is missing. */
function git(repository: string, words: readonly string[]): string {
  // Not with the user's environment: a GIT_DIR in it would name another repository.
  const { PATH, HOME } = process.env
  const args = ['--no-replace-objects', '-C', repository, ...words]
  return attempt(
    () =>
      execFileSync('git', args, {
        env: { PATH, HOME },
        encoding: 'utf8',
        timeout: 5000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    '',
  )
}
