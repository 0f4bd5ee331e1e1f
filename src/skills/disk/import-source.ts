import { readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { cloneRepository } from '../../machine/clone.ts'
import { expandHome } from '../../machine/config-file.ts'
import { asLoadoutError, exists, isFile, isFolder, isLink, makeFolder } from '../../machine/files.ts'
import { withoutPassword } from '../../machine/git-process.ts'
import type { Machine } from '../../machine/machine.ts'
import { makeScratch } from '../../machine/scratch.ts'
import { pathProblem } from '../../text/paths.ts'
import { DOCUMENT_FILE, slug } from '../../text/skill-document.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { compareText } from '../../text/values.ts'
import { unpackArchive } from './archive-unpack.ts'

/** Where skills to import lie, once fetched and unpacked. */
export interface ImportSource {
  /** Folders with a SKILL.md each. */
  folders: string[]
  /** A text about the folders, in which a temporary copy is called what it was fetched from. */
  tell(text: string): string
  /** Removes what was only fetched. */
  dispose(): void
}

/** What a person named: a folder, an archive made by `share`, or a git URL. */
export async function openImportSource(
  machine: Machine,
  named: string,
  { subfolder = '', signal }: { subfolder?: string | undefined; signal?: AbortSignal | undefined },
): Promise<ImportSource> {
  const path = resolve(machine.cwd, expandHome(machine, named))
  if (exists(path) && !isBareRepository(path)) return openLocal(path, subfolder)
  if (!exists(path) && !isGitUrl(named)) {
    throw new LoadoutError('FILE_NOT_FOUND', `${path} does not exist`, {
      hint: 'name a folder, an archive made by loadout share, or a git URL',
    })
  }
  return fetched(named, async (folder) => {
    await cloneRepository(machine, named, folder, { depth: 1, ...(signal && { signal }) })
    return inside(folder, subfolder)
  })
}

async function openLocal(path: string, subfolder: string): Promise<ImportSource> {
  if (isFolder(path)) return { folders: skillsIn(inside(path, subfolder)), tell: (text) => text, dispose() {} }
  if (!isFile(path) || !/\.(tar\.gz|tgz)$/.test(path)) {
    throw new LoadoutError('NOTHING_TO_IMPORT', `${path} is neither a folder nor a .tar.gz`, {
      hint: 'name a folder with a SKILL.md, an archive made by loadout share, or a git URL',
    })
  }
  return fetched(path, async (folder) => {
    makeFolder(folder)
    await unpackArchive(path, folder)
    const library = readdirSync(folder).map((name) => join(folder, name, 'library'))
    return inside(library.find(isFolder) ?? folder, subfolder)
  })
}

/** In a temporary folder that is removed, whatever happens. A skill without a name of its own gets the source's. */
async function fetched(named: string, fetch: (folder: string) => Promise<string>): Promise<ImportSource> {
  const scratch = makeScratch()
  const folder = join(scratch, slug(basename(named).replace(/\.(git|tar\.gz|tgz)$/, '')) || 'skill')
  const tell = (text: string) => text.replaceAll(folder, withoutPassword(named))
  const dispose = () => rmSync(scratch, { recursive: true, force: true })
  try {
    return { folders: skillsIn(await fetch(folder)), tell, dispose }
  } catch (error) {
    dispose()
    throw retold(error, tell)
  }
}

/** The same error in other words. */
export function retold(error: unknown, tell: (text: string) => string): unknown {
  if (!(error instanceof LoadoutError)) return error
  const { code, message, hint } = error
  return new LoadoutError(code, tell(message), { ...(hint === undefined ? {} : { hint: tell(hint) }), cause: error })
}

/** A part of what was named, also after links are followed. */
function inside(root: string, subfolder: string): string {
  if (subfolder === '') return root
  const problem = pathProblem(subfolder)
  const path = join(root, subfolder)
  const isInside =
    problem === undefined && isFolder(path) && `${realpathSync(path)}${sep}`.startsWith(realpathSync(root) + sep)
  if (isInside) return path
  throw new LoadoutError('FILE_NOT_FOUND', `there is no folder ${JSON.stringify(subfolder)} in what was named`, {
    hint: problem === undefined ? 'check the path' : `the path is refused: ${problem}`,
  })
}

/** The folder itself if it is a skill, else the skills in it or in its `skills` folder. */
function skillsIn(folder: string): string[] {
  if (isFile(join(folder, DOCUMENT_FILE)) || exists(join(folder, DOCUMENT_FILE))) return [folder]
  const inner = join(folder, 'skills')
  // A link could lead out of what was fetched.
  const found = [folder, ...(isFolder(inner) && !isLink(inner) ? [inner] : [])].flatMap(skillFolders)
  if (found.length > 0) return found
  throw new LoadoutError('NOTHING_TO_IMPORT', `${folder} holds no skill`, {
    hint: `a skill is a folder with a ${DOCUMENT_FILE}`,
  })
}

function skillFolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name)
    return names
      .sort(compareText)
      .map((name) => join(folder, name))
      .filter((path) => exists(join(path, DOCUMENT_FILE)))
  } catch (error) {
    throw asLoadoutError(error, folder, 'read')
  }
}

function isBareRepository(path: string): boolean {
  return isFolder(join(path, 'objects')) && isFile(join(path, 'HEAD')) && isFolder(join(path, 'refs'))
}

/** With a scheme, or as ssh writes it: `git@host:path`. Whether git may use it is decided when it is cloned. */
function isGitUrl(named: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(named) || /^[\w.-]+@[\w.-]+:/.test(named)
}
