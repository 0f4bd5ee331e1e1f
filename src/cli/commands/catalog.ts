import type { Signed } from '../../loadout.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, lines, MOST_SHOWN, type Screen } from '../screen.ts'
import { describeSheet } from './review.ts'

const PUBLISHED_NAME = {
  name: 'name',
  summary: 'a skill of the library, or a pack; skill:<name> or pack:<name> where both have the name',
  required: true,
} as const
const VERSION_FLAG = { kind: 'text', value: 'version', summary: 'the version, such as 1.2.0' } as const
const GROUP_FLAG = {
  name: 'group',
  kind: 'list',
  value: 'group',
  summary: 'only for machines of this team group; may be repeated',
} as const
const KEY_FLAG = {
  kind: 'text',
  value: 'file',
  summary: 'the SSH key to sign with; default: the one in ~/.ssh',
} as const

export const catalogCommands = [
  defineCommand({
    name: 'catalog search',
    summary: 'list what is published, approved and retired',
    args: [{ name: 'words', summary: 'words in the name or the owner', required: false }],
    flags: {},
    run: ({ args: { words } }, loadout) => loadout.team.searchCatalog({ words: words ?? '' }),
    print: ({ versions, signed }) => {
      const hasPacks = versions.some(({ kind }) => kind === 'pack')
      const table = versions.map(({ kind, name, version, state, owner, groups, signedBy, here }) => [
        `  ${hasPacks ? `${kind}:` : ''}${name}`,
        version,
        groups.includes('*') ? state : `${state} for ${groups.join(', ')}`,
        signedBy === undefined ? 'not signed' : `signed by ${signedBy}`,
        `owner ${owner}`,
        here === '' ? '' : `this machine ${here} it`,
      ])
      return lines(
        ...(versions.length === 0
          ? ['No match in the catalog.']
          : [alignRows(table), '', count(versions.length, 'version')]),
        signed !== undefined && [
          `catalog ${signed.number} signed by ${signed.by}, valid until ${signed.expires.slice(0, 10)}`,
          `fingerprint ${signed.fingerprint}`,
        ],
      )
    },
  }),
  defineCommand({
    name: 'catalog publish',
    summary: 'propose a version of a skill or pack to the organization',
    details:
      'Puts the last committed version of the skill or pack into the catalog of the team, as a draft. The content stays in git, or for a pack in its package: the catalog stores the commit and a digest. Machines use it once it is approved.',
    args: [PUBLISHED_NAME],
    flags: {
      version: {
        ...VERSION_FLAG,
        summary: 'its version number; default: the version of a pack, else the start of the commit',
      },
      owner: { kind: 'text', value: 'name', summary: 'who maintains it; default: your git user name' },
      groups: GROUP_FLAG,
    },
    run: ({ request }, loadout) => loadout.team.publish(request),
    print: ({ kind, name, version, commit, digest, state, isNew }, screen) =>
      lines(
        isNew
          ? screen.good(`${name} ${version} is in the catalog as a draft`)
          : `${name} ${version} is already in the catalog (${state})`,
        commit === '' ? `  digest ${digest.slice(0, 12)}, of a package` : `  commit ${commit.slice(0, 12)}`,
        state === 'draft' &&
          `next: loadout catalog approve ${kind === 'pack' ? 'pack:' : ''}${name} --version ${version}`,
      ),
  }),
  defineCommand({
    name: 'catalog approve',
    summary: 'let machines use a version, with your signature',
    details:
      'Signs the next catalog with your SSH key (ssh-keygen -Y sign): the one that this machine verified last, with this version approved. Every machine checks the signature against catalog/allowed_signers in the library, or against the signers that were pinned when it joined. Approving an older version again brings machines back to it.',
    args: [PUBLISHED_NAME],
    flags: { version: { ...VERSION_FLAG, summary: 'default: the newest draft' }, groups: GROUP_FLAG, key: KEY_FLAG },
    run: ({ request }, loadout) => loadout.team.approve(request),
    print: (signed, screen) => printSigned('approved', signed, screen),
  }),
  defineCommand({
    name: 'catalog retire',
    summary: 'have machines give up a skill or pack, signed by you',
    details:
      'Without --version every version is retired. At its next sync each machine removes the skill, or stops using the pack, and reports that. If one version is retired, machines go back to the version that was approved before it.',
    args: [PUBLISHED_NAME],
    flags: { version: { ...VERSION_FLAG, summary: 'only this version' }, key: KEY_FLAG },
    run: ({ request }, loadout) => loadout.team.retire(request),
    print: (signed, screen) => printSigned('retired', signed, screen),
  }),
  defineCommand({
    name: 'catalog quarantine',
    summary: 'hold a version back, without a signature',
    details:
      'Needs no signature, because nothing is installed or removed. Machines ask with each sync, equip and packs fetch, and in the background. A machine that has seen the quarantine keeps it until an approver lifts it with a signature (--off). Every later signature of the catalog contains it.',
    args: [PUBLISHED_NAME],
    flags: {
      version: VERSION_FLAG,
      off: { kind: 'switch', summary: 'allow its use again, with your signature' },
      key: KEY_FLAG,
    },
    run: ({ request: { version, off, ...request } }, loadout) => {
      if (version === undefined) throw failWith('USAGE/no-version')
      return loadout.team.quarantine({ ...request, version, isHeld: !off })
    },
    print: ({ name, version, signed }, screen) =>
      signed === undefined
        ? lines(`${name} ${version} is in quarantine`, 'next: loadout catalog sign puts it under a signature')
        : printSigned('released', signed, screen),
  }),
  defineCommand({
    name: 'catalog sign',
    summary: 'sign the whole catalog again',
    details:
      'Before it expires, after a signer was removed from catalog/allowed_signers, or after the database was restored from a backup. Continues the catalog that this machine verified last, and contains every quarantine.',
    args: [],
    flags: {
      days: { kind: 'number', value: 'days', summary: 'how long it is valid; default: as before, at first 90' },
      only: {
        kind: 'list',
        value: 'kind',
        summary: 'skill or pack: machines use only what is approved, and nothing after the expiry; none: end that',
      },
      restore: {
        kind: 'switch',
        summary: 'continue what this machine verified last, or begin an empty catalog, whatever the server shows',
      },
      key: KEY_FLAG,
    },
    run: ({ request }, loadout) => {
      const unknown = request.only?.find((kind) => !['skill', 'pack', 'none'].includes(kind))
      if (unknown === undefined) return loadout.team.signCatalog(request)
      throw failWith('USAGE/only', { unknown })
    },
    print: (signed, screen) => printSigned('signed', signed, screen),
  }),
  defineCommand({
    name: 'catalog accept',
    summary: 'begin again with a catalog that you recognize',
    details:
      'For a machine that refuses the catalog of its server because it does not continue the one that it verified, and for an approver who takes over a catalog without a remaining signer. Ask an approver for the fingerprint; loadout catalog search shows it there.',
    args: [{ name: 'fingerprint', summary: 'the fingerprint of the catalog that the server shows', required: true }],
    flags: {},
    run: ({ request }, loadout) => loadout.team.acceptCatalog(request),
    print: ({ number, by }) => `accepted the catalog: number ${number}, signed by ${by}\n`,
  }),
  defineCommand({
    name: 'catalog propose',
    summary: 'send an edit or a new skill to the maintainers of your team',
    details:
      'Sends what the edits of its installed copies change about the approved version, or else what your library has. Text that looks like a secret is refused. Equal proposals of several people are one with several voices.',
    args: [{ name: 'name', summary: 'the skill', required: true }],
    flags: {
      note: { kind: 'text', value: 'text', summary: 'why you want it, for the maintainers' },
      targets: { name: 'target', kind: 'list', value: 'agent', summary: 'only copies of this agent' },
    },
    run: ({ request }, loadout) => loadout.team.propose(request),
    print: ({ id, name, people, state, isNew, patch }, screen) =>
      lines(
        patch.trimEnd(),
        '',
        state === 'open'
          ? screen.good(
              `proposed ${name} (${id})${isNew ? '' : `; ${count(people, 'person', 'people')} want exactly this`}`,
            )
          : `exactly this change of ${name} was ${state} (${id})`,
      ),
  }),
  defineCommand({
    name: 'catalog proposals',
    summary: 'list what people of your team have proposed',
    args: [],
    flags: { all: { kind: 'switch', summary: 'those that were decided, too' } },
    run: ({ request }, loadout) => loadout.team.listProposals(request),
    print: ({ proposals }) =>
      lines(
        alignRows(
          proposals.map(({ id, name, people, state, made, notes }) => [
            `  ${id}`,
            name,
            count(people, 'person', 'people'),
            made.slice(0, 10),
            state === 'open' ? '' : state,
            notes[0] === undefined ? '' : `"${notes[0]}"`,
          ]),
        ),
        proposals.length === 0 ? 'Nothing waits.' : 'next: loadout catalog adopt <id> --dry-run shows one',
      ),
  }),
  defineCommand({
    name: 'catalog adopt',
    summary: 'take a proposal into the library and approve it, with your signature',
    details:
      'Merges the change with what the library has now, commits it, publishes it, and signs the catalog. If it adds something that can act, it waits until you allow that.',
    args: [{ name: 'id', summary: 'as `loadout catalog proposals` shows it', required: true }],
    flags: {
      allow: { kind: 'switch', summary: 'allow what it adds to what the skill can do' },
      decline: { kind: 'switch', summary: 'do not take it' },
      dryRun: { name: 'dry-run', kind: 'switch', summary: 'show what it changes and adds' },
      version: { ...VERSION_FLAG, summary: 'its version number; default: the start of the commit' },
      groups: GROUP_FLAG,
      key: KEY_FLAG,
    },
    run: ({ request }, loadout) => loadout.team.adoptProposal(request),
    isWaiting: ({ taken }) => taken?.isUndecided === true,
    print: ({ id, people, notes, state, taken, signed }, screen) =>
      lines(
        taken !== undefined && [taken.diff.trimEnd(), ''],
        `${count(people, 'person', 'people')} proposed this`,
        notes.map((note) => `  "${note}"`),
        taken !== undefined && taken.adds.length > 0 && ['It adds:', ...describeSheet(taken.adds, screen)],
        taken?.isUndecided && `Allow that: loadout catalog adopt ${id} --allow`,
        taken !== undefined && taken.conflicts.length > 0 && 'It does not fit what the library has now:',
        taken?.conflicts.map(({ path, message }) => `  ${path}: ${message}`),
        signed !== undefined && [
          printSigned('adopted', signed, screen).trimEnd(),
          'next: push the library, so that machines find the commit',
        ],
        state === 'declined' && `declined ${id}`,
      ),
  }),
]

function printSigned(
  verb: string,
  { changed, others, number, by, only, expires, fingerprint }: Signed,
  screen: Screen,
): string {
  return lines(
    changed.map(({ kind, name, version, commit, groups }) => {
      const who = groups.includes('*') ? 'everybody' : groups.join(', ')
      const from = commit === '' ? '' : `, commit ${commit.slice(0, 12)}`
      return screen.good(`${verb} ${kind === 'pack' ? 'pack:' : ''}${name} ${version} for ${who}${from}`)
    }),
    `  catalog ${number} signed by ${by}, valid until ${expires.slice(0, 10)}`,
    only.length > 0 && `  machines use only approved ${only.map((kind) => `${kind}s`).join(' and ')}`,
    `  fingerprint ${fingerprint}`,
    others.length > 0 && 'It also contains what this machine had not seen:',
    others.slice(0, MOST_SHOWN).map((line) => `  ${line}`),
    others.length > MOST_SHOWN && `  and ${count(others.length - MOST_SHOWN, 'more')}`,
  )
}
