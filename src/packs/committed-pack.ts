import { relative, sep } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { Repository } from '../machine/repository.ts'
import { failWith } from '../text/trouble.ts'
import { Packs } from './catalog.ts'
import { digestTree } from './disk/pack-folder.ts'
import { linkedRoot } from './disk/pack-head.ts'
import { packDigest, packWord, type TrustedPack } from './rules/gates/trust.ts'

/** A pack that can be published: other machines that fetch it get the same digest. */
export interface CommittedPack {
  /** From its frontmatter. */
  version?: string
  /** Empty for a pack from an npm package, which other machines get from the registry. */
  commit: string
  digest: string
}

/** Throws if a file of the pack is not committed. */
export async function committedPack(machine: Machine, name: string): Promise<CommittedPack> {
  const pack = new Packs(machine, {}).get(name)
  const { repository: root } = machine.openProject(pack.root)
  const repository = root === undefined ? undefined : new Repository(machine, root)
  const isInGit = repository !== undefined && !(await isIgnored(repository, pack.root))
  if (!isInGit && !pack.root.split(sep).includes('node_modules')) {
    throw failWith('UNCOMMITTED/pack', { root: pack.root })
  }
  const commit = isInGit ? await commitWith(repository, pack) : ''
  return { version: pack.manifest.version, commit, digest: packDigest(digestTree(pack)) }
}

/** For example a folder in `node_modules`. */
async function isIgnored(repository: Repository, folder: string): Promise<boolean> {
  await repository.settings()
  const { code } = await repository.git(['check-ignore', '--quiet', '--', folder], { okCodes: [0, 1] })
  return code === 0
}

/** The last commit of the pack and of the folder it links. Throws if a file differs from it. */
async function commitWith(repository: Repository, { root, linked, manifest }: TrustedPack) {
  const folders = [root, ...(linked === undefined ? [] : [linkedRoot(linked)])]
  const paths = folders.map((folder) => `:(literal)${relative(repository.path, folder) || '.'}`)
  const status = ['status', '--porcelain', '--ignored', '--untracked-files=all', '-z', '--', ...paths]
  const { stdout } = await repository.git(status)
  const [changed] = stdout.split('\0')
  if (changed) {
    const problem = changed.startsWith('!!') ? 'is ignored by git: other machines do not have it' : 'is not committed'
    throw failWith('UNCOMMITTED/pack-file', { changed: changed.slice(3), problem, name: packWord(manifest.name) })
  }
  const log = await repository.git(['log', '-1', '--format=%H', 'HEAD', '--', ...paths])
  return log.stdout.trim()
}
