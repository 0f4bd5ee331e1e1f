import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Profile } from '../../agents/rules/config.ts'
import { exists, isFolder } from '../../machine/files.ts'
import { readJsonInside } from '../../machine/inside.ts'
import type { Repository } from '../../machine/repository.ts'
import { SETTINGS_FILE } from '../../machine/settings.ts'
import { asFinding, type Finding, failWith } from '../../text/trouble.ts'
import { compareText, isRecord, isTextList, setOwn } from '../../text/values.ts'
import { nameProblem } from '../rules/skill.ts'
import { changeLibrary } from './library-transaction.ts'
import { writeTreeFile } from './tree.ts'

const FOLDER = 'profiles'
const LARGEST = 8 * 1024 * 1024

/** The profiles in the library, one file each. A broken one is a finding; the others still work. */
export function readLibraryProfiles(library: string): { profiles: Map<string, Profile>; findings: Finding[] } {
  const profiles = new Map<string, Profile>()
  const findings: Finding[] = []
  const folder = join(library, FOLDER)
  const names = isFolder(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  for (const file of names.sort(compareText)) {
    try {
      const json = readJsonInside(library, `${FOLDER}/${file}`, LARGEST)
      const profile: Profile = {}
      for (const [skill, agents] of Object.entries(isRecord(json) ? json : { '': null })) {
        if (!isTextList(agents)) {
          throw failWith('INVALID_INDEX/profile', { folder: FOLDER, file })
        }
        setOwn(profile, skill, agents)
      }
      profiles.set(file.replace(/\.json$/, ''), profile)
    } catch (error) {
      findings.push(asFinding(error, { hint: undefined, subject: file }))
    }
  }
  return { profiles, findings }
}

/** Writes a profile into the library and commits only that file. Returns the commit, if there is one. */
export async function writeLibraryProfile(
  repo: Repository,
  { name, profile, isCommitted }: { name: string; profile: Profile; isCommitted: boolean },
): Promise<string | undefined> {
  const path = `${FOLDER}/${name}.json`
  const write = (stage: string) => void writeTreeFile(stage, `${JSON.stringify(profile, null, 2)}\n`, false)
  const message = isCommitted ? `Save profile ${name}` : undefined
  const settings = exists(join(repo.path, SETTINGS_FILE)) ? readJsonInside(repo.path, SETTINGS_FILE, LARGEST) : {}
  // The first profile is the one that a new machine gets.
  const isFirst = isRecord(settings) && settings.profile === undefined
  const named = `${JSON.stringify({ ...(isRecord(settings) ? settings : {}), profile: name }, null, 2)}\n`
  const first = { path: SETTINGS_FILE, write: (stage: string) => void writeTreeFile(stage, named, false) }
  return changeLibrary(repo, { changes: [{ path, write }, ...(isFirst ? [first] : [])], message })
}

/** The name of a profile becomes a file name. */
export function requireProfileName(name: string): string {
  const problem = nameProblem(name)
  if (problem === undefined) return name
  throw failWith('BAD_NAME/profile-name', { name: JSON.stringify(name.slice(0, 80)), problem })
}
