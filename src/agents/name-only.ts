import { join } from 'node:path'
import { asItWas, type FileEdit, newRecord, readEdited, type UndoRecord, UndoRecords } from '../change/file-edit.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import { acquireLock } from '../machine/lock.ts'
import { type Machine, stateFolder } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { parseJson } from '../text/json.ts'
import { LoadoutError } from '../text/trouble.ts'
import { AgentFiles } from './disk/agent-files.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import { rulesOf } from './disk/rules-on-machine.ts'
import { type Agent, requireAgent } from './rules/agents.ts'
import { addNameOnly, removeNameOnly } from './rules/hook-settings/hook-settings.ts'

/** The setting of an agent that lists only the names of some skills. */
export interface NameOnlyPlace {
  agent: Agent
  path: string
  key: string
  project: string | undefined
}

const RECORDS = 'name-only.json'
const EMPTY_FILE = '{}\n'

/** Undefined if the agent has no such setting. */
export function nameOnlyPlace(machine: Machine, id: string, named: string | undefined): NameOnlyPlace | undefined {
  const agent = requireAgent(id)
  const project = named === undefined ? undefined : openProject(machine, named).place
  const { settings } = rulesOf(machine, agent).rules
  const key = settings?.keys.overrides
  const path = settings && new AgentFiles(machine, agent, project).personalFile(settings)
  return key === undefined || path === undefined ? undefined : { agent, path, key, project }
}

/** Plans the new settings without writing. Adds the names to those of earlier calls. */
export function planNameOnly(
  machine: Machine,
  place: NameOnlyPlace,
  names: readonly string[],
): FileEdit & { record: UndoRecord } {
  const { path, key } = place
  const { before, mark, text, read } = readPlace(place)
  const known = new UndoRecords(machine, RECORDS).find(path)
  const record =
    known ?? newRecord(path, before, before === undefined || splitMark(before).body.trim() === '', undefined)
  const result = addNameOnly({ text, blanks: record.blanks }, key, names, read)
  const added = [...new Set([...(record.added ?? []), ...names])]
  return { ...place, before, after: mark + result.text, record: { ...record, blanks: result.blanks, added } }
}

export function applyNameOnly(machine: Machine, place: NameOnlyPlace, names: readonly string[]): Promise<void> {
  return locked(machine, () => {
    const edit = planNameOnly(machine, place, names)
    new UndoRecords(machine, RECORDS).apply(edit, edit.record)
  })
}

/** Undoes `applyNameOnly`, and returns the names of the skills. */
export function undoNameOnly(
  machine: Machine,
  request: { agent: string; project?: string },
): Promise<{ path?: string; names: string[] }> {
  const place = nameOnlyPlace(machine, request.agent, request.project)
  if (place === undefined) return Promise.resolve({ names: [] })
  return locked(machine, () => {
    const records = new UndoRecords(machine, RECORDS)
    const record = records.find(place.path)
    if (record === undefined) return { path: place.path, names: [] }
    const { before, mark, text, read } = readPlace(place)
    const names = record.added ?? []
    const result = removeNameOnly({ text, blanks: record.blanks }, place.key, names, read)
    const emptied = mark + result.text
    const after = result.text === EMPTY_FILE ? asItWas(place.path, record, emptied) : emptied
    records.undo({ ...place, before, after: before === undefined ? before : after }, record)
    return { path: place.path, names }
  })
}

function readPlace({ path, project, agent }: NameOnlyPlace) {
  if (project !== undefined) refuseNamedLinkOut(project, path)
  const before = readEdited(path)
  const { mark, body } = splitMark(before ?? '')
  const text = body.trim() === '' ? EMPTY_FILE : body
  const read = (source: string) => readSettings(source, path)
  read(text)
  // All agents with such a setting read strict JSON.
  if (parseJson(text).problem !== undefined) {
    throw new LoadoutError('BAD_SETTINGS', `${agent.label} ignores ${path}, because comments are not allowed in it`, {
      hint: 'repair the file; nothing was changed',
    })
  }
  return { before, mark, text, read }
}

/** Takes the lock of hooks, because they may be in the same file. */
async function locked<T>(machine: Machine, run: () => T): Promise<T> {
  const release = await acquireLock(join(stateFolder(machine), 'locks', 'hooks'), { purpose: 'hooks' })
  try {
    return run()
  } finally {
    release()
  }
}
