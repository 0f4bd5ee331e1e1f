import { compareText, sha256 } from '../../text/values.ts'
import { normalizePackPath, type PackFile, type PackFiles, type PackWarning, packPathProblem } from './pack.ts'

/** A pack in memory: the text of each file by its path. */
export function memoryPack(files: Record<string, string>): PackFiles {
  const texts = new Map(Object.entries(files).map(([path, text]) => [normalizePackPath(path), text]))
  const warnings: PackWarning[] = []
  const opened: string[] = []
  const read = new Map<string, PackFile>()

  const isSafe = (path: string): boolean => {
    const problem = packPathProblem(path)
    const message = `this path is refused: ${problem}`
    if (problem !== undefined) warnings.push({ severity: 'error', code: 'PATH_ESCAPE', path, message })
    return problem === undefined
  }
  const textOf = (path: string): string | undefined => (isSafe(path) ? texts.get(normalizePackPath(path)) : undefined)

  return {
    warnings,
    opened,
    read(path) {
      const name = normalizePackPath(path)
      const text = read.has(name) ? undefined : textOf(path)
      if (text !== undefined) {
        opened.push(name)
        const plain = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
        read.set(name, { path: name, text: plain, sha256: sha256(text), bytes: Buffer.byteLength(text) })
      }
      return read.get(name)
    },
    list(folder) {
      const name = normalizePackPath(folder)
      return [...texts.keys()].filter((path) => name === '' || path.startsWith(`${name}/`)).sort(compareText)
    },
    sizeOf(path) {
      const text = packPathProblem(path) === undefined ? texts.get(normalizePackPath(path)) : undefined
      return text === undefined ? undefined : Buffer.byteLength(text)
    },
    fingerprint(path) {
      const text = textOf(path)
      if (text === undefined) return undefined
      opened.push(normalizePackPath(path))
      return sha256(text)
    },
  }
}
