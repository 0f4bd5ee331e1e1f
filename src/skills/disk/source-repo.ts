import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cloneSource } from '../../machine/clone.ts'
import { asLoadoutError, exists } from '../../machine/files.ts'
import { type Patience, runGit } from '../../machine/git.ts'
import { refuseUnsafeConfig } from '../../machine/git-config.ts'
import { needsLogin, withoutPassword } from '../../machine/git-process.ts'
import { cacheFolder, type Machine } from '../../machine/machine.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { sha256 } from '../../text/values.ts'

/** A bare copy in the cache of a repository that skills came from, with only the fetched commits. */
export interface SourceRepo {
  repo: string
  /** The current commit of the branch or tag. */
  head: string
  /** Requested commits that the source no longer has. */
  gone: ReadonlySet<string>
}

const NETWORK_MS = 120_000

/**
 * Fetches the current commit of a branch or tag, and some earlier commits, into the cache. One fetch is enough, unless a
 * commit has disappeared. Runs and checks out nothing of the repository.
 */
export async function fetchSourceRepo(
  machine: Machine,
  url: string,
  { ref, commits, ...patience }: { ref: string | undefined; commits: readonly string[] } & Patience,
): Promise<SourceRepo> {
  const source = cloneSource(machine, url)
  if (ref?.startsWith('-') || ref?.includes(':')) throw badRef(ref)
  const repo = join(cacheFolder(machine), 'sources', sha256(source).slice(0, 32))
  await openBare(machine, repo)
  const git = (args: readonly string[], okCodes = [0]) =>
    runGit(machine, repo, args, { env: { GIT_DIR: repo }, timeoutMs: NETWORK_MS, ...patience, okCodes })
  const has = async (commit: string) => (await git(['cat-file', '-e', `${commit}^{commit}`], [0, 1, 128])).code === 0
  const fetch = (wanted: readonly string[]) =>
    git(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', source, ...wanted])
  const place = `refs/loadout/${sha256(ref ?? 'HEAD').slice(0, 16)}`
  const head = `+${ref ?? 'HEAD'}:${place}`
  const missing: string[] = []
  for (const commit of new Set(commits)) if (!(await has(commit))) missing.push(commit)
  const keep = (commit: string) => `+${commit}:refs/loadout/commits/${commit}`
  const gone = new Set<string>()
  try {
    await fetch([head, ...missing.map(keep)])
  } catch (error) {
    if (missing.length === 0 || patience.signal?.aborted) throw unreachable(error, url, ref, repo)
    await fetch([head]).catch((again: unknown) => {
      throw unreachable(again, url, ref, repo)
    })
    for (const commit of missing) await fetch([keep(commit)]).catch(() => gone.add(commit))
  }
  return { repo, head: (await git(['rev-parse', '--verify', `${place}^{commit}`])).stdout.trim(), gone }
}

async function openBare(machine: Machine, repo: string): Promise<void> {
  try {
    mkdirSync(dirname(repo), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw asLoadoutError(error, repo, 'write')
  }
  if (!exists(join(repo, 'HEAD'))) {
    await runGit(machine, dirname(repo), ['init', '--quiet', '--bare', '--template=', '--', repo])
  }
  await refuseUnsafeConfig(machine, repo)
}

function badRef(ref: string): LoadoutError {
  return new LoadoutError('USAGE', `${JSON.stringify(ref)} cannot be a branch, tag or commit`, {
    hint: 'name one as git does: main, v1.2, or a commit id',
  })
}

function isRefMissing(reason: string): boolean {
  return /couldn't find remote ref|not our ref|unadvertised object/.test(reason)
}

const REASONS: readonly (readonly [isReason: (reason: string) => boolean, problem: string, hint: string])[] = [
  [
    isRefMissing,
    'no longer has this branch, tag or commit',
    'loadout update <skill> --ref <branch> follows another one',
  ],
  [
    needsLogin,
    'asks for a login: it is private now, or gone',
    'if you may read it, set up an ssh key or a git credential helper; otherwise loadout pin <skill> stops asking',
  ],
  [
    (reason) => /not found|does not exist|does not appear to be a git repository|No such file/i.test(reason),
    'is gone',
    'loadout pin <skill> stops asking; the skill itself stays in your library',
  ],
]

function unreachable(error: unknown, url: string, ref: string | undefined, repo: string): unknown {
  if (!(error instanceof LoadoutError) || error.code !== 'GIT_FAILED') return error
  const reason = error.message.replace(`git fetch failed in ${repo}: `, '')
  const known = REASONS.find(([isReason]) => isReason(reason))
  const what = isRefMissing(reason) && ref !== undefined ? `${withoutPassword(url)} (${ref})` : withoutPassword(url)
  return new LoadoutError('REMOTE_UNREACHABLE', `${what} ${known?.[1] ?? `could not be reached: ${reason}`}`, {
    hint: known?.[2] ?? 'check the connection, then try again',
    cause: error,
  })
}

/** The git tree ids of folders at a commit, without folders that do not exist. */
export async function folderIds(
  machine: Machine,
  repo: string,
  commit: string,
  folders: readonly string[],
): Promise<Map<string, string>> {
  const ask = [...new Set(folders)].filter((folder) => !folder.includes('\n'))
  const input = ask.map((folder) => `${commit}:${folder}\n`).join('')
  const { stdout } = await runGit(machine, repo, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    env: { GIT_DIR: repo },
    input,
  })
  const answers = stdout.split('\n')
  return new Map(
    ask.flatMap((folder, at) => {
      const id = /^([0-9a-f]{40,64}) tree$/.exec(answers[at] ?? '')?.[1]
      return id === undefined ? [] : [[folder, id] as const]
    }),
  )
}

/** The new path of a moved skill: the only folder of this name with a SKILL.md. */
export async function findMoved(
  machine: Machine,
  repo: string,
  commit: string,
  name: string,
): Promise<string | undefined> {
  const list = ['ls-tree', '-r', '-z', '--name-only', commit]
  const { stdout } = await runGit(machine, repo, list, { env: { GIT_DIR: repo } })
  const places = stdout.split('\0').filter((path) => path.endsWith(`/${name}/SKILL.md`) || path === `${name}/SKILL.md`)
  return places.length === 1 ? places[0]?.replace(/\/SKILL\.md$/, '') : undefined
}
