import { join } from 'node:path'
import type { Machine } from '../machine/machine.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { changeLibrary } from './disk/library-transaction.ts'
import { copyTree, writeTreeFile } from './disk/tree.ts'
import { asWriter } from './observe.ts'
import { type ImportedSkill, importedSkills, isPinned } from './outdated.ts'
import { formatSkill, SKILL_FILE } from './rules/skill.ts'
import { openGitSetup } from './setup.ts'

export interface PinRequest {
  names: readonly string[]
  /** False: allow updates again. */
  isPinned: boolean
  commit?: boolean
}

export interface PinResult {
  pinned: { name: string; source: string; commit?: string }[]
  isPinned: boolean
  commit?: string
}

/** Keeps imported skills at their current commit, or allows updates again. */
export async function pinSkills(machine: Machine, request: PinRequest): Promise<Report<PinResult>> {
  const setup = await openGitSetup(machine, {})
  return asWriter(setup, [], 'pin', async (recovered) => {
    const { skills, withoutSource } = importedSkills(setup, request.names)
    const [unknown] = withoutSource
    if (unknown !== undefined) {
      throw new LoadoutError('NO_SOURCE', `${unknown} was not imported, so nothing updates it`, {
        hint: 'loadout outdated lists the skills that have a source',
      })
    }
    const changed = skills.filter(({ source }) => isPinned(source) !== request.isPinned)
    const changes = changed.map((skill) => ({
      path: skill.folder,
      write: (stage: string) => writePin(join(setup.library, skill.folder), skill, request.isPinned, stage),
    }))
    const names = changed.map(({ skill }) => skill.name).join(', ')
    const isCommitted = request.commit ?? setup.config.commitsImports
    const message = isCommitted ? `${request.isPinned ? 'Pin' : 'Unpin'} ${names}` : undefined
    const commit = changes.length === 0 ? undefined : await changeLibrary(setup.repo, { changes, message })
    const pinned = skills.map(({ skill: { name }, source: { url, path, commit: at } }) => {
      return { name, source: url ?? path ?? '', commit: at }
    })
    return { value: { pinned, isPinned: request.isPinned, commit }, findings: recovered }
  })
}

function writePin(folder: string, { skill, source }: ImportedSkill, isOn: boolean, stage: string): void {
  const { pinned: _, ...others } = source.others
  copyTree(folder, stage, [SKILL_FILE])
  const record = { ...source, others: isOn ? { ...others, pinned: true } : others }
  writeTreeFile(join(stage, SKILL_FILE), formatSkill({ ...skill, source: record }), false)
}
