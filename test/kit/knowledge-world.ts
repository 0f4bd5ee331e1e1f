import { join } from 'node:path'
import { type Content, makeProject, type Run, type RunOptions } from '../cli/run.ts'
import { runWarm } from '../cli/warm.ts'

/** A machine with some of everything: payloads, packs of a project and of its user, a library of skills. */
export interface KnowledgeWorld {
  cwd: string
  home: string
  run(args: readonly string[], options?: RunOptions): Run
  json(args: readonly string[]): Run & { value: ReturnType<typeof JSON.parse> }
}

export interface KnowledgeFiles {
  /** Payloads by id. */
  payloads?: Record<string, string>
  /** Files of packs, below the project's folder of packs. */
  packs?: Record<string, Content>
  /** Files of packs in the user's home, where packs are trusted. */
  userPacks?: Record<string, Content>
  /** Files below the library's folder of skills; undefined without a library. */
  skills?: Record<string, Content>
  /** Other files of the project and of the home. */
  project?: Record<string, Content>
  home?: Record<string, Content>
}

export function makeKnowledge(files: KnowledgeFiles): KnowledgeWorld {
  const { payloads = {}, packs = {}, userPacks = {}, skills, project = {}, home = {} } = files
  const cwd = makeProject({
    '.git/HEAD': '',
    ...below('.agents/knowledge', packs),
    ...Object.fromEntries(Object.entries(payloads).map(([id, text]) => [`.claude/loadout/${id}.md`, text])),
    ...project,
  })
  const library = skills === undefined ? undefined : makeProject({ '.git/HEAD': '', ...below('skills', skills) })
  const config = library && { '.config/loadout/config.json': JSON.stringify({ repo_path: library }) }
  const place = { cwd, home: makeProject({ ...below('.agents/knowledge', userPacks), ...config, ...home }) }
  if (Object.keys(payloads).length > 0) runWarm(['index', 'build'], place)
  const run: KnowledgeWorld['run'] = (args, options) => runWarm(args, { ...place, ...options })
  return {
    ...place,
    run,
    json: (args) => {
      const result = run([...args, '--json'])
      return { ...result, value: JSON.parse(result.stdout) }
    },
  }
}

function below(folder: string, files: Record<string, Content>): Record<string, Content> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [join(folder, path), content]))
}

export const payload = (id: string, keywords: string, body: string, extra = '') =>
  `---\nid: ${id}\nkeywords: [${keywords}]\n${extra}---\n\n${body}\n`
