import { readAudit } from '../../machine/audits.ts'
import { describeTrouble } from '../../machine/hook-log.ts'
import type { Machine } from '../../machine/machine.ts'
import type { PackAudit } from '../../packs/record.ts'
import { rehydrate } from '../../packs/record.ts'
import { sha256 } from '../../text/values.ts'

/** Earlier texts of packs, from their records: byte for byte, or not at all. */
export function packTexts(machine: Machine, audits: readonly string[], log: (message: string) => void) {
  const texts = new Map<string, string>()
  for (const id of new Set(audits)) {
    try {
      const { value, findings } = rehydrate(machine, id, readAudit<PackAudit>(machine, id).record)
      for (const { text } of value.wrappers) texts.set(sha256(text), text)
      for (const { message } of findings) log(`${message}: it was not given again`)
    } catch (error) {
      log(`a pack was not given again: ${describeTrouble(error)}`)
    }
  }
  return texts
}
