import { dirname } from 'node:path'
import { isFolder } from '../../machine/files.ts'
import type { Machine } from '../../machine/machine.ts'
import type { Project } from '../../machine/open-project.ts'
import { Stillness } from '../../machine/stillness.ts'
import { type LeaveOut, type Listing, listProject } from './listing.ts'
import { areSame, areSettled, stampsOf } from './stamps.ts'

// For a long-running process: checking 1,000 files takes 3 ms, more than the rest of a question. From the second
// question on, the system reports changes in the folders of a project, and the last listing stays valid while there are
// none, at most for a second.

interface Held {
  name: string
  listing: Listing
  lookedAt: number
  /** A second change of a file would be visible in its stamp. */
  isSettled: boolean
  stillness: Stillness | undefined
  /** Witnesses outside the watched folders, and their stamps. */
  others: readonly string[]
  stamps: Float64Array
}

/** The listing of the last project. */
let held: Held | undefined

/** Like `listProject`; the same value as before when nothing changed. */
export async function listKept(
  machine: Machine,
  project: Pick<Project, 'root' | 'repository'>,
  leaveOut: LeaveOut & { rule: string },
): Promise<Listing> {
  const name = JSON.stringify([project.root, project.repository, leaveOut.rule])
  const known = held?.name === name ? held : undefined
  if (known !== undefined && (await isTrusted(known, machine.now()))) return known.listing
  const now = machine.now()
  const still = known && stillnessFor(known)
  const found = await listProject(machine, project, leaveOut)
  const isSame = known?.isSettled === true && isSameListing(known.listing, found)
  const listing = isSame ? known.listing : found
  const stillness = areEqual(known?.listing.witnesses, found.witnesses) ? still?.stillness : undefined
  for (const each of [held?.stillness, still?.stillness]) if (each !== stillness) each?.end()
  held = {
    name,
    listing,
    lookedAt: now.getTime(),
    isSettled: areSettled(found.files.stamps, now),
    stillness,
    others: still?.others ?? [],
    stamps: still?.stamps ?? new Float64Array(0),
  }
  return listing
}

/** Bit by bit, except what the witnesses say. */
function isSameListing(a: Listing, b: Listing): boolean {
  const counts = ({ by, leftOut }: Listing) => JSON.stringify([by, [...leftOut]])
  if (counts(a) !== counts(b) || !areSame(a.files.stamps, b.files.stamps)) return false
  return areEqual(a.files.paths, b.files.paths)
}

function areEqual(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a !== undefined && a.length === b?.length && a.every((path, at) => path === b[at])
}

async function isTrusted({ stillness, lookedAt, others, stamps }: Held, now: Date): Promise<boolean> {
  const age = now.getTime() - lookedAt
  if (stillness === undefined || age < 0 || age > 1000) return false
  return (await stillness.lasts()) && areSame(stampsOf(others), stamps)
}

/** Starts before the project is read. If it cannot be relied on, the next question finds out. */
function stillnessFor(known: Held): Pick<Held, 'stillness' | 'others' | 'stamps'> | undefined {
  const { witnesses } = known.listing
  if (witnesses === undefined) return undefined
  const folders = witnesses.filter(isFolder)
  const watched = new Set(folders)
  const others = witnesses.filter((path) => !watched.has(path) && !watched.has(dirname(path)))
  const isAsBefore = known.stillness?.startAgain() === true
  return { stillness: isAsBefore ? known.stillness : Stillness.in(folders), others, stamps: stampsOf(others) }
}
