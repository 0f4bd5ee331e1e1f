import { join } from 'node:path'
import { exists, readJson } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'
import type { SkillSource } from '../rules/skill.ts'

/** A skill that another manager installed, and its source. */
export interface LockedSkill {
  /** As written in the lock file. */
  from: string
  /** In the form that Loadout records, if the lock file has enough details. */
  origin?: Pick<SkillSource, 'url' | 'path' | 'folder' | 'ref'>
}

/** Reads the lock file of `npx skills`: of a project, or of the user. Loadout never writes it. */
export function readSkillsLock(
  machine: Machine,
  project: string | undefined,
): { skills: ReadonlyMap<string, LockedSkill>; findings: Finding[] } {
  const path = lockPath(machine, project)
  if (!exists(path)) return { skills: new Map(), findings: [] }
  try {
    const json = readJson(path)
    const { skills = {} } = isRecord(json) ? json : { skills: undefined }
    if (!isRecord(json) || !isRecord(skills)) throw new LoadoutError('BAD_JSON', `${path} does not list skills by name`)
    const rows = Object.entries(skills).map(([name, row]) => [name, lockedSkill(row)] as const)
    return { skills: new Map(rows), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the lock file of another manager was skipped: ${error.message}`
    return { skills: new Map(), findings: [{ severity: 'warning', code: error.code, message, subject: path }] }
  }
}

function lockPath({ home, env }: Machine, project: string | undefined): string {
  if (project !== undefined) return join(project, 'skills-lock.json')
  const state = env.XDG_STATE_HOME
  return state ? join(state, 'skills', '.skill-lock.json') : join(home, '.agents', '.skill-lock.json')
}

function lockedSkill(row: unknown): LockedSkill {
  if (!isRecord(row)) return { from: 'an unknown source' }
  const { source, sourceType, sourceUrl, ref, skillPath } = row
  const from = [source, sourceUrl].find((value) => typeof value === 'string') ?? 'an unknown source'
  const folder = typeof skillPath === 'string' ? skillPath.replace(/\\/g, '/').replace(/\/?SKILL\.md$/, '') : undefined
  const place = placeOf(source, sourceType, sourceUrl)
  if (place === undefined || folder === undefined) return { from }
  return { from, origin: { ...place, folder, ref: typeof ref === 'string' ? ref : undefined } }
}

function placeOf(source: unknown, type: unknown, url: unknown): Pick<SkillSource, 'url' | 'path'> | undefined {
  if (type === 'local') return typeof source === 'string' ? { path: source } : undefined
  if (typeof url === 'string' && /^(?:https?|ssh|git|file):|^[\w.-]+@[\w.-]+:/.test(url)) return { url }
  return type === 'github' && typeof source === 'string' ? { url: `https://github.com/${source}` } : undefined
}
