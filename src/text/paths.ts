/** Why a relative path may not be followed from its root, or undefined when it may. Links are the reader's concern. */
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

/** Paths below the home folder as people write them. One in quotes stays: a shell would not expand it. */
export function inHome(text: string, home: string | undefined): string {
  if (!home || home === '/') return text
  const start = new RegExp(`(^|[\\s(])${home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\/+$/, '')}/`, 'gm')
  return text.replace(start, '$1~/')
}

/** A folder of this machine, and what stands for it wherever the bundle is read. */
export type Place = readonly [folder: string, mark: string]

/** Takes the folders of a machine out of a text: where a project or a home lies must not change a byte of a bundle. */
export function withoutPlaces(text: string, places: readonly Place[]): string {
  return places.reduce((left, [folder, mark]) => {
    // Every path begins with the root of the file system; it tells nothing about this machine.
    if (folder === '/' || folder === '' || !left.includes(folder)) return left
    return left.replace(wholeName(folder), () => mark)
  }, text)
}

/** Not where another name only begins or ends like this one. */
function wholeName(folder: string): RegExp {
  const literal = folder.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return new RegExp(String.raw`(?<![\p{L}\p{N}_.\-])${literal}(?![\p{L}\p{N}_\-]|\.[\p{L}\p{N}])`, 'gu')
}
