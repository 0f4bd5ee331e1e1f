import type { Machine } from './machine.ts'
import { realOrSame } from './open-project.ts'
import { changeRecord, type RecordFile, readRecord } from './records.ts'
import { NO_VERDICTS, parseVerdicts, type Verdict, type Verdicts } from './rules/verdict.ts'

const RECORD: RecordFile<Verdicts> = {
  place: 'team/verdicts.json',
  empty: NO_VERDICTS,
  parse: parseVerdicts,
  format: (verdicts) => `${JSON.stringify(verdicts, null, 1)}\n`,
  broken: { code: 'BAD_TEAM_FILE', hint: 'remove the file; loadout sync asks the catalog again' },
}

/** What the catalog last said about packs, and about the skills of a library. */
export function readVerdicts(machine: Machine, library?: string): readonly Verdict[] {
  const known = readRecord(machine, RECORD)
  const isSame = library !== undefined && known.library === realOrSame(library)
  return isSame ? known.verdicts : known.verdicts.filter(({ kind }) => kind === 'pack')
}

/** From now on installs and packs obey these. */
export async function writeVerdicts(
  machine: Machine,
  library: string | undefined,
  verdicts: readonly Verdict[],
): Promise<void> {
  const place = library === undefined ? '' : realOrSame(library)
  await changeRecord(machine, RECORD, 'catalog', () => ({ library: place, verdicts }))
}
