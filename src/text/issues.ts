export type Severity = 'error' | 'warning' | 'info'

/** What a message says, what to do about it, and how serious it is. `{path}` stands for a fact of the call. */
type Row = readonly [sentence: string, remedy: string, severity?: Severity]

/**
 * Everything that can go wrong, by subject: the source of messages, hints and docs/errors.md. A name is a code; where a
 * code has several sentences, `CODE/word` is one of them. A code whose own row has no fact describes it for the page,
 * and its callers still word the message.
 */
export const ISSUES = {
  'Index files': {
    INVALID_INDEX: ['The file is valid JSON but not an index.', 'Run `loadout index build`.'],
    MISSING_VERSION: ['The index has no `version`.', 'Run `loadout index build`.'],
    'INVALID_INDEX/bad-version': ['The `version` of the index is not a version number.', 'Set it to `"1.0.0"`.'],
    MISSING_GENERATED: ['The index does not say when it was generated.', 'Run `loadout index build`.'],
    INVALID_ENTRIES: ['`entries` is not a list.', 'Run `loadout index build`.'],
    'INVALID_INDEX/malformed-entry': ['An entry has the wrong form and was skipped.', 'Run `loadout index build`.'],
    MISSING_ID: ['An entry has no `id`.', 'Give it a unique id in kebab-case.'],
    BAD_ID_FORMAT: ['An id is not in kebab-case.', 'Use lower-case letters, digits and hyphens.'],
    DUPLICATE_ID: ['the id "{id}" is used by {first} and by {second}', 'give one of them another id'],
    MISSING_PATH: ['An entry does not name its file.', 'Add `path`, relative to the root of the layer.'],
    INVALID_PRIORITY: ['The priority is not `core`, `domain` or `manual`. Loadout uses `domain`.', 'Correct it.'],
    MISSING_SUMMARY: ['An entry has no summary.', 'Add one sentence that says what the entry is for.'],
    LONG_SUMMARY: ['A summary is longer than the format allows.', 'Shorten it.'],
    EMPTY_KEYWORDS: ['An entry has no keywords, or an empty one.', 'Add keywords that its tasks use.'],
    WEAK_KEYWORDS: [
      'A keyword or pattern of an entry can never match, or does not tell it from the others.',
      'Change the keywords as the message says.',
    ],
    'WEAK_KEYWORDS/duplicate-keyword': [
      '{id} has the same keyword more than once: {keywords}',
      'keep one spelling: case, blanks and hyphens make no difference',
      'warning',
    ],
    BAD_TOKEN_EST: ['The token estimate of an entry is not a count.', 'Run `loadout index build`.'],
    'INVALID_INDEX/bad-field': [
      'entry {id} is used without its {fields}: missing or of the wrong type',
      'rebuild the index with: loadout index build',
      'warning',
    ],
    BAD_BUDGET: ['The budget of the index is missing or not a number.', 'Run `loadout index build`.'],
    NEGATIVE_BUDGET: ['A budget field is negative.', 'Run `loadout index build`.'],
    LAYER_MALFORMED: [
      'The index of a layer cannot be parsed. The other layers are used.',
      'Repair the file. Run `loadout index build`.',
    ],
    LAYER_UNREADABLE: [
      'The index of a layer cannot be read. The other layers are used.',
      'Check its path and permissions.',
    ],
    NO_INDEX: ['no index was found in any layer', 'run: loadout index build, or name an index file with --index'],
    'NO_INDEX/nor-library': [
      'no index was found in any layer, and no library is set up',
      'run: loadout index build, or name what to validate',
    ],
    'NO_INDEX/file': ['{indexPath} does not exist', 'run: loadout index build'],
  },
  Payloads: {
    NO_PAYLOADS: [
      'no payload was found in {root}: looked for {globs}',
      'write one, split a large file with: loadout index migrate CLAUDE.md, or set "payloads" in loadout.json',
    ],
    'NO_PAYLOADS/folder': ['{path} contains no payload', 'payloads are Markdown files (.md)'],
    NO_FRONTMATTER: [
      '{path} is not in the index: {why}',
      'start the file with a block between two --- lines that has at least "id:" and "keywords: [..]"',
      'warning',
    ],
    BAD_FRONTMATTER: ['The frontmatter of a file cannot be parsed.', 'Repair the YAML between the two `---` lines.'],
    'BAD_FRONTMATTER/value': ['{path}: {problem}', '', 'warning'],
    PAYLOAD_MISSING: ['The index lists an entry whose file is gone.', 'Run `loadout index build`.'],
    'PAYLOAD_MISSING/all': [
      'every payload of the index is missing: none of them is in {root}',
      'put the index at the root of its payloads, or restore them',
    ],
    'DRIFT/payload-orphan': ['A payload is not in the index.', 'Run `loadout index build`.'],
    PAYLOAD_UNREADABLE: ['The file of an entry cannot be read.', 'Check that it exists and its permissions.'],
    PATH_ESCAPE: ['the path {path} is refused: {problem}', 'keep the file inside its folder'],
    'PATH_ESCAPE/link': [
      '{full} is a link that leads out of {root}{where}',
      'nothing was written; replace the link with a file or folder of its own',
    ],
    'PATH_ESCAPE/into': ['the folder {named} is refused: {problem}', 'name one inside {root}'],
    'PATH_ESCAPE/into-unread': [
      'the folder {named} is refused: loadout index build does not read payloads there',
      'add "{path}/**/*.md" to "payloads" in loadout.json',
    ],
    'PATH_ESCAPE/entry': [
      'entry {id} was skipped: its path {path} is refused: {refusal}',
      'name a file below the root of the layer',
    ],
    DRIFT: ['The index and a payload say different things.', 'Run `loadout index build`.'],
    BUDGET_DRIFT: ['The totals of the index do not match its entries.', 'Run `loadout index build`.'],
    'DRIFT/not-compared': [
      'entries were not compared with their payloads, which have no frontmatter: {shown}{more}',
      'give each payload a frontmatter block with at least "id:" and "keywords: [..]"',
      'warning',
    ],
    'WEAK_KEYWORDS/dead-keyword': ['A keyword can never match.', 'Spell it out: words of one character are ignored.'],
    'WEAK_KEYWORDS/unroutable-entry': [
      'no task can find {id}: none of its keywords and patterns can match',
      'give it keywords of at least two letters or digits',
    ],
    'WEAK_KEYWORDS/too-many-keywords': [
      'An entry has so many keywords that one match scores too low.',
      'Remove some, or split the entry.',
    ],
    'WEAK_KEYWORDS/stop-word-pattern': [
      'A pattern contains an everyday word and matches almost every task.',
      'Keep only distinctive words.',
    ],
    'WEAK_KEYWORDS/always-outranked': [
      '{id} always comes after {other}: both have the same keywords and patterns',
      'give it a keyword of its own, or merge the two',
      'warning',
    ],
    'WEAK_KEYWORDS/fits-everything': [
      'a task with "{keyword}" loads {loaded} of {total} domain entries',
      'keep it only where it distinguishes an entry from the others',
      'warning',
    ],
    'WEAK_KEYWORDS/entry': [
      '{id} has no keyword that distinguishes it from most other entries',
      'give it a keyword of its own',
      'warning',
    ],
    NOTHING_TO_SPLIT: ['`index migrate` found no section to move out of the file.', 'Nothing to do.'],
    'NOTHING_TO_SPLIT/no-such-section': [
      '`--keep` names a section that the file does not have.',
      'Use one of the listed headings.',
    ],
    'BUDGET_TOO_SMALL/core-over-budget': [
      'core entries alone cost {tokens} tokens, more than the budget of {budget}',
      'raise --budget, or give some core entries the priority domain',
    ],
    LEFT_OUT: ['Something that fits the task was left out. The message says why.', 'Raise the limit it names.'],
    'LEFT_OUT/entry': ['{id} was not loaded: {reason}', '', 'info'],
  },
  'What texts say about a project': {
    STATEMENT_FALSE: ['A text that agents read says something about the project that is not so.', 'Correct it.'],
    'STATEMENT_FALSE/path': ['{name} is not there{instead}{was}', 'name the file that is there', 'error'],
    'STATEMENT_FALSE/link': ['the link leads nowhere: {name} is not there{instead}{was}', 'correct the link', 'error'],
    'STATEMENT_FALSE/script': [
      'no package.json has a script "{name}"{instead}{was}',
      'name a script that is there',
      'error',
    ],
    'STATEMENT_FALSE/target': [
      'no Makefile has a target "{name}"{instead}{was}',
      'name a target that is there',
      'error',
    ],
    'STATEMENT_FALSE/recipe': [
      'no justfile has a recipe "{name}"{instead}{was}',
      'name a recipe that is there',
      'error',
    ],
    'STATEMENT_FALSE/symbol': ['{name} is no longer in the code{was}', 'name what is there', 'error'],
    'STATEMENT_FALSE/version': [
      'it says {name} {version}, but {from} asks for {least} or newer',
      'state the version that the project asks for',
      'error',
    ],
  },
  'Text for a model': {
    TEXT_CHANGED: ['A text was changed before it was shown to a model. The message says how.', 'Check the file.'],
    'TEXT_CHANGED/fence-neutralised': [
      'A text contained something that looks like a fence. It was changed so that it cannot close one.',
      'Check the file if you did not expect it.',
    ],
    FENCE_BROKEN: [
      'the content of {subject} could not be fenced safely',
      'it was not printed; please report this text as a bug',
    ],
    'TEXT_CHANGED/text-cleaned': ['Invisible characters were removed from a text.', 'Remove them from the file.'],
  },
  Usage: {
    NOT_RECORDED: [
      'A use or a delivery could not be recorded. The answer itself is complete.',
      'Check the state folder.',
    ],
    'NOT_RECORDED/usage-not-recorded': [
      'The usage log could not be written. The answer itself is complete.',
      'Check the state folder.',
    ],
    'USAGE_UNREADABLE/usage-junk-lines': [
      'Lines of the usage log could not be parsed and were skipped.',
      'Nothing to do.',
    ],
    USAGE_UNREADABLE: ['The usage log cannot be read.', 'Check its permissions.'],
    USAGE_EMPTY: ['The usage log has no use of any skill.', 'Run `loadout hooks install`, and try again later.'],
    'USAGE_EMPTY/no-task-texts': [
      '{log} contains no words of tasks',
      'loadout usage --keep-tasks on keeps them from now on',
    ],
    'USAGE_EMPTY/other-projects': [
      'no task of this project is in {log}; {are} to others',
      'go to that project, or compare them with --all-projects',
    ],
    ROUTING_CHANGED: ['Recorded tasks now choose other entries.', 'Run `loadout explain <id> --task "<task>"`.'],
  },
  Examples: {
    EXAMPLE_REFUSED: ['An example prompt was not accepted. The message says why.', 'Write what a person would type.'],
    'EXAMPLE_REFUSED/example-duplicate': ['The entry has this example already.', 'Nothing to do.'],
    'EXAMPLE_REFUSED/example-shared': ['Two entries have the same example.', 'Keep it for one of them.'],
    'EXAMPLE_REFUSED/examples-full': ['An entry has as many examples as count.', 'Keep the best ones.'],
    EXAMPLES_STALE: [
      'The description changed after its examples were written, so they do not count.',
      'Run `loadout teach <id> --renew`.',
    ],
    'EXAMPLES_UNREADABLE/examples-junk-lines': [
      'Lines of an example file could not be parsed and were skipped.',
      'Repair or remove them.',
    ],
    EXAMPLES_UNREADABLE: ['An example file cannot be read.', 'Check its permissions.'],
    'EXAMPLES_STALE/examples-without-entry': [
      'There are examples of an entry that no longer exists.',
      'Remove them, or bring the entry back.',
    ],
    NOTHING_TO_TEACH: ['No entry needs examples, or the answer contains none.', 'Follow the hint of the message.'],
    BAD_SUITE: [
      'There are no test questions, or a file of them has the wrong form.',
      'Follow the form in the message.',
    ],
    'BAD_SUITE/library': ['{path} is not a library: {documents}', 'one JSON object per line'],
    'BAD_SUITE/form': ['{path} cannot be used: {problem}', 'see docs/routing.md for the forms'],
    BELOW_THRESHOLD: ['An evaluation scored less than the minimum you set.', 'Look at the confusions it prints.'],
  },
  'The library of skills': {
    CONFIG_NOT_FOUND: [
      'No library is set up on this machine.',
      'Run `loadout init --new <folder>` or `--clone <url>`.',
    ],
    'CONFIG_NOT_FOUND/place': [
      'there is no library yet, and {place} exists already',
      'loadout init --repo {word} takes it as the library, loadout init --new <folder> makes another',
    ],
    BAD_CONFIG: ['`config.json` has an unknown key or a wrong value.', 'Correct the key that the message names.'],
    'BAD_CONFIG/value': ['{path}: {problem}', 'repair the file; nothing was changed'],
    REPO_NOT_FOUND: [
      '{folder} is not a git repository: {problem}',
      'loadout init --repo <folder>, --clone <url> or --new <folder> chooses the library',
    ],
    BAD_NAME: ['A name is not valid here.', 'Use lower-case letters, digits and hyphens.'],
    'BAD_NAME/source': [
      '{source} is a folder or URL, not the name of a skill',
      'loadout add {word} installs the skills in it',
    ],
    SKILL_NOT_FOUND: ['The library has no such skill.', 'Run `loadout inventory` to list them.'],
    'SKILL_NOT_FOUND/version': ['the catalog has no {wanted} of {name}', 'loadout catalog publish {name}'],
    'SKILL_NOT_FOUND/catalog': ['the catalog has no {what}', 'loadout catalog search'],
    SKILL_EXISTS: ['The library already has a skill of this name.', 'Choose another name, for example with `--as`.'],
    SKILL_INSTALLED: ['The skill is still installed, so it was not deleted.', 'Run `loadout unequip <skill>` first.'],
    INVALID_SKILL: ['A skill cannot be used. The message names the field.', 'Repair it in the library.'],
    'INVALID_SKILL/openai': ['agents/openai.yaml{place}', 'correct that file'],
    'INVALID_SKILL/duplicate-skill': ['Two folders of the library contain a skill of the same name.', 'Rename one.'],
    NAME_DIFFERS: ['The name of a skill differs from the name of its folder.', 'Rename one of the two.'],
    'INVALID_SKILL/format-limit': [
      'A skill exceeds a limit of the public format. Some agents cut or skip it.',
      'Shorten it.',
    ],
    'INVALID_SKILL/frontmatter': [
      'the frontmatter would not be readable: {problem}',
      'shorten the description or the metadata',
    ],
    SYMLINK_IN_TREE: [
      'A skill or archive contains a link that leads to no file of it.',
      'Replace the link with the file.',
    ],
    SPECIAL_FILE: ['A skill or archive contains a pipe, socket or device.', 'Remove it.'],
    BAD_ARCHIVE: ['An archive cannot be unpacked.', 'Create it again with plain `tar`.'],
    'BAD_ARCHIVE/material': ['{path} is not an archive that can be read', 'pack it again as .zip or .tar.gz'],
    'NOTHING_TO_IMPORT/site': [
      '{address} has neither an llms.txt nor a sitemap.xml that names pages of the same site',
      'name the address of one; nothing was written',
    ],
    'NOTHING_TO_IMPORT/documents': [
      '{from} cannot become a pack: {why}',
      'documents are files of the kind .md, .rst, .adoc, .txt, .pdf, .docx, .html or .csv; nothing was written',
    ],
    NOTHING_TO_IMPORT: [
      'The source contains nothing that can be imported. The message says what was looked for.',
      'Check the path or address.',
    ],
    'MERGE_CONFLICT/import-conflict': [
      'Copies of a skill differ, so Loadout cannot choose.',
      'Choose one with the command in the message.',
    ],
    MERGE_CONFLICT: ['Changes on both sides overlap.', 'Run `loadout merge <skill>`.'],
    'NO_SOURCE/source-rewritten': [
      'The history of a source no longer contains the imported commit.',
      'Check `loadout update --dry-run` before you update.',
    ],
    'ENTRY_NOT_FOUND/commit-not-found': [
      'Loadout cannot undo this commit: the library does not have it, or it did not only change skills.',
      'Name another commit, or use `git revert`.',
    ],
    NO_SOURCE: [
      'Loadout does not know where a skill came from, so it cannot update it.',
      'Import it again from its source.',
    ],
    'NO_SOURCE/source-removed': ['The source no longer has the skill.', 'Keep it, or run `loadout delete <skill>`.'],
    PINNED: ['The skill is pinned and was not updated.', 'Run `loadout unpin <skill>` to update it.'],
    QUARANTINED: [
      'A skill of another author can act, or has frontmatter keys that are not known to be harmless, and you have not allowed it. It is not installed, or without these keys.',
      'Read what it can do with `loadout inspect`, then run `loadout approve skill:<name>` or `deny`.',
    ],
    'ENTRY_NOT_FOUND/profile-not-found': ['There is no profile of this name.', 'Run `loadout profile list`.'],
    'ENTRY_NOT_FOUND/no-profile': [
      'the library {library} does not say what a machine gets',
      'loadout profile save <name> on a machine that has it; or loadout install --all',
    ],
    NOT_CONFIRMED: ['nothing was changed', 'use --yes to skip the question'],
    'NOT_CONFIRMED/erase': ['nothing was erased', 'use --yes to skip the question'],
  },
  'Agents and installs': {
    UNKNOWN_AGENT: ['No agent has this name.', 'Run `loadout agents`.'],
    UNSUPPORTED_TARGET: ['A skill does not list this agent.', 'Run `loadout targets <skill> --add <agent>`.'],
    TARGET_DISABLED: ['The agent is not enabled on this machine.', 'Run `loadout agents enable <agent>`.'],
    NO_PROJECT: ['The command needs a project, and the folder is not in one.', 'Name it: `--project <folder>`.'],
    'NO_PROJECT/patterns': [
      'only patterns choose files in the preset {preset}',
      'there is nothing to measure: history does not count here',
    ],
    'NO_PROJECT/no-history': ['{root} has no git history', 'name a project in a git repository'],
    'NO_PROJECT/no-commits': [
      'none of the last {commits} commits can be asked',
      'a commit is asked when its subject has four words or more and it changed one to five files, tests apart',
    ],
    UNMANAGED_FOLDER: [
      'Another folder of this name is in the way. Loadout did not create it and left it alone.',
      'Take it over with `import --adopt`, or use `equip --replace`.',
    ],
    'UNMANAGED_FOLDER/broken-marker': ['The marker of an install is damaged.', 'Run `loadout doctor --fix`.'],
    EDITED_INSTALL: [
      'An installed copy was edited by hand.',
      'The copy stays. Run `loadout adopt <skill>` to bring the edit into the library.',
    ],
    ORPHANED_INSTALL: ['A skill is installed that the library no longer has.', 'Run `loadout unequip <skill>`.'],
    OUTDATED_INSTALL: ['An installed copy is older than the library.', 'Run `loadout sync`.'],
    NOT_EQUIPPED: [
      'The skill is not installed, or has no edited copy, where the command looked.',
      'Run `loadout inventory`.',
    ],
    OTHER_MANAGER: ['Another tool installed skills here.', 'Run `loadout import --all --adopt` to take them over.'],
    BACKED_UP: ['Before a change, a copy was kept. The message says where.', 'Nothing to do.'],
    RECOVERED: ['An interrupted change was finished or undone.', 'Nothing to do.'],
    LOCKED: ['{folder} is locked by {holder}', 'wait until it has finished; if it never will, remove {path}'],
    'LOCKED/git': [
      '{folder} is locked: {git}',
      'wait until git has finished, or end it; the next command then finishes the interrupted change',
    ],
    NOT_SEEN: ['An agent cannot see everything that is installed for it.', 'Run `loadout see <agent>`.'],
    'NOT_SEEN/full': [
      'the list of {label} is full: {crowded} of {skills} skills are not described whole',
      'loadout see {agent} --fix{scope} makes every skill usable',
      'warning',
    ],
    HOOKS_OUTDATED: [
      'The hooks of an agent are from another version, or their program is gone.',
      'Run `loadout hooks install`.',
    ],
    HOOKS_OFF: ['The agent will not run the hooks. The message says why.', 'Change the setting it names.'],
    'BLOCK_STALE/block-damaged': ['The index block of `AGENTS.md` is damaged.', 'Repair or delete the block.'],
    BLOCK_STALE: ['The index block of `AGENTS.md` is outdated.', 'Run `loadout agents-md --write`.'],
  },
  'The catalog of an organization': {
    CATALOG_HELD: [
      'The catalog has no approved version of the skill for this machine. Installed copies stay as they are.',
      'Run `loadout catalog search`.',
    ],
    'CATALOG_HELD/catalog-retired': [
      'The skill was retired in the catalog. `loadout sync` removes it.',
      'Run `loadout catalog search`.',
    ],
    CATALOG_UNVERIFIED: [
      'The signed catalog is missing, expired or not validly signed, or does not continue what this machine verified.',
      'An approver runs `loadout catalog sign`. Check `catalog/allowed_signers` in the library.',
    ],
    'CATALOG_UNVERIFIED/signer': [
      '{file} is not among the allowed signers',
      'add a line "<name> <public key>" to catalog/allowed_signers in the library, and commit it',
    ],
    'CATALOG_UNVERIFIED/ssh-keygen': ['ssh-keygen {step} failed', ''],
    'CATALOG_UNVERIFIED/no-signers': [
      'the library has no {signers}',
      'write it, one line for each approver: <name> <public key>; then commit and push it',
    ],
    'CATALOG_UNVERIFIED/signature': [
      'the signature of {key} is not valid for {by}',
      'check the line of {by} in {signers}',
    ],
    'CATALOG_UNVERIFIED/fingerprint': [
      'the server shows {shown}, not {fingerprint}',
      'ask an approver for the fingerprint in loadout catalog search',
    ],
  },
  'The manifest of a project': {
    MANIFEST: [
      '`loadout.json` asks for something that cannot be installed.',
      'Correct the entry that the message names.',
    ],
    'MANIFEST/address': [
      'loadout.json: {key} cannot be a source: {problem}',
      'name owner/repo, owner/repo#tag, a git address, or ./folder of the project',
    ],
    'MANIFEST/none': [
      '{project} has no loadout.json that names skills',
      'loadout add <source> --project . writes one; to install skills of your library, name them',
    ],
    'MANIFEST/not-offered': ['{key} has no skill {word}', 'loadout import {key} --list shows what it has'],
    'MANIFEST/not-there': [
      '{name} is not in the loadout.json of this project',
      'loadout list --project . shows what is',
    ],
    'MANIFEST/needed': ['{name} stays: {by} needs it', 'remove {by} first', 'warning'],
    'MANIFEST/managed': [
      'the loadout.json of this project says which skills it has, so {names} was not installed from your library',
      'loadout add <source> {names} --project . adds it; loadout install restores what the lock has',
    ],
    'MANIFEST/local': [
      '{path} has no remote, so only this machine can restore from it',
      'push it somewhere, and add that address',
      'warning',
    ],
    'MANIFEST/empty': ['{file} names no skill that Loadout can fetch: {losses}', 'add the sources one by one'],
    'MANIFEST/not-said': ['{file} cannot say: {what}', 'loadout.lock keeps it', 'info'],
    'MANIFEST/loss': ['{file}: {what}', 'the rest was taken over', 'warning'],
    LOCK_INVALID: ['`loadout.lock` cannot be used.', 'Restore it from git, or remove it and run `loadout install`.'],
    'LOCK_INVALID/conflict': [
      'loadout.lock has the conflict markers of an unfinished merge; nothing was installed',
      'git checkout --ours loadout.lock (or --theirs), then loadout install',
    ],
    'LOCK_INVALID/form': [
      'loadout.lock cannot be used: {problem}; nothing was installed',
      'restore it from git, or remove it and run loadout install',
    ],
    'LOCK_INVALID/newer': [
      'loadout.lock has version {version}, which a newer Loadout wrote; nothing was installed',
      'update Loadout',
    ],
    'LOCK_INVALID/unsigned': [
      'loadout.lock has changed, and its signature does not fit any more',
      'sign it again: loadout install --sign',
      'warning',
    ],
    'LOCK_INVALID/signed': ['loadout.lock is signed by {by}', 'nothing to do', 'info'],
    'LOCK_INVALID/unknown-signer': [
      'loadout.lock is signed, and this machine does not know whose signature counts',
      'name them: --signers <file>, or git config gpg.ssh.allowedSignersFile <file>',
      'info',
    ],
    'LOCK_INVALID/signature': [
      'the signature of loadout.lock {problem}; nothing was installed',
      'a signer in {signers} signs it: loadout install --sign',
    ],
    LOCK_MISMATCH: [
      'Manifest, lock and installed folders disagree.',
      'Run `loadout install`, and commit what it changes.',
    ],
    'LOCK_MISMATCH/unlocked': [
      'loadout.json asks for the {what} {name} of {key}, and loadout.lock does not have it',
      'loadout install, then commit loadout.lock',
      'error',
    ],
    'LOCK_MISMATCH/extra': [
      'loadout.lock has the {what} {name} of {key}, which loadout.json does not ask for',
      'loadout install, then commit loadout.lock',
      'error',
    ],
    'LOCK_MISMATCH/address': [
      'loadout.lock has {name} from {locked}, and loadout.json asks for {key}',
      'read both files; loadout update {name} --project . locks what loadout.json says',
      'error',
    ],
    'LOCK_MISMATCH/needs': [
      '{name} needs {needed}, which loadout.lock does not have',
      'loadout update {name} --project .',
      'error',
    ],
    'LOCK_MISMATCH/agents': [
      'loadout.lock has {name} for {agents}, and loadout.json names other agents',
      'loadout install, then commit loadout.lock',
      'error',
    ],
    'LOCK_MISMATCH/missing': ['{path} is missing', 'loadout install', 'error'],
    'LOCK_MISMATCH/outdated': ['{path} has another version than loadout.lock', 'loadout install', 'error'],
    'LOCK_MISMATCH/edited': [
      '{path} was changed by hand',
      'keep it, or loadout install --replace puts the locked version back and keeps a copy',
      'warning',
    ],
    'LOCK_MISMATCH/forged': [
      '{path} differs from loadout.lock, although its marker says otherwise',
      'look at what changed it; loadout install --replace puts the locked version back',
      'error',
    ],
    'LOCK_MISMATCH/unlisted': ['{path} is installed, and loadout.lock does not have it', 'loadout install', 'error'],
    'LOCK_MISMATCH/digest': [
      '{name} of {source} is not what loadout.lock pins: the files of commit {commit} have another digest; nothing was installed',
      'do not use this source before you know why; if the change is meant, loadout update {name} --project .',
    ],
    'LOCK_MISMATCH/gone': [
      '{source} no longer has {name} at commit {commit}, and this machine has no copy; nothing was installed',
      'ask a colleague for theirs, or loadout update {name} --project . takes the present version',
    ],
    'LOCK_MISMATCH/same-content': [
      '{source} no longer has commit {commit}; {name} was restored from commit {found}, whose files are the same',
      'loadout update {name} --project . locks the new commit',
      'warning',
    ],
    'LOCK_MISMATCH/cached': [
      '{source} could not be asked ({problem}); restored from the cache: {names}',
      'nothing to do: the content is what loadout.lock pins',
      'info',
    ],
    'LOCK_MISMATCH/built': [
      '{name}: this version of Loadout installs other files from the same source than loadout.lock says; nothing was installed',
      'run loadout install without --frozen, and commit loadout.lock',
    ],
    'LOCK_MISMATCH/beyond': [
      '{name} can do more than loadout.lock says was agreed to: {what}; nothing was installed',
      'run loadout install on your machine, read what it can do, and commit loadout.lock',
    ],
    NEEDS: ['A skill needs another one that is missing, or two needs contradict.', 'Add it, or remove the skill.'],
    'NEEDS/missing': [
      '{name} needs the skill {needed}, which neither {key} nor another source has',
      'add it: loadout add <source> {needed} --project .; or remove {name}',
    ],
    'NEEDS/library': [
      '{name} needs the skill {needed}, which the library does not have',
      'add it: loadout add <source> {needed}, or remove it from "requires" of {name}',
    ],
    'NEEDS/cycle': ['these skills need each other in a circle: {path}', 'remove one of these needs'],
    'NEEDS/conflict': [
      'two sources have a skill {name}: {first} and {second} (asked for by {why})',
      'name the skills of one of them in loadout.json, without {name}',
    ],
    'NEEDS/versions': [
      'two versions of one repository are asked for: {first} and {second}',
      'agree on one in loadout.json',
    ],
    'NEEDS/range': [
      '{name} wants {needed} {range}: Loadout pins tags and commits and does not compare versions',
      'check that the locked version fits',
      'info',
    ],
    'NEEDS/by': ['{name} is needed by {by}', 'remove {by} too, or first'],
  },
  Git: {
    GIT_MISSING: ['git could not be run: it is not on the PATH', 'install git, or add its folder to PATH'],
    GIT_FAILED: ['A git command failed. The message has what git said.', 'Follow the hint.'],
    'GIT_FAILED/start': ['git could not be started: {problem}', ''],
    GIT_UNSAFE: ['A repository setting or address would run a program.', 'Remove it with the command in the message.'],
    'GIT_UNSAFE/url': [
      '{url} cannot be cloned: it is neither a path nor a safe URL',
      'use a path, or an https or ssh URL',
    ],
    'GIT_UNSAFE/option': [
      'the name {name} in {repo} would be read as an option',
      'give the branch or the remote another name',
    ],
    REMOTE_UNREACHABLE: ['A remote repository could not be reached.', 'Check the connection and your access.'],
    DIVERGED: [
      'The library and its remote both have new commits.',
      'Merge or rebase with git, then run `loadout sync`.',
    ],
    UPSTREAM_MISSING: ['The branch of the library follows no remote branch.', 'Run the git command in the message.'],
    'UPSTREAM_MISSING/detached-head': ['The library is not on a branch.', 'Run the `git switch` in the message.'],
    'UNCOMMITTED/commits-waiting': ['The library has commits that are not pushed.', 'Run `loadout sync --push`.'],
    UNCOMMITTED: ['The library has changes that are not committed.', 'Commit them with git.'],
  },
  Packs: {
    PACK_NOT_FOUND: ['There is no such pack.', 'Run `loadout packs list --all`.'],
    PACK_EXISTS: ['The folder for a new pack already exists.', 'Choose another name.'],
    PACK_REFUSED: ['A gate of the pack does not let it be used.', 'The message names the gate.'],
    'PACK_REFUSED/compile-refused': [
      'The views that an agent wrote were not accepted. Nothing was written.',
      'Correct the answer as the message says.',
    ],
    APPROVAL_NEEDED: [
      'A pack, adapter or skill needs your approval first.',
      'Run the `loadout approve` command in the message.',
    ],
    CONFIRMATION_NEEDED: [
      'The command needs a yes, and there is no terminal to ask on.',
      'Add the flag that the message names.',
    ],
    'CONFIRMATION_NEEDED/remove': [
      '{names} would be removed from {places}',
      '{command} --yes does it; with --copies the library keeps what it has',
    ],
    'CONFIRMATION_NEEDED/erase': [
      'you must confirm first: erase {what}',
      'to skip the question: loadout usage --erase --yes',
    ],
    BAD_APPROVALS: [
      'The file of your approvals was changed by hand or damaged, so nothing counts as approved.',
      'Restore or remove the file.',
    ],
    'NOT_RECORDED/audit-not-recorded': [
      'The record of a bundle or pack could not be written.',
      'Check the state folder.',
    ],
    'ENTRY_NOT_FOUND/audit-not-found': [
      'there is no record "{typed}"',
      'loadout context and loadout packs resolve print the id of their record',
    ],
    BAD_AUDIT: [
      'A record was changed after it was written, or another version of Loadout wrote it.',
      'Ask for the same task again.',
    ],
    CONTEXT_CHANGED: [
      'What was recorded can no longer be given again, because its sources changed.',
      'Ask for the same task again.',
    ],
    'pack.status.draft': ['The pack is a draft.', 'Confirm it: `--confirm <name>`.'],
    'pack.status.needs-review': [
      'The pack was not reviewed after its last change.',
      'Review it, then set `status: ready`.',
    ],
    'pack.status.stale': ['The pack is out of date.', 'Update it.'],
    'pack.status.disputed': [
      'Parts of the pack are disputed.',
      'Settle the dispute, or confirm it with `--confirm <name>`.',
    ],
    'pack.status.archived': ['The pack is no longer maintained.', 'Use another one.'],
    'pack.status.unknown': ['The status is missing or not one of the six.', 'Set a [status](packs.md#status).'],
    'pack.substituted': ['A newer pack of the same name was used instead of a stale one.', 'Nothing to do.'],
    'pack.name.mismatch': ['The name of the pack differs from its folder.', 'Rename one of the two.'],
    'pack.name.invalid': [
      'The name is missing, too long, or has other characters than the format allows.',
      'Correct it.',
    ],
    'pack.description.missing': ['Without a description nothing can choose the pack.', 'Write one.'],
    'pack.field.invalid': ['A field of the frontmatter has the wrong form.', 'Correct it.'],
    'pack.field.too-long': ['A field of the frontmatter was cut.', 'Shorten it.'],
    'pack.frontmatter.invalid': ['The frontmatter cannot be parsed.', 'Repair the YAML.'],
    'pack.type.unknown': [
      'The type is unknown, so the pack is used only when it is named.',
      'Use a known type, or `custom:<name>`.',
    ],
    'pack.profile.missing': ['The pack has no profile. Loadout uses `wiki-first`.', 'Set `profile`.'],
    'pack.profile.unknown': ['The profile is unknown. Loadout uses `wiki-first`.', 'Correct `profile`.'],
    'pack.mode.unknown': ['The mode is unknown. Loadout uses `data`.', 'Correct `runtime.mode`.'],
    'pack.grounding.unknown': ['The grounding is unknown. Loadout uses `required`.', 'Correct `grounding`.'],
    'pack.trust.unknown': ['The trust is unknown. Loadout uses `unreviewed`.', 'Correct `trust`.'],
    'pack.trust.unreviewed': ['The pack does not say that it was reviewed.', 'Review it, then set `trust`.'],
    'pack.trust.external': ['The pack says that it comes from outside.', 'Treat it with care.'],
    'pack.trust.unapproved': ['You have not approved the pack.', 'Run `loadout approve pack:<name>`.'],
    'pack.trust.changed': ['The pack changed after you approved it.', 'Look at the change, then approve it again.'],
    'pack.trust.denied': ['You denied the pack.', 'Run `loadout revoke pack:<name>` to be asked again.'],
    'pack.trust.by-place': ['The pack lies in a trusted place, so there is nothing to approve.', 'Nothing to do.'],
    'pack.documents.missing': [
      'A document-first pack has no document.',
      'Add it, or name it in `metadata.primaryDocument`.',
    ],
    'pack.persona.unbounded': ['A persona has no limits.', 'Add `compiled/boundaries.md`.'],
    'pack.map.missing': ['A hybrid pack has no context map.', 'Add one.'],
    'pack.map.absent': ['The context map names something that is missing.', 'Correct the map.'],
    'pack.file.unused': ['Files lie outside the folders of a pack and are never read.', 'Move or remove them.'],
    'pack.page.unreachable': ['A file can never be chosen.', 'Make it text, or link it.'],
    'pack.placeholder': ['Text of the template is still in the pack.', 'Replace it.'],
    'pack.empty': ['The pack contains no text that could answer anything.', 'Add documents, pages or views.'],
    'catalog.collision': ['Several packs have the same name.', 'Choose one with `--pack <folder>`.'],
    'catalog.collision.lower-trust': [
      'The pack that wins a name claims less trust than another of that name.',
      'Check which one you want.',
    ],
    'catalog.waiting': ['A pack would win its name if it were approved.', 'Approve or deny it.'],
    'discovery.skipped': ['Folders were skipped.', 'Nothing to do.'],
    'discovery.skipped/depth': [
      'Folders below `maxDepth` were not searched.',
      'Raise `maxDepth` if packs are missing.',
    ],
    'discovery.skipped/limit': [
      'There is more than the limits allow to search.',
      'Raise the limit that the message names.',
    ],
    'discovery.skipped/unreadable': ['A folder cannot be read.', 'Check its permissions.'],
    'discovery.skipped/link': ['A link leads out of its root, or nowhere.', 'Remove it, or set `followLinks`.'],
    'discovery.skipped/not-a-file': ['`KNOWLEDGE.md` is not a regular file.', 'Replace it with a file.'],
    'discovery.skipped/source': ['Packs of the organization are missing.', 'Run `loadout packs fetch`.'],
    'claim.stale': ['A claim in a chosen file is out of date, or a page calls itself old.', 'Update it.'],
    'claim.disputed': ['A claim is disputed.', 'Verify it before you rely on it.'],
    'claim.missing': ['A fact is known to be missing.', 'Add it, or ask a person.'],
    'claim.inferred': ['No source states the claim.', 'Add a source.'],
    'claim.source-required': ['The claim still needs a source.', 'Add a source.'],
    'source.absent': ['A statement names a file that is missing.', 'Add the file, or correct the path.'],
    'source.anchor.absent': ['The place that a statement names is not in its file.', 'Correct the anchor.'],
    'source.escape': ['A path or link leaves the pack.', 'Move the file into the pack.'],
    'file.not-regular': ['A pipe, device or folder is where a file should be.', 'Replace it.'],
    'file.too-large': ['A file is larger than the limit.', 'Split it.'],
    'file.not-text': ['A file is not a kind of text that Loadout reads.', 'Convert or remove it.'],
    'file.unreadable': ['A file cannot be read.', 'Check its permissions.'],
    'file.repaired': ['Bytes that are not UTF-8 were replaced.', 'Convert the file to UTF-8.'],
    'run.needs-review': ['The run that made a view needs review.', 'Review the view.'],
    'run.stale': ['The run that made a view is out of date.', 'Run `loadout packs compile` again.'],
    'run.disputed': ['The run that made a view is disputed.', 'Check the view.'],
    'run.failed': ['The run that made a view failed, so the view is not used.', 'Run `loadout packs compile` again.'],
    'run.review-required': ['The run passed and asks for a review.', 'Review the view.'],
    'run.diagnostic': ['The run recorded a message.', 'Read the message.'],
    'run.input.drift': ['An input changed after the run.', 'Run `loadout packs compile` again.'],
    'run.input.gone': ['An input of the run is missing.', 'Run `loadout packs compile` again.'],
    'run.invalid': ['The record of a run cannot be used.', 'Repair the record, or remove it.'],
    'run.not-read': ['Older runs were not read.', 'Nothing to do.'],
    'map.invalid': ['The source map, or a claim in it, cannot be used.', 'Repair the record, or remove it.'],
    'grounding.uncited': ['Statements name no source, although the pack requires one.', 'Add sources.'],
    'index.dangling': ['An index points to files that are missing.', 'Make the index again.'],
    'index.invalid': ['An index cannot be used.', 'Make the index again.'],
    'context.omitted': ['Text was left out to stay within the budget.', 'Raise the budget if you need it.'],
    'fence.neutralised': [
      'Text that looks like a fence was made harmless.',
      'Check the file if you did not expect it.',
    ],
    'fence.removed': ['Control or invisible characters were removed.', 'Remove them from the file.'],
    'content.injection': ['A text reads like an order to a model.', 'Check the file.'],
    'content.secret': ['Text that looks like a secret was withheld.', 'Remove the secret, or declare it an example.'],
    'ontology.invalid': ['Records of the ontology cannot be used.', 'Repair the record, or remove it.'],
    'ontology.unverified': ['A concept or claim is not verified.', 'Verify it.'],
    'ontology.forbidden': ['The claim must not be made. It is given only as a prohibition.', 'Nothing to do.'],
    'answers.invalid': ['Records of answers cannot be used.', 'Repair the record, or remove it.'],
    'answers.unreviewed': ['An answer was not approved by a reviewer.', 'Review it.'],
    'record.invalid': ['A test suite or another record has the wrong form.', 'Repair the record, or remove it.'],
  },
  'Bundles, notes and adapters': {
    CONTROL_PLANE_MISSING: [
      'A file that grounds an agent is missing.',
      'Write an `AGENTS.md`, or correct `loadout.json`.',
    ],
    NO_FITTING_FILE: [
      'No file of the project fits the words of the task, or it is a bare repository.',
      'Describe the task in other words; ask in a clone.',
    ],
    'BUDGET_TOO_SMALL/budget-ceiling': ['A limit is above the highest that is allowed.', 'Lower it.'],
    BUDGET_TOO_SMALL: ['Nothing fits into the budget.', 'Use at least the size in the message.'],
    BAD_NOTE: ['A note was not accepted. The message says why.', 'Shorten or correct it.'],
    'NOTES_UNREADABLE/notes-junk-lines': [
      'Lines of the note file could not be parsed and were skipped.',
      'Run `loadout note prune`.',
    ],
    NOTES_UNREADABLE: ['The note file cannot be read.', 'Move it away, or repair it.'],
    NOTES_UNUSED: ['The project does not use notes yet.', 'Add the setting in the message to `loadout.json`.'],
    'ADAPTER_FAILED/adapter-name': [
      'An adapter reports another id than `loadout.json` gives it.',
      'Correct one of the two.',
    ],
    'ADAPTER_FAILED/adapter-duplicates': ['An adapter returned items twice.', 'Correct the adapter.'],
    'ADAPTER_FAILED/adapter-stale': ['The data of an adapter is old, or has no date.', 'Refresh its source.'],
    'ADAPTER_FAILED/adapter-shape': ['The output of an adapter has the wrong form.', 'Correct the adapter.'],
    ADAPTER_FAILED: ['An adapter ended with an error.', 'Run its command by hand.'],
    'ADAPTER_FAILED/adapter-timeout': ['An adapter took too long.', 'Make it faster, or raise `timeoutMs`.'],
    'ADAPTER_FAILED/adapter-flood': ['An adapter printed too much.', 'Return fewer items.'],
    'ENTRY_NOT_FOUND/adapter-not-found': [
      'There is no such adapter, or its program is missing.',
      'Run `loadout adapters list`.',
    ],
    ADAPTER_NOT_ALLOWED: [
      'The command of an adapter was not approved on this machine.',
      'Run `loadout approve adapter:<id>`.',
    ],
    ADAPTER_UNPINNABLE: ['The command can run code that an approval cannot cover.', 'Name the script file itself.'],
  },
  'A team and its server': {
    TEAM_NOT_JOINED: [
      'this machine has not joined a team',
      'loadout team join <url> --token <token>; an administrator makes the token',
    ],
    TEAM_JOINED: ['this machine has joined another team, at {url}', 'loadout team leave, then join this one'],
    TEAM_TOKEN_REFUSED: ['The server does not know the token, or it was revoked.', 'Join again with a new token.'],
    TEAM_TOKEN_NOT_FOUND: ['There is no token with this id.', 'Run `loadout team tokens`.'],
    TEAM_LAST_ADMIN: [
      'The last administrator cannot be revoked.',
      'Make another one: `loadout team invite --role admin`.',
    ],
    TEAM_ROLE: ['only an administrator has the key that a token needs', 'join with the token of an administrator'],
    TEAM_OTHER: ['The address or the token belongs to another team.', 'Run `loadout team leave`, then join that team.'],
    'TEAM_OTHER/key': [
      'the key of the team is missing or wrong; the database does not contain it',
      'pass any token of this team with --key, even a revoked one',
    ],
    TEAM_FORMAT: ['Machine and server are too far apart in age.', 'Update the one that the message names.'],
    'TEAM_FORMAT/old-server': ['the team’s server is too old for the signed catalog', 'update Loadout on the server'],
    TEAM_BAD_BATCH: ['The server cannot read what was sent.', 'Update Loadout on the machine. Nothing is lost.'],
    TEAM_BEHIND: ['The server was restored from a backup and lacks batches.', 'Nothing: the machine sends them again.'],
    TEAM_CLONED: [
      'another machine had the same identity, for example a copied disk: this machine now has a new identity',
      '',
      'info',
    ],
    TEAM_LEFT: ['A copy of this machine has left the team.', 'Nothing: this one gets an identity of its own.'],
    TEAM_UNKNOWN_MACHINE: ['The machine never joined with this token.', 'Join again.'],
    TEAM_GROUP_SMALL: ['The group has five active people or fewer.', 'Ask for the report of the whole team.'],
    TEAM_CLOCK: [
      'the clock of this machine is off by {hours}; the server corrected the times of events',
      'set the clock',
      'warning',
    ],
    TEAM_AUDIT: [
      'the audit log of the team is broken at entry {id}: it, or one before it, was changed or taken out',
      'compare it with a backup of the database',
    ],
    'TEAM_AUDIT/cut': [
      'the audit log does not contain the entry {head}: its end was cut off, or it is the log of another team',
      'compare it with a backup of the database',
    ],
    TEAM_DATABASE: ['The database of the team cannot be used now. The message says why.', 'Mend the database.'],
    'TEAM_DATABASE/package': [
      '--try needs the package {name}, which is not installed',
      'install it in this folder (60 MB): npm install {name}@18.4.0-beta.17',
    ],
    'TEAM_DATABASE/empty': ['the database contains no team', 'loadout team serve creates one'],
    TEAM_SCHEMA: ['the database has an older schema than this program needs', ''],
    'TEAM_SCHEMA/back': [
      'this program cannot take schema {version} back to {to}',
      'use the newest Loadout that ran with this database',
    ],
    'TEAM_SCHEMA/down': ['cannot migrate down from schema {number}', ''],
    'TEAM_SCHEMA/newer': [
      'the database has schema {version}, which needs a Loadout that knows at least schema {oldest}; this one knows {made}',
      'update Loadout on this server',
    ],
    BAD_TEAM_FILE: ['A file in `team/` of the state folder cannot be read.', 'Remove the folder and join again.'],
    'BAD_TEAM_FILE/verdicts': [
      '{path} does not hold what the catalog said',
      'remove the file; loadout sync asks the catalog again',
    ],
    'BAD_TEAM_FILE/outbox': ['the outbox of this machine is gone', 'loadout team leave, then join again'],
    'BAD_TEAM_FILE/batch': ['a batch in the outbox cannot be read', ''],
    'BAD_TEAM_FILE/membership': ['{path} does not say which team this machine has joined', ''],
    'BAD_TEAM_FILE/sent': ['{path} does not say what was sent', ''],
    'BAD_TEAM_FILE/catalog': ['{path} does not hold the catalog that this machine verified', ''],
    UNREACHABLE: ['{host} does not answer: {reason}', 'check the address and the network'],
    'UNREACHABLE/audit': ['the team’s server did not answer with an audit log', 'update Loadout on the server'],
    'UNREACHABLE/not-a-team': [
      'the server at {url} is not a team’s server: {what}',
      'check the address; a proxy in between may be down',
    ],
    'UNREACHABLE/other-server': ['the server at {url} is not a team’s server', 'check the address'],
    'UNREACHABLE/no-token': ['the server returned no token', ''],
    'UNREACHABLE/collector': [
      'the collector at {address} refused the data: status {status}',
      'it must accept OTLP as JSON over HTTP, usually on port 4318',
    ],
  },
  'Files and calls': {
    FILE_NOT_FOUND: ['A file is missing.', 'Check the path.'],
    'FILE_NOT_FOUND/source': [
      '{path} does not exist',
      'name a folder, an archive, a git URL or owner/repo; loadout install <skill> takes one of the library',
    ],
    'FILE_NOT_FOUND/material': ['{path} does not exist', 'name a folder, a document, an archive or an address'],
    'FILE_NOT_FOUND/index': ['{index} does not exist', 'name two index files'],
    'FILE_NOT_FOUND/layer': [
      '--{flag} {path}: the {what} does not exist',
      'check the path, or use --{flag}= to omit that layer',
    ],
    'FILE_NOT_FOUND/ssh-key': [
      'the SSH key {key} does not exist',
      'name one: --key <file>; ssh-keygen -t ed25519 makes one',
    ],
    'FILE_NOT_FOUND/ssh-keygen': ['ssh-keygen is not on the PATH', 'install OpenSSH 8.2 or later'],
    FILE_UNREADABLE: ['A file cannot be read.', 'Check its permissions.'],
    FILE_EXISTS: ['{full} already exists', 'it was not changed'],
    'FILE_EXISTS/manifest': ['{path} exists already', 'name another file with --out, or move it away'],
    'FILE_EXISTS/not-empty': ['{target} already exists and is not empty', 'name a new folder'],
    NOT_A_FILE: ['{path} is not a regular file', 'name a file'],
    'NOT_A_FILE/folder': ['{shown} is a folder', 'name a file inside it'],
    'NOT_A_FILE/git': [
      '{place} is not a regular file, so git cannot read this repository',
      'restore that file, or clone the repository again',
    ],
    NOT_A_FOLDER: ['The path is not a folder.', 'Name a folder.'],
    'NOT_A_FOLDER/cwd': ['the working folder {cwd} does not exist', 'pass cwd with an existing folder'],
    'NOT_A_FOLDER/gone': ['the working folder no longer exists', 'change to an existing folder'],
    'NOT_A_FOLDER/home': ['there is no home folder', 'set HOME to an absolute path'],
    'NOT_A_FOLDER/project': ['{folder} {problem}', 'name the folder of a project'],
    'NOT_A_FOLDER/root': ['{root} is not a folder', 'create it, or check --global'],
    'NOT_A_FOLDER/web': [
      'loadout web was not started in a project',
      'start it in the folder of one, or with --project <folder>',
    ],
    FILE_TOO_LARGE: ['A file or text is larger than the limit.', 'Split it.'],
    'FILE_TOO_LARGE/archive': ['{path} unpacks to more than {most}', 'unpack a part of it, and name that folder'],
    'FILE_TOO_LARGE/answer': ['the answer has more than {most} characters', 'import it in parts'],
    'FILE_TOO_LARGE/session': ['the state of the session is too large', ''],
    'NOT_TEXT/material': [
      '{path} is not a document that a pack can hold',
      'name a folder, an archive (.zip, .tar.gz), an address, or a file of the kind .md, .rst, .adoc, .txt, .pdf, .docx, .html or .csv',
    ],
    NOT_TEXT: ['{path} cannot be read as text: {problem}', 'convert it to UTF-8, or remove it'],
    BAD_JSON: ['A file is not valid JSON. The message has the line.', 'Repair it.'],
    'BAD_JSON/index': [
      '{path} is not an index: {problem}',
      'an index is a JSON object with a list "entries"; loadout index build writes one',
    ],
    'BAD_JSON/session': ['the state of the session has an invalid line', ''],
    BAD_SETTINGS: ['A settings file has an unknown key or a wrong value. Only that part is ignored.', 'Correct it.'],
    'BAD_SETTINGS/toml': ['{path} is not valid TOML, or has another form', 'repair the file; nothing was changed'],
    'BAD_SETTINGS/comments': [
      '{path} has comments, and the agent ignores a file with comments',
      'repair the file; nothing was changed',
    ],
    UNRECOGNISED: [
      '{path} cannot be validated: its kind is unknown',
      'give an index (.json), a payload (.md), a folder of payloads, a skill, a library, a pack, or loadout.json',
    ],
    WRITE_FAILED: ['A file could not be written.', 'Check permissions and free space.'],
    'WRITE_FAILED/output': [
      'the output could not be written ({code})',
      'check the destination, and whether the disk has space',
    ],
    'WRITE_FAILED/differs': [
      '{path} could not be written: its content differs from what was written',
      'check the disk, then run the command again',
    ],
    'WRITE_FAILED/disk-full': ['{path}: the disk is full', ''],
    ENTRY_NOT_FOUND: ['There is no such entry.', 'Run `loadout search <words>`.'],
    'ENTRY_NOT_FOUND/layers': ['no layer holds the entry {id}', ''],
    'ENTRY_NOT_FOUND/plan': ['no layer of the plan contains the entry {id}', ''],
    'ENTRY_NOT_FOUND/conversation': ['this conversation is not in the log', 'loadout usage --sessions lists them'],
    AMBIGUOUS_NAME: [
      'Several things have this name.',
      'Write the kind before it: `payload:x`, `pack:x`, `skill:x`, `adapter:x`.',
    ],
    NOT_SERVED: [
      'A request to a server of Loadout that is not for it: another host, another page, or an address that is not there.',
      'Open the address that the server printed when it started.',
    ],
    TOKEN_NEEDED: [
      'A request to a server of Loadout without its token, or with an old one.',
      'Open the address that `loadout web` printed last, or send the token that `loadout mcp --http` printed.',
    ],
    USAGE: ['The command line is wrong.', 'Run `loadout help <command>`.'],
    'USAGE/no-stdin-task': ['standard input contains no task', 'pipe it in: echo "fix the ci" | loadout plan -'],
    'USAGE/flag-first': ['Unknown flag: {first}', 'flags come after the command: loadout status --json'],
    'USAGE/no-version': ['--version is missing', 'loadout catalog search lists the versions'],
    'USAGE/only': ['--only {unknown} is unknown', 'skill, pack or none'],
    'USAGE/shell': ['Unknown shell: "{shell}"', 'shells: {shells}'],
    'USAGE/with': ['Unknown value of --with: "{name}"', '--with tests'],
    'USAGE/slice': ['Unknown slice: "{name}"', '--without tactical or --without adapter'],
    'USAGE/now': ['Not a time: "{text}"', 'write 2026-11-16T09:30:00Z'],
    'USAGE/nothing-to-clone': [
      '{into} is the folder of a clone, and there is nothing to clone',
      'loadout init --new {folder}, or loadout init --repo {folder}',
    ],
    'USAGE/mcp-json': ['mcp does not support --json', 'leave out --json'],
    'USAGE/port': ['--port needs --http', 'loadout mcp --http --port 0'],
    'USAGE/mcp-token': [
      'LOADOUT_MCP_TOKEN needs at least {least} characters, without blanks',
      'openssl rand -hex 32 prints a good one; if unset, every start generates one',
    ],
    'USAGE/agent-needed': ['--{only} needs the name of an agent', 'loadout see claude --{only}'],
    'USAGE/shorten': ['Invalid value of --shorten: "{pair}"', '--shorten release-notes=200'],
    'USAGE/serve-json': ['team serve does not support --json', 'leave out --json'],
    'USAGE/try': ['--try and --database cannot be combined', 'loadout help team serve'],
    'USAGE/listen': [
      '--listen {listen} needs --host with the name that clients use',
      '--listen 0.0.0.0 --host team.example.com',
    ],
    'USAGE/no-token': ['Missing flag: --token', 'an administrator creates one: loadout team invite'],
    'USAGE/erase-file': ['--erase and --keep-tasks take no file', 'they apply to this machine’s own log'],
    'USAGE/format': ['{format} is not a format', 'apm.yml or skills-lock.json'],
    'USAGE/no-pack': [
      '<path> is missing: the folder of a pack, or its KNOWLEDGE.md',
      'usage: loadout packs validate <path>',
    ],
    'USAGE/web-json': ['web does not support --json', 'leave out --json'],
    'USAGE/no-task': ['there is no task', 'say what is to be done'],
    'USAGE/days': ['{asked} is not a number of days', 'use a whole number, 0 or more'],
    'USAGE/port-taken': ['port {port} {why}', 'use --port 0 for any free port'],
    'USAGE/project': ['--project is empty', 'for the current folder: --project .'],
    'USAGE/level': ['--level must be from 1 to 6, not {level}', 'headings have one to six hashes'],
    'USAGE/database': [
      'the address of the database is not of the form postgres://user@host/database',
      'loadout team serve --database postgres://loadout@localhost/loadout, or --try',
    ],
    'USAGE/token': [
      'this is not a token of a team: a token begins with ldt_ and has 69 characters',
      'copy all of it; --token - reads it from standard input',
    ],
    'USAGE/skill-or-pack': ['there are a skill and a pack named {name}', 'say which: skill:{name} or pack:{name}'],
    'USAGE/days-valid': ['a catalog is valid for 1 to {most} days', ''],
    'USAGE/until': ['"{until}" is not a day', 'give --until 2026-11-17'],
    'USAGE/keep-days': ['--keep-days must be at least {least}', 'a report covers a month'],
    'USAGE/environment': ['{name} is not a number: {value}', 'correct it, or remove it from the environment'],
    'USAGE/environment-file': ['the file that {name} names cannot be read: {path}', 'correct the path'],
    'USAGE/provider': [
      'a provider for signing in needs an https address, a client and roles',
      'for example: --oidc-issuer https://id.example.com --oidc-client loadout --oidc-roles admin=platform,member=*',
    ],
    'USAGE/webhook': [
      'a webhook needs an http address and a secret that signs its calls',
      'set $LOADOUT_TEAM_WEBHOOK_SECRET, or $LOADOUT_TEAM_WEBHOOK_SECRET_FILE',
    ],
    'USAGE/token-file': ['the file for the first token exists already: {path}', 'name a new one'],
    'USAGE/no-database': [
      'Missing flag: --database',
      '--database postgres://… or $LOADOUT_TEAM_DATABASE; --try starts a temporary one',
    ],
    'USAGE/schema': ['unknown schema: {to}', 'the database has {before}; this program knows {newest}'],
    'USAGE/token-id': ['"{id}" is not the id of a token', 'loadout team tokens lists them'],
    'USAGE/collector': [
      '"{endpoint}" is not the address of a collector',
      'loadout usage --export otlp http://localhost:4318',
    ],
    'USAGE/range': ['the range begins after it ends', 'use --since 30d'],
    'USAGE/choice': ['unknown {name} "{text}"', 'one of {known}'],
    'USAGE/since': ['"{text}" is not a time', 'use --since 30d, 12h, 2w or 2026-01-31'],
    'USAGE/number': ['{name} is not a number', '{name}=200000'],
    'USAGE/body': ['the body is not a JSON object', ''],
    'USAGE/list': ['"{name}" must be a list of texts', ''],
    'USAGE/action': ['"action" must be "equip" or "unequip"', ''],
    UNEXPECTED: [
      'Unexpected error: {detail}. This is a bug in Loadout.',
      'set LOADOUT_DEBUG=1 to see where it happened',
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Row>>>>

/** Earlier codes, by the code that says the same now. */
export const EARLIER_CODES: Readonly<Partial<Record<Code, string>>> = {
  INVALID_INDEX: 'MALFORMED_ENTRY BAD_FIELD BAD_VERSION',
  DRIFT: 'PAYLOAD_ORPHAN NOT_COMPARED',
  WEAK_KEYWORDS:
    'DEAD_KEYWORD UNROUTABLE_ENTRY TOO_MANY_KEYWORDS STOP_WORD_PATTERN ALWAYS_OUTRANKED FITS_EVERYTHING DUPLICATE_KEYWORD',
  NOTHING_TO_SPLIT: 'NO_SUCH_SECTION',
  TEXT_CHANGED: 'FENCE_NEUTRALISED TEXT_CLEANED',
  USAGE_UNREADABLE: 'USAGE_JUNK_LINES',
  USAGE_EMPTY: 'NO_TASK_TEXTS',
  NOT_RECORDED: 'USAGE_NOT_RECORDED AUDIT_NOT_RECORDED',
  EXAMPLE_REFUSED: 'EXAMPLE_DUPLICATE EXAMPLE_SHARED EXAMPLES_FULL',
  EXAMPLES_STALE: 'EXAMPLES_WITHOUT_ENTRY',
  EXAMPLES_UNREADABLE: 'EXAMPLES_JUNK_LINES',
  INVALID_SKILL: 'DUPLICATE_SKILL FORMAT_LIMIT',
  NO_SOURCE: 'SOURCE_REWRITTEN SOURCE_REMOVED',
  MERGE_CONFLICT: 'IMPORT_CONFLICT',
  ENTRY_NOT_FOUND: 'PROFILE_NOT_FOUND COMMIT_NOT_FOUND AUDIT_NOT_FOUND ADAPTER_NOT_FOUND',
  UNMANAGED_FOLDER: 'BROKEN_MARKER',
  BLOCK_STALE: 'BLOCK_DAMAGED',
  CATALOG_HELD: 'CATALOG_RETIRED',
  UPSTREAM_MISSING: 'DETACHED_HEAD',
  UNCOMMITTED: 'COMMITS_WAITING',
  PACK_REFUSED: 'COMPILE_REFUSED',
  BUDGET_TOO_SMALL: 'BUDGET_CEILING CORE_OVER_BUDGET',
  NOTES_UNREADABLE: 'NOTES_JUNK_LINES',
  ADAPTER_FAILED: 'ADAPTER_NAME ADAPTER_DUPLICATES ADAPTER_STALE ADAPTER_SHAPE ADAPTER_TIMEOUT ADAPTER_FLOOD',
  'discovery.skipped':
    'discovery.depth discovery.limit discovery.unreadable discovery.link discovery.not-a-file discovery.source',
}

type Rows = Combined<(typeof ISSUES)[keyof typeof ISSUES]>
type Combined<T> = (T extends T ? (each: T) => void : never) extends (all: infer All) => void ? All : never

/** A row of the table. */
export type IssueName = keyof Rows & string

/** What programs can match: `--json` prints it with every error and finding. */
export type Code = IssueName extends infer Name ? (Name extends `${infer Start}/${string}` ? Start : Name) : never

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** The facts that the sentence and the remedy of a row mention. */
export type FactsOf<Name extends IssueName> = Rows[Name] extends readonly [infer Sentence, infer Remedy, ...unknown[]]
  ? { [Fact in NamesIn<Sentence> | NamesIn<Remedy>]: string | number }
  : never

const ROWS: ReadonlyMap<string, Row> = new Map(Object.values(ISSUES).flatMap((rows) => Object.entries<Row>(rows)))

/** Every code, in the order of the table. */
export const CODES = [...ROWS.keys()].filter((name) => !name.includes('/')) as readonly Code[]

/** A row with the facts in it. */
export function wordIssue(name: IssueName, facts: Readonly<Record<string, string | number>>) {
  const [sentence, remedy, severity = 'error'] = ROWS.get(name) ?? ['', '']
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, fact: string) => String(facts[fact]))
  const hint = remedy === '' ? undefined : fill(remedy)
  return { severity, code: name.split('/', 1)[0] as Code, message: fill(sentence), hint }
}

/** What a code means, one line for each of its sentences; an earlier code also says which one replaced it. */
export function explainCode(typed: string): string[] | undefined {
  const moved = Object.entries(EARLIER_CODES).find(([, earlier]) => earlier.split(' ').includes(typed))?.[0]
  const code = moved ?? typed
  const rows = [...ROWS].filter(([name]) => name === code || name.startsWith(`${code}/`))
  if (rows.length === 0) return undefined
  const told = rows.map(([, [sentence, remedy]]) =>
    remedy === '' ? sentence : `${sentence.replace(/\.$/, '')}: ${remedy}`,
  )
  return [moved === undefined ? code : `${typed} is ${code} now`, ...told]
}
