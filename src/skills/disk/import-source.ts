import { readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { cloneRepository, cloneSource, loginError } from '../../machine/clone.ts'
import { exists, isFile, isFolder, makeFolder } from '../../machine/files.ts'
import { needsLogin, withoutPassword } from '../../machine/git-process.ts'
import { makeScratch } from '../../machine/leftovers.ts'
import type { Machine } from '../../machine/machine.ts'
import { Repository } from '../../machine/repository.ts'
import { inHome, pathProblem } from '../../text/paths.ts'
import { slug } from '../../text/skill-document.ts'
import { failWith, LoadoutError, retell } from '../../text/trouble.ts'
import type { SkillSource } from '../rules/skill.ts'
import { parseRepositoryName, type RepositoryName, splitRef } from '../rules/source-name.ts'
import { unpackArchive } from './archive.ts'
import { listPlugins } from './marketplaces.ts'

/** Where a source came from, as Loadout records it in each skill. */
type Origin = Pick<SkillSource, 'url' | 'path' | 'ref' | 'commit'>

/** The skills to import, fetched and unpacked. */
export interface ImportSource {
  /** The folder to search: all of the source, or the named part. */
  root: string
  /** The path of that part, with slashes; empty for the whole source. */
  part: string
  origin: Origin
  /** Only the skills of this plugin. */
  plugin?: string
  /** An archive from `loadout publish archive`: its skills name their own source. */
  isShared: boolean
  /** Replaces the path of the temporary copy in a message by the name of the source. */
  reword(text: string): string
  /** Removes the temporary copy. */
  dispose(): void
}

export interface SourceOptions {
  subfolder?: string
  ref?: string
  signal?: AbortSignal
}

/** Opens a folder, an archive, a git URL, `owner/repo`, or the web page of a folder in a repository. */
export async function openImportSource(machine: Machine, named: string, options: SourceOptions): Promise<ImportSource> {
  const path = machine.resolve(named)
  if (exists(path) && !isBareRepository(path)) {
    const { subfolder = '', ref } = options
    if (ref !== undefined && exists(join(path, '.git'))) {
      return openRepository(machine, path, { url: path }, { subfolder, ref })
    }
    if (isFolder(path)) {
      const origin = { path: inHome(path, machine.home), ...(await stateOf(new Repository(machine, path))) }
      const root = inside(path, subfolder)
      return { root, part: subfolder, origin, isShared: false, reword: (text) => text, dispose() {} }
    }
    if (!isFile(path) || !/\.(tar\.gz|tgz|zip|skill)$/i.test(path)) {
      throw failWith('NOTHING_TO_DO/import-local', { path })
    }
    return fetched(path, async (folder) => {
      makeFolder(folder)
      await unpackArchive(path, folder)
      const library = readdirSync(folder)
        .map((name) => join(folder, name, 'library'))
        .find(isFolder)
      const origin = { path: inHome(path, machine.home) }
      return { root: inside(library ?? folder, subfolder), part: subfolder, origin, isShared: library !== undefined }
    })
  }
  const known = listPlugins(machine).find(({ name }) => name === named)
  if (known !== undefined) {
    const { root, plugin, url } = known
    const origin = {
      ...(url === undefined ? { path: inHome(root, machine.home) } : { url }),
      ...(await stateOf(new Repository(machine, root))),
    }
    return {
      root: inside(root, options.subfolder ?? ''),
      part: options.subfolder ?? '',
      plugin,
      origin,
      isShared: false,
      reword: (text) => text,
      dispose() {},
    }
  }
  const isRepository = named.startsWith('file://') && isFolder(named.slice('file://'.length))
  const repository = exists(path) ? { url: path } : isRepository ? { url: named } : parseRepositoryName(named)
  if (repository === undefined) {
    throw failWith('FILE_NOT_FOUND/source', { path })
  }
  return openRepository(machine, named, repository, options)
}

async function openRepository(
  machine: Machine,
  named: string,
  repository: RepositoryName,
  { subfolder, ref: askedRef, signal }: SourceOptions,
): Promise<ImportSource> {
  const patience = signal === undefined ? {} : { signal }
  const isPage = repository.refAndFolder !== undefined
  const split = isPage ? await splitPage(machine, repository, patience) : undefined
  const url = isPage && split === undefined ? named : repository.url
  const ref = askedRef ?? split?.ref ?? repository.ref
  const part = [split?.folder ?? repository.folder ?? '', subfolder ?? ''].filter((each) => each !== '').join('/')
  const isCommit = ref !== undefined && /^[0-9a-f]{7,64}$/.test(ref)
  return fetched(named, async (folder) => {
    await cloneRepository(machine, url, folder, { ...(isCommit ? {} : { depth: 1, branch: ref }), ...patience })
    const clone = new Repository(machine, folder)
    if (isCommit) await clone.git(['checkout', '--quiet', '--detach', await clone.commitOf(ref)])
    const [commit, branch] = [await clone.head(), ref ?? (await clone.branch())]
    const isPath = exists(url)
    return {
      root: inside(folder, part),
      part,
      isShared: false,
      origin: {
        ...(isPath ? { path: inHome(url, machine.home) } : { url: withoutPassword(url) }),
        ref: branch === undefined || isCommit ? undefined : branch,
        commit,
      },
    }
  })
}

/**
 * Splits the web address of a folder into ref and folder, by the names of all branches and tags. Undefined if there is
 * no such repository; then the whole address may be one.
 */
export async function splitPage(
  machine: Machine,
  { url, refAndFolder = '' }: RepositoryName,
  patience: { signal?: AbortSignal },
) {
  const ask = ['ls-remote', '--heads', '--tags', '--', cloneSource(machine, url)]
  const answer = await new Repository(machine, machine.cwd).git(ask, patience).catch((error: unknown) => {
    if (!(error instanceof LoadoutError) || error.code !== 'GIT_FAILED') throw error
    if (needsLogin(error.message)) throw loginError(error, url)
  })
  if (answer === undefined) return undefined
  const { stdout } = answer
  const refs = [...stdout.matchAll(/\trefs\/(?:heads|tags)\/(.+?)(?:\^\{\})?$/gm)].map(([, name = '']) => name)
  return splitRef(refAndFolder, refs)
}

/** The commit of a folder that is a git repository. If git fails, the skills can still be imported. */
async function stateOf(repository: Repository): Promise<Pick<Origin, 'ref' | 'commit'>> {
  if (!exists(join(repository.path, '.git'))) return {}
  try {
    const [commit, ref] = [await repository.head(), await repository.branch()]
    return { ref, commit }
  } catch (error) {
    if (error instanceof LoadoutError) return {}
    throw error
  }
}

/** Fetches into a temporary folder with the name of the source, which a skill without a name gets. */
async function fetched(
  named: string,
  fetch: (folder: string) => Promise<Omit<ImportSource, 'reword' | 'dispose'>>,
): Promise<ImportSource> {
  const scratch = makeScratch()
  const folder = join(scratch, slug(basename(named).replace(/\.(git|tar\.gz|tgz|zip|skill)$/i, '')) || 'skill')
  const reword = (text: string) => text.replaceAll(folder, withoutPassword(named))
  const dispose = () => rmSync(scratch, { recursive: true, force: true })
  try {
    return { ...(await fetch(folder)), reword, dispose }
  } catch (error) {
    dispose()
    throw rewordError(error, reword)
  }
}

export function rewordError(error: unknown, reword: (text: string) => string): unknown {
  if (!(error instanceof LoadoutError)) return error
  const { message, hint } = error
  return retell(error, { message: reword(message), hint: hint === undefined ? undefined : reword(hint) })
}

/** A folder inside of `root`, also after links are followed. */
function inside(root: string, subfolder: string): string {
  if (subfolder === '') return root
  const problem = pathProblem(subfolder)
  const path = join(root, subfolder)
  const isInside =
    problem === undefined && isFolder(path) && `${realpathSync(path)}${sep}`.startsWith(realpathSync(root) + sep)
  if (isInside) return path
  throw failWith(problem === undefined ? 'FILE_NOT_FOUND/subfolder' : 'FILE_NOT_FOUND/subfolder-refused', {
    subfolder: JSON.stringify(subfolder),
    problem: problem ?? '',
  })
}

function isBareRepository(path: string): boolean {
  return isFolder(join(path, 'objects')) && isFile(join(path, 'HEAD')) && isFolder(join(path, 'refs'))
}
