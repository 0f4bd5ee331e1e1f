import { asItWas, Edits, newRecord, type UndoRecord } from '../change/edits.ts'
import { refuseNamedLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { isToml } from '../machine/toml.ts'
import { parseJson } from '../text/json.ts'
import { failWith } from '../text/trouble.ts'
import { AgentFiles } from './disk/agent-files.ts'
import { readSettings, splitMark } from './disk/hook-settings/settings-file.ts'
import { rulesOf } from './disk/rules-on-machine.ts'
import { requireAgent } from './rules/agents.ts'
import { addSwitches, removeSwitches, type Switches, type SwitchForm } from './rules/hook-settings/list-switch.ts'
import type { SettingsRules } from './rules/reading-rules.ts'

export type { Switches }

const UNDO_FILE = 'list-switches.json'
const FORMS: readonly SwitchForm[] = ['overrides', 'disabled', 'switches']

/** The setting of an agent that takes skills, or their descriptions, out of its list. */
export class ListSwitch {
  readonly path: string
  /** What becomes of a skill: its name stays in the list, or nothing does. */
  readonly leaves: 'name-only' | 'off'
  private readonly format: SettingsRules['format']
  private readonly setting: { form: SwitchForm; key: string }
  private readonly project: string | undefined
  private readonly machine: Machine

  private constructor(
    machine: Machine,
    path: string,
    { format }: SettingsRules,
    setting: { form: SwitchForm; key: string },
    project: string | undefined,
  ) {
    this.path = path
    this.format = format
    this.setting = setting
    this.leaves = setting.form === 'overrides' ? 'name-only' : 'off'
    this.project = project
    this.machine = machine
  }

  /** Undefined if the agent has no such setting, or none for a project. */
  static open(machine: Machine, id: string, named: string | undefined): ListSwitch | undefined {
    const agent = requireAgent(id)
    const project = named === undefined ? undefined : machine.openProject(named).place
    const { settings } = rulesOf(machine, agent).rules
    const form = FORMS.find((each) => settings?.keys[each] !== undefined)
    const key = form && settings?.keys[form]
    const path = settings && new AgentFiles(machine, agent, project).personalFile(settings)
    if (form === undefined || key === undefined || path === undefined) return undefined
    return new ListSwitch(machine, path, settings!, { form, key }, project)
  }

  /** What earlier calls have set. */
  get own(): Switches {
    return this.recordIn(new Edits(this.machine))?.switches ?? {}
  }

  /** Whether the hooks of the agent came with it. */
  get cameWithHooks(): boolean {
    return this.recordIn(new Edits(this.machine))?.cameWithHooks === true
  }

  /** Whether the file says all of this: a person may have taken it out since. */
  holds(switches: Switches): boolean {
    const { text, read } = this.read(new Edits(this.machine))
    return addSwitches({ text, blanks: {} }, this.setting, switches, read).text === text
  }

  /** Plans the new settings among other edits. Replaces those of earlier calls. */
  plan(edits: Edits, switches: Switches, cameWithHooks = false): void {
    const { path, project, setting } = this
    const { before, mark, text, read } = this.read(edits)
    const old = this.recordIn(edits)
    const isBlank = before === undefined || splitMark(before).body.trim() === ''
    const record = old ?? newRecord(path, before, isBlank, undefined)
    const cleared = removeSwitches({ text, blanks: record.blanks }, setting, old?.switches ?? {}, read)
    const result = addSwitches({ text: cleared.text, blanks: old ? {} : record.blanks }, setting, switches, read)
    this.check(result.text)
    edits.addUndoable({ path, project, before, after: mark + result.text }, UNDO_FILE, {
      ...record,
      blanks: { ...record.blanks, ...result.blanks },
      switches,
      cameWithHooks: cameWithHooks || old?.cameWithHooks === true,
    })
  }

  /** Plans the undo of earlier calls, and returns the names of their skills. */
  planUndo(edits: Edits): string[] {
    const { path, project, setting } = this
    const record = this.recordIn(edits)
    if (record === undefined) return []
    const { before, mark, text, read } = this.read(edits)
    const switches = record.switches ?? {}
    const result = removeSwitches({ text, blanks: record.blanks }, setting, switches, read)
    const emptied = mark + result.text
    const after = result.text === this.emptyFile ? asItWas(path, record, emptied) : emptied
    edits.addUndoable({ path, project, before, after: before === undefined ? before : after }, UNDO_FILE, undefined)
    return Object.keys(switches)
  }

  private recordIn(edits: Edits): UndoRecord | undefined {
    return edits.find(UNDO_FILE, this.path)
  }

  private get emptyFile(): string {
    return this.format === 'toml' ? '' : '{}\n'
  }

  private read(edits: Edits) {
    const { path, project } = this
    if (project !== undefined) refuseNamedLinkOut(project, path)
    const before = edits.read(path)
    const { mark, body } = splitMark(before ?? '')
    const text = body.trim() === '' ? this.emptyFile : body
    const read = (source: string) => readSettings(source, path)
    this.check(text)
    return { before, mark, text, read }
  }

  /** Throws for a file that the agent cannot read. */
  private check(text: string): void {
    const { path, format } = this
    const isReadable =
      format === 'toml'
        ? isToml(text)
        : format === 'json with comments' || (readSettings(text, path) && parseJson(text).problem === undefined)
    if (isReadable) return
    throw failWith(format === 'toml' ? 'BAD_SETTINGS/toml' : 'BAD_SETTINGS/comments', { path })
  }
}
