import { exists, isFolder, readJson } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { recordPath, writeRecord } from '../../machine/records.ts'
import { compareText, isTextList } from '../../text/values.ts'

const PROJECTS = 'projects.json'

/** The projects that this machine has installed into and that are still there. */
export function knownProjects(machine: Machine): string[] {
  return readProjects(machine).filter(isFolder)
}

/** Remembered before the first install: a skill in use there must not be deleted unawares. */
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
