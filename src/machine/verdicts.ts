import { failWith } from '../text/trouble.ts'
import type { Machine } from './machine.ts'
import { realOrSame } from './open-project.ts'
import type { RecordFile } from './records.ts'
import { ANY_NAME, NO_VERDICTS, parseVerdicts, type Verdict, type Verdicts, verdictsAt } from './rules/verdict.ts'

const RECORD: RecordFile<Verdicts> = {
  place: 'team/verdicts.json',
  empty: NO_VERDICTS,
  parse: parseVerdicts,
  format: (verdicts) => `${JSON.stringify(verdicts, null, 1)}\n`,
  broken: (problem, cause) => failWith('BAD_TEAM_FILE/said', { problem }, { cause }),
}

/** What the catalog last said about packs, and about the skills of a library. */
export function readVerdicts(machine: Machine, library?: string): readonly Verdict[] {
  const known = machine.records.read(RECORD)
  const verdicts = verdictsAt(known, machine.now())
  const isSame = library !== undefined && known.library === realOrSame(library)
  return isSame ? verdicts : verdicts.filter(({ kind, name }) => kind === 'pack' || name === ANY_NAME)
}

/** When the catalog expires that the last verdicts are from. */
export function verdictsExpiry(machine: Machine): string | undefined {
  return machine.records.read(RECORD).expires
}

/** From now on installs and packs obey these. */
export async function writeVerdicts(
  machine: Machine,
  library: string | undefined,
  said: Omit<Verdicts, 'library'>,
): Promise<void> {
  const place = library === undefined ? '' : realOrSame(library)
  await machine.records.change(RECORD, 'catalog', () => ({ ...said, library: place }))
}
