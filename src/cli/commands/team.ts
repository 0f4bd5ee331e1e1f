import { failWith } from '../../text/trouble.ts'
import { DRY_RUN_FLAG, defineCommand } from '../command.ts'
import { alignRows, count, grouped, lines } from '../screen.ts'

export const memberCommands = [
  defineCommand({
    name: 'team join',
    summary: 'share the usage of this machine with a team',
    details:
      'From then on Loadout sends usage events to the team’s server in the background: entry, kind, agent, stage, version, tokens, day and hour, and a pseudonym. It never sends the words of tasks, paths, code or names of projects. loadout team push --dry-run prints what would be sent.',
    args: [{ name: 'url', summary: 'the team’s server: https://…', required: true }],
    flags: {
      token: { kind: 'text', value: 'token', summary: 'from an administrator; - reads it from standard input' },
      signers: {
        kind: 'text',
        value: 'file',
        summary: 'who may approve versions of the catalog (default: what the library has in catalog/allowed_signers)',
      },
    },
    run: ({ request, readStdin }, loadout) => {
      if (request.token === undefined) throw failWith('USAGE/no-token')
      // `team invite` prints the token on its first line.
      const token = request.token === '-' ? (readStdin().split('\n')[0] ?? '') : request.token
      return loadout.team.join({ ...request, token })
    },
    print: ({ url, group, role, person, personFrom, catalog }, screen) =>
      lines(
        screen.good(`Joined the team at ${url}`),
        alignRows([
          ['  group', group],
          ['  role', role],
          ['  you are', `${person.slice(0, 12)}… (made from ${personFrom}; only the team’s key leads back)`],
          ...(catalog === undefined ? [] : [['  catalog', catalog]]),
        ]),
        'loadout team push --dry-run shows the data · loadout team leave stops it',
      ),
  }),
  defineCommand({
    name: 'team leave',
    summary: 'stop sharing with the team, and delete what was not sent',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.team.leave({}),
    print: ({ url, unsent, isTold }) =>
      lines(
        `Left the team at ${url}. Loadout sends nothing to it any more.`,
        unsent > 0 &&
          `${count(unsent, 'batch', 'batches')} that waited to be sent ${unsent === 1 ? 'was' : 'were'} deleted.`,
        !isTold && 'The server could not be informed; an administrator can revoke the token.',
      ),
  }),
  defineCommand({
    name: 'team status',
    summary: 'show what this machine shares and what has arrived',
    args: [],
    flags: {},
    run: (_, loadout) => loadout.team.status({}),
    print: ({ url, group, role, joined, waiting, sent, leftOut, last, server }, screen) => {
      const attempt =
        last === undefined ? 'none yet' : `${last.at}${last.message === undefined ? '' : `: ${last.message}`}`
      return lines(
        screen.strong(`Team at ${url}: ${server}`),
        alignRows([
          ['  joined', `${joined.slice(0, 10)} as ${role} in the group ${group}`],
          ['  sent', count(sent, 'batch', 'batches')],
          ['  waiting', `${count(waiting.batches, 'batch', 'batches')}, ${count(waiting.events, 'event')}`],
          ['  last attempt', attempt],
          ...(leftOut > 0 ? [['  left out', `${count(leftOut, 'event')} with an unusual id`]] : []),
        ]),
      )
    },
  }),
  defineCommand({
    name: 'team push',
    summary: 'send waiting events now, or print them with --dry-run',
    details:
      'Loadout does this by itself in the background, every 15 minutes while agents work. With --dry-run each line is the body of one request, byte for byte.',
    args: [],
    flags: {
      ...DRY_RUN_FLAG,
      isBackground: { name: 'background', kind: 'switch', summary: 'as a hook starts it', isUnlisted: true },
    },
    run: ({ request }, loadout) => loadout.team.push(request),
    print: ({ bodies, sent, waiting, leftOut }) => {
      if (bodies !== undefined) return bodies.map((body) => `${body}\n`).join('')
      return lines(
        sent + waiting === 0 && 'Nothing to send.',
        sent > 0 && `Sent ${count(sent, 'batch', 'batches')}.`,
        waiting > 0 &&
          `${count(waiting, 'batch waits', 'batches wait')} until the server accepts ${waiting === 1 ? 'it' : 'them'}.`,
        leftOut > 0 && `${grouped(leftOut)} events were left out, because of unusual ids.`,
      )
    },
  }),
]
