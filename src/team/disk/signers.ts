import { exists, readText } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import { recordPath, writeRecord } from '../../machine/records.ts'

const PLACE = 'team/allowed_signers'

/** Who may approve, as a person said when this machine joined: then the library cannot change it. */
export function readPinnedSigners(machine: Machine): string | undefined {
  const path = recordPath(machine, PLACE)
  return exists(path) ? readText(path) : undefined
}

export function pinSigners(machine: Machine, file: string): void {
  writeRecord(machine, PLACE, readText(file))
}
