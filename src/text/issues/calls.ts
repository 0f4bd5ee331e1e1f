/** Troubles of files, and of how Loadout was called. */
export const callsIssues = () =>
  ({
    'Files and calls': {
      FILE_NOT_FOUND: 'A file is missing. → Check the path.',
      'FILE_NOT_FOUND/source':
        '{path} does not exist → name a folder, an archive, a git URL or owner/repo; loadout install <skill> takes one of the library',
      'FILE_NOT_FOUND/material': '{path} does not exist → name a folder, a document, an archive or an address',
      'FILE_NOT_FOUND/index': '{index} does not exist → name two index files',
      'FILE_NOT_FOUND/layer':
        '--{flag} {path}: the {what} does not exist → check the path, or use --{flag}= to omit that layer',
      'FILE_NOT_FOUND/ssh-key':
        'the SSH key {key} does not exist → name one: --key <file>; ssh-keygen -t ed25519 makes one',
      'FILE_NOT_FOUND/ssh-keygen': 'ssh-keygen is not on the PATH → install OpenSSH 8.2 or later',
      'FILE_NOT_FOUND/link': '{shown} does not exist: it is a broken link → repair or remove the link',
      'FILE_NOT_FOUND/branch':
        'the repository has no branch or tag for {refAndFolder} → check the address, or name the parts: --ref <branch> --subfolder <path>',
      'FILE_NOT_FOUND/source-folder': '{source} has no folder {folder}',
      'FILE_NOT_FOUND/path': '{path} does not exist → check the path',
      'FILE_NOT_FOUND/part': '{path} does not exist: a part of its path is not a folder → check the path',
      'FILE_NOT_FOUND/subfolder': 'the source has no folder {subfolder} → check the path',
      'FILE_NOT_FOUND/subfolder-refused': 'the source has no folder {subfolder} → the path is refused: {problem}',
      FILE_UNREADABLE:
        'A file cannot be read, or does not hold what it should. → Check its permissions, or do what the message says.',
      'FILE_UNREADABLE/stdin': 'standard input could not be read → pipe the text in',
      'FILE_UNREADABLE/replaced': '{root} was replaced by a link while it was read → run the command again',
      'FILE_UNREADABLE/model':
        'warning: the ranking model of this installation is damaged: project files are ranked by words, names and history alone → install Loadout again',
      'FILE_UNREADABLE/permission': '{path} is not readable → check its permissions',
      'FILE_UNREADABLE/loop': '{path} is a link to itself → repair the link',
      'FILE_UNREADABLE/name': '{path} has a name that is too long → check the path',
      'FILE_UNREADABLE/other': '{path} cannot be read: {detail} → check the path',
      'FILE_UNREADABLE/pack': 'warning: it cannot be read ({reason})',
      'FILE_UNREADABLE/approved': 'it is not the file that was approved',
      'FILE_UNREADABLE/approved-index': 'the index is not the file that was approved',
      'FILE_UNREADABLE/examples-file': 'warning: {problem}',
      'FILE_UNREADABLE/average': 'warning: the measured average is unknown: {problem} → {hint}',
      FILE_EXISTS: '{full} already exists → it was not changed',
      'FILE_EXISTS/manifest': '{path} exists already → name another file with --out, or move it away',
      'FILE_EXISTS/not-empty': '{target} already exists and is not empty → name a new folder',
      'FILE_EXISTS/empty': '{folder} is not empty → name an empty folder',
      'FILE_EXISTS/kept': '{target} already exists → it was left as it is; choose another name',
      'FILE_EXISTS/not-ours':
        '{folder}{others} {what} not written by Loadout, or changed since → nothing was changed; move it away, or name another folder with --out',
      'FILE_EXISTS/library': '{library} is a repository already → --repo {library2} takes it',
      'FILE_EXISTS/out': '{path} already exists → it was left as it is; --out names another',
      NOT_A_FILE: '{path} is not a regular file → name a file',
      'NOT_A_FILE/folder': '{shown} is a folder → name a file inside it',
      'NOT_A_FILE/git':
        '{place} is not a regular file, so git cannot read this repository → restore that file, or clone the repository again',
      'NOT_A_FILE/path': '{path} is a folder → name a file inside it',
      'NOT_A_FILE/archive-symlink':
        '{subject} is a symbolic link that leads to no file of it → put the file itself there',
      'NOT_A_FILE/archive-link': '{subject} is a hard link → put the file itself there: a link may lead anywhere',
      'NOT_A_FILE/archive-pipe':
        '{subject} is a pipe or socket → remove it: only files and folders can be in an archive',
      'NOT_A_FILE/archive-device': '{subject} is a device → remove it: only files and folders can be in an archive',
      'NOT_A_FILE/skill-link':
        '{path} is a symbolic link that leads to no file of the skill → put the file itself there',
      'NOT_A_FILE/skill-special':
        '{path} is a pipe, socket or device → remove it: only files and folders can be installed',
      'NOT_A_FILE/pack': 'it is not a regular file',
      NOT_A_FOLDER: 'The path is not a folder. → Name a folder.',
      'NOT_A_FOLDER/cwd': 'the working folder {cwd} does not exist → pass cwd with an existing folder',
      'NOT_A_FOLDER/tested': '{folder} is not a folder, and there is no library → name a folder of skills',
      'NOT_A_FOLDER/gone': 'the working folder no longer exists → change to an existing folder',
      'NOT_A_FOLDER/home': 'there is no home folder → set HOME to an absolute path',
      'NOT_A_FOLDER/project': '{folder} {problem} → name the folder of a project',
      'NOT_A_FOLDER/root': '{root} is not a folder → create it, or check --global',
      'NOT_A_FOLDER/web':
        'loadout web was not started in a project → start it in the folder of one, or with --project <folder>',
      'NOT_A_FOLDER/bundle': 'the project of this bundle is gone: {project} → build the bundle again',
      'NOT_A_FOLDER/hook': '{cwd} is not a folder',
      'NOT_A_FOLDER/in-the-way': '{path} is not a folder → move it away: mv {from} {to}',
      FILE_TOO_LARGE: 'A file or text is larger than the limit. → Split it.',
      'FILE_TOO_LARGE/archive': '{path} unpacks to more than {most} → unpack a part of it, and name that folder',
      'FILE_TOO_LARGE/answer': 'the answer has more than {most} characters → import it in parts',
      'FILE_TOO_LARGE/session': 'the state of the session is too large',
      'FILE_TOO_LARGE/notes':
        '{path} is full: it may have {largestNotes} bytes → loadout note prune removes expired notes',
      'FILE_TOO_LARGE/prompt': 'a prompt of {prompt} characters is data, not a task',
      'FILE_TOO_LARGE/file': '{shown} has {size} bytes, more than the limit of {largest} → split it',
      'FILE_TOO_LARGE/approval': '{path} cannot be approved: it contains {much} → make it smaller',
      'FILE_TOO_LARGE/documents':
        '{linked} contains more than {mostLinked} documents → make a pack of one of its folders; among the documents found first: {named}',
      'FILE_TOO_LARGE/archive-bytes': '{path} does not fit: an archive holds at most {bytes} bytes → pack less at once',
      'FILE_TOO_LARGE/client':
        '{folder} is too large for a client → at most {mostFiles} files with 16 MB; loadout install can still install it',
      'FILE_TOO_LARGE/request': 'the request is larger than {most} bytes',
      'FILE_TOO_LARGE/pack': 'warning: {problem}',
      'NOT_TEXT/material':
        '{path} is not a document that a pack can hold → name a folder, an archive (.zip, .tar.gz), an address, or a file of the kind .md, .rst, .adoc, .txt, .pdf, .docx, .html or .csv',
      NOT_TEXT: '{path} cannot be read as text: {problem} → convert it to UTF-8, or remove it',
      'NOT_TEXT/pack': 'warning: it is not a kind of file that Loadout reads',
      'NOT_TEXT/pack-document': 'warning: it {problem}',
      BAD_JSON: 'A file is not valid JSON. The message has the line. → Repair it.',
      'BAD_JSON/index':
        '{path} is not an index: {problem} → an index is a JSON object with a list "entries"; loadout rules build writes one',
      'BAD_JSON/session': 'the state of the session has an invalid line',
      'BAD_JSON/too-deep': '{path} is nested too deeply to be read → repair the file; nothing was changed',
      'BAD_JSON/syntax': '{path} is not valid JSON: {problem} at {text} → repair the file; nothing was changed',
      'BAD_JSON/skills-lock': '{path} does not list skills by name',
      'BAD_JSON/merge': '{path} is not a merge of Loadout → move the folder away, then run the original command again',
      'BAD_JSON/file': '{path} {problem} → repair or remove the file',
      'BAD_JSON/undo':
        '{path} should say how to undo the changes of {edited}, and is damaged → repair it; or move it away, and take out by hand what Loadout added; nothing was changed',
      'BAD_JSON/description': '{agent} proposed no description: {answer} → run it again',
      'BAD_JSON/label': '{file} {problem}',
      'BAD_JSON/answer':
        'line {line} of the answer is not used: {problem}{more} → repair it and import the answer again; existing examples are not added twice',
      BAD_SETTINGS:
        'A settings file has an unknown key or a wrong value. If the command goes on, only that part is ignored. → Correct it.',
      'BAD_SETTINGS/toml': '{path} is not valid TOML, or has another form → repair the file; nothing was changed',
      'BAD_SETTINGS/comments':
        '{path} has comments, and the agent ignores a file with comments → repair the file; nothing was changed',
      'BAD_SETTINGS/plugin': '{path} {what} → move it away, then: loadout hooks {what2} {agent}',
      'BAD_SETTINGS/hooks': '{path}: {problem}: see {text} → repair the file; nothing was changed',
      'BAD_SETTINGS/value': '{path}: {says} → {hint}',
      'USAGE/kind-unknown':
        '{path} cannot be validated: its kind is unknown → give an index (.json), a payload (.md), a folder of payloads, a skill, a library, a pack, or loadout.json',
      WRITE_FAILED: 'A file could not be written. → Check permissions and free space.',
      'WRITE_FAILED/output':
        'the output could not be written ({code}) → check the destination, and whether the disk has space',
      'WRITE_FAILED/differs':
        '{path} could not be written: its content differs from what was written → check the disk, then run the command again',
      'WRITE_FAILED/disk-full': '{path}: the disk is full',
      'WRITE_FAILED/notes': '{path} could not be written: the disk is full → free some space; the notes are unchanged',
      'WRITE_FAILED/own-source':
        'will not overwrite {source}: the bundle is made from it → choose another path for --out',
      'WRITE_FAILED/changed': '{path} was changed by another program just now → nothing was changed; try again',
      'WRITE_FAILED/read-only': '{path} is read-only → chmod u+w {path2}; --dry-run shows the lines to add by hand',
      'WRITE_FAILED/space':
        '{path} could not be written: the disk is full → free some space; the old content is still there',
      'WRITE_FAILED/quota':
        '{path} could not be written: the disk quota is used up → free some space; the old content is still there',
      'WRITE_FAILED/disk':
        '{path} could not be written: the disk reports an error → check the disk, then run the command again',
      'WRITE_FAILED/name': '{path} could not be written: its name is too long → choose a shorter one',
      'WRITE_FAILED/no-folder': '{path} could not be written: its folder does not exist → check the path',
      'WRITE_FAILED/permission': '{path} could not be written: permission denied → check the permissions of its folder',
      'WRITE_FAILED/read-only-disk': '{path} could not be written: the file system is read-only → choose another place',
      'WRITE_FAILED/part': '{path} could not be written: a part of its path is not a folder → check the path',
      'WRITE_FAILED/folder': '{path} could not be written: it is a folder → check the path',
      'WRITE_FAILED/other': '{path} could not be written: {detail} → check the path',
      'WRITE_FAILED/not-writable': '{path} is not writable → chmod u+w {word}',
      'WRITE_FAILED/sources':
        '{path} is not a folder that Loadout can write to, so no source can be fetched → move it away: mv {from} {to}',
      ENTRY_NOT_FOUND: 'There is no such entry. → Run `loadout search <words>`.',
      'ENTRY_NOT_FOUND/named': 'there is no {kind} "{name}"{trouble}[; did you mean {close}?] → {hint}',
      'ENTRY_NOT_FOUND/decision':
        'there is no decision about {name} → loadout packs list --all and loadout adapters list show names and decisions',
      'ENTRY_NOT_FOUND/layers': 'no layer holds the entry {id}',
      'ENTRY_NOT_FOUND/plan': 'no layer of the plan contains the entry {id}',
      'ENTRY_NOT_FOUND/conversation': 'this conversation is not in the log → loadout usage --sessions lists them',
      'ENTRY_NOT_FOUND/record-start': '"{typed}" is the start of {found} records → type more of one: {what}',
      'ENTRY_NOT_FOUND/pack-file':
        'the pack {name} has no file {path} to read; {instead} → loadout lookup {entryId} --load lists its files',
      'ENTRY_NOT_FOUND/place':
        '{path} has no place {anchor} → name lines, a heading or a page that it has: #L3-L9, #a-heading, #page=3',
      'ENTRY_NOT_FOUND/lines': '{path} has {last} lines → ask for lines that it has',
      'ENTRY_NOT_FOUND/secret':
        'nothing at {place} looks like a secret → name a file of the pack and a line, as loadout check prints them: documents/a.md:12',
      'ENTRY_NOT_FOUND/skill-file':
        'the skill {name} has no file "{path}"{meant} → loadout lookup {entryId} lists its files',
      'ENTRY_NOT_FOUND/commit': 'the library has no commit {named} to undo → git -C {library} log lists them',
      'ENTRY_NOT_FOUND/not-undone':
        '{commit} {what}, which loadout undo cannot take back → name another commit; git -C {library} log lists them',
      'ENTRY_NOT_FOUND/from-remote':
        'the last commit, {short} {subject}, came from the remote → loadout undo {short} takes it back on purpose, for every machine; git -C {path} log lists the others',
      'ENTRY_NOT_FOUND/not-skills': '{commit} {what} → git -C {library} revert {commit} takes it back',
      'ENTRY_NOT_FOUND/profile': 'there is no profile "{name}"[; did you mean {close}?] → profiles: {names}',
      'ENTRY_NOT_FOUND/first-profile':
        'there is no profile "{name}"[; did you mean {close}?] → loadout profile save {name} makes one',
      'ENTRY_NOT_FOUND/profile-agent':
        'the profile {name} has no skill for {label} → loadout profile list shows what each has',
      'ENTRY_NOT_FOUND/taught': 'there is no entry "{shown}" → {hint}',
      'ENTRY_NOT_FOUND/suite': 'warning: the suite names "{id}", which does not exist → {hint}',
      'ENTRY_NOT_FOUND/suite-more': 'warning: {more} more ids do not exist',
      AMBIGUOUS_NAME:
        'Several things have this name. → Write the kind before it: `payload:x`, `pack:x`, `skill:x`, `adapter:x`.',
      'AMBIGUOUS_NAME/decisions':
        'there are decisions about several packs named {typed} → say which, by its path: {left}',
      'AMBIGUOUS_NAME/kinds': '"{id}" is the name of {named} → say which: {kinds}',
      'AMBIGUOUS_NAME/entry': '"{shown}" is the name of {named} → say which: {which}',
      NOT_SERVED:
        'A request to a server of Loadout that is not for it: another host, another page, an address that is not there, or a missing or old token. → Open the address that the server printed when it started.',
      'NOT_SERVED/path': '{path} is not served here',
      'NOT_SERVED/host': 'this host name is not accepted',
      'NOT_SERVED/other-page': 'requests from other web pages are not accepted',
      'NOT_SERVED/file': 'there is no such file',
      'NOT_SERVED/endpoint': 'use {endpoint}',
      'NOT_SERVED/bearer': 'the bearer token is missing or wrong[ → {hint}]',
      USAGE: 'The command line or the request is wrong. → Run `loadout help <command>`.',
      'USAGE/no-value': '--{name} takes no value → {usage}',
      'USAGE/value': '--{name} needs a value → {usage}',
      'USAGE/folder': '--{name} needs a folder; for the current folder: --{name} . → {usage}',
      'USAGE/dashed-text': 'Unknown flag: {said} …; a text that begins with a dash comes last, after -- → {usage}',
      'USAGE/unknown-flag': 'Unknown flag: {typed}[; did you mean --{close}?] → {usage}',
      'USAGE/one-of': '--{name} must be one of {choices}, not "{text}"[; did you mean {close}?] → {usage}',
      'USAGE/whole-number': '--{name} must be a whole number, not "{text}" → {usage}',
      'USAGE/argument': 'Unexpected argument: {word} → {usage}',
      'USAGE/missing': '<{name}> is missing: {summary} → {usage}',
      'USAGE/combined': '{flags} cannot be combined → loadout help {command}',
      'USAGE/unexpected': 'Unexpected argument: {word} → loadout help {command}',
      'USAGE/needs': '{flag} needs {what} → loadout help {command}',
      'USAGE/no-answer': '--import needs a file, or - for standard input → loadout help {command}',
      'USAGE/no-pack-name': 'Missing argument: <name>, or --from <folder | file> → loadout help packs new',
      'USAGE/no-entry': '<what> is missing: an entry, or --export, --import, --status → loadout help teach',
      'USAGE/no-prompt': 'a prompt is missing: loadout teach {entry} "what a person types" → loadout help teach',
      'USAGE/alone': '--erase and --keep-tasks cannot be combined with other flags → loadout help usage',
      'USAGE/export': '--export can be combined only with --since → loadout help usage',
      'USAGE/history': '--history takes a number of commits from 1 to {most} → loadout help test',
      'USAGE/history-suite': '--history uses the commits of the project; it takes no suite → loadout help test',
      'USAGE/no-tested-pack': '<pack> is missing: its name or its folder → loadout help test',
      'USAGE/not-of-packs': '--{flag} does not apply to packs → loadout help test',
      'USAGE/one-skill': 'Name one skill of the library, or a folder with one → loadout help test',
      'USAGE/no-stdin-task': 'standard input contains no task → pipe it in: echo "fix the ci" | loadout plan -',
      'USAGE/flag-first': 'Unknown flag: {first} → flags come after the command: loadout status --json',
      'USAGE/no-version': '--version is missing → loadout catalog search lists the versions',
      'USAGE/only': '--only {unknown} is unknown → skill, pack or none',
      'USAGE/shell': 'Unknown shell: "{shell}" → shells: {shells}',
      'USAGE/with': 'Unknown value of --with: "{name}" → --with tests',
      'USAGE/slice': 'Unknown slice: "{name}" → --without tactical or --without adapter',
      'USAGE/now': 'Not a time: "{text}" → write 2026-11-16T09:30:00Z',
      'USAGE/nothing-to-clone':
        '{into} is the folder of a clone, and there is nothing to clone → loadout init --new {folder}, or loadout init --repo {folder}',
      'USAGE/mcp-json': 'mcp does not support --json → leave out --json',
      'USAGE/port': '--port needs --http → loadout mcp --http --port 0',
      'USAGE/mcp-token':
        'LOADOUT_MCP_TOKEN needs at least {least} characters, without blanks → openssl rand -hex 32 prints a good one; if unset, every start generates one',
      'USAGE/agent-needed': '--{only} needs the name of an agent → loadout see claude --{only}',
      'USAGE/shorten': 'Invalid value of --shorten: "{pair}" → --shorten release-notes=200',
      'USAGE/serve-json': 'team serve does not support --json → leave out --json',
      'USAGE/try': '--try and --database cannot be combined → loadout help team serve',
      'USAGE/listen':
        '--listen {listen} needs --host with the name that clients use → --listen 0.0.0.0 --host team.example.com',
      'USAGE/no-token': 'Missing flag: --token → an administrator creates one: loadout team invite',
      'USAGE/erase-file': '--erase and --keep-tasks take no file → they apply to this machine’s own log',
      'USAGE/format': '{format} is not a format → apm.yml, skills-lock.json or marketplace.json',
      'USAGE/no-pack':
        '<path> is missing: the folder of a pack, or its KNOWLEDGE.md → usage: loadout packs validate <path>',
      'USAGE/web-json': 'web does not support --json → leave out --json',
      'USAGE/no-task': 'there is no task → say what is to be done',
      'USAGE/days': '{asked} is not a number of days → use a whole number, 0 or more',
      'USAGE/port-taken': 'port {port} {why} → use --port 0 for any free port',
      'USAGE/project': '--project is empty → for the current folder: --project .',
      'USAGE/level': '--level must be from 1 to 6, not {level} → headings have one to six hashes',
      'USAGE/database':
        'the address of the database is not of the form postgres://user@host/database → loadout team serve --database postgres://loadout@localhost/loadout, or --try',
      'USAGE/token':
        'this is not a token of a team: a token begins with ldt_ and has 69 characters → copy all of it; --token - reads it from standard input',
      'USAGE/skill-or-pack': 'there are a skill and a pack named {name} → say which: skill:{name} or pack:{name}',
      'USAGE/days-valid': 'a catalog is valid for 1 to {most} days',
      'USAGE/until': '"{until}" is not a day → give --until 2026-11-17',
      'USAGE/keep-days': '--keep-days must be at least {least} → a report covers a month',
      'USAGE/environment': '{name} is not a number: {value} → correct it, or remove it from the environment',
      'USAGE/environment-file': 'the file that {name} names cannot be read: {path} → correct the path',
      'USAGE/provider':
        'a provider for signing in needs an https address, a client and roles → for example: --oidc-issuer https://id.example.com --oidc-client loadout --oidc-roles admin=platform,member=*',
      'USAGE/proposal':
        'the change of {name} is too large to propose: at most {most} KB, as text → commit it to a branch of the library instead',
      'USAGE/proposal-secret':
        'the change of {name} contains what looks like a secret ({kind}); nothing was sent → take it out of the skill',
      'USAGE/webhook':
        'a webhook needs an http address and a secret that signs its calls → set $LOADOUT_TEAM_WEBHOOK_SECRET, or $LOADOUT_TEAM_WEBHOOK_SECRET_FILE',
      'USAGE/token-file': 'the file for the first token exists already: {path} → name a new one',
      'USAGE/no-database':
        'Missing flag: --database → --database postgres://… or $LOADOUT_TEAM_DATABASE; --try starts a temporary one',
      'USAGE/schema': 'unknown schema: {to} → the database has {before}; this program knows {newest}',
      'USAGE/token-id': '"{id}" is not the id of a token → loadout team tokens lists them',
      'USAGE/collector':
        '"{endpoint}" is not the address of a collector → loadout usage --export otlp http://localhost:4318',
      'USAGE/range': 'the range begins after it ends → use --since 30d',
      'USAGE/choice': 'unknown {name} "{text}" → one of {known}',
      'USAGE/since': '"{text}" is not a time → use --since 30d, 12h, 2w or 2026-01-31',
      'USAGE/number': '{name} is not a number → {name}=200000',
      'USAGE/body': 'the body is not a JSON object',
      'USAGE/list': '"{name}" must be a list of texts',
      'USAGE/action': 'the page knows no such change',
      'USAGE/text': '"{name}" must be a text',
      'USAGE/no-agent': 'Missing argument: an agent → loadout agents lists them',
      'USAGE/no-hosts':
        'none of the enabled agents with hooks is used on this machine → name it all the same: loadout connect {hookHosts}',
      'USAGE/window': 'a window of 0 tokens is too small → name one: --window 200000',
      'USAGE/no-choice':
        'Missing argument: what to approve or deny → name a pack, an adapter or a skill: pack:<name>, adapter:<name>, skill:<name>',
      'USAGE/no-decision':
        'Missing argument: what to revoke → name a pack, an adapter or a skill: pack:<name>, adapter:<name>, skill:<name>',
      'USAGE/characters':
        'the limit of a text must be at least {leastCharacters} characters, not {most} → raise the limit',
      'USAGE/intent': 'there is no intent "{key}"[; did you mean "{close}"?] → intents: {keys}',
      'USAGE/limit': 'the limit of a search must be at least 1, not {limit} → raise the limit',
      'USAGE/kind': 'unknown kind "{kind}"{meant} → kinds: {kinds}',
      'USAGE/wrong-kind': 'this command does not support a {kind}: {id} → it supports {usable}',
      'USAGE/tokenizer': 'unknown tokenizer "{name}" → [did you mean {meant}? ]known are {known} and OpenAI\'s models',
      'USAGE/pack-home': '--user and --project exclude each other → loadout help packs new',
      'USAGE/description':
        'the description has more than {longestDescription} characters → say what the pack knows and when to use it; the rest belongs in its pages',
      'USAGE/session':
        '"{session}" cannot be the name of a session → use letters, digits, dots, dashes and underscores',
      'USAGE/ref': '{ref} cannot be a branch, tag or commit → name one as git does: main, v1.2, or a commit id',
      'USAGE/no-skill': 'Missing argument: a skill → name some, or use --tag <tag>, or --all',
      'USAGE/no-merge': 'Missing argument: the skill to merge → loadout merge lists the open merges',
      'USAGE/as':
        '--as names one skill, and {meant} were found → choose one with --skill <name>, or use --prefix <text>',
      'USAGE/release':
        '{release} is not a version → write it as 1.2.3; without --release Loadout derives it from the content',
      'USAGE/no-plugin-skill':
        'Missing argument: a skill → name some, or use --tag, --profile or --all; --bare builds only hooks and the MCP server',
      'USAGE/no-target-skill': 'Missing argument: a skill → name some, or use --all',
      'USAGE/no-target-flag': 'Missing flag: --add or --remove → use --add <agent> or --remove <agent>',
      'USAGE/no-update-skill':
        'Missing argument: a skill → name those that --ref or --take is meant for, or use --all; loadout outdated lists them',
      'USAGE/setting': 'unknown setting "{name}" → {known}',
      'USAGE/hook-agent': 'the agent has no hooks',
      'USAGE/hook-event': 'the event is unknown',
      'USAGE/hook-object': 'the event is not a JSON object',
      'USAGE/hook-differs': 'the event differs from the one in the command',
      'USAGE/hook-no-session': 'the event names no session',
      'USAGE/hook-no-folder': 'the event names no working folder',
      'USAGE/hook-no-event': 'there is no event on standard input',
      'USAGE/hook-json': 'the event is not valid JSON',
      'USAGE/request': 'the request is malformed',
      'USAGE/team-request': 'the request is refused: {problem}',
      'USAGE/subcommand': 'Unknown command: {what}{meant} → loadout {first} lists its commands',
      'USAGE/command': 'Unknown command: {what}{meant} → loadout help --all lists the commands',
      'USAGE/no-library-flag':
        'Missing flag: --new, --clone or --repo → --new <folder> creates a library, --clone <url> fetches one, --repo <folder> uses a local one',
      'USAGE/one-library-flag':
        'Use only one of --new, --clone and --repo → --new <folder> creates a library, --clone <url> fetches one, --repo <folder> uses a local one',
      'USAGE/team-address': '{problem} → loadout team join https://team.example.com --token <token>',
      'USAGE/team-version': '{problem}',
      UNEXPECTED:
        'Unexpected error: {detail}. This is a bug in Loadout. → set LOADOUT_DEBUG=1 to see where it happened',
      'UNEXPECTED/request': 'Unexpected error: {detail}. This is a bug in Loadout.',
    },
  }) as const
