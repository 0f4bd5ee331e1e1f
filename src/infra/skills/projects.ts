import { join } from 'node:path'
import { compareText } from '../../domain/shared/order.ts'
import { isTextList } from '../../domain/shared/record.ts'
import { exists, isFolder, writeAtomically } from '../files.ts'
import { readJson } from '../json-file.ts'
import { type Machine, stateFolder } from '../machine.ts'

/** The projects that this machine has installed into and that are still there. */
export function knownProjects(machine: Machine): string[] {
  return readProjects(machine).filter(isFolder)
}

/** Remembered before the first install: a skill in use there must not be deleted unawares. */
export function rememberProject(machine: Machine, project: string): void {
  const known = readProjects(machine)
  if (known.includes(project)) return
  writeAtomically(projectsPath(machine), `${JSON.stringify([...known, project].sort(compareText), null, 2)}\n`)
}

function readProjects(machine: Machine): string[] {
  const path = projectsPath(machine)
  const json = exists(path) ? readJson(path) : []
  return isTextList(json) ? json : []
}

function projectsPath(machine: Machine): string {
  return join(stateFolder(machine), 'projects.json')
}
