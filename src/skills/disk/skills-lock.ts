import { join } from 'node:path'
import { exists, readJson } from '../../machine/files.ts'
import { type Finding, LoadoutError } from '../../text/trouble.ts'
import { isRecord } from '../../text/values.ts'

const LOCK_FILE = 'skills-lock.json'

/** What another skills manager placed in a project: name to source. The file is read and never written. */
export function readSkillsLock(project: string): { skills: ReadonlyMap<string, string>; findings: Finding[] } {
  const path = join(project, LOCK_FILE)
  if (!exists(path)) return { skills: new Map(), findings: [] }
  try {
    const json = readJson(path)
    const skills = isRecord(json) && isRecord(json.skills) ? Object.entries(json.skills) : []
    return { skills: new Map(skills.map(([name, row]) => [name, sourceOf(row)])), findings: [] }
  } catch (error) {
    if (!(error instanceof LoadoutError)) throw error
    const message = `the lock file of another manager was passed over: ${error.message}`
    return { skills: new Map(), findings: [{ severity: 'warning', code: error.code, message, subject: LOCK_FILE }] }
  }
}

function sourceOf(row: unknown): string {
  return isRecord(row) && typeof row.source === 'string' ? row.source : 'an unknown source'
}
