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
