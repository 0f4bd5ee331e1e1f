import type { Joined, Left, Push, TeamStatus } from '../../loadout.ts'
import { failWith } from '../../text/trouble.ts'
import { DRY_RUN_FLAG, defineCommand } from '../command.ts'
import { alignRows, count, grouped, lines, type Screen } from '../screen.ts'

export const teamJoin = defineCommand({
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
  run: ({ args: { url = '' }, flags: { token, signers }, readStdin }, loadout) => {
    if (token === undefined) {
      throw failWith('USAGE/no-token')
    }
    return loadout.joinTeam({ url, token: token === '-' ? firstLine(readStdin()) : token, signers })
  },
  print: ({ url, group, role, person, personFrom, catalog }: Joined, screen) =>
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
})

/** `team invite` prints the token on its first line. */
function firstLine(text: string): string {
  return text.split('\n')[0] ?? ''
}

export const teamLeave = defineCommand({
  name: 'team leave',
  summary: 'stop sharing with the team, and delete what was not sent',
  args: [],
  flags: {},
  run: (_input, loadout) => loadout.leaveTeam({}),
  print: ({ url, unsent, isTold }: Left) =>
    lines(
      `Left the team at ${url}. Loadout sends nothing to it any more.`,
      unsent > 0 &&
        `${count(unsent, 'batch', 'batches')} that waited to be sent ${unsent === 1 ? 'was' : 'were'} deleted.`,
      !isTold && 'The server could not be informed; an administrator can revoke the token.',
    ),
})

export const teamStatus = defineCommand({
  name: 'team status',
  summary: 'show what this machine shares and what has arrived',
  args: [],
  flags: {},
  run: (_input, loadout) => loadout.teamStatus({}),
  print: (status: TeamStatus, screen) => printStatus(status, screen),
})

function printStatus(status: TeamStatus, screen: Screen): string {
  const { url, group, role, joined, waiting, sent, leftOut, last, server } = status
  const attempt = last === undefined ? 'none yet' : `${last.at}${last.message === undefined ? '' : `: ${last.message}`}`
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
}

export const teamPush = defineCommand({
  name: 'team push',
  summary: 'send waiting events now, or print them with --dry-run',
  details:
    'Loadout does this by itself in the background, every 15 minutes while agents work. With --dry-run each line is the body of one request, byte for byte.',
  args: [],
  flags: {
    ...DRY_RUN_FLAG,
    background: { kind: 'switch', summary: 'as a hook starts it', isUnlisted: true },
  },
  run: ({ flags }, loadout) => loadout.pushUsage({ dryRun: flags['dry-run'], isBackground: flags.background }),
  print: ({ bodies, sent, waiting, leftOut }: Push) => {
    if (bodies !== undefined) return bodies.map((body) => `${body}\n`).join('')
    return lines(
      sent + waiting === 0 && 'Nothing to send.',
      sent > 0 && `Sent ${count(sent, 'batch', 'batches')}.`,
      waiting > 0 &&
        `${count(waiting, 'batch waits', 'batches wait')} until the server accepts ${waiting === 1 ? 'it' : 'them'}.`,
      leftOut > 0 && `${grouped(leftOut)} events were left out, because of unusual ids.`,
    )
  },
})
