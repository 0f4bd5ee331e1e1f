import type { TeamMachine } from '../../loadout.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand } from '../command.ts'
import { alignRows, count, lines } from '../screen.ts'

const DATABASE_FLAG = {
  database: {
    kind: 'text',
    value: 'url',
    summary: 'postgres://… (default: $LOADOUT_TEAM_DATABASE, which is hidden from other users)',
  },
} as const

export const serverCommands = [
  defineCommand({
    name: 'team serve',
    summary: 'serve a team from a PostgreSQL database',
    details:
      'Serves HTTP until it is stopped; put a proxy with TLS in front. Any number of instances share one database. The first start prints the token of the first administrator, once. Logs are lines of JSON on standard error. GET /live, /ready and /metrics (Prometheus) need no token. Every flag is also a variable of the environment, such as LOADOUT_TEAM_KEEP_DAYS; with _FILE behind its name it is the path of a file with the value.',
    args: [],
    flags: {
      ...DATABASE_FLAG,
      isTry: { name: 'try', kind: 'switch', summary: 'start a temporary PostgreSQL, which is removed afterwards' },
      port: { kind: 'number', value: 'n', summary: 'port; 0 for any free port (default: 8418)' },
      listen: { kind: 'text', value: 'address', summary: 'default: 127.0.0.1; another one needs --host' },
      hosts: {
        name: 'host',
        kind: 'list',
        value: 'name:port',
        summary: 'a host name that clients use, as in the header Host',
      },
      keepDays: { kind: 'number', value: 'n', summary: 'days to keep (default: 400)' },
      silentDays: {
        kind: 'number',
        value: 'n',
        summary: 'days after which a machine that sends nothing leaves the roll-out (default: 30)',
      },
      otlp: { kind: 'text', value: 'endpoint', summary: 'send its own traces and metrics to this endpoint' },
      issuer: {
        name: 'oidc-issuer',
        kind: 'text',
        value: 'url',
        summary: 'people sign in to the page with this OpenID Connect provider',
      },
      client: {
        name: 'oidc-client',
        kind: 'text',
        value: 'id',
        summary:
          'the client at the provider; its secret is $LOADOUT_TEAM_OIDC_SECRET or the file $LOADOUT_TEAM_OIDC_SECRET_FILE',
      },
      claim: {
        name: 'oidc-claim',
        kind: 'text',
        value: 'name',
        summary: 'the claim that gives roles (default: groups)',
      },
      roles: {
        name: 'oidc-roles',
        kind: 'text',
        value: 'roles',
        summary: 'values of the claim: admin=platform,maintainer=leads,member=*',
      },
      webhook: {
        kind: 'text',
        value: 'url',
        summary:
          'call it when a version is published, stopped or signed, or a token changes; signed with $LOADOUT_TEAM_WEBHOOK_SECRET',
      },
      tokenFile: {
        kind: 'text',
        value: 'file',
        summary: 'write the first administrator’s token here instead of printing it',
      },
    },
    run: ({ flags, asJson, control: { signal } }, loadout) => {
      if (asJson) throw failWith('USAGE/serve-json')
      const tell = (text: string) => void process.stdout.write(`${text}\n`)
      return loadout.team.serve({
        ...flags,
        signal,
        onListening: (url, names) => tell(`serving ${url}${names ? `, only for the host ${names.join(' or ')}` : ''}`),
        onFounded: (token) => tell(`token of the first administrator, shown once: ${token}`),
      })
    },
    print: () => '',
  }),
  defineCommand({
    name: 'team invite',
    summary: 'create a token for others to join',
    details:
      'With --database it uses the database directly, for an administrator who lost every token; --key takes any old token.',
    args: [],
    flags: {
      role: {
        kind: 'choice',
        choices: ['member', 'maintainer', 'admin'],
        summary: 'its permissions (default: member)',
      },
      group: { kind: 'text', value: 'name', summary: 'its group of the team (default: everyone)' },
      note: { kind: 'text', value: 'text', summary: 'who it is for, for the list of tokens' },
      days: { kind: 'number', value: 'n', summary: 'days until it expires (default: never)' },
      person: {
        kind: 'text',
        value: 'name',
        summary: 'bind it to a person: team revoke --person revokes all of theirs',
      },
      ...DATABASE_FLAG,
      key: { kind: 'text', value: 'token', summary: 'with --database: any token of the team' },
    },
    run: async ({ flags: { role = 'member', group = 'everyone', note, days, person, database, key } }, loadout) => {
      if (database === undefined) return loadout.team.invite({ role, group, note, days, person })
      const { value, findings } = await loadout.team.recoverToken({ database, role, group, key })
      return { value: { ...value, id: '', role, group, url: '' }, findings }
    },
    print: ({ token, id, role, group, url }) =>
      lines(
        token,
        alignRows([
          ['  role', role],
          ['  group', group],
          ...(id === '' ? [] : [['  revoke', `loadout team revoke ${id}`]]),
          ...(url === '' ? [] : [['  join', `loadout team join ${url} --token -`]]),
        ]),
      ),
  }),
  defineCommand({
    name: 'team tokens',
    summary: 'list the tokens of the team',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.team.listTokens({}),
    print: ({ tokens }) =>
      lines(
        alignRows(
          tokens.map(({ id, role, group, note, person, created, revoked, expires, machines }) => [
            id,
            role,
            group,
            count(machines, 'machine'),
            revoked === null
              ? `since ${created.slice(0, 10)}${expires ? ` until ${expires.slice(0, 10)}` : ''}`
              : `revoked ${revoked.slice(0, 10)}`,
            [person, note].filter(Boolean).join(' '),
          ]),
        ),
      ),
  }),
  defineCommand({
    name: 'team revoke',
    summary: 'revoke a token, or all of a person, immediately',
    args: [{ name: 'id', summary: 'the id of the token, from loadout team tokens' }],
    flags: { person: { kind: 'text', value: 'name', summary: 'every token and session of this person' } },
    run: ({ request }, loadout) => loadout.team.revokeToken(request),
    print: ({ revoked, tokens }) =>
      lines(
        tokens.length === 0
          ? `${revoked} has no token.`
          : `Revoked ${tokens.join(', ')}. Machines that joined with ${tokens.length === 1 ? 'it' : 'them'} keep their unsent events.`,
      ),
  }),
  defineCommand({
    name: 'team machines',
    summary: 'list the machines of the team and their problems',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.team.listMachines({}),
    print: ({ machines }) =>
      lines(
        alignRows(
          machines.map((each) => [
            String(each.machine),
            each.group,
            `version ${each.client}`,
            count(each.batches, 'batch', 'batches'),
            `seen ${each.seen}`,
            oddities(each),
          ]),
          [0],
        ),
      ),
  }),
  defineCommand({
    name: 'team audit',
    summary: 'show who did what at the team’s server',
    details:
      'Reads the log from its first entry and checks that none was changed or taken out. Note the last line elsewhere: --after with it shows what came later, and fails if the log was cut off before it.',
    args: [],
    flags: {
      since: { kind: 'text', value: 'time', summary: '30d, 12h, 2w or a date (default: everything)' },
      after: { kind: 'text', value: 'head', summary: 'only entries after this one, which must be there' },
    },
    run: ({ flags }, loadout) => loadout.team.readAudit(flags),
    print: ({ entries, checked, head }) =>
      lines(
        alignRows(entries.map(({ at, actor, action, about }) => [at, actor, action, briefly(about)])),
        checked === 0 ? 'Nothing happened yet.' : `${count(checked, 'entry', 'entries')}, unbroken, up to ${head}`,
      ),
  }),
  defineCommand({
    name: 'team migrate',
    summary: 'migrate the schema of the database, up or down',
    details:
      'Every start of team serve migrates up. Before a migration down, stop the instances that need the newer schema.',
    args: [],
    flags: {
      ...DATABASE_FLAG,
      to: { kind: 'number', value: 'schema', summary: 'the schema version (default: the newest)' },
    },
    run: ({ flags }, loadout) => loadout.team.migrate(flags),
    print: ({ before, after }) =>
      lines(
        before === after ? `The database has schema ${after}.` : `Migrated from schema ${before} to schema ${after}.`,
      ),
  }),
]

function oddities({ hoursOff, lostBatches, isSeparated, hasLeft }: TeamMachine): string {
  return [
    hasLeft && 'left',
    hoursOff !== 0 && `clock off by ${Math.abs(hoursOff)} hours`,
    lostBatches > 0 && `${count(lostBatches, 'batch', 'batches')} lost`,
    isSeparated && 'separated from a copy',
  ]
    .filter(Boolean)
    .join(', ')
}

function briefly(about: object): string {
  return Object.entries(about)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
