import { exists, isFolder, readJson } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { recordPath, writeRecord } from '../../machine/records.ts'
import { compareText, isTextList } from '../../text/values.ts'

const PROJECTS = 'projects.json'

/** The existing projects with installs on this machine. */
export function knownProjects(machine: Machine): string[] {
  return readProjects(machine).filter(isFolder)
}

/** Call it before the first install, so that `loadout delete` finds the skills that a project uses. */
export function rememberProject(machine: Machine, project: string): void {
  const known = readProjects(machine)
  if (known.includes(project)) return
  writeRecord(machine, PROJECTS, `${JSON.stringify([...known, project].sort(compareText), null, 2)}\n`)
}

function readProjects(machine: Machine): string[] {
  const path = projectsPath(machine)
  const json = exists(path) ? readJson(path) : []
  return isTextList(json) ? json : []
}

function projectsPath(machine: Machine): string {
  return recordPath(machine, PROJECTS)
}
