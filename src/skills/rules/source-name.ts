import { decodeOrSame } from '../../text/paths.ts'
import { failWith } from '../../text/trouble.ts'

/** A git repository as a person named it, with the requested part. */
export interface RepositoryName {
  url: string
  /** A branch, tag or commit. */
  ref?: string
  folder?: string
  /** A ref and a folder in one, as in web addresses: only the repository knows where the ref ends. */
  refAndFolder?: string
}

const HOSTS: Readonly<Record<string, string>> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
}

const WEB_PAGE = /^((?:https?|file):\/\/.+?)\/(?:-\/)?(?:tree|blob|src)\/(.+?)\/*$/i
const SHORTHAND =
  /^(?:(github|gitlab|bitbucket):)?([A-Za-z0-9][\w-]*)\/([\w.-]+?)(?:\.git)?(?:\/([^#]+?))?\/*(?:#(.+))?$/
/** `owner/repo`, `owner/repo/folder#ref`, the address of a folder on a web page, or anything that git clones. */
export function parseRepositoryName(named: string): RepositoryName | undefined {
  // A host may have a group with the name of a page part.
  const page = /\.git\/*$/i.test(named) ? null : WEB_PAGE.exec(named)
  if (page !== null)
    return { url: page[1] ?? '', refAndFolder: decodeOrSame(page[2] ?? '').replace(/\/?SKILL\.md$/, '') }
  const short = SHORTHAND.exec(named)
  if (short !== null && !/^\.+$/.test(short[3] ?? '')) {
    const [, host = 'github', owner, repository, folder, ref] = short
    return {
      url: `https://${HOSTS[host]}/${owner}/${repository}`,
      folder,
      ref,
    }
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(named) && !/^[\w.-]+@[\w.-]+:/.test(named)) return undefined
  const at = named.indexOf('#')
  return at < 0 ? { url: named } : { url: named.slice(0, at), ref: named.slice(at + 1) }
}

/**
 * Who publishes a source: the host and the path of its address, without login, scheme and `.git`. Only the address
 * counts, never a name to show.
 */
export function publisherOf(address: string): string {
  const [, user, host = '', path = ''] = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/)(.+)$/.exec(address) ?? []
  const parsed =
    host === '' || user === undefined
      ? globalThis.URL.canParse(address)
        ? new globalThis.URL(address)
        : undefined
      : { host, pathname: path }
  if (parsed === undefined) return address
  const place = parsed.pathname.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  // On these hosts case does not matter.
  const isFolded = Object.values(HOSTS).includes(parsed.host.toLowerCase())
  return `${parsed.host.toLowerCase()}/${isFolded ? place.toLowerCase() : place}`
}

/** Where the ref of `ref/folder` ends: at the longest name in the repository, else at a commit. */
export function splitRef(refAndFolder: string, refs: readonly string[]): { ref: string; folder: string } {
  const parts = refAndFolder.split('/')
  for (let length = parts.length; length > 0; length--) {
    const ref = parts.slice(0, length).join('/')
    const isCommit = length === 1 && /^[0-9a-f]{7,64}$/.test(ref)
    if (refs.includes(ref) || isCommit) return { ref, folder: parts.slice(length).join('/') }
  }
  throw failWith('FILE_NOT_FOUND/branch', { refAndFolder: JSON.stringify(refAndFolder) })
}
