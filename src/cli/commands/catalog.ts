import type { CatalogRow, Published, Signed } from '../../loadout.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, lines } from '../screen.ts'

const NAME = {
  name: 'name',
  summary: 'a skill of the library, or a pack; skill:<name> or pack:<name> where both have the name',
  required: true,
} as const
const VERSION_FLAG = { kind: 'text', value: 'version', summary: 'the version, such as 1.2.0' } as const
const GROUP_FLAG = {
  kind: 'list',
  value: 'group',
  summary: 'only for machines of this team group; may be repeated',
} as const
const KEY_FLAG = {
  kind: 'text',
  value: 'file',
  summary: 'the SSH key to sign with; default: the one in ~/.ssh',
} as const

export const catalogPublish = defineCommand({
  name: 'catalog publish',
  summary: 'propose a version of a skill or pack to the organization',
  details:
    'Puts the last committed version of the skill or pack into the catalog of the team, as a draft. The content stays in git, or for a pack in its package: the catalog stores the commit and a digest. Machines use it once it is approved.',
  args: [NAME],
  flags: {
    version: {
      ...VERSION_FLAG,
      summary: 'its version number; default: the version of a pack, else the start of the commit',
    },
    owner: { kind: 'text', value: 'name', summary: 'who maintains it; default: your git user name' },
    group: GROUP_FLAG,
  },
  run: ({ args: { name = '' }, flags: { version, owner, group } }, loadout) =>
    loadout.publishVersion({ name, version, owner, groups: group }),
  print: ({ kind, name, version, commit, digest, state, isNew }: Published, screen) =>
    lines(
      isNew
        ? screen.good(`${name} ${version} is in the catalog as a draft`)
        : `${name} ${version} is already in the catalog (${state})`,
      commit === '' ? `  digest ${digest.slice(0, 12)}, of a package` : `  commit ${commit.slice(0, 12)}`,
      state === 'draft' &&
        `next: loadout catalog approve ${kind === 'pack' ? 'pack:' : ''}${name} --version ${version}`,
    ),
})

export const catalogApprove = defineCommand({
  name: 'catalog approve',
  summary: 'let machines use a version, with your signature',
  details:
    'Signs the version with your SSH key (ssh-keygen -Y sign). Every machine checks the signature against catalog/allowed_signers in the library, or against the signers that were pinned when it joined.',
  args: [NAME],
  flags: { version: { ...VERSION_FLAG, summary: 'default: the newest draft' }, group: GROUP_FLAG, key: KEY_FLAG },
  run: ({ args: { name = '' }, flags: { version, group, key } }, loadout) =>
    loadout.approveVersion({ name, version, key, groups: group }),
  print: (signed: Signed, screen) => lines(screen.good(`approved ${signed.name} ${signed.version}`), ...about(signed)),
})

export const catalogRetire = defineCommand({
  name: 'catalog retire',
  summary: 'have machines give up a skill or pack, signed by you',
  details:
    'Without --version every version is retired. At its next sync each machine removes the skill, or stops using the pack, and reports that.',
  args: [NAME],
  flags: { version: { ...VERSION_FLAG, summary: 'only this version' }, key: KEY_FLAG },
  run: ({ args: { name = '' }, flags: { version, key } }, loadout) => loadout.retireVersion({ name, version, key }),
  print: (signed: Signed) =>
    lines(`retired ${signed.name}${signed.version === '*' ? '' : ` ${signed.version}`}`, ...about(signed)),
})

function about({ by, groups }: Signed): string[] {
  return [`  signed by ${by}, for ${groups.includes('*') ? 'everybody' : groups.join(', ')}`]
}

export const catalogQuarantine = defineCommand({
  name: 'catalog quarantine',
  summary: 'hold a version back, without a signature',
  details:
    'Needs no signature, because nothing is installed or removed. Machines ask with each sync, equip --from-catalog and packs fetch, and in the background.',
  args: [NAME],
  flags: { version: VERSION_FLAG, off: { kind: 'switch', summary: 'allow its use again' } },
  run: ({ args: { name = '' }, flags: { version, off } }, loadout) => {
    if (version === undefined) {
      throw new LoadoutError('USAGE', '--version is missing', { hint: 'loadout catalog search lists the versions' })
    }
    return loadout.quarantineVersion({ name, version, isHeld: !off })
  },
  print: ({ name, version, state }) => `${name} ${version} is ${state === 'quarantined' ? 'in quarantine' : state}\n`,
})

export const catalogSearch = defineCommand({
  name: 'catalog search',
  summary: 'list what is published, approved and retired',
  args: [{ name: 'words', summary: 'words in the name or the owner', required: false }],
  flags: {},
  run: ({ args: { words } }, loadout) => loadout.searchCatalog({ words: words ?? '' }),
  print: (rows: readonly CatalogRow[]) => {
    if (rows.length === 0) return 'No match in the catalog.\n'
    const hasPacks = rows.some(({ kind }) => kind === 'pack')
    const table = rows.map(({ kind, name, version, state, owner, groups, signedBy, here }) => [
      `  ${hasPacks ? `${kind}:` : ''}${name}`,
      version === '*' ? 'all' : version,
      groups.includes('*') ? state : `${state} for ${groups.join(', ')}`,
      signedBy === undefined ? 'not signed' : `signed by ${signedBy}`,
      `owner ${owner}`,
      here === '' ? '' : `this machine ${here} it`,
    ])
    return lines(alignRows(table), '', count(rows.length, 'version'))
  },
})
