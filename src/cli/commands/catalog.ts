import type { CatalogRow, Published, Signed } from '../../loadout.ts'
import { LoadoutError } from '../../text/trouble.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, lines } from '../screen.ts'

const NAME = { name: 'name', summary: 'a skill of the library', required: true } as const
const VERSION_FLAG = { kind: 'text', value: 'version', summary: 'the version, such as 1.2.0' } as const
const GROUP_FLAG = {
  kind: 'list',
  value: 'group',
  summary: 'only machines of this group of the team get it; several times for several groups',
} as const
const KEY_FLAG = {
  kind: 'text',
  value: 'file',
  summary: 'the SSH key to sign with; default: the one in ~/.ssh',
} as const

export const catalogPublish = defineCommand({
  name: 'catalog publish',
  summary: 'propose a version of a skill to the organization',
  details:
    'Puts the last committed version of the skill into the catalog of the team, as a draft. Content stays in git: the catalog holds the commit and a digest. Machines install it once it is approved.',
  args: [NAME],
  flags: {
    version: { ...VERSION_FLAG, summary: 'what to call it; default: the start of its commit' },
    owner: { kind: 'text', value: 'name', summary: 'who looks after it; default: you, as git knows you' },
    group: GROUP_FLAG,
  },
  run: ({ args: { name = '' }, flags: { version, owner, group } }, loadout) =>
    loadout.publishVersion({ name, version, owner, groups: group }),
  print: ({ name, version, commit, state, isNew }: Published, screen) =>
    lines(
      isNew
        ? screen.good(`${name} ${version} is in the catalog as a draft`)
        : `${name} ${version} is in the catalog already (${state})`,
      `  commit ${commit.slice(0, 12)}`,
      state === 'draft' && `next: loadout catalog approve ${name} --version ${version}`,
    ),
})

export const catalogApprove = defineCommand({
  name: 'catalog approve',
  summary: 'let machines install a version, with your signature',
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
  summary: 'have machines remove a skill, with your signature',
  details: 'Without --version every version is retired. Machines remove it with their next sync, and say so.',
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
  summary: 'stop installs of a version at once',
  details: 'Needs no signature, because nothing is installed or removed: machines keep what they have.',
  args: [NAME],
  flags: { version: VERSION_FLAG, off: { kind: 'switch', summary: 'let it be installed again' } },
  run: ({ args: { name = '' }, flags: { version, off } }, loadout) => {
    if (version === undefined) {
      throw new LoadoutError('USAGE', 'no version is named', { hint: 'loadout catalog search lists them; --version' })
    }
    return loadout.quarantineVersion({ name, version, isHeld: !off })
  },
  print: ({ name, version, state }) => `${name} ${version} is ${state === 'quarantined' ? 'in quarantine' : state}\n`,
})

export const catalogSearch = defineCommand({
  name: 'catalog search',
  summary: 'list what the organization has published, approved and retired',
  args: [{ name: 'words', summary: 'words of the name or the owner', required: false }],
  flags: {},
  run: ({ args: { words } }, loadout) => loadout.searchCatalog({ words: words ?? '' }),
  print: (rows: readonly CatalogRow[]) => {
    if (rows.length === 0) return 'The catalog has nothing that fits.\n'
    const table = rows.map(({ name, version, state, owner, groups, signedBy, here }) => [
      `  ${name}`,
      version === '*' ? 'all' : version,
      groups.includes('*') ? state : `${state} for ${groups.join(', ')}`,
      signedBy === undefined ? 'not signed' : `signed by ${signedBy}`,
      `owner ${owner}`,
      here === '' ? '' : `this machine ${here} it`,
    ])
    return lines(alignRows(table), '', count(rows.length, 'version'))
  },
})
