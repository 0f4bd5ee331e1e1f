import { join } from 'node:path'
import { exists } from '../machine/files.ts'
import { DOCUMENT_FILE } from '../text/skill-document.ts'
import { failWith } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { SKILLS_FOLDER } from './disk/registry.ts'
import { writeTreeFile } from './disk/tree.ts'
import { namedTargets, withInstalls } from './installs.ts'
import { asWriter } from './observe.ts'
import { formatSkill, requireName, SKILL_FILE } from './rules/skill.ts'

export interface NewSkillRequest {
  name: string
  description?: string
  targets?: readonly string[]
  tags?: readonly string[]
  dryRun?: boolean
}

export interface NewSkill {
  name: string
  path: string
  files: string[]
  isDryRun: boolean
}

/** Creates a skill in the library. It is not committed: its author still has to write it. */
export const startSkill = withInstalls(async (installs, request: NewSkillRequest): Promise<NewSkill> => {
  const name = requireName(request.name)
  const targets = namedTargets(request.targets, installs.config) ?? []
  const folder = `${SKILLS_FOLDER}/${name}`
  const path = join(installs.library, folder)
  const tags = (request.tags ?? []).flatMap((tag) => tag.split(',')).filter((tag) => tag !== '')
  const description = request.description ?? `Say what ${name} does, and when an agent should use it.`
  const title = name.replace(/-/g, ' ').replace(/^./, (letter) => letter.toUpperCase())
  const text = `# ${title}\n\n1. First step.\n2. Second step.\n`
  const run = async (): Promise<NewSkill> => {
    if (exists(path)) {
      throw failWith('SKILL_EXISTS/path', { path, name })
    }
    const write = (stage: string) => {
      writeTreeFile(
        join(stage, SKILL_FILE),
        formatSkill({ name, description, tags, targets, metadata: {}, others: {} }),
        false,
      )
      writeTreeFile(join(stage, DOCUMENT_FILE), text, false)
    }
    if (!request.dryRun) await changeLibrary(installs.repo, { changes: [{ path: folder, write }], message: undefined })
    const isDryRun = request.dryRun ?? false
    return { name, path, files: [SKILL_FILE, DOCUMENT_FILE], isDryRun }
  }
  return request.dryRun ? run() : asWriter(installs, [], 'new', run)
})
