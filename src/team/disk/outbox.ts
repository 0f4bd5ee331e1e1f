import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { exists, readText, writeAtomically } from '../../machine/files.ts'
import { namesIn } from '../../machine/leftovers.ts'
import { acquireLock } from '../../machine/lock.ts'
import type { Machine } from '../../machine/machine.ts'
import type { RecordFile } from '../../machine/records.ts'
import { TEAM_DUE, TEAM_FOLDER } from '../../usage/sharing.ts'
import { BROKEN, type OutboxState, parseOutbox } from '../rules/membership.ts'

const STATE: RecordFile<OutboxState | undefined> = {
  place: `${TEAM_FOLDER}/outbox.json`,
  empty: undefined,
  parse: parseOutbox,
  format: (value) => `${JSON.stringify(value, null, 2)}\n`,
  broken: BROKEN,
}

export function readOutbox(machine: Machine): OutboxState | undefined {
  return machine.records.read(STATE)
}

/** New batches count from this moment: their files must exist before. */
export function writeOutbox(machine: Machine, state: OutboxState): void {
  machine.records.write(STATE.place, STATE.format(state))
}

export function newMachineId(): string {
  return randomBytes(16).toString('hex')
}

type Tray = 'outbox' | 'sent'

function trayFolder(machine: Machine, tray: Tray, { machine: id }: Pick<OutboxState, 'machine'>): string {
  return machine.records.path(`${TEAM_FOLDER}/${tray}/${id}`)
}

function fileOf(sequence: number): string {
  return `${String(sequence).padStart(12, '0')}.json`
}

/**
 * The numbers of the batches in a tray, the oldest first. Ignores batches of a process that was killed before it
 * finished.
 */
export function batchesIn(machine: Machine, tray: Tray, state: OutboxState): number[] {
  const names = namesIn(trayFolder(machine, tray, state))
  const numbers = names.flatMap((name) => (/^\d{12}\.json$/.test(name) ? [Number(name.slice(0, 12))] : []))
  return numbers.filter((sequence) => sequence < state.next).sort((a, b) => a - b)
}

export function readBatch(machine: Machine, state: OutboxState, sequence: number): string {
  return readText(join(trayFolder(machine, 'outbox', state), fileOf(sequence)))
}

export function putBatch(machine: Machine, state: Pick<OutboxState, 'machine'>, sequence: number, bytes: string): void {
  machine.records.privateFolder(`${TEAM_FOLDER}/outbox/${state.machine}`)
  writeAtomically(join(trayFolder(machine, 'outbox', state), fileOf(sequence)), bytes, 0o600)
}

/** Sent batches are kept for a while: a server that was restored from a backup asks for them again. */
export function moveBatch(machine: Machine, state: OutboxState, sequence: number, to: Tray): void {
  machine.records.privateFolder(`${TEAM_FOLDER}/${to}/${state.machine}`)
  const [name, from] = [fileOf(sequence), to === 'sent' ? 'outbox' : 'sent'] as const
  renameSync(join(trayFolder(machine, from, state), name), join(trayFolder(machine, to, state), name))
}

const KEPT_MS = 14 * 86_400_000

/** Removes old sent batches, and the batches of earlier identities of this machine. */
export function tidy(machine: Machine, state: OutboxState): void {
  for (const tray of ['outbox', 'sent'] as const) {
    const around = machine.records.path(`${TEAM_FOLDER}/${tray}`)
    for (const id of namesIn(around))
      if (id !== state.machine) rmSync(join(around, id), { recursive: true, force: true })
  }
  const sent = trayFolder(machine, 'sent', state)
  for (const name of namesIn(sent)) {
    const stat = statSync(join(sent, name), { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > KEPT_MS) rmSync(join(sent, name), { force: true })
  }
}

/** Deletes everything about the team. */
export function forgetTeam(machine: Machine): void {
  rmSync(machine.records.path(TEAM_FOLDER), { recursive: true, force: true })
}

/** When the background may try again. Stored as the time of a file, so that a hook only needs one `stat`. */
export function setDue(machine: Machine, at: Date): void {
  const path = machine.records.path(TEAM_DUE)
  if (!exists(path)) machine.records.write(TEAM_DUE, '')
  utimesSync(path, at, at)
}

/** One process at a time collects and sends. */
export function lockTeam(machine: Machine, waitMs: number): Promise<() => void> {
  return acquireLock(join(machine.records.privateFolder('locks'), 'team'), { purpose: 'team', waitMs })
}
