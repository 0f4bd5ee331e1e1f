import type { Code } from '../src/text/trouble.ts'

/** The cause of a code, and what to do about it. */
type Row = readonly [cause: string, remedy: string]

const REBUILD = 'Run `loadout index build`.'
const REPAIR_RECORD = 'Repair the record, or remove it.'

/** Every code by subject, in the order of the page. */
const SUBJECTS = {
  'Index files': {
    INVALID_INDEX: ['The file is valid JSON but not an index.', REBUILD],
    MISSING_VERSION: ['The index has no `version`.', REBUILD],
    BAD_VERSION: ['The `version` of the index is not a version number.', 'Set it to `"1.0.0"`.'],
    MISSING_GENERATED: ['The index does not say when it was generated.', REBUILD],
    INVALID_ENTRIES: ['`entries` is not a list.', REBUILD],
    MALFORMED_ENTRY: ['An entry has the wrong form and was skipped.', REBUILD],
    MISSING_ID: ['An entry has no `id`.', 'Give it a unique id in kebab-case.'],
    BAD_ID_FORMAT: ['An id is not in kebab-case.', 'Use lower-case letters, digits and hyphens.'],
    DUPLICATE_ID: ['Two entries have the same id.', 'Rename one, or write the kind before the name: `payload:x`.'],
    MISSING_PATH: ['An entry does not name its file.', 'Add `path`, relative to the root of the layer.'],
    INVALID_PRIORITY: ['The priority is not `core`, `domain` or `manual`. Loadout uses `domain`.', 'Correct it.'],
    MISSING_SUMMARY: ['An entry has no summary.', 'Add one sentence that says what the entry is for.'],
    LONG_SUMMARY: ['A summary is longer than the format allows.', 'Shorten it.'],
    EMPTY_KEYWORDS: ['An entry has no keywords, or an empty one.', 'Add keywords that its tasks use.'],
    DUPLICATE_KEYWORD: [
      'An entry has the same keyword twice.',
      'Keep one. Case, spaces and hyphens make no difference.',
    ],
    BAD_TOKEN_EST: ['The token estimate of an entry is not a count.', REBUILD],
    BAD_FIELD: ['A field is missing or has the wrong type, and was ignored.', REBUILD],
    BAD_BUDGET: ['The budget of the index is missing or not a number.', REBUILD],
    NEGATIVE_BUDGET: ['A budget field is negative.', REBUILD],
    LAYER_MALFORMED: [
      'The index of a layer cannot be parsed. The other layers are used.',
      `Repair the file. ${REBUILD}`,
    ],
    LAYER_UNREADABLE: [
      'The index of a layer cannot be read. The other layers are used.',
      'Check its path and permissions.',
    ],
    NO_INDEX: ['No index was found where the command looked.', REBUILD],
  },
  Payloads: {
    NO_PAYLOADS: ['No payload files were found.', 'Write one, or set `payloads` in `loadout.json`.'],
    NO_FRONTMATTER: [
      'A Markdown file has no frontmatter, so it is not in the index.',
      'Add a block with `id` and `keywords`.',
    ],
    BAD_FRONTMATTER: ['The frontmatter of a file cannot be parsed.', 'Repair the YAML between the two `---` lines.'],
    PAYLOAD_MISSING: ['The index lists an entry whose file is gone.', REBUILD],
    PAYLOAD_ORPHAN: ['A payload is not in the index.', REBUILD],
    PAYLOAD_UNREADABLE: ['The file of an entry cannot be read.', 'Check that it exists and its permissions.'],
    PATH_ESCAPE: ['A path or link leads out of the folder it belongs to.', 'Move the file inside, or remove the link.'],
    DRIFT: ['The index and a payload say different things.', REBUILD],
    BUDGET_DRIFT: ['The totals of the index do not match its entries.', REBUILD],
    NOT_COMPARED: [
      'Entries could not be compared with their payloads.',
      'Give the payloads a frontmatter block with an id.',
    ],
    DEAD_KEYWORD: ['A keyword can never match.', 'Spell it out: words of one character are ignored.'],
    UNROUTABLE_ENTRY: ['No task can find the entry.', 'Give it keywords of at least two letters or digits.'],
    TOO_MANY_KEYWORDS: [
      'An entry has so many keywords that one match scores too low.',
      'Remove some, or split the entry.',
    ],
    STOP_WORD_PATTERN: [
      'A pattern contains an everyday word and matches almost every task.',
      'Keep only distinctive words.',
    ],
    ALWAYS_OUTRANKED: [
      'Another entry has the same keywords and always comes first.',
      'Add a keyword of its own, or merge the two.',
    ],
    FITS_EVERYTHING: ['A keyword matches most entries or most tasks.', 'Choose words that only its own tasks have.'],
    NOTHING_TO_SPLIT: ['`index migrate` found no section to move out of the file.', 'Nothing to do.'],
    NO_SUCH_SECTION: ['`--keep` names a section that the file does not have.', 'Use one of the listed headings.'],
    CORE_OVER_BUDGET: [
      'The `core` entries alone exceed the budget.',
      'Raise `--budget`, or make some entries `domain`.',
    ],
    LEFT_OUT: ['Something that fits the task was left out. The message says why.', 'Raise the limit it names.'],
  },
  'Text for a model': {
    FENCE_NEUTRALISED: [
      'A text contained something that looks like a fence. It was changed so that it cannot close one.',
      'Check the file if you did not expect it.',
    ],
    FENCE_BROKEN: ['A text could not be fenced safely and was not printed.', 'Report it as a bug.'],
    TEXT_CLEANED: ['Invisible characters were removed from a text.', 'Remove them from the file.'],
  },
  Usage: {
    USAGE_NOT_RECORDED: [
      'The usage log could not be written. The answer itself is complete.',
      'Check the state folder.',
    ],
    USAGE_JUNK_LINES: ['Lines of the usage log could not be parsed and were skipped.', 'Nothing to do.'],
    USAGE_UNREADABLE: ['The usage log cannot be read.', 'Check its permissions.'],
    USAGE_EMPTY: ['The usage log has no use of any skill.', 'Run `loadout hooks install`, and try again later.'],
    NO_TASK_TEXTS: ['The log holds no task texts to replay.', 'Run `loadout usage --keep-tasks on`.'],
    ROUTING_CHANGED: ['Recorded tasks now choose other entries.', 'Run `loadout explain <id> --task "<task>"`.'],
  },
  Examples: {
    EXAMPLE_REFUSED: ['An example prompt was not accepted. The message says why.', 'Write what a person would type.'],
    EXAMPLE_DUPLICATE: ['The entry has this example already.', 'Nothing to do.'],
    EXAMPLE_SHARED: ['Two entries have the same example.', 'Keep it for one of them.'],
    EXAMPLES_FULL: ['An entry has as many examples as count.', 'Keep the best ones.'],
    EXAMPLES_STALE: [
      'The description changed after its examples were written, so they do not count.',
      'Run `loadout teach <id> --renew`.',
    ],
    EXAMPLES_JUNK_LINES: ['Lines of an example file could not be parsed and were skipped.', 'Repair or remove them.'],
    EXAMPLES_UNREADABLE: ['An example file cannot be read.', 'Check its permissions.'],
    EXAMPLES_WITHOUT_ENTRY: [
      'There are examples of an entry that no longer exists.',
      'Remove them, or bring the entry back.',
    ],
    NOTHING_TO_TEACH: ['No entry needs examples, or the answer contains none.', 'Follow the hint of the message.'],
    BAD_SUITE: [
      'There are no test questions, or a file of them has the wrong form.',
      'Follow the form in the message.',
    ],
    BELOW_THRESHOLD: ['An evaluation scored less than the minimum you set.', 'Look at the confusions it prints.'],
  },
  'The library of skills': {
    CONFIG_NOT_FOUND: [
      'No library is set up on this machine.',
      'Run `loadout init --new <folder>` or `--clone <url>`.',
    ],
    BAD_CONFIG: ['`config.json` has an unknown key or a wrong value.', 'Correct the key that the message names.'],
    REPO_NOT_FOUND: [
      'The folder of the library is missing or not a git repository.',
      'Run `loadout init --repo <folder>`.',
    ],
    BAD_NAME: ['A name is not valid here.', 'Use lower-case letters, digits and hyphens.'],
    SKILL_NOT_FOUND: ['The library has no such skill.', 'Run `loadout inventory` to list them.'],
    SKILL_EXISTS: ['The library already has a skill of this name.', 'Choose another name, for example with `--as`.'],
    SKILL_INSTALLED: ['The skill is still installed, so it was not deleted.', 'Run `loadout unequip <skill>` first.'],
    INVALID_SKILL: ['A skill cannot be used. The message names the field.', 'Repair it in the library.'],
    DUPLICATE_SKILL: ['Two folders of the library contain a skill of the same name.', 'Rename one.'],
    NAME_DIFFERS: ['The name of a skill differs from the name of its folder.', 'Rename one of the two.'],
    FORMAT_LIMIT: ['A skill exceeds a limit of the public format. Some agents cut or skip it.', 'Shorten it.'],
    SYMLINK_IN_TREE: [
      'A skill or archive contains a link that leads to no file of it.',
      'Replace the link with the file.',
    ],
    SPECIAL_FILE: ['A skill or archive contains a pipe, socket or device.', 'Remove it.'],
    BAD_ARCHIVE: ['An archive cannot be unpacked.', 'Create it again with plain `tar`.'],
    NOTHING_TO_IMPORT: [
      'The source contains nothing that can be imported. The message says what was looked for.',
      'Check the path or address.',
    ],
    IMPORT_CONFLICT: [
      'Copies of a skill differ, so Loadout cannot choose.',
      'Choose one with the command in the message.',
    ],
    MERGE_CONFLICT: ['Changes on both sides overlap.', 'Run `loadout merge <skill>`.'],
    SOURCE_REWRITTEN: [
      'The history of a source no longer contains the imported commit.',
      'Check `loadout update --dry-run` before you update.',
    ],
    COMMIT_NOT_FOUND: [
      'Loadout cannot undo this commit: the library does not have it, or it did not only change skills.',
      'Name another commit, or use `git revert`.',
    ],
    NO_SOURCE: [
      'Loadout does not know where a skill came from, so it cannot update it.',
      'Import it again from its source.',
    ],
    SOURCE_REMOVED: ['The source no longer has the skill.', 'Keep it, or run `loadout delete <skill>`.'],
    PINNED: ['The skill is pinned and was not updated.', 'Run `loadout unpin <skill>` to update it.'],
    QUARANTINED: [
      'A skill of another author can act, or has frontmatter keys that are not known to be harmless, and you have not allowed it. It is not installed, or without these keys.',
      'Read what it can do with `loadout inspect`, then run `loadout approve skill:<name>` or `deny`.',
    ],
    TARGETS_ASSUMED: [
      'The skill names no agents, so it was imported for the enabled ones.',
      'Change it with `loadout targets`.',
    ],
    PROFILE_NOT_FOUND: ['There is no profile of this name.', 'Run `loadout profile list`.'],
    NOT_CONFIRMED: ['You answered no. Nothing was changed.', 'Run it again, or add `--yes`.'],
  },
  'Agents and installs': {
    UNKNOWN_AGENT: ['No agent has this name.', 'Run `loadout agents`.'],
    UNSUPPORTED_TARGET: ['A skill does not list this agent.', 'Run `loadout targets <skill> --add <agent>`.'],
    TARGET_DISABLED: ['The agent is not enabled on this machine.', 'Run `loadout agents enable <agent>`.'],
    NO_PROJECT: ['The command needs a project, and the folder is not in one.', 'Name it: `--project <folder>`.'],
    UNMANAGED_FOLDER: [
      'Another folder of this name is in the way. Loadout did not create it and left it alone.',
      'Take it over with `import --adopt`, or use `equip --replace`.',
    ],
    BROKEN_MARKER: ['The marker of an install is damaged.', 'Run `loadout doctor --fix`.'],
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
    LOCKED: ['Another process is working here.', 'Wait until it has finished.'],
    NOT_SEEN: ['An agent cannot see everything that is installed for it.', 'Run `loadout see <agent>`.'],
    HOOKS_OUTDATED: [
      'The hooks of an agent are from another version, or their program is gone.',
      'Run `loadout hooks install`.',
    ],
    HOOKS_OFF: ['The agent will not run the hooks. The message says why.', 'Change the setting it names.'],
    BLOCK_DAMAGED: ['The index block of `AGENTS.md` is damaged.', 'Repair or delete the block.'],
    BLOCK_STALE: ['The index block of `AGENTS.md` is outdated.', 'Run `loadout agents-md --write`.'],
  },
  'The catalog of an organization': {
    CATALOG_HELD: [
      'The catalog has no approved version of the skill for this machine. Installed copies stay as they are.',
      'Run `loadout catalog search`.',
    ],
    CATALOG_RETIRED: [
      'The skill was retired in the catalog. `loadout sync` removes it.',
      'Run `loadout catalog search`.',
    ],
    CATALOG_UNVERIFIED: [
      'The signed catalog is missing, expired or not validly signed, or does not continue what this machine verified.',
      'An approver runs `loadout catalog sign`. Check `catalog/allowed_signers` in the library.',
    ],
  },
  Git: {
    GIT_MISSING: ['git is not on the PATH.', 'Install git.'],
    GIT_FAILED: ['A git command failed. The message has what git said.', 'Follow the hint.'],
    GIT_UNSAFE: ['A repository setting or address would run a program.', 'Remove it with the command in the message.'],
    REMOTE_UNREACHABLE: ['A remote repository could not be reached.', 'Check the connection and your access.'],
    DIVERGED: [
      'The library and its remote both have new commits.',
      'Merge or rebase with git, then run `loadout sync`.',
    ],
    UPSTREAM_MISSING: ['The branch of the library follows no remote branch.', 'Run the git command in the message.'],
    DETACHED_HEAD: ['The library is not on a branch.', 'Run the `git switch` in the message.'],
    COMMITS_WAITING: ['The library has commits that are not pushed.', 'Run `loadout sync --push`.'],
    UNCOMMITTED: ['The library has changes that are not committed.', 'Commit them with git.'],
  },
  Packs: {
    PACK_NOT_FOUND: ['There is no such pack.', 'Run `loadout packs list --all`.'],
    PACK_EXISTS: ['The folder for a new pack already exists.', 'Choose another name.'],
    PACK_REFUSED: ['A gate of the pack does not let it be used.', 'The message names the gate.'],
    COMPILE_REFUSED: [
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
    BAD_APPROVALS: [
      'The file of your approvals was changed by hand or damaged, so nothing counts as approved.',
      'Restore or remove the file.',
    ],
    AUDIT_NOT_RECORDED: ['The record of a bundle or pack could not be written.', 'Check the state folder.'],
    AUDIT_NOT_FOUND: ['There is no record with this id.', 'Use an id that `context` or `packs resolve` printed.'],
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
    'discovery.depth': ['Folders below `maxDepth` were not searched.', 'Raise `maxDepth` if packs are missing.'],
    'discovery.limit': ['There is more than the limits allow to search.', 'Raise the limit that the message names.'],
    'discovery.unreadable': ['A folder cannot be read.', 'Check its permissions.'],
    'discovery.link': ['A link leads out of its root, or nowhere.', 'Remove it, or set `followLinks`.'],
    'discovery.not-a-file': ['`KNOWLEDGE.md` is not a regular file.', 'Replace it with a file.'],
    'discovery.source': ['Packs of the organization are missing.', 'Run `loadout packs fetch`.'],
    'claim.stale': ['A claim in a chosen file is out of date, or a page calls itself old.', 'Update it.'],
    'claim.disputed': [
      'A claim is disputed, or packs give different numbers for it.',
      'Verify it before you rely on it.',
    ],
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
    'run.invalid': ['The record of a run cannot be used.', REPAIR_RECORD],
    'run.not-read': ['Older runs were not read.', 'Nothing to do.'],
    'map.invalid': ['The source map, or a claim in it, cannot be used.', REPAIR_RECORD],
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
    'ontology.invalid': ['Records of the ontology cannot be used.', REPAIR_RECORD],
    'ontology.unverified': ['A concept or claim is not verified.', 'Verify it.'],
    'ontology.forbidden': ['The claim must not be made. It is given only as a prohibition.', 'Nothing to do.'],
    'answers.invalid': ['Records of answers cannot be used.', REPAIR_RECORD],
    'answers.unreviewed': ['An answer was not approved by a reviewer.', 'Review it.'],
    'record.invalid': ['A test suite or another record has the wrong form.', REPAIR_RECORD],
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
    BUDGET_CEILING: ['A limit is above the highest that is allowed.', 'Lower it.'],
    BUDGET_TOO_SMALL: ['Nothing fits into the budget.', 'Use at least the size in the message.'],
    BAD_NOTE: ['A note was not accepted. The message says why.', 'Shorten or correct it.'],
    NOTES_JUNK_LINES: ['Lines of the note file could not be parsed and were skipped.', 'Run `loadout note prune`.'],
    NOTES_UNREADABLE: ['The note file cannot be read.', 'Move it away, or repair it.'],
    NOTES_UNUSED: ['The project does not use notes yet.', 'Add the setting in the message to `loadout.json`.'],
    ADAPTER_NAME: ['An adapter reports another id than `loadout.json` gives it.', 'Correct one of the two.'],
    ADAPTER_DUPLICATES: ['An adapter returned items twice.', 'Correct the adapter.'],
    ADAPTER_STALE: ['The data of an adapter is old, or has no date.', 'Refresh its source.'],
    ADAPTER_SHAPE: ['The output of an adapter has the wrong form.', 'Correct the adapter.'],
    ADAPTER_FAILED: ['An adapter ended with an error.', 'Run its command by hand.'],
    ADAPTER_TIMEOUT: ['An adapter took too long.', 'Make it faster, or raise `timeoutMs`.'],
    ADAPTER_FLOOD: ['An adapter printed too much.', 'Return fewer items.'],
    ADAPTER_NOT_FOUND: ['There is no such adapter, or its program is missing.', 'Run `loadout adapters list`.'],
    ADAPTER_NOT_ALLOWED: [
      'The command of an adapter was not approved on this machine.',
      'Run `loadout approve adapter:<id>`.',
    ],
    ADAPTER_UNPINNABLE: ['The command can run code that an approval cannot cover.', 'Name the script file itself.'],
  },
  'A team and its server': {
    TEAM_NOT_JOINED: ['This machine has joined no team.', 'Run `loadout team join <url> --token <token>`.'],
    TEAM_JOINED: ['This machine has joined another team.', 'Run `loadout team leave` first.'],
    TEAM_TOKEN_REFUSED: ['The server does not know the token, or it was revoked.', 'Join again with a new token.'],
    TEAM_TOKEN_NOT_FOUND: ['There is no token with this id.', 'Run `loadout team tokens`.'],
    TEAM_LAST_ADMIN: [
      'The last administrator cannot be revoked.',
      'Make another one: `loadout team invite --role admin`.',
    ],
    TEAM_ROLE: ['The role of your token does not allow it.', 'Ask an administrator of the team.'],
    TEAM_OTHER: ['The address or the token belongs to another team.', 'Run `loadout team leave`, then join that team.'],
    TEAM_FORMAT: ['Machine and server are too far apart in age.', 'Update the one that the message names.'],
    TEAM_BAD_BATCH: ['The server cannot read what was sent.', 'Update Loadout on the machine. Nothing is lost.'],
    TEAM_BEHIND: ['The server was restored from a backup and lacks batches.', 'Nothing: the machine sends them again.'],
    TEAM_CLONED: ['Two machines had one identity, as after copying a disk.', 'Nothing: one of them has a new one.'],
    TEAM_LEFT: ['A copy of this machine has left the team.', 'Nothing: this one gets an identity of its own.'],
    TEAM_UNKNOWN_MACHINE: ['The machine never joined with this token.', 'Join again.'],
    TEAM_GROUP_SMALL: ['The group has five active people or fewer.', 'Ask for the report of the whole team.'],
    TEAM_CLOCK: ['The clock of this machine is wrong. The server corrected the hours.', 'Set the clock.'],
    TEAM_DATABASE: ['The database of the team cannot be used now. The message says why.', 'Mend the database.'],
    TEAM_SCHEMA: ['The schema of the database and this Loadout do not fit.', 'Update the server.'],
    BAD_TEAM_FILE: ['A file in `team/` of the state folder cannot be read.', 'Remove the folder and join again.'],
    UNREACHABLE: ['A server did not answer, or another program did.', 'Check the address and the network.'],
  },
  'Files and calls': {
    FILE_NOT_FOUND: ['A file is missing.', 'Check the path.'],
    FILE_UNREADABLE: ['A file cannot be read.', 'Check its permissions.'],
    FILE_EXISTS: ['The file or folder to create already exists.', 'Choose another name.'],
    NOT_A_FILE: ['The path is not a regular file.', 'Name a file.'],
    NOT_A_FOLDER: ['The path is not a folder.', 'Name a folder.'],
    FILE_TOO_LARGE: ['A file or text is larger than the limit.', 'Split it.'],
    NOT_TEXT: ['A file is not UTF-8 text.', 'Convert it.'],
    BAD_JSON: ['A file is not valid JSON. The message has the line.', 'Repair it.'],
    BAD_SETTINGS: ['A settings file has an unknown key or a wrong value. Only that part is ignored.', 'Correct it.'],
    UNRECOGNISED: [
      'The path is nothing that can be validated.',
      'Name an index, payload, skill, pack or `loadout.json`.',
    ],
    WRITE_FAILED: ['A file could not be written.', 'Check permissions and free space.'],
    ENTRY_NOT_FOUND: ['There is no such entry.', 'Run `loadout search <words>`.'],
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
    UNEXPECTED: ['A bug in Loadout.', 'Run it again with `LOADOUT_DEBUG=1`, and report what it prints.'],
  },
} as const satisfies Readonly<Record<string, Partial<Record<Code, Row>>>>

type KeysOf<T> = T extends T ? keyof T : never
/** The type check fails here for a code that has no row. */
const isComplete: Exclude<Code, KeysOf<(typeof SUBJECTS)[keyof typeof SUBJECTS]>> extends never ? true : never = true

/** The page `docs/errors.md`. */
export function errorReference(): string {
  const sections = Object.entries(SUBJECTS).map(([subject, rows]) => {
    const lines = Object.entries<Row>(rows).map(([code, [cause, remedy]]) => `| \`${code}\` | ${cause} | ${remedy} |`)
    return [`## ${subject}`, '', '| code | cause | remedy |', '| --- | --- | --- |', ...lines, ''].join('\n')
  })
  return isComplete ? [HEAD, ...sections].join('\n') : ''
}

const HEAD = `# Error codes

Every error and finding carries one of these codes; \`--json\` prints it as \`code\`. A message also names what it is about
and what to do. \`npm run docs\` writes this page.
`
