import { makeFolder, makeProject, type Run, type RunOptions } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

export const SECRET = 'text that only an open pack may show'

/** A KNOWLEDGE.md; pass only the fields that matter. */
export function guide(fields: Record<string, string> = {}, body = SECRET): string {
  const all = { name: 'handbook', description: 'How we work', type: 'domain-reference', status: 'ready', ...fields }
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}`)
  return `---\n${lines.join('\n')}\n---\n\n# Guide\n\n${body}\n`
}

/** Packs by their path below `.agents/knowledge`, in a workspace and in a home. */
export interface World {
  workspace: string
  home: string
  run(words: readonly string[], options?: RunOptions): Run
  json(words: readonly string[]): ReturnType<typeof JSON.parse>
}

export function makeWorld(packs: { workspace?: Record<string, string>; user?: Record<string, string> }): World {
  const place = (guides: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(guides).map(([path, text]) => [`.agents/knowledge/${path}/KNOWLEDGE.md`, text]))
  const workspace = makeProject({ '.git/HEAD': '', ...place(packs.workspace) })
  const home = packs.user === undefined ? makeFolder() : makeProject(place(packs.user))
  const run: World['run'] = (words, options) => runWarm(['packs', ...words], { cwd: workspace, home, ...options })
  return {
    workspace,
    home,
    run,
    json: (words) => JSON.parse(run([...words, '--json']).stdout),
  }
}

/** Without the built-in packs. */
export function own<T extends { scope: string }>(packs: readonly T[]): T[] {
  return packs.filter(({ scope }) => scope !== 'built-in')
}
