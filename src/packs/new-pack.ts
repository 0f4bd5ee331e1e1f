import { join } from 'node:path'
import { refuseLinkOut } from '../machine/inside.ts'
import type { Machine } from '../machine/machine.ts'
import { openProject } from '../machine/open-project.ts'
import { shellWord } from '../text/printable.ts'
import { LoadoutError, type Report } from '../text/trouble.ts'
import { findWorkspace } from './disk/pack-roots.ts'
import { writeNewFolder } from './disk/write-pack.ts'
import { packTemplate } from './rules/author/pack-template.ts'
import { type Profile, type RuntimeMode, SHARED_FOLDER } from './rules/pack.ts'

export interface NewPackRequest {
  name: string
  description?: string | undefined
  profile?: Profile | undefined
  mode?: RuntimeMode | undefined
  /** Makes a pack for all projects of this user. */
  isUser?: boolean | undefined
  /** Default: the project around the working folder. */
  project?: string | undefined
}

export interface NewPack {
  name: string
  path: string
  files: string[]
  /** Commands to run next. */
  next: string[]
}

const LONGEST_DESCRIPTION = 1024

/** Creates a small valid pack for its author to fill in. */
export async function startPack(machine: Machine, request: NewPackRequest): Promise<Report<NewPack>> {
  const { profile = 'wiki-first', mode = 'data' } = request
  const name = requirePackName(request.name)
  const home = packHome(machine, request)
  const path = join(home, SHARED_FOLDER, name)
  if (!request.isUser) refuseLinkOut(home, join(SHARED_FOLDER, name))
  const files = packTemplate({ name, description: describe(request), profile, mode })
  // A user's own pack folder may be a link to another place.
  await writeNewFolder(request.isUser ? '/' : home, path, files)
  const shown = shellWord(path)
  const next = [
    `loadout validate ${shown}`,
    ...(request.isUser ? [] : [`loadout approve ${name}`]),
    `loadout packs resolve ${shellWord('a question it should answer')} --pack ${name} --confirm ${name}`,
  ]
  return { value: { name, path, files: [...files.keys()].sort(), next }, findings: [] }
}

export function requirePackName(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name)) return name
  throw new LoadoutError('BAD_NAME', 'this is not a valid name for a pack', {
    hint: 'use at most 64 lower case letters and digits, with hyphens inside',
  })
}

/** The folder above the knowledge folder that gets the pack. */
export function packHome(machine: Machine, { isUser, project }: Pick<NewPackRequest, 'isUser' | 'project'>): string {
  if (isUser && project !== undefined) {
    throw new LoadoutError('USAGE', '--user and --project exclude each other', { hint: 'loadout help packs new' })
  }
  if (isUser) return machine.home
  return findWorkspace(machine, openProject(machine, project)) ?? machine.cwd
}

function describe({ name, description }: NewPackRequest): string {
  return readDescription(description) || `What is known about ${name.replace(/-+/g, ' ')}. Use for questions about it.`
}

/** Returns an empty text for a missing description. */
export function readDescription(description: string | undefined): string {
  const text = description?.trim() ?? ''
  if (text.length > LONGEST_DESCRIPTION) {
    throw new LoadoutError('USAGE', `the description has more than ${LONGEST_DESCRIPTION} characters`, {
      hint: 'say what the pack knows and when to use it; the rest belongs in its pages',
    })
  }
  return text
}
