import { asItWas, type FileEdit, newRecord, readEdited, type UndoRecord, UndoRecords } from '../change/file-edit.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { parseJson } from '../text/json.ts'
import { LoadoutError } from '../text/trouble.ts'
import { AgentFiles } from './disk/agent-files.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import { rulesOf } from './disk/rules-on-machine.ts'
import { type Agent, requireAgent } from './rules/agents.ts'
import { addNameOnly, removeNameOnly } from './rules/hook-settings/hook-settings.ts'

const EMPTY_FILE = '{}\n'

/** The setting of an agent that lists only the names of some skills. */
export class NameOnly {
  readonly path: string
  private readonly agent: Agent
  private readonly key: string
  private readonly project: string | undefined
  private readonly records: UndoRecords

  private constructor(agent: Agent, path: string, key: string, project: string | undefined, records: UndoRecords) {
    this.agent = agent
    this.path = path
    this.key = key
    this.project = project
    this.records = records
  }

  /** Undefined if the agent has no such setting. */
  static open(machine: Machine, id: string, named: string | undefined): NameOnly | undefined {
    const agent = requireAgent(id)
    const project = named === undefined ? undefined : openProject(machine, named).place
    const { settings } = rulesOf(machine, agent).rules
    const key = settings?.keys.overrides
    const path = settings && new AgentFiles(machine, agent, project).personalFile(settings)
    if (key === undefined || path === undefined) return undefined
    return new NameOnly(agent, path, key, project, new UndoRecords(machine, 'name-only.json'))
  }

  /** Plans the new settings without writing. Adds the names to those of earlier calls. */
  plan(names: readonly string[]): FileEdit & { record: UndoRecord } {
    const { path, project } = this
    const { before, mark, text, read } = this.read()
    const isBlank = before === undefined || splitMark(before).body.trim() === ''
    const record = this.records.find(path) ?? newRecord(path, before, isBlank, undefined)
    const result = addNameOnly({ text, blanks: record.blanks }, this.key, names, read)
    const added = [...new Set([...(record.added ?? []), ...names])]
    return { path, project, before, after: mark + result.text, record: { ...record, blanks: result.blanks, added } }
  }

  apply(names: readonly string[]): Promise<void> {
    return this.records.asOnlyEditor(() => {
      const edit = this.plan(names)
      this.records.apply(edit, edit.record)
    })
  }

  /** Undoes `apply`, and returns the names of the skills. */
  undo(): Promise<string[]> {
    return this.records.asOnlyEditor(() => {
      const { path, project } = this
      const record = this.records.find(path)
      if (record === undefined) return []
      const { before, mark, text, read } = this.read()
      const names = record.added ?? []
      const result = removeNameOnly({ text, blanks: record.blanks }, this.key, names, read)
      const emptied = mark + result.text
      const after = result.text === EMPTY_FILE ? asItWas(path, record, emptied) : emptied
      this.records.undo({ path, project, before, after: before === undefined ? before : after }, record)
      return names
    })
  }

  private read() {
    const { path, project, agent } = this
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
}

/** Takes back what `see --fix` wrote into the settings of an agent. */
export async function undoNameOnly(
  machine: Machine,
  request: { agent: string; project?: string },
): Promise<{ path?: string; names: string[] }> {
  const setting = NameOnly.open(machine, request.agent, request.project)
  return setting === undefined ? { names: [] } : { path: setting.path, names: await setting.undo() }
}
