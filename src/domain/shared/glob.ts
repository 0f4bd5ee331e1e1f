import { pathProblem } from './safe-path.ts'

const LONGEST = 500
// A glob in settings names a few places. More alternatives were made to exhaust whoever expands them.
const MOST_ALTERNATIVES = 64

/** Whether a text is more than the path of one file. A round bracket alone is an ordinary letter of a name. */
export function isGlob(pattern: string): boolean {
  return /[*?[\]{}]|[@+!]\(/.test(pattern)
}

/** Why a glob may not be looked for from its root, or undefined when it may. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > LONGEST) return `it is longer than ${LONGEST} characters`
  if (glob.startsWith('!')) return 'it must say what to take, not what to leave out'
  const alternatives = expand(glob)
  if (alternatives === undefined) return `it has more than ${MOST_ALTERNATIVES} alternatives`
  for (const alternative of alternatives) {
    const problem = pathProblem(alternative) ?? (alternative.split('/').includes('..') ? 'it contains ..' : undefined)
    if (problem !== undefined) return problem
    if (isBoundless(alternative)) return 'it matches everything: name a folder or an ending'
  }
  return undefined
}

/** Every way to read the brackets, or undefined when there are too many. */
function expand(glob: string): string[] | undefined {
  // What is excluded may be anything else.
  let open = [glob.replace(/!\([^()]*\)/g, '*')]
  for (;;) {
    const next = open.flatMap(expandOnce)
    if (next.length > MOST_ALTERNATIVES) return undefined
    if (next.length === open.length && next.every((each, at) => each === open[at])) return next
    open = next
  }
}

const INNERMOST = /\{([^{}]*,[^{}]*)\}|[@+*?!]?\(([^()]*)\)/

function expandOnce(glob: string): string[] {
  const group = INNERMOST.exec(glob)
  if (group === null) return [glob]
  const [whole, commas, bars = ''] = group
  const before = glob.slice(0, group.index)
  const after = glob.slice(group.index + whole.length)
  const parts = commas === undefined ? bars.split('|') : commas.split(',')
  return parts.map((part) => before + part + after)
}

/** `**`, `**\/*`, `**\/*.*`: any depth, and no letter that binds it. */
function isBoundless(glob: string): boolean {
  return glob.includes('**') && /^[*?/.!^[\]{}-]*$/.test(glob)
}
