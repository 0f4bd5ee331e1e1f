/** Without the escapes of a web address, unless one is broken. */
export function decodeOrSame(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Why a relative path is not allowed, or undefined when it is. Does not check links: the reader of the path does. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (path.includes('\0')) return 'it contains a NUL character'
  if (path.startsWith('/') || path.startsWith('~') || /^[a-zA-Z]:/.test(path)) return 'it is absolute'
  if (path.includes('\\')) return 'it contains a backslash'
  let depth = 0
  for (const segment of path.split('/')) {
    if (segment === '..') depth--
    else if (segment !== '' && segment !== '.') depth++
    if (depth < 0) return 'it leaves its root'
  }
  return undefined
}

/** Shortens paths below the home folder to `~`. Quoted paths stay, because a shell would not expand them. */
export function inHome(text: string, home: string | undefined): string {
  if (!home || home === '/' || !text.includes(home)) return text
  const start = new RegExp(`(^|[\\s(])${home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\/+$/, '')}/`, 'gm')
  return text.replace(start, '$1~/')
}

/** A folder of this machine, and its replacement in a bundle. */
export type NamedFolder = readonly [folder: string, mark: string]

/** Replaces the folders of this machine in a text: the location of a project or home must not change a bundle. */
export function withoutPlaces(text: string, places: readonly NamedFolder[]): string {
  return places.reduce((left, [folder, mark]) => {
    // Every path begins with the file system root, which reveals nothing about this machine.
    if (folder === '/' || folder === '' || !left.includes(folder)) return left
    return left.replace(wholeName(folder), () => mark)
  }, text)
}

/** Not where the folder is only the beginning or end of another name. */
function wholeName(folder: string): RegExp {
  const literal = folder.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.\-])${literal}(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`, 'gu')
}
