import { isContent, type PackFiles, type PackManifest, parsePackJson } from '../pack.ts'
import { governingRuns, isCompileRunPath, readCompileRun } from '../records/compile-run.ts'
import { INPUT_FOLDERS, VIEWS } from './compile-exchange.ts'
import { viewPath } from './compile-views.ts'

/** One view, and whether it is up to date with its inputs. */
interface ViewState {
  path: string
  state: 'current' | 'stale' | 'failed' | 'by-hand' | 'not-compiled'
  /** Whether a run made it. */
  isCompiled?: true
  /** Inputs with a new digest. */
  changed: string[]
  /** The number of missing inputs. Not their names, which only the record has. */
  gone: number
}

export interface CompileState {
  views: ViewState[]
  /** Documents, pages and sources that no run used. */
  unread: string[]
  /** Whether a run still needs a review. */
  needsReview: boolean
  toConfirm: string[]
}

/** Finds stale and missing views of a pack. Opens records, and compares inputs by digest. */
export function compileState(manifest: PackManifest, files: PackFiles): CompileState {
  const runs = files
    .list('runs')
    .filter(isCompileRunPath)
    .flatMap((file) => {
      const text = files.read(file)
      const parsed = text === undefined ? undefined : parsePackJson(text)
      const read = parsed !== undefined && 'value' in parsed ? readCompileRun(parsed.value) : undefined
      return read !== undefined && 'run' in read ? [{ run: read.run, file }] : []
    })
  const governing = governingRuns(runs)
  const known = new Set(VIEWS.map(viewPath))
  const others = files.list('compiled').filter((path) => governing.has(path) && !known.has(path))
  const views = [...known, ...others].map((path): ViewState => {
    const run = governing.get(path)
    const none = { path, changed: [], gone: 0 }
    if (files.sizeOf(path) === undefined) return { ...none, state: 'not-compiled' }
    if (run === undefined) return { ...none, state: 'by-hand' }
    const gone = run.inputs.map((input) => input.path).filter((input) => files.sizeOf(input) === undefined)
    const changed = run.inputs
      .filter((input) => input.sha256 !== undefined && !gone.includes(input.path))
      .filter((input) => files.fingerprint(input.path) !== input.sha256)
      .map((input) => input.path)
    const isStale = run.status === 'stale' || gone.length + changed.length > 0
    const state = run.status === 'failed' ? 'failed' : isStale ? 'stale' : 'current'
    return { path, state, isCompiled: true, changed, gone: gone.length }
  })
  const inForce = new Set(governing.values())
  const read = new Set([...inForce].flatMap(({ inputs }) => inputs.map(({ path }) => path)))
  const inputs = INPUT_FOLDERS.flatMap((folder) => files.list(folder)).filter(isContent)
  return {
    views,
    unread: inputs.filter((path) => !read.has(path)),
    needsReview: [...inForce].some(({ status, review }) => status === 'needs-review' || review?.isRequired === true),
    toConfirm: manifest.isProposed ? ['description'] : [],
  }
}
